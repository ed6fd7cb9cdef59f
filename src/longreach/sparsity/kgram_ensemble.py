"""k-gram retrieval as an ensemble with planted correlations: (2k + 1)-sparse, and not local.

Golowich et al. (arXiv 2502.16792), section 3.1: a k-gram stands somewhere, again at the end, and the token
that followed it is asked for.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from longreach.errors import Field, InputError
from longreach.sparsity.distribution_ensemble import Label
from longreach.sparsity.planted_ensemble import PlantedEnsemble
from longreach.sparsity.position_law import PositionLaw, law_of_sets


def kgram_retrieval(tokens: int, k: int = 1) -> PlantedEnsemble:
    """The ensemble over so many tokens; labels are their one-hot vectors.

    >>> ensemble = kgram_retrieval(3, k=1)
    >>> ensemble.sparsity, list(ensemble.places(6).sets())[-1][0], ensemble.places(60).span
    (3, (4, 5, 6), 58)
    """
    if tokens < 2 or k < 1:
        raise InputError("at least two tokens and k of at least 1 are needed", place=Field("k"))
    planted = {
        (*gram, follower, *gram): Fraction(1, tokens ** (k + 1))
        for gram in product(range(tokens), repeat=k)
        for follower in range(tokens)
    }
    return PlantedEnsemble(
        background=(Fraction(1, tokens),) * tokens,
        places=lambda length: retrieval_places(length, k),
        planted=planted,
        label={each: one_hot(each[k], tokens) for each in planted},
    )


def retrieval_places(length: int, k: int) -> PositionLaw:
    """(ℓ′+1, …, ℓ′+k+1, ℓ−k+1, …, ℓ) with ℓ′ uniform in 1 … ℓ−2k−1."""
    starts = length - 2 * k - 1
    if starts < 1:
        raise InputError(f"{length} is too short for {k}-gram retrieval", place=Field("length"))
    end = tuple(range(length - k + 1, length + 1))
    sets = {(*range(start + 1, start + k + 2), *end): Fraction(1, starts) for start in range(1, starts + 1)}
    return law_of_sets(length, sets)


def one_hot(place: int, size: int) -> Label:
    """A label that is a token.

    >>> one_hot(1, 3)
    (Fraction(0, 1), Fraction(1, 1), Fraction(0, 1))
    """
    return tuple(Fraction(place == other) for other in range(size))
