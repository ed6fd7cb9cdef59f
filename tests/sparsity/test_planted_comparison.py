from __future__ import annotations

from fractions import Fraction

import pytest

from longreach.errors import InputError
from longreach.sparsity.key_properties import not_local, not_relative
from longreach.sparsity.kgram_ensemble import kgram_retrieval
from longreach.sparsity.planted_comparison import compare_with_bound, rare_pair, rare_pair_class
from tests.helpers.sparsity_oracle import eta

DELTA, WINDOW = Fraction(1, 64), 3


def test_the_bound_is_the_formula_and_holds() -> None:
    ensemble, hypotheses = rare_pair(DELTA, WINDOW), rare_pair_class(DELTA, WINDOW)
    for train, tests in ((12, [12, 15, 24]), (13, [13, 16])):
        rows = compare_with_bound(
            hypotheses, ensemble, train_length=train, test_lengths=tests, window=WINDOW, delta=DELTA
        )
        for test, row in zip(tests, rows, strict=True):
            assert row.bound == row.eta_train * row.eta_test * train * test**2 * DELTA
            assert row.found.error.value <= row.bound
            assert row.document()["bound_over_error"] == row.ratio
    assert rows[0].eta_train == eta(ensemble.places, 13, WINDOW, 2)


def test_the_class_satisfies_the_assumptions() -> None:
    keys = [each.key for each in rare_pair_class(DELTA, WINDOW)]
    assert not_local(keys, WINDOW, sparsity=2, vocabulary=3, up_to=9) is None
    assert not_relative(keys, sparsity=2, vocabulary=3, up_to=9) is None


def test_errors_by_hand() -> None:
    """Soft: every near pair but the planted one has the weight δ/64. Hard: the rare pair is missed."""
    ensemble, hypotheses = rare_pair(DELTA, WINDOW), rare_pair_class(DELTA, WINDOW)
    short, long = compare_with_bound(
        hypotheses, ensemble, train_length=12, test_lengths=[12, 48], window=WINDOW, delta=DELTA
    )
    for row, length in ((short, 12), (long, 48)):
        assert row.found.minimizers == ("soft 1/64, planted",)
        near = (length - 1) + (length - 2) + (length - 3) - 1
        weight = near / 64 * float(DELTA)
        assert float(row.found.error.value) == pytest.approx(weight / (1 + weight), rel=1e-9)
    assert short.found.train["hard, planted"].kind == "exact"


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [(11, 14, "a train_length of at least 4 · L_local = 12"), (12, 14, "plus a multiple of L_local = 3")],
)
def test_lengths_that_the_theorem_does_not_speak_of(train: int, test: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare_with_bound(
            rare_pair_class(DELTA, WINDOW), rare_pair(DELTA, WINDOW),
            train_length=train, test_lengths=[test], window=WINDOW, delta=DELTA,
        )  # fmt: skip


def test_an_ensemble_without_coverage_is_refused() -> None:
    with pytest.raises(InputError, match="ensemble: coverage fails at length 16"):
        compare_with_bound(
            rare_pair_class(DELTA, 4),
            kgram_retrieval(3),
            train_length=16,
            test_lengths=[16],
            window=4,
            delta=DELTA,
        )
