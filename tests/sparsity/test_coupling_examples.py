from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from longreach.sparsity.coupled_tokens import CoupledVocabulary
from longreach.sparsity.coupling_examples import (
    far_token,
    far_token_class,
    lost_order,
    lost_order_class,
    retrieval_class,
    retrieval_to_one_id,
    to_any_neighbours,
    to_neighbours,
    to_one_id,
)
from longreach.sparsity.kgram_ensemble import kgram_retrieval
from longreach.sparsity.length_generalization import length_generalization
from longreach.sparsity.population_risk import Sampling
from longreach.sparsity.position_coupling import Coupling, coupled_class, coupled_ensemble, coupling_fault

FEW = Sampling(samples=600)


def test_as_it_is_both_keys_are_minimizers_and_one_fails() -> None:
    found = length_generalization(far_token_class(), far_token(12), 12, 24)
    assert found.error.kind == "exact"
    assert (len(found.minimizers), found.worst) == (2, "g00, g1")
    assert found.error.value > Fraction(1, 3)
    # By hand: 12 of 34 sets are far ones. 1 right triple; 10 places between both first tokens and the last.
    assert found.error.value == Fraction(12, 34) * (1 - Fraction(1, 1 + 20))


@pytest.mark.parametrize(
    ("coupling", "ranks", "minimizers"), [(to_one_id, [(1, 2, 3)], 2), (to_neighbours, [(1,), (2,), (3,)], 1)]
)
def test_coupled_every_minimizer_works(
    coupling: Coupling, ranks: list[tuple[int, ...]], minimizers: int
) -> None:
    ensemble = coupled_ensemble(far_token(12), coupling, ranks=ranks)
    words = CoupledVocabulary(2, 3)
    hypotheses = coupled_class(far_token_class(), words, ids=len(ranks), window=3)
    found = length_generalization(hypotheses, ensemble, 12, 24, rng=np.random.default_rng(0), sampling=FEW)
    assert len(found.minimizers) == minimizers
    assert found.error.value == 0
    assert ensemble.coverage(24, window=3).eta is not None


def test_retrieval_needs_coupling() -> None:
    ensemble, words = kgram_retrieval(3), CoupledVocabulary(3, 3)
    plain = length_generalization(retrieval_class(3), ensemble, 12, 24, sampling=FEW)
    assert plain.error.low > 0.4
    assert coupling_fault(ensemble, retrieval_to_one_id, 3, range(6, 14)) is None
    coupled = coupled_ensemble(ensemble, retrieval_to_one_id, ranks=[(1, 2, 3)])
    hypotheses = coupled_class(retrieval_class(3), words, ids=1, window=3, otherwise=(Fraction(0),) * 3)
    assert length_generalization(hypotheses, coupled, 12, 24, sampling=FEW).error.value == 0
    assert coupled.coverage(24, window=3).eta is not None


def test_an_order_that_coupling_loses() -> None:
    """Strongly realized with δ = 0, locally coupled and covered; yet PC[𝒫] is not realized by PC[ℋ]."""
    ensemble, words = lost_order(), CoupledVocabulary(3, 2)
    for length in (4, 9):
        (row,) = ensemble.outcomes(length).examples.tokens.tolist()
        finite = [pair for pair in combinations(row, 2) if pair in ((1, 2), (1, 0))]
        assert finite == [(1, 2)]
    assert length_generalization(lost_order_class(), ensemble, 8, 16).error.value == 0
    assert coupling_fault(ensemble, to_any_neighbours, 2, range(4, 17)) is None
    coupled = coupled_ensemble(ensemble, to_any_neighbours, ranks=[(1,), (2,)])
    assert coupled.coverage(16, window=2).eta is not None
    hypotheses = coupled_class(lost_order_class(), words, ids=2, window=2)
    assert length_generalization(hypotheses, coupled, 8, 16, sampling=FEW).error.low > 0.3
    one = coupled_ensemble(ensemble, to_one_id, ranks=[(1, 2)])
    alone = coupled_class(lost_order_class(), words, ids=1, window=2)
    assert length_generalization(alone, one, 8, 16, sampling=FEW).error.value == 0
