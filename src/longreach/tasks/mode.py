"""Mode: the most frequent of five symbols."""

from __future__ import annotations

from dataclasses import dataclass

from longreach.tasks.evidence import Evidence
from longreach.tasks.majority import Majority


@dataclass(frozen=True)
class Mode(Majority):
    """SOS c b a b SEP b EOS: symbols independent and uniform, given that one is the most frequent.

    The task that Zhou et al., arXiv 2310.16028, call mode; `majority` is the same over 26 symbols.

    >>> Mode().answer(["c", "b", "a", "b"])
    ('b', 'EOS')
    """

    name = "mode"
    about = "the most frequent of five symbols"
    chance = 1 / 5  # one of the symbols
    symbols = tuple("abcde")
    nope = ape = Evidence("program", "mode", "one count for each symbol (Huang et al., E.2.2)")
