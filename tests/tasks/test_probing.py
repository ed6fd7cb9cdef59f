"""Tests of `tasks.probing` and of the probing words of all kinds of tasks."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.lengths import LengthRange
from longreach.tasks.outside import ProgramTask
from longreach.tasks.probing import (
    MOST_LOOPS,
    REPEATS,
    SLACK,
    LoopWords,
    simple_loops,
)
from longreach.tasks.task import Batch, Probes, Task
from longreach.theory.automata.automaton import Automaton
from longreach.theory.crasp.program import parse
from tests.helpers.examples import at_most
from tests.helpers.language_oracles import automata

REGULAR = (
    "tomita-3", "tomita-4", "d-3", "aa", "abab", "012-0-2", "sigma-be", "states:(a|bb)*",
    "states-after:(ab|c)*", "parity", "even-pairs", "cycle-navigation", "modular-arithmetic",
    'dfa:{"alphabet":["a","b"],"transitions":[[1,2],[0,3],[3,0],[2,1]],"outputs":["x","y","z","x"]}',
)  # fmt: skip


def _input(task: Task, batch: Batch, row: int) -> list[str]:
    """What stands between SOS and SEP, or =, or the end; a SEP behind each letter is left out."""
    tokens = task.decode(batch.tokens[row, 1 : batch.sizes[row]].tolist())
    if task.name.startswith(("repeated-", "mqar")):
        return tokens
    if task.kind == "algorithmic":
        return tokens[: tokens.index("SEP") if "SEP" in tokens else tokens.index("=") + 1]
    return [token for token in tokens if token != "SEP"]


def _said(task: Task, batch: Batch, row: int) -> tuple[str, ...]:
    return tuple(task.decode(batch.targets[row][batch.mask[row]].tolist()))


def _check_answers(task: Task, found: Probes, lengths: LengthRange) -> None:
    """Lengths lie in the range, and answers are those of the slow oracle."""
    for row in range(len(found.batch)):
        x = _input(task, found.batch, row)
        assert lengths.first <= len(x) <= lengths.last
        assert _said(task, found.batch, row) == task.answer(x)
        assert task.is_drawn(x)


def _all_loops(automaton: Automaton, inside: frozenset[int]) -> set[tuple[int, tuple[int, ...]]]:
    """Literally: every order of different states from the least on, with all letters that lead along it."""
    found = set()
    for size in range(1, len(inside) + 1):
        for states in permutations(sorted(inside), size):
            if states[0] != min(states):
                continue
            steps = [
                [letter for letter, to in enumerate(automaton.transitions[state]) if to == target]
                for state, target in zip(states, (*states[1:], states[0]), strict=True)
            ]
            found |= {(states[0], letters) for letters in product(*steps)}
    return found


@settings(max_examples=at_most(60), deadline=None)
@given(automata(states=4))
def test_loops_are_all_simple_loops_of_live_states_the_shortest_first(automaton: Automaton) -> None:
    if not automaton.accepting:
        return
    inside = np.isin(np.arange(len(automaton)), list(automaton.live))
    every = simple_loops(automaton.table, inside, most=10_000)
    assert len(every) == len(set(every))
    assert set(every) == _all_loops(automaton, automaton.live)
    sizes = [len(loop.letters) for loop in simple_loops(automaton.essential.table, inside, most=10_000)]
    assert sizes == sorted(sizes)


def test_there_are_at_most_so_many_loops() -> None:
    states, letters = 40, 3
    table = np.random.default_rng(0).integers(0, states, (states, letters))
    assert len(simple_loops(table, np.ones(states, dtype=np.bool_))) == MOST_LOOPS


def test_letters_that_do_the_same_do_not_crowd_out_longer_loops() -> None:
    """Twenty letters that stay, and one that moves on."""
    table = np.array([[0] * 20 + [1], [1] * 20 + [0]])
    found = simple_loops(table, np.ones(2, dtype=np.bool_))
    assert (0, (20, 20)) in found
    assert len(found) == MOST_LOOPS


def _shortest(automaton: Automaton, start: int, size: int, length: int) -> int:
    """The fewest letters before and after a loop that fills the rest, by all numbers of letters."""
    from_first, to_end = [{0}], [{start}]
    for _ in range(length):
        from_first.append({t for q in from_first[-1] for t in automaton.transitions[q]})
        to_end.append({t for q in to_end[-1] for t in automaton.transitions[q]})
    return min(
        before + after
        for before in range(length + 1)
        for after in range(length + 1 - before)
        if start in from_first[before]
        and to_end[after] & automaton.accepting
        and (length - before - after) % size == 0
        and length - before - after >= REPEATS * size
    )


@settings(max_examples=at_most(40), deadline=None)
@given(automata(states=5), st.integers(0, 2**32))
def test_words_are_a_path_the_named_loop_and_a_path(automaton: Automaton, seed: int) -> None:
    if not automaton.accepting:
        return
    words = LoopWords(automaton.alphabet, automaton.table, automaton.accepting)
    first = 20
    known = np.arange(first, first + 5)
    found = words.draw(known, 60, np.random.default_rng(seed))
    if found is None:
        assert not words.loops or not any(
            automaton.accepting & _after(automaton, length) for length in known.tolist()
        )
        return
    for row, shape in enumerate(found.shapes):
        word = found.letters[row, : shape.length].tolist()
        loop = words.loops[found.loops[row]]
        size = len(loop.letters)
        assert shape.length in known
        assert shape.before + shape.times * size + shape.after == shape.length
        assert shape.times >= REPEATS
        assert word[shape.before : shape.length - shape.after] == list(loop.letters) * shape.times
        states = [0]
        for letter in word:
            states.append(automaton.transitions[states[-1]][letter])
        assert states[shape.before] == loop.start == states[shape.before + size]
        assert states[-1] in automaton.accepting
        if found.kinds[row] == 0:
            least = _shortest(automaton, loop.start, size, shape.length)
            assert shape.before + shape.after <= least + SLACK + max(size, SLACK)
        else:
            third = shape.length // 3
            assert max(abs(shape.before - third), abs(shape.after - third)) <= max(1, shape.length // 6)
    counts = Counter(found.loops.tolist())
    assert max(counts.values()) - min(counts.values()) <= 1


def _after(automaton: Automaton, length: int) -> set[int]:
    states = {0}
    for _ in range(length):
        states = {target for state in states for target in automaton.transitions[state]}
    return states


@pytest.mark.parametrize("name", REGULAR)
def test_probing_words_are_inputs_with_right_answers(name: str) -> None:
    task, lengths = load_task(name), LengthRange(19, 40)
    found = task.probing_sample(lengths, 97, np.random.default_rng(3))
    assert found is not None
    assert len(found.batch) == 97
    assert set(found.kinds.tolist()) == {0, 1}
    counts = Counter(found.loops.tolist())
    assert set(counts) == set(range(len(found.names)))
    assert max(counts.values()) - min(counts.values()) <= 1
    _check_answers(task, found, lengths)
    again = task.probing_sample(lengths, 97, np.random.default_rng(3))
    assert again is not None
    assert (again.batch.tokens == found.batch.tokens).all()


@pytest.mark.parametrize("name", TASKS)
def test_every_task_has_probing_words_with_right_answers(name: str) -> None:
    task = load_task(name)
    known = task.lengths(task.least_length, task.least_length + 60)
    lengths = LengthRange(int(known[-3]), int(known[-1]))
    found = task.probing_sample(lengths, 48, np.random.default_rng(0))
    if name == "tomita-1" and found is None:
        return
    assert found is not None
    assert len(found.batch) == 48
    _check_answers(task, found, lengths)
    counts = Counter(found.loops.tolist())
    assert max(counts.values()) - min(counts.values()) <= 1
    again = task.probing_sample(lengths, 48, np.random.default_rng(0))
    assert again is not None
    assert (again.batch.tokens == found.batch.tokens).all()


def test_a_finite_language_has_no_probing_words() -> None:
    assert load_task("regex:ab|abc").probing_sample(LengthRange(2, 3), 9, np.random.default_rng(0)) is None


@pytest.mark.parametrize("name", ["binary-majority", "majority", "mode"])
def test_majorities_are_probed_by_counts_that_hardly_differ(name: str) -> None:
    task, lengths = load_task(name), LengthRange(1, 30)
    found = task.probing_sample(lengths, 200, np.random.default_rng(0))
    assert found is not None
    _check_answers(task, found, lengths)
    for row in range(200):
        x = _input(task, found.batch, row)
        counts = sorted(Counter(x).values())
        first, second = (counts[-1], counts[-2] if len(counts) > 1 else 0)
        assert first - second == (1 if len(x) % 2 else 2)
        if found.kinds[row] == 1:
            assert sum(one != other for one, other in pairwise(x)) <= 1


def test_programs_are_probed_by_counts_that_differ_by_one_at_most() -> None:
    text = '#alphabet a b c\nP = # "a" >= # "b"\nR = # "b" >= # "c" + # "c"\nL = P && R'
    task, lengths = ProgramTask("mine", parse(text)), LengthRange(15, 40)
    found = task.probing_sample(lengths, 120, np.random.default_rng(0))
    assert found is not None
    _check_answers(task, found, lengths)
    counts = Counter(found.loops.tolist())
    assert set(counts) == {0, 1}
    assert counts[0] == counts[1] >= 30
    apart: list[set[int]] = [set(), set()]  # which comparison is the first one is the program's business
    for row in np.flatnonzero(found.loops == 0).tolist():
        x = _input(task, found.batch, row)
        apart[0].add(x.count("a") - x.count("b"))
        apart[1].add(x.count("b") - 2 * x.count("c"))
    first = apart[0] <= {-1, 0, 1}
    assert first or apart[1] <= {-1, 0, 1}
    for row in np.flatnonzero(found.loops == 1).tolist():
        x = _input(task, found.batch, row)
        assert abs(x.count("b") - 2 * x.count("c") if first else x.count("a") - x.count("b")) <= 1


def test_a_window_is_repeated_far_away() -> None:
    task, lengths = load_task("crasp:lib:tomita-4"), LengthRange(30, 40)
    found = task.probing_sample(lengths, 60, np.random.default_rng(0))
    assert isinstance(task, ProgramTask)
    assert found is not None
    _check_answers(task, found, lengths)
    width = task.core.locality + 1
    for row in np.flatnonzero(found.kinds == 1).tolist():
        x = _input(task, found.batch, row)
        third = len(x) // 3
        head = {tuple(x[k : k + width]) for k in range(third)}
        tail = {tuple(x[k : k + width]) for k in range(len(x) - third, len(x) - width + 1)}
        assert head & tail


def _word(length: int, rng: np.random.Generator) -> str:
    return "".join("ab"[k] for k in rng.integers(0, 2, length))


def test_own_functions_are_probed_by_pieces_that_change_the_answer() -> None:
    task = Task.from_function(_word, lambda x: x.count("ab") % 2 == 0)
    lengths = LengthRange(12, 30)
    found = task.probing_sample(lengths, 80, np.random.default_rng(0))
    assert found is not None
    _check_answers(task, found, lengths)
    for row in range(80):
        x, piece = "".join(_input(task, found.batch, row)), found.names[found.loops[row]].replace(" ", "")
        share = len(x) // 2 if found.kinds[row] == 0 else len(x) // 3 - len(piece)
        assert piece * (share // len(piece)) in x
    assert {"a", "b"}.isdisjoint(found.names)  # repeated where they stand they make no new ab


def test_own_functions_without_a_changing_piece_or_with_inputs_of_a_form_have_none() -> None:
    same = Task.from_function(_word, lambda x: x[0])
    assert same.probing_sample(LengthRange(12, 30), 20, np.random.default_rng(0)) is None
    formed = Task.from_function(_pairs, lambda x: x.count("a") % 2 == 0)
    assert formed.probing_sample(LengthRange(12, 30), 20, np.random.default_rng(0)) is None


def _pairs(length: int, rng: np.random.Generator) -> list[str]:
    """Every other token is a k."""
    return ["k" if place % 2 == 0 else letter for place, letter in enumerate(_word(length, rng))]


def test_the_user_says_how_to_probe() -> None:
    def runs(length: int, rng: np.random.Generator) -> str:
        cut = int(rng.integers(0, length + 1))
        return "a" * cut + "b" * (length - cut)

    function = Task.from_function(_word, lambda x: x[-1], probe=runs)
    predicate = Task.from_predicate(lambda x: x.count("a") % 2 == 0, "ab", probe=runs)
    lengths = LengthRange(5, 9)
    for task in (function, predicate):
        found = task.probing_sample(lengths, 30, np.random.default_rng(0))
        assert found is not None
        assert found.names == ("probe",)
        _check_answers(task, found, lengths)
        for row in range(30):
            x = _input(task, found.batch, row)
            assert x == sorted(x)
    wrong = Task.from_function(_word, lambda x: x[-1], name="mine", probe=lambda length, rng: "a")
    with pytest.raises(InputError, match=r"^mine: probe\(\d, rng\) gives 1 token, not \d"):
        wrong.probing_sample(lengths, 3, np.random.default_rng(0))


def test_predicates_are_probed() -> None:
    member = Task.from_predicate(lambda x: "aab" in x, "ab")
    following = Task.from_predicate(lambda x: "bb" not in x, "ab", labels="next")
    lengths = LengthRange(9, 20)
    for task in (member, following):
        found = task.probing_sample(lengths, 40, np.random.default_rng(0))
        assert found is not None
        _check_answers(task, found, lengths)
        if task is following:
            assert all("bb" not in "".join(_input(task, found.batch, row)) for row in range(40))


def test_shares_are_the_mean_and_the_worst_loop() -> None:
    found = load_task("tomita-4").probing_sample(LengthRange(20, 25), 30, np.random.default_rng(0))
    assert found is not None
    right = found.loops != 1
    right[np.flatnonzero(found.loops == 1)[:2]] = True
    assert found.shares(right) == (22 / 30, 0.2)
