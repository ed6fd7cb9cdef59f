"""Position coupling as an operator on ensembles and hypotheses: far planted tokens become near.

Golowich et al. (arXiv 2502.16792), Definition 4.1, Proposition 4.4 and appendix D. Two readings of the
appendix were needed. Tokens that are not planted get a rank that is uniform in 1 … k, not in 1 … ℓ: with the
latter the background of PC[𝒫] would change with the length, which Definition 3.2 does not allow. And the sets
that PC[h] sums over have k′ places, as many as ids are planted: PC[𝒫] is k′-sparse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np

from longreach.errors import Field, InputError
from longreach.sparsity.coupled_tokens import CoupledVocabulary, Pairs
from longreach.sparsity.distribution_ensemble import Examples, FloatArray, IntArray, Label
from longreach.sparsity.planted_ensemble import Drawn, PlantedEnsemble
from longreach.sparsity.position_law import PlaceSet, PositionLaw, law_of_sets
from longreach.sparsity.sparse_attention import Key, SparseAttention, Value

Ids: TypeAlias = tuple[int, ...]
"""ψ: the id of each place, both from 1 on."""
Coupling: TypeAlias = Callable[[int, PlaceSet], Sequence[Ids]]
"""𝒬^{pos-c} given S*: from a length and S* to maps ψ, each as likely."""


def coupled_key(key: Key, words: CoupledVocabulary, window: int) -> Key:
    """PC[g₀]: −∞ for ids beyond the window and where there are not k ranks, else g₀ of what is expanded."""
    if not key.position_free:
        raise InputError(
            f"{key.name} looks at places; coupling needs keys of tokens alone", place=Field("key")
        )
    nowhere = np.arange(1, words.sparsity + 1)

    def score(places: IntArray, tokens: IntArray) -> FloatArray:
        expanded, whole = words.expand(tokens)
        inner = key.score(nowhere, expanded)
        wide = places[..., -1] - places[..., 0] > window
        found: FloatArray = np.where(whole & ~wide, inner, -np.inf)
        return found

    return Key(f"PC[{key.name}]", score, window, position_free=True)


def coupled_value(value: Value, words: CoupledVocabulary, otherwise: Label) -> Value:
    """PC[g₁]: g₁ of what is expanded, and a fixed point y₀ where there are not k ranks."""
    point = np.array([float(part) for part in otherwise])

    def function(tokens: IntArray) -> FloatArray:
        expanded, whole = words.expand(tokens)
        found: FloatArray = np.where(whole[..., None], value.value(expanded), point)
        return found

    return Value(f"PC[{value.name}]", function)


def coupled_class(
    hypotheses: Iterable[SparseAttention],
    words: CoupledVocabulary,
    *,
    ids: int,
    window: int,
    otherwise: Label = (Fraction(0),),
) -> tuple[SparseAttention, ...]:
    """PC[ℋ^attn]: attention over sets of so many ids (k′), local by the window."""
    return tuple(
        SparseAttention(
            coupled_key(each.key, words, window), coupled_value(each.value, words, otherwise), sparsity=ids
        )
        for each in hypotheses
    )


@dataclass(frozen=True, kw_only=True)
class CouplingFault:
    """What breaks Definition 4.1, and where."""

    length: int
    places: PlaceSet
    reason: str

    def __str__(self) -> str:
        return f"length {self.length}, S* = {self.places}: {self.reason}"


def coupling_fault(
    ensemble: PlantedEnsemble, coupling: Coupling, window: int, lengths: Iterable[int]
) -> CouplingFault | None:
    """Whether a coupling is local by Definition 4.1 on these lengths; None if it is."""
    before: dict[tuple[tuple[int, ...], ...], Fraction] | None = None
    for length in lengths:
        ranks: dict[tuple[tuple[int, ...], ...], Fraction] = {}
        for places, weight in ensemble.places(length).sets():
            maps = coupling(length, places)
            for ids in maps:
                fault = _fault(length, places, ids, window)
                if fault:
                    return CouplingFault(length=length, places=places, reason=fault)
                found = rank_tuple(places, ids)
                ranks[found] = ranks.get(found, Fraction(0)) + weight / len(maps)
        if before is not None and ranks != before:
            reason = "ranks at the planted ids are distributed otherwise than at shorter lengths"
            return CouplingFault(
                length=length, places=next(iter(ensemble.places(length).sets()))[0], reason=reason
            )
        before = ranks
    return None


def _fault(length: int, places: PlaceSet, ids: Ids, window: int) -> str | None:
    if len(ids) != length or not all(1 <= each <= length for each in ids):
        return "ids are not places of the sequence"
    planted = {ids[place - 1] for place in places}
    if max(planted) - min(planted) > window:
        return f"planted ids {sorted(planted)} are wider apart than {window}"
    others = [each for place, each in enumerate(ids, 1) if place not in places]
    if len(set(others)) < len(others) or planted & set(others):
        return "an id of a token that is not planted occurs twice"
    return None


def rank_tuple(places: PlaceSet, ids: Ids) -> tuple[tuple[int, ...], ...]:
    """For each planted id, in order, the ranks of the planted places that have it.

    >>> rank_tuple((2, 3, 6), (1, 2, 3, 4, 5, 2))
    ((1, 3), (2,))
    """
    planted = sorted({ids[place - 1] for place in places})
    return tuple(
        tuple(rank for rank, place in enumerate(places, 1) if ids[place - 1] == each) for each in planted
    )


def coupled_ensemble(
    ensemble: PlantedEnsemble, coupling: Coupling, *, ranks: Sequence[tuple[int, ...]]
) -> PlantedEnsemble:
    """PC[𝒫], as an ensemble with planted correlations over coupled tokens.

    `ranks` says which ranks the planted ids hold; it must be the same for every S* and map, which is asked of
    each length that is used.

    >>> from longreach.sparsity.coupling_examples import far_token, to_one_id
    >>> far = coupled_ensemble(far_token(8), to_one_id, ranks=[(1, 2, 3)])
    >>> far.sparsity, far.places(10).span, len(far.planted)
    (1, 0, 1)
    """
    words = CoupledVocabulary(ensemble.vocabulary, ensemble.sparsity)
    shape = tuple(tuple(each) for each in ranks)
    if sorted(rank for each in shape for rank in each) != list(range(1, ensemble.sparsity + 1)):
        raise InputError(f"{shape} does not hold each rank once", place=Field("ranks"))
    planted: dict[tuple[int, ...], Fraction] = {}
    label: dict[tuple[int, ...], Label] = {}
    for tokens, weight in ensemble.planted.items():
        found = tuple(words.number([(rank, tokens[rank - 1]) for rank in each]) for each in shape)
        planted[found], label[found] = weight, ensemble.label[tokens]
    background = [Fraction(0)] * (words.base**words.sparsity)
    for token, weight in enumerate(ensemble.background):
        for rank in range(1, words.sparsity + 1):
            background[words.number([(rank, token)])] = weight / words.sparsity

    @cache
    def places(length: int) -> PositionLaw:
        sets: dict[PlaceSet, Fraction] = {}
        for own, weight in ensemble.places(length).sets():
            maps = coupling(length, own)
            for ids in maps:
                if rank_tuple(own, ids) != shape:
                    reason = f"at length {length} the ranks of {own} are {rank_tuple(own, ids)}, not {shape}"
                    raise InputError(reason, place=Field("ranks"))
                planted_ids = tuple(sorted({ids[place - 1] for place in own}))
                sets[planted_ids] = sets.get(planted_ids, Fraction(0)) + weight / len(maps)
        return law_of_sets(length, sets)

    return PlantedEnsemble(background=background, places=places, planted=planted, label=label)


def couple(drawn: Drawn, coupling: Coupling, ensemble: PlantedEnsemble, rng: np.random.Generator) -> Examples:
    """PC[X, S*] of drawn sequences, place by place as in equation (19); its law is `coupled_ensemble`."""
    words = CoupledVocabulary(ensemble.vocabulary, ensemble.sparsity)
    background = np.array([float(weight) for weight in ensemble.background])
    found = np.empty_like(drawn.examples.tokens)
    for row, (tokens, own) in enumerate(
        zip(drawn.examples.tokens.tolist(), drawn.places.tolist(), strict=True)
    ):
        length, places = len(tokens), tuple(own)
        maps = coupling(length, places)
        ids = maps[int(rng.integers(len(maps)))]
        planted = {ids[place - 1] for place in places}
        for number in range(1, length + 1):
            at = [place for place in range(1, length + 1) if ids[place - 1] == number]
            pairs: Pairs
            if number in planted:
                pairs = tuple((places.index(place) + 1, tokens[place - 1]) for place in at)
            else:
                token = tokens[min(at) - 1] if at else int(rng.choice(len(background), p=background))
                pairs = ((int(rng.integers(1, words.sparsity + 1)), token),)
            found[row, number - 1] = words.number(pairs)
    return Examples(found, drawn.examples.labels)
