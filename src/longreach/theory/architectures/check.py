"""Checks certificates about architectures, letter by letter, with code that did not find them.

What a valid certificate means for an architecture is in `longreach.theory.architectures.classes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, product
from typing import Any

from longreach.theory.architectures.documents import (
    NOTHING,
    ArchitectureCertificate,
    CascadeCertificate,
    CycleCertificate,
    FiniteStateCertificate,
    LastTokenCertificate,
    MachineTable,
    PeriodsCertificate,
    SameTokenCertificate,
    SolvableCertificate,
    StableGroupCertificate,
    UnsolvableCertificate,
)
from longreach.theory.certificates.check_no import Finding, Rejected, Status, require

MOST_ELEMENTS = 20_000
"""Maps, or permutations, that are written down before the checker gives up."""
MOST_PLACES = 200_000
"""Pairs of a state of a cascade and one of the automaton, likewise."""

Map = tuple[int, ...]


class _TooLarge(Exception):
    """The message says what is too much."""


def check_architecture(certificate: ArchitectureCertificate, expected: MachineTable | None = None) -> Finding:
    """Whether a certificate holds; with `expected`, for the automaton of that question.

    >>> table = MachineTable(alphabet=("a",), transitions=((1,), (0,)), outputs=("even", "odd"))
    >>> check_architecture(FiniteStateCertificate(machine=table)).valid
    True
    """
    check, how = _CHECKS[certificate.kind]
    try:
        _check_machine(certificate.machine, expected)
        check(certificate)
    except Rejected as rejected:
        return Finding.invalid(str(rejected))
    except _TooLarge as large:
        return Finding.claimed(f"more than {large} to recompute")
    return Finding(Status.VALID, how)


def _check_machine(table: MachineTable, expected: MachineTable | None) -> None:
    count = len(table.transitions)
    require(count > 0 and len(table.alphabet) > 0, "the automaton has no states or no letters")
    require(len(set(table.alphabet)) == len(table.alphabet), "a letter appears twice in the alphabet")
    require(len(table.outputs) == count, "the automaton has not one output for each state")
    for row in table.transitions:
        require(len(row) == len(table.alphabet), "the automaton is not complete")
        require(all(0 <= target < count for target in row), "a transition leads to no state")
    reached = {0}
    waiting = [0]
    for state in waiting:
        new = sorted(set(table.transitions[state]) - reached)
        reached |= set(new)
        waiting += new
    require(len(reached) == count, "the automaton has unreachable states")
    require(_behaviours(table) == count, "the automaton is not minimal")
    if expected is not None:
        require(_same(table, expected), "the automaton is not that of the task")


def _behaviours(table: MachineTable) -> int:
    kind: list[Any] = list(table.outputs)
    while True:
        finer = [(kind[q], *(kind[t] for t in row)) for q, row in enumerate(table.transitions)]
        numbers = {each: number for number, each in enumerate(dict.fromkeys(finer))}
        if len(numbers) == len(set(kind)):
            return len(numbers)
        kind = [numbers[each] for each in finer]


def _same(left: MachineTable, right: MachineTable) -> bool:
    """Whether two automata ask the same at the same places; the order of letters does not matter."""
    if sorted(left.alphabet) != sorted(right.alphabet) or left.at_end != right.at_end:
        return False
    order = [right.alphabet.index(token) for token in left.alphabet]
    seen = {(0, 0)}
    waiting = [(0, 0)]
    for p, q in waiting:
        if left.outputs[p] != right.outputs[q]:
            return False
        for letter, other in enumerate(order):
            pair = (left.transitions[p][letter], right.transitions[q][other])
            if pair not in seen:
                seen.add(pair)
                waiting.append(pair)
    return True


def _run(table: MachineTable, word: Iterable[str], state: int) -> int:
    for token in word:
        require(token in table.alphabet, f"{token!r} is not a letter")
        state = table.transitions[state][table.alphabet.index(token)]
    return state


# Maps that words induce


def _then(first: Map, second: Map) -> Map:
    return tuple(second[state] for state in first)


def _maps(table: MachineTable) -> list[Map]:
    """Those of all words, the empty one's first."""
    letters = [tuple(row[letter] for row in table.transitions) for letter in range(len(table.alphabet))]
    return _generated(letters, len(table.transitions))


