"""Position coupling: coupled tokens, couplings and examples.

Golowich et al. (arXiv 2502.16792), appendix D. A coupled token is a tuple of at most k pairs (rank, token)
with ranks 1 … k: the vocabulary (𝒱 × [k])^{≤ k}. As a number it is written with the pairs as digits.

Golowich et al. (arXiv 2502.16792), Definition 4.1, Proposition 4.4 and appendix D. Two readings of the
appendix were needed. Tokens that are not planted get a rank that is uniform in 1 … k, not in 1 … ℓ: with the
latter the background of PC[𝒫] would change with the length, which Definition 3.2 does not allow. And the sets
that PC[h] sums over have k′ places, as many as ids are planted: PC[𝒫] is k′-sparse.

In `far_token` three planted tokens are neighbours up to the training length; at longer lengths the last one
may stand L places behind the first. The class has keys that look at tokens alone: only g01 looks for three
planted tokens, g00 also likes two of them with background in between, which never happens up to L. So both
are minimizers, and g00 is wrong on long sequences: the class is not local. Coupled, background tokens stand
between planted ones at short lengths as well (their ranks are random), or nowhere (all planted tokens have
one id).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TypeAlias

import numpy as np

from longreach.errors import Field, InputError
from longreach.studies.sparsity.attention import (
    Key,
    SparseAttention,
    Value,
    attention_class,
    table_key,
    table_value,
)
from longreach.studies.sparsity.ensembles import (
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    PlaceSet,
    PlantedEnsemble,
    PositionLaw,
    even_shapes,
    law_of_sets,
    one_hot,
)

# Coupled tokens: tuples of ranks and tokens.


@dataclass(frozen=True)
class CoupledVocabulary:
    """Coupled tokens over so many plain ones.

    >>> CoupledVocabulary(tokens=5, sparsity=2).number(((1, 3), (2, 4)))
    114
    """

    tokens: int
    sparsity: int

    def __post_init__(self) -> None:
        if self.base**self.sparsity > 2**40:
            raise InputError(
                f"{self.tokens} tokens are too many for k = {self.sparsity}", place=Field("tokens")
            )

    @property
    def base(self) -> int:
        """Of the digits: pairs from 1 on, and 0 for none."""
        return self.tokens * self.sparsity + 1

    def number(self, pairs: Sequence[tuple[int, int]]) -> int:
        """A coupled token as a number; the first pair is the last digit."""
        if len(pairs) > self.sparsity:
            raise InputError(f"{len(pairs)} pairs are more than k = {self.sparsity}", place=Field("pairs"))
        found = 0
        for rank, token in reversed(pairs):
            if not 1 <= rank <= self.sparsity or not 0 <= token < self.tokens:
                raise InputError(f"({rank}, {token}) is not a rank and token", place=Field("pairs"))
            found = found * self.base + 1 + (rank - 1) * self.tokens + token
        return found

    def expand(self, coupled: IntArray) -> tuple[IntArray, BoolArray]:
        """All pairs of several coupled tokens (…, n), sorted by rank: tokens (…, k), and whether there are k.

        Where a rank occurs twice, the pair that comes first is kept. Only k different ranks give k tokens.

        >>> words = CoupledVocabulary(tokens=5, sparsity=2)
        >>> several = np.array([words.number([(2, 4)]), words.number([(1, 3)])])
        >>> [part.tolist() for part in words.expand(several)]
        [[3, 4], True]
        """
        found = np.full((*coupled.shape[:-1], self.sparsity), -1, dtype=np.int64)
        for place in range(coupled.shape[-1]):
            rest = coupled[..., place]
            for _ in range(self.sparsity):
                rest, digit = np.divmod(rest, self.base)
                rank, token = np.divmod(digit - 1, self.tokens)
                for number in range(self.sparsity):
                    free = (digit > 0) & (rank == number) & (found[..., number] < 0)
                    found[..., number] = np.where(free, token, found[..., number])
        whole: BoolArray = np.asarray((found >= 0).all(axis=-1))
        tokens: IntArray = np.where(whole[..., None], found, 0)
        return tokens, whole


# The operator on ensembles and hypotheses: distant planted tokens become near.


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


def coupling_fault(
    ensemble: PlantedEnsemble, coupling: Coupling, window: int, lengths: Iterable[int]
) -> str | None:
    """What breaks Definition 4.1 on these lengths, and where; None: the coupling is local."""
    before: dict[tuple[tuple[int, ...], ...], Fraction] | None = None
    for length in lengths:
        ranks: dict[tuple[tuple[int, ...], ...], Fraction] = defaultdict(Fraction)
        for places, weight in ensemble.places(length).sets():
            maps = coupling(length, places)
            for ids in maps:
                fault = _fault(length, places, ids, window)
                if fault:
                    return f"length {length}, S* = {places}: {fault}"
                ranks[rank_tuple(places, ids)] += weight / len(maps)
        if before is not None and ranks != before:
            reason = "ranks at the planted ids are distributed otherwise than at shorter lengths"
            return f"length {length}: {reason}"
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
        sets: dict[PlaceSet, Fraction] = defaultdict(Fraction)
        for own, weight in ensemble.places(length).sets():
            maps = coupling(length, own)
            for ids in maps:
                if rank_tuple(own, ids) != shape:
                    reason = f"at length {length} the ranks of {own} are {rank_tuple(own, ids)}, not {shape}"
                    raise InputError(reason, place=Field("ranks"))
                sets[tuple(sorted({ids[place - 1] for place in own}))] += weight / len(maps)
        return law_of_sets(length, sets)

    return PlantedEnsemble(background=background, places=places, planted=planted, label=label)


# Ensembles whose planted tokens are far apart, classes that fail on them, and couplings that repair it.


def far_token(train_length: int) -> PlantedEnsemble:
    """Three planted tokens in a row; beyond the training length L also two and a third L behind the first.

    >>> far_token(8).places(8).span, far_token(8).places(9).span
    (2, 8)
    """
    one = Fraction(1)
    near, far = (0, 1, 2), (0, 1, train_length)

    return PlantedEnsemble(
        background=(one, Fraction(0)),
        places=even_shapes(lambda length: {near: 1, far: 1} if length > train_length else {near: 1}),
        planted={(1, 1, 1): one},
        label={(1, 1, 1): (one,)},
    )


def far_token_class(window: int | None = None) -> tuple[SparseAttention, ...]:
    """Keys that like three planted tokens (g01), and with one background token between two (g00)."""
    value = table_value("g1", {(1, 1, 1): (1,)}, vocabulary=2)
    keys = [
        table_key("g00", {(1, 1, 1): 0.0, (1, 0, 1): 0.0}, vocabulary=2, window=window),
        table_key("g01", {(1, 1, 1): 0.0}, vocabulary=2, window=window),
    ]
    return attention_class(keys, [value], sparsity=3)


def retrieval_class(tokens: int, window: int | None = None) -> tuple[SparseAttention, ...]:
    """For 1-gram retrieval: keys that want the first and the last token to be equal, or want nothing.

    >>> [each.key.name for each in retrieval_class(3)]
    ['equal', 'any']
    """
    triples = list(product(range(tokens), repeat=3))
    value = table_value("middle", {each: one_hot(each[1], tokens) for each in triples}, vocabulary=tokens)
    equal = {each: 0.0 for each in triples if each[0] == each[2]}
    keys = [
        table_key("equal", equal, vocabulary=tokens, window=window),
        table_key("any", dict.fromkeys(triples, 0.0), vocabulary=tokens, window=window),
    ]
    return attention_class(keys, [value], sparsity=3)


def to_one_id(length: int, places: PlaceSet) -> list[Ids]:
    """All planted places have the id of one of them, each as likely; the others keep their order.

    >>> to_one_id(6, (2, 3, 6))[0]
    (1, 2, 2, 3, 4, 2)
    """
    return [_ids(length, dict.fromkeys(places, place)) for place in places]


def to_neighbours(length: int, places: PlaceSet) -> list[Ids]:
    """Planted places have ids in a row, from that of the first on; the others keep their order.

    >>> to_neighbours(6, (2, 3, 6))
    [(1, 2, 3, 5, 6, 4)]
    """
    return [_ids(length, {place: places[0] + rank for rank, place in enumerate(places)})]


def retrieval_to_one_id(length: int, places: PlaceSet) -> list[Ids]:
    """In 1-gram retrieval: one id around the first planted place, so that every id is used at every length.

    >>> [ids[1] for ids in retrieval_to_one_id(5, (2, 3, 5))]
    [1, 2, 3, 4]
    """
    around = range(places[0] - 1, places[0] + 3)
    return [_ids(length, dict.fromkeys(places, each)) for each in around if each <= length]


def _ids(length: int, planted: Mapping[int, int]) -> Ids:
    """The other places have the remaining ids, in their order."""
    taken = set(planted.values())
    others = iter(each for each in range(1, length + 1) if each not in taken)
    return tuple(planted[place] if place in planted else next(others) for place in range(1, length + 1))
