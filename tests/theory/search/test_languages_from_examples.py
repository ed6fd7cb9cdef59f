"""The languages of Table 2 without positions, written again from labelled words alone."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from longreach.answers.agreement import REGULAR
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.samples import longest_within
from longreach.theory.budget import Budget
from longreach.theory.search.space import Family, WordTree
from longreach.theory.search.synthesize import Status, Synthesis, by_learning, synthesize
from longreach.theory.search.targets import RegularTarget, target_of
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer

WITHOUT_POSITIONS = [name for name in REGULAR if judge(named_automaton(name)).nope.answer is Answer.YES]


def examples(automaton: Automaton, *, longest: int, count: int = 1500) -> dict[tuple[str, ...], bool]:
    """Labelled words, which are all that a search is given: all short ones, those of two runs, accepted ones
    that often repeat a letter, alone, after a short word, after the beginning of another and some letters,
    and after some changes."""
    rng = random.Random(0)
    table, letters = automaton.table.tolist(), automaton.alphabet
    steps = dict.fromkeys(automaton.accepting, 0)
    for far in range(len(table)):
        for state, row in enumerate(table):
            if state not in steps and any(steps.get(target) == far for target in row):
                steps[state] = far + 1
    short = WordTree.of(letters, length=longest_within(len(letters), 600, 12)).words
    words = {
        (x,) * i + (y,) * j for x, y in permutations(letters, 2) for i in range(16) for j in range(i + 2)
    }
    words |= set(short)
    before: tuple[str, ...] = ()
    for _ in range(count):
        word: list[str] = []
        state, kept, left = 0, 0, rng.randrange(longest + 1)
        while left > 0 or steps[state]:
            ways = [
                k
                for k, target in enumerate(table[state])
                if target in steps and (left > 0 or steps[target] < steps[state])
            ]
            kept = kept if kept in ways and rng.random() < 0.7 else rng.choice(ways)
            word.append(letters[kept])
            state, left = table[state][kept], left - 1
        between = rng.choices(letters, k=rng.randrange(3))
        beginning = before[: rng.randrange(len(before) + 1)]
        words |= {tuple(word), (*rng.choice(short), *word), (*beginning, *between, *word)}
        before = tuple(word)
        for _ in range(rng.randrange(1, 4)):
            place = rng.randrange(len(word) + 1)
            word[place : place + rng.randrange(2)] = rng.choices(letters, k=rng.randrange(2))
            words.add(tuple(word))
    return {word: automaton.accepts(word) for word in words}


def labelled(name: str) -> tuple[Automaton, dict[tuple[str, ...], bool]]:
    automaton = named_automaton(name)
    return automaton, examples(automaton, longest=34 if name == "d-12" else 14)


def right(automaton: Automaton, found: Synthesis) -> bool:
    """Whether what was found from words is proved to be the language."""
    assert found.status is Status.CONSISTENT
    assert found.program is not None
    check = RegularTarget(automaton).check(found.program.core, Budget(seconds=30))
    return check.witness is None and check.proved


def test_they_are_all_there() -> None:
    assert len(WITHOUT_POSITIONS) == 9


@pytest.mark.parametrize("name", WITHOUT_POSITIONS)
def test_an_automaton_of_the_words_gives_a_program_that_is_right_on_words_of_every_length(name: str) -> None:
    automaton, known = labelled(name)
    found = by_learning(target_of(known, automaton.alphabet), Family(), Budget(seconds=30))
    assert found.method == "automaton"
    assert right(automaton, found)


@pytest.mark.slow
@pytest.mark.parametrize("name", WITHOUT_POSITIONS)
def test_and_the_whole_search_finds_nothing_smaller_that_is_wrong(name: str) -> None:
    automaton, known = labelled(name)
    assert right(automaton, synthesize(known, alphabet=automaton.alphabet, seconds=6))


def test_what_theory_says_of_the_automaton_is_not_said_of_the_words() -> None:
    parity = {("a",) * n: n % 2 == 0 for n in range(8)}
    assert by_learning(target_of(parity), Family(), Budget()).status is Status.NONE
    assert synthesize(parity, seconds=1, max_size=3).status is Status.NONE
