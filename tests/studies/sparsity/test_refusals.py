"""What the model of sparsity refuses, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.studies.sparsity.attention import Key, not_local, not_relative, tuple_counts
from longreach.studies.sparsity.counter_examples import counter_example, defeating_ensemble
from longreach.studies.sparsity.coupling import CoupledVocabulary, coupled_key
from longreach.studies.sparsity.ensembles import (
    PlantedEnsemble,
    PositionLaw,
    SingleSequences,
    coverage,
    even_shapes,
    kgram_retrieval,
    shifted_sets,
)
from longreach.studies.sparsity.generalization import (
    Sampling,
    compare_with_bound,
    length_generalization,
    population_risks,
    rare_pair,
    rare_pair_class,
)
from tests.helpers.sparsity_oracle import FunctionHypothesis

HALF, ONE, DELTA = Fraction(1, 2), Fraction(1), Fraction(1, 64)
ZERO = Key("zero", lambda places, tokens: np.zeros(tokens.shape[:-1]))
FIRST = Key("first", lambda places, tokens: -places[..., 0].astype(float))
WORDS = CoupledVocabulary(tokens=3, sparsity=3)
ZEROS = SingleSequences(vocabulary=2, sequences={n: ((0,) * n, (ONE,)) for n in range(1, 12)})
COVERAGE, REALIZABILITY = (counter_example(name, 8).broken for name in ("coverage", "realizability"))
NEAR, EITHER = COVERAGE.hypotheses


def _law(weights: dict[tuple[int, ...], list[int]]) -> PositionLaw:
    return PositionLaw(4, {shape: np.array(row) for shape, row in weights.items()})


def _planted(**changed: object) -> PlantedEnsemble:
    given = {
        "background": (HALF, HALF, Fraction(0)),
        "places": shifted_sets({(1, 2): 1}, window=2),
        "planted": {(1, 2): HALF, (2, 2): HALF},
        "label": {(1, 2): (ONE,), (2, 2): (ONE,)},
    }
    return PlantedEnsemble(**{**given, **changed})  # type: ignore[arg-type]


def _learned(*names: str, train: int = 4, test: int = 9) -> object:
    ones = [FunctionHypothesis(name, lambda tokens: np.ones((len(tokens), 1))) for name in names]
    return length_generalization(ones, ZEROS, train, test)


def _defeated(truth: int, wrong: int, problem: object = COVERAGE, test: int = 12) -> object:
    hypotheses = problem.hypotheses  # type: ignore[attr-defined]
    return defeating_ensemble(
        hypotheses, problem.ensemble, hypotheses[truth], hypotheses[wrong],  # type: ignore[attr-defined]
        train_length=8, test_length=test, error=0.5,
    )  # fmt: skip


def _bound(train: int, test: int, window: int = 3, ensemble: PlantedEnsemble | None = None) -> object:
    return compare_with_bound(
        rare_pair_class(DELTA, window), ensemble or rare_pair(DELTA, window),
        train_length=train, test_lengths=[test], window=window, delta=DELTA,
    )  # fmt: skip


def _risks(*lengths: int) -> object:
    one = FunctionHypothesis("one", lambda tokens: np.ones((len(tokens), 1)))
    return population_risks([one], ZEROS, lengths, rng=np.random.default_rng(0))


REFUSALS: list[tuple[Callable[[], object], str]] = [
    (lambda: not_relative([ZERO], sparsity=3, vocabulary=10, up_to=60), "up_to: too many sets"),
    (lambda: not_local([ZERO], 1, sparsity=3, vocabulary=2, up_to=2), "no set of 3 places fits into 2"),
    (lambda: tuple_counts(np.zeros((1, 200), dtype=np.int64), 100), "too many sets"),
    (lambda: counter_example("local", 8), "no assumption is called 'local'; did you mean 'locality'"),
    (lambda: counter_example("locality", 7), "train_length: at least 8"),
    (lambda: _defeated(1, 1), "wrong: .* errs by at most 0.5 on any sequences of length 12"),
    (
        lambda: _defeated(0, 1, REALIZABILITY),
        "truth: g00, g1 does not realize the ensemble on lengths 4",
    ),
    (lambda: _defeated(1, 0, test=8), "test_length: 8 is not above"),
    (lambda: WORDS.number([(0, 1)]), "pairs: "),
    (lambda: WORDS.number([(4, 1)]), "pairs: "),
    (lambda: WORDS.number([(1, 3)]), "pairs: "),
    (lambda: WORDS.number([(1, 1)] * 4), "pairs: "),
    (lambda: coupled_key(FIRST, WORDS, 2), "key: first looks at places"),
    (
        lambda: coverage(shifted_sets({(1, 2): 1}, window=2), 4, window=9),
        "window: 9 is not between 1 and the length 4",
    ),
    (lambda: kgram_retrieval(2).places(3), "3 is too short for 1-gram retrieval"),
    (lambda: _planted(background=(HALF,)), "background: probabilities must sum to 1"),
    (lambda: _planted(planted={(1, 2): HALF}), "planted: probabilities must sum to 1"),
    (lambda: _planted(planted={(1, 7): ONE}), r"planted: \(1, 7\) is not over 3 tokens"),
    (lambda: _planted(planted={(1, 1): ONE}), r"label: \(1, 1\) has no label"),
    (lambda: _planted(planted={(1, 2): HALF, (1,): HALF}), "tuples of one size"),
    (lambda: _law({(0, 1): [1, 1]}), "starts"),
    (lambda: _law({(1, 2): [1]}), "not a shape"),
    (lambda: _law({(0, 1): [0, 0, 0]}), "no set has a positive weight"),
    (lambda: _law({(0, 1): [1, -1, 1]}), "negative"),
    (lambda: _law({(0, 1): [1, 1, 1], (0, 1, 2): [1, 1]}), "one size"),
    (lambda: shifted_sets({(1, 2): 1}, window=3)(2), "length: 2 is shorter than the window 3"),
    (lambda: even_shapes(lambda length: {(0, 4): 1})(3), "sets of one size"),
    (lambda: _learned(), "different names"),
    (lambda: _learned("same", "same"), "different names"),
    (lambda: _learned("one", test=3), "test_length: lengths 2 ≤ L ≤ L̄ are needed, not 4 and 3"),
    (lambda: _learned("one", test=12), "the ensemble has no length 12"),
    (lambda: _bound(11, 14), "a train_length of at least 4 · L_local = 12"),
    (lambda: _bound(12, 14), "plus a multiple of L_local = 3"),
    (lambda: _bound(16, 16, 4, kgram_retrieval(3)), "ensemble: coverage fails at length 16"),
    (lambda: Sampling(samples=1), "two samples"),
    (lambda: _risks(), "at least one length"),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
