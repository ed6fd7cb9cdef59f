"""Finds cascades: a clock and levels of last-occurrence memories that know what is asked.

A level is found over the product of the clock and the levels below, the *base*: for each state of it, the
states of the automaton in which a word that leads there may end are *possible*. The search is over when all
possible states have the same answer. An event is a state of the base and a letter. Any table from events to
values is a memory, so a level may be guessed: what it leaves possible is computed, never assumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from longreach.theory.architectures.documents import (
    NOTHING,
    CascadeCertificate,
    CascadeLevel,
    Question,
)
from longreach.theory.automata.automaton import LabelledAutomaton, strong_components
from longreach.theory.budget import DEFAULT_BUDGET, Budget

Event = tuple[int, int]
"""A state of the base, and a letter."""
Memory = Mapping[Event, int]
"""The value, from 1 on, to which each event sets it; other events leave it alone."""

MOST_STATES = 20_000
"""Pairs of a state of a base and a possible state, before a level is given up."""
MOST_MODULUS = 24


@dataclass(frozen=True, eq=False)
class Base:
    """A clock and some levels, and what is possible at each state of theirs."""

    states: tuple[tuple[int, ...], ...]
    """The clock and all memories."""
    moves: tuple[tuple[int, ...], ...]
    """By state and letter; -1 where no letter is read on the way to something that is asked."""
    possible: tuple[tuple[int, ...], ...]
    lower: tuple[int, ...]
    """By state: the state of the base below."""

    def events(self) -> Iterator[tuple[Event, int]]:
        """Each with the state to which it leads."""
        for state, row in enumerate(self.moves):
            for letter, target in enumerate(row):
                if target >= 0:
                    yield (state, letter), target


class _Large(Exception):
    pass


@dataclass(frozen=True, eq=False)
class Asked:
    """An automaton, as far as something may still be asked."""

    machine: LabelledAutomaton
    at_end: bool
    hopeful: frozenset[int]

    @classmethod
    def of(cls, question: Question) -> Asked:
        machine = question.machine
        found = {state for state, output in enumerate(machine.outputs) if output != NOTHING}
        for members in reversed(strong_components(machine.transitions)):
            if any(target in found for state in members for target in machine.transitions[state]):
                found |= set(members)
        return cls(machine, question.at_end, frozenset(found))

    def moved(self, states: Sequence[int], letter: int) -> frozenset[int]:
        """Where the letter leads, as far as something may still be asked."""
        return frozenset(self.machine.transitions[state][letter] for state in states) & self.hopeful

    def answers(self, states: Sequence[int]) -> set[str]:
        return {self.machine.outputs[state] for state in states} - {NOTHING}

    def is_answered(self, base: Base) -> bool:
        """Whether its state says what is right."""
        return all(len(self.answers(states)) < 2 for states in base.possible)

    def clock(self, modulus: int) -> Base:
        below = Base(
            states=((),),
            moves=((0,) * len(self.machine.alphabet),),
            possible=((),),
            lower=(0,),
        )
        return self._product(below, (), modulus)

    def over(self, base: Base, memories: Sequence[Memory]) -> Base:
        """The product of a base and memories that read it."""
        return self._product(base, memories, 1)

    def _product(self, base: Base, memories: Sequence[Memory], modulus: int) -> Base:
        """A base and memories, or nothing and a clock."""
        is_clock = base.states == ((),)
        first: tuple[int, tuple[int, ...]] = (0, (0,) * (1 if is_clock else len(memories)))
        numbers = {first: 0}
        order = [first]
        moves: list[list[int]] = [[-1] * len(self.machine.alphabet)]
        possible: list[set[int]] = [{0} & self.hopeful]
        places = [(0, state) for state in possible[0]]
        for number, state in places:
            lower, values = order[number]
            for letter, target in enumerate(self.machine.transitions[state]):
                if target not in self.hopeful:
                    continue
                after = moves[number][letter]
                if after < 0:
                    if is_clock:
                        new: tuple[int, tuple[int, ...]] = (0, ((values[0] + 1) % modulus,))
                    else:
                        event = (lower, letter)
                        new = (
                            base.moves[lower][letter],
                            tuple(m.get(event, v) for m, v in zip(memories, values, strict=True)),
                        )
                    after = moves[number][letter] = numbers.setdefault(new, len(order))
                    if after == len(order):
                        order.append(new)
                        moves.append([-1] * len(self.machine.alphabet))
                        possible.append(set())
                if target not in possible[after]:
                    possible[after].add(target)
                    places.append((after, target))
                    if len(places) > MOST_STATES:
                        raise _Large
        return Base(
            states=tuple((*base.states[lower], *values) for lower, values in order),
            moves=tuple(map(tuple, moves)),
            possible=tuple(tuple(sorted(states)) for states in possible),
            lower=tuple(lower for lower, _ in order),
        )


# A level by the sets that letters leave possible


def last_images(asked: Asked, base: Base) -> Memory | None:
    """Remembers the last letter that did not carry all possible states over, by the states it led to.

    States of the base that lead to each other and carry all that is possible over name the possible states
    alike; a letter that carries fewer over sets the memory to those it left. None where the names of possible
    states are permuted: the automaton has a group, or the modulus is too small.
    """
    carried: list[list[int]] = [[] for _ in base.states]
    images = {event: asked.moved(base.possible[event[0]], event[1]) for event, _ in base.events()}
    for event, target in base.events():
        if len(images[event]) == len(base.possible[target]):
            carried[event[0]].append(target)
    component = [0] * len(base.states)
    for number, members in enumerate(strong_components(carried)):
        for state in members:
            component[state] = number
    names: dict[int, dict[int, int]] = {}
    first_of: dict[int, int] = {}
    kept: set[Event] = set()
    outgoing: dict[int, list[tuple[Event, int]]] = {}
    for event, target in base.events():
        if component[event[0]] == component[target] and len(images[event]) == len(base.possible[target]):
            kept.add(event)
            outgoing.setdefault(event[0], []).append((event, target))
    for state in range(len(base.states)):
        if component[state] in first_of:
            continue
        first_of[component[state]] = state
        names[state] = {each: place for place, each in enumerate(base.possible[state])}
        waiting = [state]
        for here in waiting:
            for event, target in outgoing.get(here, []):
                row = asked.machine.transitions
                made = {row[each][event[1]]: name for each, name in names[here].items()}
                if target not in names:
                    names[target] = made
                    waiting.append(target)
                elif names[target] != made:
                    return None
    entered: dict[Event, tuple[int, frozenset[int]]] = {}
    for event, target in base.events():
        if event not in kept:
            entered[event] = (component[target], frozenset(names[target][q] for q in images[event]))
    largest = [
        (place, image)
        for place, image in dict.fromkeys(entered.values())
        if not any(place == p and image < larger for p, larger in entered.values())
    ]
    value: dict[int, dict[frozenset[int], int]] = {}
    for place, image in largest:
        numbers = value.setdefault(place, {})
        numbers[image] = len(numbers) + 1
    return {
        event: next(number for image, number in value[place].items() if small <= image)
        for event, (place, small) in entered.items()
    }


# The search


def find_cascade(
    question: Question, moduli: Sequence[int], budget: Budget = DEFAULT_BUDGET
) -> CascadeCertificate | None:
    """The cascade with the fewest layers, then the least modulus, among those that are tried.

    >>> from longreach.theory.automata.automaton import labelled
    >>> ends_in_a = Question(labelled("ab", [[1, 0], [1, 0]], 0, ["no", "yes"]))
    >>> found = find_cascade(ends_in_a, [1])
    >>> found.levels[0].events, found.levels[0].memories, found.layers
    (((0, 0), (0, 1)), ((2, 1),), 0)
    """
    asked = Asked.of(question)
    found: list[CascadeCertificate] = []
    for modulus in moduli:
        try:
            levels = _by_images(asked, modulus, budget)
        except _Large:
            continue
        if levels is not None:
            found.append(_certificate(asked, modulus, levels))
    return min(found, key=lambda each: (each.layers, each.modulus), default=None)


def _by_images(asked: Asked, modulus: int, budget: Budget) -> list[list[Memory]] | None:
    base, levels = asked.clock(modulus), list[list[Memory]]()
    while not asked.is_answered(base):
        budget.check()
        memory = last_images(asked, base)
        if memory is None:
            return None
        levels.append([memory])
        base = asked.over(base, [memory])
    return levels


def _certificate(asked: Asked, modulus: int, levels: Sequence[Sequence[Memory]]) -> CascadeCertificate:
    base, written = asked.clock(modulus), []
    for memories in levels:
        events = sorted({event for memory in memories for event in memory})
        written.append(
            CascadeLevel(
                events=tuple((*base.states[state], letter) for state, letter in events),
                memories=tuple(tuple(memory.get(event, 0) for event in events) for memory in memories),
            )
        )
        below, base = base, asked.over(base, memories)
    answers = {
        state: answer
        for state, possible in zip(base.states, base.possible, strict=True)
        for answer in asked.answers(possible)
    }
    layers = len(levels)
    if levels and not asked.at_end:
        layers -= all(event in memory for memory in levels[-1] for event, _ in below.events())
    if modulus > 1:
        layers += _asks_for_clock(asked.clock(modulus), levels[0]) if layers else 1
    return CascadeCertificate(
        machine=Question(asked.machine, asked.at_end).table,
        modulus=modulus,
        levels=tuple(written),
        states=tuple(answers),
        answers=tuple(answers.values()),
        layers=layers,
    )


def _asks_for_clock(clock: Base, memories: Sequence[Memory]) -> bool:
    """Whether the clock says which letters set a memory of the first level."""
    return any(
        len({(state, letter) in memory for (state, letter), _ in clock.events() if letter == one}) > 1
        for memory in memories
        for one in range(len(clock.moves[0]))
    )