def _generated(generators: Sequence[Map], size: int) -> list[Map]:
    known = {tuple(range(size))}
    waiting = list(known)
    for one in waiting:
        for generator in generators:
            longer = _then(one, generator)
            if longer not in known:
                if len(known) >= MOST_ELEMENTS:
                    raise _TooLarge(f"{MOST_ELEMENTS} maps")
                known.add(longer)
                waiting.append(longer)
    return waiting


def _power(one: Map, exponent: int) -> Map:
    made, square = tuple(range(len(one))), one
    while exponent:
        if exponent & 1:
            made = _then(made, square)
        square = _then(square, square)
        exponent >>= 1
    return made


def _check_periods(certificate: PeriodsCertificate) -> None:
    maps, index, period = _maps(certificate.machine), certificate.index, certificate.period
    require(len(maps) == certificate.elements, f"words induce {len(maps)} maps, not {certificate.elements}")

    def settles(first: int, step: int) -> bool:
        return all(_power(one, first + step) == _power(one, first) for one in maps)

    require(settles(index, period), f"some power {index} and {index + period} of a word differ")
    require(index == 0 or not settles(index - 1, period), "the index is smaller")
    for prime in _primes(period):
        require(not settles(index, period // prime), "the period is smaller")


def _primes(number: int) -> list[int]:
    found, divisor = [], 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            found.append(divisor)
            while number % divisor == 0:
                number //= divisor
        divisor += 1
    return [*found, *([number] if number > 1 else [])]


def _check_cycle(certificate: CycleCertificate | StableGroupCertificate) -> None:
    table, states = certificate.machine, certificate.states
    require(len(states) > 1 and len(set(states)) == len(states), "the cycle has not two different states")
    require(
        all(0 <= state < len(table.transitions) for state in states), "a state of the cycle does not exist"
    )
    require(_run(table, certificate.before, 0) == states[0], "the first word does not lead to the cycle")
    for place, state in enumerate(states):
        target = states[(place + 1) % len(states)]
        require(_run(table, certificate.word, state) == target, "the word does not run through the cycle")
    require(all(0 <= place < len(states) for place in certificate.pair), "the pair is not in the cycle")
    outputs = [table.outputs[_run(table, certificate.after, states[place])] for place in certificate.pair]
    require(NOTHING not in outputs, "nothing is asked of the pair there")
    require(outputs[0] != outputs[1], "the same is asked of the pair")


def _check_stable_group(certificate: StableGroupCertificate) -> None:
    table, steady = certificate.machine, certificate.steady
    _check_cycle(certificate)
    require(len(steady) == len(certificate.word), "the two words differ in length")
    for state in certificate.states:
        require(_run(table, steady, state) == state, "the second word leaves a state of the cycle")


# Cascades


def _check_cascade(certificate: CascadeCertificate) -> None:
    """Runs the automaton and the cascade side by side, as long as something may still be asked."""
    table, modulus = certificate.machine, certificate.modulus
    sets, width = [], 1
    for level in certificate.levels:
        require(len(set(level.events)) == len(level.events), "an event is listed twice")
        require(
            all(len(event) == width + 1 for event in level.events), "an event does not fit the levels below"
        )
        width += len(level.memories)
        for values in level.memories:
            require(len(values) == len(level.events), "a memory has not one value for each event")
            require(all(value >= 0 for value in values), "a value is negative")
        sets.append(dict(zip(level.events, zip(*level.memories, strict=True), strict=False)))
    sizes = [len(level.memories) for level in certificate.levels]
    hopeful = _hopeful(table)
    start = ((0,) * (1 + sum(sizes)), 0)
    places, waiting = {start}, [start] if 0 in hopeful else []
    found: dict[Map, str] = {}
    last_kept, by_letter = False, dict[int, set[tuple[bool, ...]]]()
    for state, here in waiting:
        said = table.outputs[here]
        if said != NOTHING:
            require(found.setdefault(state, said) == said, "one state of the cascade stands for two answers")
        for letter, there in enumerate(table.transitions[here]):
            if there not in hopeful:
                continue
            after, known = [(state[0] + 1) % modulus], 1
            for number, (size, changes) in enumerate(zip(sizes, sets, strict=True)):
                new = changes.get((*state[:known], letter), (0,) * size)
                if number == 0:
                    by_letter.setdefault(letter, set()).add(tuple(map(bool, new)))
                if number == len(sets) - 1:
                    last_kept |= not all(new)
                after += [value or old for value, old in zip(new, state[known : known + size], strict=True)]
                known += size
            place = (tuple(after), there)
            if place not in places:
                if len(places) >= MOST_PLACES:
                    raise _TooLarge(f"{MOST_PLACES} states")
                places.add(place)
                waiting.append(place)
    require(len(certificate.states) == len(certificate.answers), "there is not one answer for each state")
    listed = dict(zip(certificate.states, certificate.answers, strict=True))
    require(len(listed) == len(certificate.states), "a state of the cascade is listed twice")
    require(listed == found, "these are not the answers at the states that are reached")
    layers = len(sets) - (len(sets) > 0 and not last_kept and not table.at_end)
    if modulus > 1:
        layers += any(len(each) > 1 for each in by_letter.values()) if layers else 1
    require(
        certificate.layers == layers, f"a decoder computes it in {layers} layers, not in {certificate.layers}"
    )


def _hopeful(table: MachineTable) -> set[int]:
    """States from which one is reached where something is asked."""
    found = {state for state, output in enumerate(table.outputs) if output != NOTHING}
    while more := {q for q, row in enumerate(table.transitions) if q not in found and found & set(row)}:
        found |= more
    return found


# Groups


def _permutations(maps: Sequence[Map], states: Sequence[int]) -> set[Map]:
    """What the maps that permute some states do to them, by places."""
    place = {state: number for number, state in enumerate(states)}
    moved = (tuple(one[state] for state in states) for one in maps)
    return {tuple(place[state] for state in row) for row in moved if sorted(row) == sorted(states)}


def _back(one: Map) -> Map:
    made = [0] * len(one)
    for place, target in enumerate(one):
        made[target] = place
    return tuple(made)


def _commutator_group(group: set[Map], size: int) -> set[Map]:
    """Generated by all commutators with a set of elements that generates the group, conjugated by all."""
    generators: list[Map] = []
    made: set[Map] = {tuple(range(size))}
    for one in sorted(group):
        if one not in made:
            generators.append(one)
            made = set(_generated(generators, size))
    first = {_then(_then(_back(a), _back(b)), _then(a, b)) for a, b in product(generators, generators)}
    known = set(first)
    waiting = list(first)
    for one in waiting:
        for a in generators:
            other = _then(_then(_back(a), one), a)
            if other not in known:
                known.add(other)
                waiting.append(other)
    kept: list[Map] = []
    made = {tuple(range(size))}
    for one in sorted(known):
        if one not in made:
            kept.append(one)
            made = set(_generated(kept, size))
    return made


def _orders(group: set[Map], size: int) -> list[int]:
    """Of the derived series; it ends in 1 exactly if the group is solvable."""
    orders = [len(group)]
    while orders[-1] > 1:
        group = _commutator_group(group, size)
        if len(group) == orders[-1]:
            break
        orders.append(len(group))
    return orders


def _check_solvable(certificate: SolvableCertificate) -> None:
    table = certificate.machine
    maps = _maps(table)
    require(len(maps) == certificate.elements, f"words induce {len(maps)} maps, not {certificate.elements}")
    images = {tuple(sorted(set(one))) for one in maps if _then(one, one) == one}
    longest = 1
    for states in images:
        orders = _orders(_permutations(maps, states), len(states))
        require(orders[-1] == 1, "a group is not solvable")
        longest = max(longest, len(orders))
    require(certificate.states in images or len(certificate.states) == 1, "the states are no image of a map")
    require(all(0 <= q < len(table.transitions) for q in certificate.states), "a state does not exist")
    own = _orders(_permutations(maps, certificate.states), len(certificate.states))
    require(tuple(own) == certificate.orders, f"the series of the group has the orders {own}")
    require(len(own) == longest, "another group has a longer series")


def _check_unsolvable(certificate: UnsolvableCertificate) -> None:
    table, states = certificate.machine, certificate.states
    require(len(set(states)) == len(states), "a state appears twice")
    require(all(0 <= state < len(table.transitions) for state in states), "a state does not exist")
    maps = [tuple(_run(table, word, q) for q in range(len(table.transitions))) for word in certificate.words]
    generators = [tuple(one[state] for state in states) for one in maps]
    require(all(sorted(row) == sorted(states) for row in generators), "a word does not permute the states")
    place = {state: number for number, state in enumerate(states)}
    made = set(_generated([tuple(place[q] for q in row) for row in generators], len(states)))
    require(len(made) == certificate.order, f"the words make a group of order {len(made)}")
    require(len(made) > 1, "the group is trivial")
    require(_commutator_group(made, len(states)) == made, "the group is larger than its derived group")
    apart = _pairs_told_apart(table)
    for p, q in combinations(states, 2):
        require((p, q) in apart, "what is asked does not tell two of the states apart")


def _pairs_told_apart(table: MachineTable) -> set[tuple[int, int]]:
    """The pairs of states after which some word is followed by two different outputs that are asked."""
    count = range(len(table.transitions))
    found = {
        (p, q)
        for p, q in product(count, count)
        if NOTHING not in (table.outputs[p], table.outputs[q]) and table.outputs[p] != table.outputs[q]
    }
    while True:
        more = {
            (p, q)
            for p, q in product(count, count)
            if (p, q) not in found
            and any(pair in found for pair in zip(table.transitions[p], table.transitions[q], strict=True))
        }
        if not more:
            return found
        found |= more


# An automaton alone, and the last token


def _check_finite_state(certificate: FiniteStateCertificate) -> None:
    table, blocks, said = certificate.machine, certificate.blocks, certificate.reflections
    if said is None:
        require(not blocks, "without reflections there are no blocks")
        return
    states = list(range(len(table.transitions)))
    letters = [tuple(row[letter] for row in table.transitions) for letter in range(len(table.alphabet))]
    if any(sorted(row) != states for row in letters):
        require(not blocks, "a letter does not permute the states")
        require(said == len(states), f"the steps need {len(states)} reflections, not {said}")
        return
    require(sorted(state for block in blocks for state in block) == states, "the blocks are no partition")
    place = {state: number for number, block in enumerate(blocks) for state in block}
    acting = []
    for row in letters:
        images = [{place[row[state]] for state in block} for block in blocks]
        require(all(len(image) == 1 for image in images), "a letter breaks a block")
        acting.append(tuple(next(iter(image)) for image in images))
    if len(blocks) < len(states):
        orders = len(_generated(letters, len(states))), len(_generated(acting, len(blocks)))
        require(
            orders[0] == orders[1], "words that permute the states differently do not permute the blocks so"
        )
    needed = max(1, *map(_swaps, acting))
    require(said == needed, f"the steps need {needed} reflections, not {said}")


def _swaps(row: Map) -> int:
    """How many exchanges of two sort a permutation."""
    targets, swaps = list(row), 0
    for place in range(len(targets)):
        while targets[place] != place:
            other = targets[place]
            targets[place], targets[other] = targets[other], targets[place]
            swaps += 1
    return swaps


def _asked(table: MachineTable) -> dict[str, set[str]]:
    """What is asked at each token, over all words."""
    found: dict[str, set[str]] = {}
    for row in table.transitions:
        for letter, target in zip(table.alphabet, row, strict=True):
            if table.outputs[target] != NOTHING:
                found.setdefault("" if table.at_end else letter, set()).add(table.outputs[target])
    return found


def _check_last_token(certificate: LastTokenCertificate) -> None:
    right = {token: {output} for token, output in certificate.answers.items()}
    require(_asked(certificate.machine) == right, "these are not the answers at each token")


def _check_same_token(certificate: SameTokenCertificate) -> None:
    table, words = certificate.machine, (certificate.first, certificate.second)
    require(all(words), "a word is empty")
    require(table.at_end or words[0][-1] == words[1][-1], "the words do not end in the same token")
    outputs = [table.outputs[_run(table, word, 0)] for word in words]
    require(NOTHING not in outputs, "nothing is asked after one of the words")
    require(outputs[0] != outputs[1], "the same is asked after both words")


_CHECKS: dict[str, tuple[Callable[[Any], None], str]] = {
    "periods": (_check_periods, "all maps that words induce recomputed from the automaton"),
    "cycle": (_check_cycle, "the cycle run through letter by letter"),
    "stable-group": (_check_stable_group, "both words run through the cycle letter by letter"),
    "cascade": (_check_cascade, "the cascade run beside the automaton, letter by letter"),
    "solvable-groups": (_check_solvable, "all groups recomputed from the automaton"),
    "unsolvable-group": (_check_unsolvable, "the group recomputed from its words"),
    "finite-state": (_check_finite_state, "the automaton compared with the task's"),
    "last-token": (_check_last_token, "all transitions of the automaton looked through"),
    "same-token": (_check_same_token, "both words run through the automaton"),
}
