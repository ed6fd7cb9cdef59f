"""The formulas by hand, their growth and edges; length complexity against all small automata and programs."""

from __future__ import annotations

import json
from fractions import Fraction
from math import isclose, log2, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.theory.bounds.definition import QUANTITIES, Bound, BoundInputs, NotApplicable, read_settings
from longreach.theory.bounds.theorems import DEFINITIONS, NO_BOUND, bounds
from tests.helpers.examples import slow
from tests.helpers.small_automata import small_automata

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


EXAMPLE = ["precision=8", "gamma=0.5", "L=2", "period=3", "alphabet=2", "locality=1"]


def asked(settings: list[str], error: Fraction | None) -> dict[str, Bound | NotApplicable]:
    found = bounds(BoundInputs(values=read_settings(settings)), error)
    return {each.definition.name: each for each in (*found.bounds, *found.not_applicable)}


def bound(settings: list[str], name: str, error: Fraction = Fraction(1, 10)) -> Bound:
    found = asked(settings, error)[name]
    assert isinstance(found, Bound)
    return found


def test_by_hand() -> None:
    """2^{8 / ½} = 2^16; 2² · 3⁷ · 2⁶ · 1² / 0.1² = 4 · 2187 · 64 · 100; 1 · 3 · 2² / 0.1² = 1200."""
    worst = bound(EXAMPLE, "one-layer-worst-case")
    assert {name: size.number() for name, size in worst.terms.items()} == {
        "hard": 65536,
        "resolution": 55_987_200,
    }
    assert worst.value.number() == 55_987_200
    workshop = bound(EXAMPLE, "one-layer-workshop")
    assert {name: size.number() for name, size in workshop.terms.items()} == {
        "hard": 65536,
        "resolution": 1200,
    }
    assert workshop.value.number() == 65536
    assert worst.definition.up_to_constants
    assert "heuristic" in workshop.assumes[0]


NUMBERS = st.fractions(Fraction(1, 50), 50)
WHOLE = st.integers(1, 12)


@given(st.integers(0, 40), NUMBERS, NUMBERS, WHOLE, WHOLE, st.integers(0, 9), NUMBERS)
def test_against_floating_point(
    p: int, gamma: Fraction, norm: Fraction, period: int, letters: int, window: int, error: Fraction
) -> None:
    settings = [
        f"precision={p}", f"gamma={gamma}", f"L={norm}", f"period={period}", f"alphabet={letters}",
        f"locality={window}",
    ]  # fmt: skip
    tau, length = max(window, 1), float(norm)
    worst = max(p / float(gamma), np.log2(length**2 * period**7 * letters**6 * tau**2 / float(error) ** 2))
    workshop = max(p / float(gamma), np.log2(tau * period * length**2 / float(error) ** 2))
    for name, expected in (("one-layer-worst-case", worst), ("one-layer-workshop", workshop)):
        assert isclose(bound(settings, name, error).value.log2, expected, rel_tol=1e-9, abs_tol=1e-9)


def test_smaller_errors_and_larger_models_need_longer_training() -> None:
    usual = bound(EXAMPLE, "one-layer-worst-case").value.log2
    assert bound(EXAMPLE, "one-layer-worst-case", Fraction(1, 100)).value.log2 > usual
    for name, larger in (("L", 3), ("period", 4), ("alphabet", 3), ("locality", 2)):
        others = [setting for setting in EXAMPLE if not setting.startswith(f"{name}=")]
        assert bound([*others, f"{name}={larger}"], "one-layer-worst-case").value.log2 > usual


def test_errors_from_one_on_need_hard_attention_alone() -> None:
    assert bound(EXAMPLE, "one-layer-worst-case", Fraction(10**6)).value.number() == 65536


def test_equal_logits_need_no_precision() -> None:
    settings = ["gamma=inf", *EXAMPLE[2:]]
    found = bound(settings, "one-layer-workshop")
    assert found.terms["hard"].number() == 1
    assert found.value.number() == 1200


