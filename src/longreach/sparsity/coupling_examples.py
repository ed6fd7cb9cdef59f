"""Ensembles whose planted tokens are far apart, classes that fail on them, and couplings that repair it.

In `far_token` three planted tokens are neighbours up to the training length; at longer lengths the last one
may stand L places behind the first. The class has keys that look at tokens alone: only g01 looks for three
planted tokens, g00 also likes two of them with background in between, which never happens up to L. So both
are minimizers, and g00 is wrong on long sequences: the class is not local. Coupled, background tokens stand
between planted ones at short lengths as well (their ranks are random), or nowhere (all planted tokens have
one id).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from longreach.sparsity.kgram_ensemble import one_hot
from longreach.sparsity.planted_ensemble import PlantedEnsemble
from longreach.sparsity.position_coupling import Ids
from longreach.sparsity.position_law import PlaceSet, Shape, law_of_sets, uniform_sets
from longreach.sparsity.sparse_attention import SparseAttention, attention_class, table_key, table_value


def far_token(train_length: int) -> PlantedEnsemble:
    """Three planted tokens in a row; beyond the training length L also two and a third L behind the first.

    >>> far_token(8).places(8).span, far_token(8).places(9).span
    (2, 8)
    """
    one = Fraction(1)
    near, far = (0, 1, 2), (0, 1, train_length)

    def shapes(length: int) -> list[Shape]:
        return [near, far] if length > train_length else [near]

    return PlantedEnsemble(
        background=(one, Fraction(0)),
        places=uniform_sets(lambda length: iter(shapes(length))),
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


def lost_order() -> PlantedEnsemble:
    """Background 0, then 1 2 at the end: where a proof of the paper breaks.

    Only (1, 2) has a finite score among the pairs of `lost_order_class` in their order, so that the class
    realizes the ensemble strongly. Coupled to neighbouring ids, a background token may get the second rank,
    and (1, 0) occurs.
    """
    one = Fraction(1)
    return PlantedEnsemble(
        background=(one, Fraction(0), Fraction(0)),
        places=lambda length: law_of_sets(length, {(length - 1, length): one}),
        planted={(1, 2): one},
        label={(1, 2): (one,)},
    )


def lost_order_class() -> tuple[SparseAttention, ...]:
    """One hypothesis, which likes 1 2 and 1 0 and says 1 for the former."""
    key = table_key("g0", {(1, 2): 0.0, (1, 0): 0.0}, vocabulary=3)
    return attention_class([key], [table_value("g1", {(1, 2): (1,)}, vocabulary=3)], sparsity=2)


def to_any_neighbours(length: int, places: PlaceSet) -> list[Ids]:
    """Planted places have ids in a row, anywhere.

    >>> to_any_neighbours(3, (2, 3))
    [(3, 1, 2), (1, 2, 3)]
    """
    return [
        _ids(length, {place: first + rank for rank, place in enumerate(places)})
        for first in range(1, length - len(places) + 2)
    ]
