"""What can be a level of a cascade: tables of memories, and what they leave possible.

A level is found over the product of the clock and the levels below, the *base*: for each state of it, the
states of the automaton in which a word that leads there may end are *possible*. An event is a state of the
base and a letter. Any table from events to values is a memory, so a level may be guessed: what it leaves
possible is computed, never assumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from longreach.theory.architectures.documents import NOTHING, Question
from longreach.theory.automata.automaton import LabelledAutomaton, strong_components
from longreach.theory.budget import DEFAULT_BUDGET, Budget

Event = tuple[int, int]
"""A state of the base, and a letter."""
Memory = Mapping[Event, int]
"""The value, from 1 on, to which each event sets it; other events leave it alone."""

MOST_STATES = 20_000
"""Pairs of a state of a base and a possible state, before a level is given up."""
MOST_EFFORT = 200_000
"""Steps of the search for fewer levels than the images of letters give: about a second at most. A count, so
that every machine finds the same cascade."""
MEMORIES_A_STEP = 10
"""So many memories are carried through a product at the cost of one step."""


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


def certain(base: Base | None) -> Base:
    assert base is not None
    return base


class Spent(Exception):
    pass


@dataclass(eq=False)
class Asked:
    """An automaton, as far as something may still be asked."""

    machine: LabelledAutomaton
    at_end: bool
    hopeful: frozenset[int]
    budget: Budget
    effort: int = MOST_EFFORT
    """What is left of it."""

    def spend(self, effort: int) -> None:
        self.effort -= effort
        if self.effort < 0:
            raise Spent
        self.budget.check()

    @classmethod
    def of(cls, question: Question, budget: Budget = DEFAULT_BUDGET) -> Asked:
        machine = question.machine
        found = {state for state, output in enumerate(machine.outputs) if output != NOTHING}
        for members in reversed(strong_components(machine.transitions)):
            if any(target in found for state in members for target in machine.transitions[state]):
                found |= set(members)
        return cls(machine, question.at_end, frozenset(found), budget)

    def moved(self, states: Sequence[int], letter: int) -> frozenset[int]:
        """Where the letter leads, as far as something may still be asked."""
        return frozenset(self.machine.transitions[state][letter] for state in states) & self.hopeful

    def answers(self, states: Iterable[int]) -> set[str]:
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
        return certain(self._product(below, (), modulus))

    def over(self, base: Base, memories: Sequence[Memory]) -> Base | None:
        """The product of a base and memories that read it; None if it is too large."""
        return self._product(base, memories, 1)

    def _product(self, base: Base, memories: Sequence[Memory], modulus: int) -> Base | None:
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
                        return None
        self.effort -= len(order) * len(self.machine.alphabet) * len(memories) // MEMORIES_A_STEP
        return Base(
            states=tuple((*base.states[lower], *values) for lower, values in order),
            moves=tuple(map(tuple, moves)),
            possible=tuple(tuple(sorted(states)) for states in possible),
            lower=tuple(lower for lower, _ in order),
        )


# Levels of letters


MOST_ALIKE = 4
"""Groups of letters of which all sets are remembered."""


def last_letters(asked: Asked, clock: Base) -> list[Memory]:
    """For sets of letters, the last of them and when it was; letters that do the same are one.

    All sets if they are few, else the single letters and all together.
    """
    columns = list(zip(*asked.machine.transitions, strict=True))
    group = [columns.index(column) for column in columns]
    groups = sorted(set(group))
    sizes = range(len(groups), 0, -1) if len(groups) <= MOST_ALIKE else (len(groups), 1)
    memories: list[Memory] = []
    for size in sizes:
        for kept in combinations(groups, size):
            events = [event for event, _ in clock.events() if group[event[1]] in kept]
            numbers = {
                each: number for number, each in enumerate(dict.fromkeys((c, group[a]) for c, a in events), 1)
            }
            memories.append({(c, a): numbers[c, group[a]] for c, a in events})
    return memories


def by_letter(asked: Asked, base: Base) -> Memory | None:
    """The answer after each letter, if the base and the letter say it."""
    memory, numbers = {}, dict[str, int]()
    for event, _ in base.events():
        said = asked.answers(asked.moved(base.possible[event[0]], event[1]))
        if len(said) > 1:
            return None
        memory[event] = numbers.setdefault(next(iter(said), NOTHING), len(numbers) + 1)
    return memory


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
