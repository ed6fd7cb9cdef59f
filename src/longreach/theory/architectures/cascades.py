"""Finds cascades: a clock and levels of last-occurrence memories that know what is asked.

Levels are tried from the bottom: none, or the last of every set of letters; then levels by images and by
colours, until one level of colours is enough. Levels by images alone always end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from longreach.theory.architectures.colours import colourings
from longreach.theory.architectures.documents import CascadeCertificate, CascadeLevel, Question
from longreach.theory.architectures.levels import (
    MOST_EFFORT,
    Asked,
    Base,
    Memory,
    Spent,
    by_letter,
    certain,
    last_images,
    last_letters,
)
from longreach.theory.budget import DEFAULT_BUDGET, Budget, OverBudget

MOST_MODULUS = 24


Levels = list[list[Memory]]
Found = tuple[int, int, int, Levels]
"""The layers, the modulus, the number of memories, and the levels."""


def finish(asked: Asked, base: Base, *, colours: bool = True) -> Levels | None:
    """One level of attention more at most."""
    if asked.is_answered(base):
        return []
    if not asked.at_end:
        memory = by_letter(asked, base)
        if memory is not None:
            return [[memory]]
    made = colourings(asked, base) if colours else None
    above = None if made is None else asked.over(base, made)
    if made is None or above is None:
        return None
    if asked.is_answered(above):
        return [made]
    memory = by_letter(asked, above)
    assert memory is not None  # the colours tell apart all that the next letter would not
    return [made, [memory]]


def grow(asked: Asked, base: Base, most: int, *, colours: bool = True) -> Levels | None:
    """So many levels more at most: images, with colours that help, until one level more is enough.

    Without colours it ends all the same: images leave fewer states possible, level by level.
    """
    levels = Levels()
    while True:
        asked.budget.check()
        rest = finish(asked, base, colours=colours)
        if rest is not None:
            return levels + rest if len(levels + rest) <= most else None
        images = last_images(asked, base)
        if images is None or len(levels) + 1 >= most:
            return None
        level = [images, *(colourings(asked, base, partly=True) or [] if colours else [])]
        above = asked.over(base, level)
        if above is None:
            level = [images]
            above = asked.over(base, level)
        if above is None:
            return None
        levels.append(level)
        base = above


MOST_LEVELS = 40


def find_cascade(
    question: Question, moduli: Sequence[int], budget: Budget = DEFAULT_BUDGET
) -> CascadeCertificate | None:
    """The cascade with the fewest layers, then the least modulus, among those that are tried.

    >>> from longreach.theory.automata.automaton import labelled
    >>> ends_in_a = Question(labelled("ab", [[1, 0], [1, 0]], 0, ["no", "yes"]))
    >>> found = find_cascade(ends_in_a, [1])
    >>> found.levels[0].events, found.levels[0].memories, found.layers
    (((0, 0), (0, 1)), ((1, 2),), 0)
    """
    asked = Asked.of(question, budget.running())
    found: list[Found] = []

    def keep(modulus: int, levels: Levels | None) -> None:
        if levels is not None:
            found.append((_layers(asked, modulus, levels), modulus, sum(map(len, levels)), levels))
            found.sort(key=lambda each: each[:3])

    for modulus in moduli:
        keep(modulus, grow(asked, asked.clock(modulus), MOST_LEVELS, colours=False))
    if not found:
        return None
    asked.effort = MOST_EFFORT
    with suppress(Spent, OverBudget):  # what was found so far is right
        for modulus in moduli:
            clock = asked.clock(modulus)
            letters, images = last_letters(asked, clock), last_images(asked, clock)
            for first in ([], letters, [*letters, images] if images is not None else letters):
                base = asked.over(clock, first) if first else clock
                rest = None if base is None else grow(asked, base, found[0][0] + 1)
                keep(modulus, None if rest is None else [first, *rest] if first else rest)
        _, modulus, _, levels = found[0]
        for fewer in _with_fewer(asked, modulus, levels):
            keep(modulus, fewer)
    _, modulus, _, levels = found[0]
    return _certificate(asked, modulus, levels)


def _with_fewer(asked: Asked, modulus: int, levels: Levels) -> Iterator[Levels]:
    """With memories left out for which there is no need, the levels above found anew, one after the other."""
    layers = _layers(asked, modulus, levels)
    base = asked.clock(modulus)
    number = 0
    while number < len(levels):
        place = 0
        while place < len(levels[number]):
            fewer = [*levels[number][:place], *levels[number][place + 1 :]]
            above = asked.over(base, fewer)
            rest = None if above is None else grow(asked, above, len(levels) - number - 1)
            shorter = None if rest is None else [*levels[:number], *([fewer] if fewer else []), *rest]
            if shorter is None or _layers(asked, modulus, shorter) > layers:
                place += 1
                continue
            levels = shorter
            yield levels
            if not fewer:
                place = 0
                break
        else:
            base = certain(asked.over(base, levels[number]))
            number += 1


def _layers(asked: Asked, modulus: int, levels: Levels) -> int:
    """Of attention that a decoder needs for the cascade."""
    clock = base = asked.clock(modulus)
    for memories in levels[:-1]:
        base = certain(asked.over(base, memories))
    count = len(levels)
    if levels and not asked.at_end:
        count -= all(event in memory for memory in levels[-1] for event, _ in base.events())
    if modulus > 1:
        count += _asks_for_clock(clock, levels[0]) if count else 1
    return count


def _certificate(asked: Asked, modulus: int, levels: Levels) -> CascadeCertificate:
    base, written = asked.clock(modulus), []
    for memories in levels:
        events = sorted({event for memory in memories for event in memory})
        written.append(
            CascadeLevel(
                events=tuple((*base.states[state], letter) for state, letter in events),
                memories=tuple(tuple(memory.get(event, 0) for event in events) for memory in memories),
            )
        )
        base = certain(asked.over(base, memories))
    answers = {
        state: answer
        for state, possible in zip(base.states, base.possible, strict=True)
        for answer in asked.answers(possible)
    }
    return CascadeCertificate(
        machine=Question(asked.machine, asked.at_end).table,
        modulus=modulus,
        levels=tuple(written),
        states=tuple(answers),
        answers=tuple(answers.values()),
        layers=_layers(asked, modulus, levels),
    )


def _asks_for_clock(clock: Base, memories: Sequence[Memory]) -> bool:
    """Whether the clock says which letters set a memory of the first level."""
    return any(
        len({(state, letter) in memory for (state, letter), _ in clock.events() if letter == one}) > 1
        for memory in memories
        for one in range(len(clock.moves[0]))
    )
