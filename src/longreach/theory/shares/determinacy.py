"""How often a summary of the prefix is enough: the probability that it determines every answer of a word.

*Determined.* Fix a length N. A prefix is *in play* if it begins a word of the language of at most N letters.
At a position of a word the answer is determined if some prefix in play has the same value of the summary, and
all of those have the label that is right here. So one function of the summary, the same for all lengths up
to N and read off from words of these lengths, is right there; the determinacy at length n is the share of
words of length n on which it is right from the start to the end. Three choices of N matter:

- N = n, the default: is there any function of the summary that is right up to this length? Prefixes of
  longer words do not count against it: a conflict that first shows in words of 100 letters does not hinder at
  50. Prefixes of shorter words do, because a model that reads from left to right cannot know the length.
- N = the training length (`within`): a function that a model could have seen whole in training, with values
  of the summary that never appeared there counted as not determined. It explains a success beyond training.
- N = any length (`within=ANY_LENGTH`): one function of the summary for all lengths at once. It is at most
  that of N = n, equal from a few letters beyond the window on, and quickest.

`summary_graph` finds the pairs of state and summary; the rest is a walk backwards over them, which gives all
lengths at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from longreach.errors import InputError
from longreach.theory.automata.automaton import Automaton
from longreach.theory.budget import OverBudget
from longreach.theory.shares.summaries import MOST_NODES, Summary, SummaryGraph, summary_graph
from longreach.theory.shares.words import FloatArray, WordMeasure, word_measure

ANY_LENGTH = 1 << 30
"""As `within`: words of all lengths determine."""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """The determinacy at each of some lengths."""

    summary: Summary
    within: int | None
    """The length up to which words determine; None: each length itself."""
    lengths: tuple[int, ...]
    probabilities: tuple[float | None, ...]
    """Of a word of each length to be determined everywhere; None: there is none. Empty if exhausted."""
    exhausted: str | None = None
    """The budget that ended the work."""

    def at(self, length: int) -> float | None:
        """The determinacy at one of the lengths; None without words and without a result."""
        return self.probabilities[self.lengths.index(length)] if self.probabilities else None

    @property
    def mean(self) -> float | None:
        """Over the lengths that have words, as a test draws them; None without any and without a result.

        >>> determinacy(from_expression("(aa)*"), Summary(modulus=2), range(41, 61)).mean
        1.0
        """
        return self.mean_over(self.lengths)

    def mean_over(self, some: Iterable[int]) -> float | None:
        """The mean over some of the lengths, where they have words; None without any and without a result."""
        wanted = set(some)
        pairs = zip(self.lengths, self.probabilities, strict=False)
        found = [share for length, share in pairs if share is not None and length in wanted]
        return sum(found) / len(found) if found else None

    def falls_below(self, level: float = 0.5) -> int | None:
        """The first of the lengths at which it is below the level; None: at none of them.

        >>> profile = determinacy(from_expression("(b|ab*a)*"), Summary(window=4), range(1, 20))
        >>> profile.falls_below(), [profile.at(length) for length in (3, 4, 5, 6)]
        (5, [1.0, 1.0, 0.25, 0.0])
        >>> language, lengths = from_expression("(a|b)*d(b|c)*"), range(1000)
        >>> ever = [determinacy(language, Summary(window=k), lengths, within=ANY_LENGTH) for k in (4, 8, 12)]
        >>> [each.falls_below() for each in ever]
        [25, 362, None]
        """
        pairs = zip(self.lengths, self.probabilities, strict=False)
        return next((length for length, share in pairs if share is not None and share < level), None)


def determinacy(
    automaton: Automaton,
    summary: Summary,
    lengths: Iterable[int],
    *,
    within: int | None = None,
    most_nodes: int = MOST_NODES,
) -> Profile:
    """The determinacy at each of the lengths.

    Right to a relative error of about 10⁻¹⁵ for each letter of a word.

    >>> no_bb = from_expression("(a|ba)*b?")
    >>> determinacy(no_bb, Summary(window=1), [5, 50]).probabilities
    (1.0, 1.0)
    >>> determinacy(no_bb, Summary(modulus=2), [2, 3, 50]).probabilities
    (0.0, 0.0, 0.0)
    """
    wanted = tuple(lengths)
    if not wanted or min(wanted) < 0:
        raise InputError("a profile needs lengths that are not negative")
    if within is not None and within < 0:
        raise InputError(f"words of at most {within} letters determine nothing")
    words = word_measure(automaton)
    try:
        graph = summary_graph(words, summary, max(wanted), least=min(wanted), within=within, most=most_nodes)
    except OverBudget as spent:
        return Profile(summary=summary, within=within, lengths=wanted, probabilities=(), exhausted=str(spent))
    if within is None:
        found = dict(_growing(words, graph, sorted(set(wanted))))
    else:
        found = dict(enumerate(_survival(words, graph, graph.determined(within), max(wanted))))
    return Profile(
        summary=summary,
        within=within,
        lengths=wanted,
        probabilities=tuple(found[each] if words.count(each) else None for each in wanted),
    )


def profiles(
    automaton: Automaton,
    family: Sequence[Summary],
    lengths: Iterable[int],
    *,
    most_nodes: int = MOST_NODES,
) -> tuple[Profile, ...]:
    """The determinacy for each summary of a family.

    >>> found = profiles(from_expression("(aa)*"), [Summary(window=3), Summary(modulus=2)], [10, 20])
    >>> [each.probabilities for each in found]
    [(0.0, 0.0), (1.0, 1.0)]
    """
    wanted = tuple(lengths)
    return tuple(determinacy(automaton, each, wanted, most_nodes=most_nodes) for each in family)


def _survival(
    words: WordMeasure, graph: SummaryGraph, good: npt.NDArray[np.bool_], longest: int
) -> Iterator[float]:
    """For each length the probability that a word never leaves the good nodes."""
    alive: FloatArray = np.append(good, False).astype(np.float64)
    yield float(alive[0])
    weights = good.astype(np.float64)
    for to_go in range(1, longest + 1):
        steps = words.steps(to_go)[graph.states]
        alive[:-1] = weights * (steps * alive[graph.targets]).sum(axis=1)
        yield float(alive[0])


def _growing(words: WordMeasure, graph: SummaryGraph, lengths: list[int]) -> Iterator[tuple[int, float]]:
    """The same where each length has its own words in play: what is good changes at a few lengths only."""
    changes = {int(each) for each in np.unique(graph.second) if lengths[0] < each <= lengths[-1]}
    for start, end in pairwise(sorted({lengths[0], *changes, lengths[-1] + 1})):
        wanted = [each for each in lengths if start <= each < end]
        if wanted:
            # A node that words of this length visit is in play; all that can be wrong is another label.
            found = list(_survival(words, graph, graph.second > start, wanted[-1]))
            yield from ((each, found[each]) for each in wanted)
