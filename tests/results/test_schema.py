"""Keys do not depend on how a configuration is written; documents are consistent and stay JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from longreach.config.keys import KEY, canonical_json, job_key
from longreach.errors import InputError
from longreach.results.schema import Evaluation, Final, Result, named, setting
from tests.results.samples import sample, sample_failure

TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
CONFIGS = st.dictionaries(TEXTS, VALUES, max_size=4)


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _reversed(value[name]) for name in reversed(value)}
    return tuple(_reversed(entry) for entry in value) if isinstance(value, list) else value


@given(CONFIGS)
def test_the_key_does_not_depend_on_how_the_configuration_is_written(config: dict[str, Any]) -> None:
    key = job_key(config)
    assert KEY.fullmatch(key)
    assert job_key(_reversed(config)) == key
    assert job_key(json.loads(json.dumps(config, indent=3, ensure_ascii=False))) == key
    assert json.loads(canonical_json(config)) == config


@given(CONFIGS, CONFIGS)
def test_different_configurations_have_different_keys(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert (job_key(one) == job_key(other)) == (canonical_json(one) == canonical_json(other))


def test_numbers_are_the_same_however_they_are_written() -> None:
    assert job_key({"width": 16}) == job_key({"width": 16.0})
    assert job_key({"width": 0}) == job_key({"width": -0.0})
    assert job_key({"width": 1}) != job_key({"width": True})
    assert job_key({"width": 16}) != job_key({"width": "16"})
    assert canonical_json({"big": 1e300}) == '{"big":1e+300}'


def test_a_known_key_stays() -> None:
    # Results on disk are found by this: it must not change between versions.
    assert job_key({"task": "parity", "seed": 0}) == "9fa078c87fdbacac"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"lr": math.nan}, "config.lr: nan is not a JSON number"),
        ({"model": {"sizes": [1, math.inf]}}, "config.model.sizes[1]: inf is not"),
        ({1: 2}, "config: the name 1 is not a string"),
        ({"regex": "\udcff"}, r"config.regex: '\udcff' is not Unicode text"),
        ({"model": {"\udcff": 1}}, r"config.model: '\udcff' is not Unicode text"),
        ({"set": {1, 2}}, "config.set: set is not a JSON value"),
    ],
)
def test_what_json_cannot_hold_has_no_key(config: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        job_key(config)
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize("result", [sample(), sample_failure()], ids=["done", "failed"])
def test_documents_survive_the_way_through_a_file(result: Result) -> None:
    assert Result.model_validate_json(result.model_dump_json()) == result


def test_a_diverged_loss_stays_json_and_a_number() -> None:
    result = sample(rows=(Evaluation(step=1, loss=math.nan, other={"norm": math.inf}),))
    text = result.model_dump_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    (row,) = Result.model_validate_json(text).rows
    assert row.loss is not None
    assert math.isnan(row.loss)
    assert row.other == {"norm": math.inf}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"key": "0" * 16}, "is not that of the config"),
        ({"error": "but done"}, "one that is done has none"),
        ({"status": "failed"}, "a failed job has an error"),
        ({"final": None}, "has final numbers"),
        ({"checkpoints": ("../../secret",)}, "does not lie in the job's directory"),
        ({"checkpoints": ("/etc/passwd",)}, "does not lie in the job's directory"),
        ({"checkpoints": ("",)}, "does not lie in the job's directory"),
        ({"version": 2}, "Input should be 1"),
        ({"seed": 2**63}, "Input should be less than"),
        ({"surprise": 1}, "Extra inputs are not permitted"),
    ],
)
def test_inconsistent_documents_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        sample(**changes)


def test_details_are_json() -> None:
    assert Final(steps=1, details={"matrix": [[1, 0.5]]}).details == {"matrix": [[1, 0.5]]}
    with pytest.raises(ValidationError, match=r"details\.matrix\[0\]"):
        Final(steps=1, details={"matrix": [math.nan]})


def test_settings_are_found_on_top_and_one_level_below() -> None:
    config = {"task": {"name": "parity"}, "model": {"encoding": "ape", "layers": 2}, "seed": 1}
    assert (named(config, "task"), named(config, "encoding"), named(config, "seed")) == (
        "parity",
        "ape",
        None,
    )
    assert setting(config, "layers") == 2
    assert setting(config, "absent") is None
