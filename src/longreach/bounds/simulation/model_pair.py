"""Two models that read the same tokens, and how far they are from themselves on another word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import Argument, Field, InputError
from longreach.limit.model import START, Transformer
from longreach.limit.run.float_evaluator import Precision
from longreach.limit.run.last_position import last_output

Word: TypeAlias = NDArray[np.intp]
"""Numbers of tokens, without $."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Errors:
    """‖f(x) − f(z)‖ and ‖g(x) − g(z)‖ at the last position."""

    f: float
    g: float


@dataclass(frozen=True, eq=False)
class ModelPair:
    """f and g, of the same depth and over the same tokens."""

    f: Transformer
    g: Transformer

    def __post_init__(self) -> None:
        for model, place in ((self.f, Argument("model")), (self.g, Field("against"))):
            if model.kind != "limit":
                raise InputError("a finite transformer; simulation strings are about limit ones", place=place)
        if set(self.f.vocabulary) != set(self.g.vocabulary):
            raise InputError("it reads other tokens than the first model", place=Field("against"))
        if len(self.f.layers) != len(self.g.layers):
            depths = f"{len(self.f.layers)} and {len(self.g.layers)} layers"
            raise InputError(f"a pair has one depth, and these have {depths}", place=Field("against"))

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return tuple(token for token in self.f.vocabulary if token != START)

    @property
    def period(self) -> int:
        """Δ that both have."""
        return lcm(self.f.period, self.g.period)

    @property
    def locality(self) -> int:
        return max(self.f.locality, self.g.locality)

    @property
    def models(self) -> tuple[Transformer, Transformer]:
        return self.f, self.g

    def encode(self, word: Sequence[str]) -> Word:
        """Numbers of the tokens of a word."""
        number = {token: place for place, token in enumerate(self.tokens)}
        found = np.fromiter((number.get(token, -1) for token in word), dtype=np.intp, count=len(word))
        if (found < 0).any():
            place = int(np.argmax(found < 0))
            known = " ".join(self.tokens[:12]) + (" …" if len(self.tokens) > 12 else "")
            reason = f"token {place + 1}, {word[place]!r}, is not one of the model's ({known})"
            raise InputError(reason, place=Argument("word"))
        return found

    def decode(self, word: Word) -> list[str]:
        """Its tokens."""
        return [self.tokens[number] for number in word.tolist()]

    def rows(self, model: Transformer) -> NDArray[np.intp]:
        """The rows of a model's embedding for the tokens."""
        place = {token: row for row, token in enumerate(model.vocabulary)}
        return np.array([place[token] for token in self.tokens], dtype=np.intp)

    def errors(self, x: Word, z: Word, precision: Precision) -> Errors:
        """Measured by running both models on both words."""
        if len(x) == len(z) and (x == z).all():
            return Errors(f=0.0, g=0.0)
        f = self._error(self.f, x, z, precision)
        return Errors(f=f, g=f if self.g is self.f else self._error(self.g, x, z, precision))

    def _error(self, model: Transformer, x: Word, z: Word, precision: Precision) -> float:
        rows, start = self.rows(model), model.vocabulary.index(START)
        one, other = (
            last_output(model, np.concatenate([[start], rows[word]]), precision=precision) for word in (x, z)
        )
        return float(np.linalg.norm(one - other))
