"""All bounds together: each is in one of two lists, and documents hold what was promised."""

from __future__ import annotations

import json
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from longreach.bounds.all_bounds import DEFINITIONS, bounds
from longreach.bounds.bound_inputs import QUANTITIES, BoundInputs, read_settings

NAMES = [
    "one-layer-worst-case", "one-layer-workshop", "one-layer-average", "two-layer", "planted-sparse",
    "automaton", "depth-one",
]  # fmt: skip


def test_nothing_given() -> None:
    found = bounds(BoundInputs())
    assert not found.bounds
    assert [each.definition.name for each in found.not_applicable] == NAMES
    document = found.document()
    assert document["not_applicable"][5]["missing"] == ["states"]
    assert document["not_applicable"][0]["missing"] == [
        "precision", "gamma", "L", "period", "alphabet", "locality", "error",
    ]  # fmt: skip


@given(st.sets(st.sampled_from(sorted(QUANTITIES))), st.booleans())
def test_each_bound_is_computed_or_says_what_is_missing(known: set[str], error: bool) -> None:
    inputs = BoundInputs(values=read_settings([f"{name}=4" for name in known]))
    found = bounds(inputs, Fraction(1, 2) if error else None)
    for bound in found.bounds:
        assert set(bound.definition.needs) <= known | {"error"}
        assert bound.value.log2 >= 0
    for other in found.not_applicable:
        if other.definition.name == "planted-sparse" and set(other.definition.needs) <= known:
            continue  # its lengths do not fit
        assert other.missing
        assert set(other.missing).isdisjoint(known)
    computed = {each.definition.name for each in found.bounds}
    assert computed.isdisjoint({each.definition.name for each in found.not_applicable})
    document = json.loads(json.dumps(found.document(), allow_nan=False))
    for entry in document["bounds"]:
        assert entry.keys() >= {"name", "value", "terms", "formula", "assumes", "up_to_constants", "inputs"}
        assert entry["assumes"]
        assert entry["constants"]
        assert entry["source"]


def test_every_quantity_is_needed_by_a_bound() -> None:
    needed = {name for each in DEFINITIONS for name in each.needs} - {"error"}
    assert needed == QUANTITIES.keys()
