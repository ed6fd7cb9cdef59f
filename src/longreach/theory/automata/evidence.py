"""Whether the words that were asked about are evidence for an automaton learned from them.

An answer that was hardly ever seen says nothing: a language of rare words looks empty, or finite.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from longreach.theory.automata.automaton import LabelledAutomaton, Word, longest_word
from longreach.theory.automata.samples import class_shares
from longreach.wording import EMPTY

RANGES = 4
"""Lengths are counted in so many ranges."""
LEAST_SEEN = 10
"""Words of each answer, in every range of lengths that has as many."""
COMMON = 0.05
"""The share of an answer among words of one length from which on random words show it."""
MOST_LISTED = 3
"""Answers, each with how many words had it."""
Seen: TypeAlias = Mapping[str, tuple[int, ...]]
"""For each answer how many words were asked about, by ranges of lengths."""


def length_ranges(longest: int) -> list[range]:
    """The lengths from 0 on in equal parts.

    >>> [(part[0], part[-1]) for part in length_ranges(100)]
    [(0, 25), (26, 50), (51, 75), (76, 100)]
    """
    cuts = [longest * part // RANGES for part in range(RANGES + 1)]
    parts = [range(first + 1, last + 1) for first, last in pairwise(cuts)]
    return [range(parts[0].stop), *(part for part in parts[1:] if part)]


def seen_answers(answers: Iterable[tuple[Word, str]], longest: int) -> dict[str, tuple[int, ...]]:
    """How often each answer was given, by ranges of lengths; longer words are left out.

    >>> seen_answers([(("a",), "no"), (("a",) * 8, "yes"), (("a",) * 7, "no")], 8)
    {'no': (1, 0, 0, 1), 'yes': (0, 0, 0, 1)}
    """
    ranges = length_ranges(longest)
    place = {length: number for number, part in enumerate(ranges) for length in part}
    counts = Counter((answer, place[len(word)]) for word, answer in answers if len(word) in place)
    labels = sorted({label for label, _ in counts})
    return {label: tuple(counts[label, number] for number in range(len(ranges))) for label in labels}


def doubt(
    machine: LabelledAutomaton,
    seen: Seen,
    longest: int,
    *,
    rare: tuple[str, int] | None = None,
    undefined: str | None = None,
    nouns: tuple[str, str] = ("words", "letters"),
) -> str | None:
    """Why the words seen are no evidence for the automaton, in plain words; None if they are.

    Every answer must have been seen in every range of lengths in which the automaton gives it. An answer that
    it gives only up to a length must be so frequent there that random words would show it beyond. A `rare`
    one comes with the length of detours that no word tried would show: as long ones as the automaton has must
    have been tried, and twice as long.

    >>> from longreach.theory.automata.automaton import labelled
    >>> empty = labelled("a", [[1], [1]], 0, ["yes", "no"])
    >>> doubt(empty, {"yes": (1, 0, 0, 0), "no": (25, 25, 25, 25)}, 100)
    'only 1 of 101 words tried has the answer yes, none with more than 0 letters'
    """
    labels = [label for label in machine.classes if label != undefined]
    total = sum(sum(seen.get(label, ())) for label in labels)
    words, letters = nouns
    if not labels:
        return "no word is an input"
    if len(labels) == 1:
        return f"all {total:,} {words} tried have the answer {labels[0] or EMPTY}"
    for label in labels:
        counts = seen.get(label, (0,) * RANGES)
        shares = [float(share[0]) for share in class_shares(machine, label, longest)]
        end = longest_word(machine.language(label))
        if end is not None:
            if (count := sum(counts)) < LEAST_SEEN or shares[min(end, longest)] < COMMON:
                rest = f"none with more than {end} {letters}"
                return f"only {count:,} of {total:,} {words} tried {_have(count)} the answer {label}, {rest}"
            continue
        for place, (part, count) in enumerate(zip(length_ranges(longest), counts, strict=True)):
            known = sum(shares[length] * float(len(machine.alphabet)) ** length for length in part)
            if count < min(LEAST_SEEN, known / 2):
                asked = sum(each[place] for each in seen.values())
                where = f"of {asked:,} {words} with {part[0]} to {part[-1]} {letters}"
                return f"{where} only {count} {_have(count)} the answer {label}"
    if rare is not None and rare[1] <= 2 * longest_chain(machine, rare[0]) + 2:
        count = sum(seen.get(rare[0], ()))
        only = f"only {count:,} of {total:,} {words} tried {_have(count)} the answer {rare[0]}"
        return f"{only}, and others that differ from them in {rare[1]} {letters} or more were not tried"
    return None


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


def longest_chain(machine: LabelledAutomaton, label: str) -> int:
    """How many letters follow one another, at most, without a choice, on the way into a class.

    >>> from longreach.theory.automata.automaton import labelled
    >>> longest_chain(labelled("ab", [[1, 3], [3, 2], [2, 3], [3, 3]], 0, ["no", "no", "yes", "no"]), "yes")
    3
    """
    language = machine.language(label)
    after = {
        state: next(iter(targets))
        for state in language.live
        if len(targets := [target for target in language.transitions[state] if target in language.live]) == 1
    }
    longest = 0
    for state in after:
        size, met = 0, set[int]()
        while state in after and state not in met:
            met.add(state)
            state, size = after[state], size + 1
        longest = max(longest, size)
    return longest


def counted_answers(seen: Mapping[str, Sequence[int]], undefined: str | None = None) -> str:
    """How many words were seen of each answer.

    >>> counted_answers({"accept": (1, 2), "reject": (1500, 0)})
    '3 accept, 1,500 reject'
    """
    counts = {label: sum(each) for label, each in seen.items() if label != undefined}
    if len(counts) <= MOST_LISTED:
        return ", ".join(f"{count:,} {label}" for label, count in counts.items())
    least = min(counts.values())
    return f"{sum(counts.values()):,} words, at least {least:,} for each of {len(counts)} answers"
