"""Until which length a little memory carries: where the best summary that training shows whole gives out.

A cell with the verdict "no" may still work for a while, because the last letters, clipped counts or, with
positions, the position modulo a number are enough on most words. The length at which that ends is exact, and
computed before anything is trained.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from longreach.languages.profile.determinacy import determinacy
from longreach.languages.profile.prefix_summary import Summary
from longreach.languages.regular.automaton import Automaton

LEVEL = 0.5
"""Determinacy below this is a failure."""
AS_FAR = 5
"""So many times the training length are searched."""


@dataclass(frozen=True, kw_only=True)
class FailureLength:
    """Where a model that knows no more than a summary is expected to fail."""

    length: int | None
    """The first length beyond training at which it is wrong on most words; None: none that was searched."""
    summary: Summary | None
    """The summary that lasts longest; None: none is right on most words even just beyond training."""


def failure_lengths(
    automaton: Automaton, trained_to: int, summaries: Iterable[Summary]
) -> dict[Summary, int | None]:
    """For each summary the first length beyond training at which what training shows is wrong on most words.

    None: none up to five times the training length. Summaries over the budget are left out.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> windows = [Summary(window=k) for k in (2, 4, 8)]
    >>> list(failure_lengths(from_expression("(a|b)*d(b|c)*"), 20, windows).values())
    [21, 25, None]
    """
    lengths = range(trained_to + 1, AS_FAR * trained_to + 1)
    profiles = (determinacy(automaton, each, lengths, within=trained_to) for each in summaries)
    return {each.summary: each.falls_below(LEVEL) for each in profiles if each.exhausted is None}


def longest_lasting(
    fails: Mapping[Summary, int | None], trained_to: int, *, positions: bool, most_letters: int | None = None
) -> FailureLength:
    """The summary that lasts longest, without positions among those that know of none.

    Of those that last equally long, the first. With `most_letters`, no longer window counts.

    >>> fails = {Summary(window=1): 21, Summary(window=2): 30, Summary(window=2, modulus=2): None}
    >>> longest_lasting(fails, 20, positions=False).length, longest_lasting(fails, 20, positions=True).length
    (30, None)
    """
    best = FailureLength(length=trained_to + 1, summary=None)
    for summary, length in fails.items():
        if summary.modulus > 1 and not positions:
            continue
        if most_letters is not None and summary.window > most_letters:
            continue
        if length is None:
            return FailureLength(length=None, summary=summary)
        if best.length is None or length > best.length:
            best = FailureLength(length=length, summary=summary)
    return best