def test_no_locality_counts_as_one() -> None:
    settings = [*EXAMPLE[:5], "locality=0"]
    assert bound(settings, "one-layer-worst-case").value.number() == 55_987_200


def test_the_second_term_alone_where_the_margin_is_missing() -> None:
    found = asked(EXAMPLE[2:], Fraction(1, 10))["one-layer-worst-case"]
    assert isinstance(found, NotApplicable)
    assert found.missing == ("precision", "gamma")
    assert found.terms["resolution"].number() == 55_987_200


def test_without_an_error_nothing_is_made_up() -> None:
    found = asked(EXAMPLE, None)["one-layer-worst-case"]
    assert isinstance(found, NotApplicable)
    assert found.missing == ("error",)
    assert found.terms["hard"].number() == 65536


def test_the_average() -> None:
    found = bound(["alpha0=1"], "one-layer-average")
    assert found.value.number() == 10**4
    number = found.terms["error"].number()
    assert number is not None
    assert isclose(number, sqrt(0.1))
    assert isclose(bound(["alpha0=0.3"], "one-layer-average").value.log2, (2 + 2 / 0.3) * np.log2(10))


@pytest.mark.parametrize("precision", [0, 1, 4, 8])
@pytest.mark.parametrize("gamma", [0.5, 1.0, 1.75])
def test_from_there_on_attention_is_hard(precision: int, gamma: float) -> None:
    """A weight is |x|^{−gap}; at most 2^{−p} it is rounded to 0, and one step before it need not be."""
    found = bound([f"precision={precision}", f"gamma={gamma}", *EXAMPLE[2:]], "one-layer-workshop")
    length = found.terms["hard"].number()
    assert length is not None
    assert np.all(np.ceil(length) ** -np.arange(gamma, 4, 0.25) <= 2.0**-precision * (1 + 1e-12))
    if length > 2:
        assert (0.9 * length) ** -gamma > 2.0**-precision


def value(settings: list[str], error: str) -> dict[str, float]:
    found = bounds(BoundInputs(values=read_settings(settings)), Fraction(error))
    return {each.definition.name: each.value.log2 for each in found.bounds}


@pytest.mark.parametrize(
    ("gamma_f", "gamma_g", "exponent"),
    [("1", "1", 3.0), ("inf", "inf", 3.0), ("0.25", "1", 4.0), ("1", "0.3", 1 / 0.3), ("0.5", "inf", 3.0)],
)
def test_by_hand_infinite_precision(gamma_f: str, gamma_g: str, exponent: float) -> None:
    settings = ["C_f=2", "C_g=5", f"gamma_f={gamma_f}", f"gamma_g={gamma_g}"]
    assert isclose(value(settings, "0.1")["two-layer"], exponent * log2(50), rel_tol=1e-12)


def test_whole_exponents_are_exact() -> None:
    inputs = BoundInputs(values=read_settings(["C_f=2", "C_g=5", "gamma_f=0.25", "gamma_g=1"]))
    (found,) = bounds(inputs, Fraction(1, 10)).bounds
    assert found.value.number() == 50**4
    assert {name: size.number() for name, size in found.terms.items()} == {"base": 50, "exponent": 4}


def test_large_errors() -> None:
    settings = ["C_f=2", "C_g=2", "gamma_f=1", "gamma_g=1"]
    assert value(settings, "2")["two-layer"] == 0.0
    assert value(settings, "8")["two-layer"] == -6.0


def test_grams_are_mentioned_only_if_asked_for() -> None:
    assert value(["k=2"], "0.1") == {"in-context-kgram": pytest.approx(4 * log2(10))}
    found = bounds(BoundInputs(values=read_settings(["states=2"])))
    assert "in-context-kgram" not in {each.definition.name for each in found.not_applicable}


def value_length_complexity(*settings: str) -> dict[str, float | None]:
    found = bounds(BoundInputs(values=read_settings(settings)))
    return {each.definition.name: each.value.number() for each in found.bounds}


