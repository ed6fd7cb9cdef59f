"""Levels of two-valued memories: colours of possible states that events carry over or make one.

A colour is known for sure, as a memory of it is set where all possible states get one colour, and left alone
where all keep theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from longreach.theory.architectures.documents import NOTHING
from longreach.theory.architectures.levels import Asked, Base, Event, Memory


class _Colours:
    """Colours of places, each a state of a base and a possible state, as far as they depend on each other.

    Two places are told apart at first. What depends on them has a colour; the rest only groups of one colour.
    """

    def __init__(self, size: int) -> None:
        self.group = list(range(size))
        self.other = [0] * size
        """Whether it is the other colour of the two in its group."""
        self.members: list[list[int]] = [[place] for place in range(size)]

    def copy(self) -> _Colours:
        made = _Colours(0)
        made.group, made.other, made.members = self.group.copy(), self.other.copy(), self.members.copy()
        return made

    def relate(self, first: int, second: int, differs: int) -> list[int] | None:
        """The places whose group is another one now; None where the two cannot be related so."""
        p, q = self.group[first], self.group[second]
        change = self.other[first] ^ self.other[second] ^ differs
        if p == q:
            return None if change else []
        if len(self.members[p]) > len(self.members[q]):
            p, q = q, p
        moved = self.members[p]
        for place in moved:
            self.group[place] = q
            self.other[place] ^= change
        self.members[q] = self.members[q] + moved
        self.members[p] = []
        return moved

    def known(self, first: int, second: int) -> int | None:
        """0 for the same colour, 1 for two, None if it is not known."""
        same = self.group[first] == self.group[second]
        return self.other[first] ^ self.other[second] if same else None


@dataclass(frozen=True, eq=False)
class _Places:
    """The places of a base, numbered, and what each event does to them."""

    number: Mapping[tuple[int, int], int]
    events: tuple[Event, ...]
    steps: tuple[tuple[tuple[int, int], ...], ...]
    """By event: from which place it leads to which."""
    touching: tuple[tuple[int, ...], ...]
    """By place: the events that lead from it, or to it."""

    @classmethod
    def of(cls, asked: Asked, base: Base) -> _Places:
        places = [(state, each) for state, possible in enumerate(base.possible) for each in possible]
        number = {place: index for index, place in enumerate(places)}
        rows = asked.machine.transitions
        events: list[Event] = []
        steps: list[tuple[tuple[int, int], ...]] = []
        touching: list[list[int]] = [[] for _ in places]
        for event, target in base.events():
            step = tuple(
                (number[event[0], each], number[target, rows[each][event[1]]])
                for each in base.possible[event[0]]
                if rows[each][event[1]] in asked.hopeful
            )
            for place in {place for pair in step for place in pair} if len(step) > 1 else ():
                touching[place].append(len(events))
            events.append(event)
            steps.append(step)
        return cls(number, tuple(events), tuple(steps), tuple(map(tuple, touching)))

    def is_carried(self, colours: _Colours, event: int) -> int | None:
        """Whether colours stay as they are: 0 if they do, 1 if one changes, None if it is not known."""
        found = {colours.known(here, there) for here, there in self.steps[event]}
        return 1 if 1 in found else (0 if found == {0} else None)

    def is_constant(self, colours: _Colours, event: int) -> int | None:
        """Whether all places to which it leads have one colour: 0, 1 or None as above."""
        step = self.steps[event]
        found = {colours.known(step[0][1], there) for _, there in step}
        return 1 if 1 in found else (0 if found == {0} else None)

    def make(self, colours: _Colours, event: int, *, carried: bool) -> list[int] | None:
        """The places that are related anew, where the event can do what is said."""
        step = self.steps[event]
        pairs = step if carried else [(step[0][1], there) for _, there in step[1:]]
        moved: list[int] = []
        for first, second in pairs:
            new = colours.relate(first, second, 0)
            if new is None:
                return None
            moved += new
        return moved

    def settle(self, colours: _Colours, moved: list[int]) -> bool:
        """Does what follows for all events from places that are related anew; false if it cannot be."""
        waiting = {event for place in moved for event in self.touching[place]}
        while waiting:
            event = waiting.pop()
            carried = self.is_carried(colours, event)
            constant = self.is_constant(colours, event)
            if 0 in (carried, constant) or (carried is None and constant is None):
                continue
            if carried == constant == 1:
                return False
            new = self.make(colours, event, carried=constant == 1)
            if new is None:
                return False
            waiting |= {other for place in new for other in self.touching[place]}
        return True


MOST_GUESSES = 60
"""Events of which it is guessed whether they carry the colours over, before a colouring is given up."""
MOST_PAIRS = 40
"""Pairs of possible states for which a colouring is looked for in vain."""


def colouring(asked: Asked, places: _Places, first: int, second: int) -> _Colours | None:
    """Two colours of all places that tell two of them apart, so that every event carries the colours over or
    makes all places one colour."""
    start = _Colours(len(places.number))
    start.relate(first, second, 1)
    left = MOST_GUESSES

    def solve(colours: _Colours, moved: list[int]) -> _Colours | None:
        nonlocal left
        asked.spend(len(places.number) + len(places.events))
        if not places.settle(colours, moved):
            return None
        event = None
        for differs in (0, 1):  # the rest in one colour, or in the other
            whole = colours.copy()
            for place in range(len(places.number)):
                if whole.group[place] != whole.group[first]:
                    whole.relate(first, place, differs)
            event = next(
                (
                    event
                    for event, step in enumerate(places.steps)
                    if len(step) > 1 and places.is_carried(whole, event) and places.is_constant(whole, event)
                ),
                None,
            )
            if event is None:
                return whole
        assert event is not None
        for carried in (True, False):
            left -= 1
            if left < 0:
                return None
            guess = colours.copy()
            moved_now = places.make(guess, event, carried=carried)
            found = None if moved_now is None else solve(guess, moved_now)
            if found is not None:
                return found
        return None

    return solve(start, [first, second])


def _memory_of(places: _Places, colours: _Colours) -> Memory:
    return {
        event: 1 + colours.other[places.steps[number][0][1]]
        for number, event in enumerate(places.events)
        if places.is_carried(colours, number)
    }


def colourings(asked: Asked, base: Base, *, partly: bool = False) -> list[Memory] | None:
    """Memories of two values that know what is asked after the next letter, or right now if it is asked at
    the end; None if there are none, unless `partly` asks for those that know something of it."""
    places = _Places.of(asked, base)
    chosen: list[_Colours] = []
    failed = 0
    for state, first, second in _conflicts(asked, base):
        pair = places.number[state, first], places.number[state, second]
        if any(colours.known(*pair) == 1 for colours in chosen):
            continue
        colours = colouring(asked, places, *pair)
        if colours is not None:
            chosen.append(colours)
        elif not partly:
            return None
        else:
            failed += 1
            if failed >= MOST_PAIRS:
                break
    return [_memory_of(places, colours) for colours in chosen]


def _conflicts(asked: Asked, base: Base) -> Iterator[tuple[int, int, int]]:
    """States of the base, each with two possible states that must be told apart."""
    rows, outputs = asked.machine.transitions, asked.machine.outputs

    def apart(p: int, q: int) -> bool:
        return NOTHING not in (outputs[p], outputs[q]) and outputs[p] != outputs[q]

    for state, possible in enumerate(base.possible):
        for first, second in combinations(possible, 2):
            if apart(first, second) if asked.at_end else any(map(apart, rows[first], rows[second])):
                yield state, first, second