def tables(states: int, letters: int) -> list[np.ndarray]:
    """For each language of an automaton with at most so many states, its words up to length 2n − 1."""
    found = []
    for automaton in small_automata(states, "ab"[:letters]):
        ends, layers = np.zeros(1, dtype=np.int64), []
        accepted = np.isin(np.arange(len(automaton)), list(automaton.accepting))
        for _ in range(2 * states):
            layers.append(accepted[ends])
            ends = automaton.table[ends].ravel()
        found.append(np.concatenate(layers))
    return found


@pytest.mark.parametrize(("states", "letters"), [
        (1, 2), (2, 1), (2, 2), (3, 1), (4, 1),
        pytest.param(3, 2, marks=slow("all automata of three states over two letters")),
    ],
)  # fmt: skip
def test_all_small_automata_differ_by_then_and_some_not_before(states: int, letters: int) -> None:
    """Words are listed by length, so that the first columns are the shorter words."""
    words = np.array(tables(states, letters))
    length = value_length_complexity(f"states={states}")["automaton"]
    assert length == 2 * states - 2
    sizes = np.cumsum([letters**n for n in range(2 * states)])
    classes = [len(np.unique(words[:, :size], axis=0)) for size in sizes]
    assert classes[length] == len(words)
    if length:
        assert classes[length - 1] < len(words), "2n − 2 is attained"


@pytest.mark.parametrize("largest", [1, 2, 3, 4])
def test_all_small_comparisons_differ_within_twice_the_square(largest: int) -> None:
    """Programs a · #1 − b · n − d > 0: the factor before T² need not exceed 2 here."""
    order = value_length_complexity(f"T={largest}")["depth-one"]
    assert order == largest**2
    longest = 3 * largest**2 + 4
    points = np.array([(ones, n) for n in range(1, longest + 1) for ones in range(n + 1)])
    numbers = range(-largest, largest + 1)
    rows = np.unique(
        [a * points[:, 0] - b * points[:, 1] - d > 0 for a in numbers for b in numbers for d in numbers],
        axis=0,
    )
    short = rows[:, points[:, 1] <= 2 * order]
    assert len(np.unique(short, axis=0)) == len(rows)


def test_the_restricted_class_of_two_layers() -> None:
    assert value_length_complexity("T=3", "K=2")["two-layer-restricted"] == 9
    assert "two-layer-restricted" not in value_length_complexity("T=3")
    found = bounds(BoundInputs(values=read_settings(["T=3", "K=2"])))
    (restricted,) = (each for each in found.bounds if each.definition.name == "two-layer-restricted")
    assert any(NO_BOUND in assumption for assumption in restricted.assumes)


def test_an_automaton_of_one_state() -> None:
    assert value_length_complexity("states=1") == {"automaton": 0}


GIVEN = {
    "delta": "0.001",
    "L_local": "5",
    "train_length": "20",
    "test_length": "40",
    "eta_train": "20",
    "eta_test": "40",
}


def asked_planted_bound(**changed: str) -> tuple[float | None, str]:
    settings = [f"{name}={value}" for name, value in {**GIVEN, **changed}.items()]
    found = bounds(BoundInputs(values=read_settings(settings)))
    for each in found.bounds:
        assert each.definition.gives == "error"
        return each.value.number(), ""
    (missing,) = (each.missing for each in found.not_applicable if each.definition.name == "planted-sparse")
    return None, missing[0]


def test_by_hand_planted_bound() -> None:
    assert asked_planted_bound() == (20 * 40 * 20 * 40**2 // 1000, "")


@pytest.mark.parametrize(
    ("changed", "missing"),
    [
        ({"train_length": "19"}, "a train_length of at least 4 · L_local = 20"),
        ({"test_length": "41"}, "a test_length that is train_length plus a multiple of L_local = 5"),
        ({"test_length": "15"}, "a test_length that is not below train_length"),
    ],
)
def test_lengths_of_which_the_theorem_says_nothing(changed: dict[str, str], missing: str) -> None:
    assert asked_planted_bound(**changed) == (None, missing)
