"""Tests of `tasks.families`."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from longreach.tasks.catalog import load_task
from longreach.tasks.families import KgramRetrieval, ParityScratchpad, SparseParity, VariableAssignment
from longreach.tasks.task import SEP, SOS, Batch
from longreach.theory.crasp.library import load
from tests.helpers.task_checks import least_share
from tests.helpers.task_oracles import chains, sparse_parity


@pytest.mark.parametrize(("k", "symbols"), [(1, 3), (2, 4)])
def test_places_are_those_of_the_paper(k: int, symbols: int) -> None:
    """Where the k-gram stands, against draws as in the paper of which the unclear ones are left out."""
    length, count = 2 * k + 4, 1500
    task, rng = KgramRetrieval(k, symbols), np.random.default_rng(11)

    def place(x: list[int]) -> list[int]:
        return [start for start in range(length - k) if x[start : start + k] == x[-k:]]

    batch = task.sample([length] * count, np.random.default_rng(3))
    ours = np.bincount([place(row)[0] for row in batch.tokens[:, 1 : length + 1].tolist()], minlength=length)
    theirs = np.zeros(length)
    while theirs.sum() < count:
        x = rng.integers(0, symbols, length).tolist()
        start = int(rng.integers(1, length - 2 * k))
        x[length - k :] = x[start : start + k]
        if len(place(x)) == 1:
            theirs[start] += 1
    assert set(np.flatnonzero(ours)) == set(np.flatnonzero(theirs))
    assert (abs(ours - theirs) < 5 * np.sqrt(ours + theirs + 1)).all()


def test_lengths() -> None:
    assert KgramRetrieval(2).least_length == 6


def _literal_ids(bits: int, k: int) -> list[int]:
    """E.2.1: 0, 1, …, ℓ, 0, 1, …, ℓ, in the input each id k times."""
    read = [1 + place // k for place in range(bits)]
    written = sorted(set(read))
    return [0, *read, 0, *written]


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_coupled_ids(k: int) -> None:
    task, lengths = ParityScratchpad(k), list(range(1, 14))
    batch = task.sample(lengths, np.random.default_rng(0))
    ids = task.coupled_ids(batch)
    assert ids is not None
    assert ids.shape == (len(lengths), batch.tokens.shape[1] + 1)
    for row, length in enumerate(lengths):
        own = _literal_ids(length, k)
        assert ids[row, : batch.sizes[row] + 1].tolist() == own
        assert not ids[row, batch.sizes[row] + 1 :].any()


def test_the_ids_of_the_paper() -> None:
    batch = ParityScratchpad().sample([4], np.random.default_rng(0))
    ids = ParityScratchpad().coupled_ids(batch)
    assert ids is not None
    assert ids.tolist() == [[0, 1, 2, 3, 4, 0, 1, 2, 3, 4]]
    assert ParityScratchpad(scratchpad=False).coupled_ids(batch) is None


def _special(task: SparseParity, lengths: list[int]) -> list[int]:
    batch = task.sample(lengths, np.random.default_rng(5))
    rows = [task.decode(batch.tokens[row, : batch.sizes[row]].tolist()) for row in range(len(lengths))]
    return [sum(int(number) <= 10 for number in row[1:-1:2]) for row in rows]


def test_how_many_are_special() -> None:
    assert set(_special(SparseParity((6, 6)), [14, 20, 50] * 20)) == {6}
    found = np.bincount(_special(SparseParity((1, 4)), [20] * 2000), minlength=5)
    assert found[0] == 0
    assert (abs(found[1:] - 500) < 90).all()  # four standard deviations of 500 in 2000
    # Always fewer than there are bits.
    assert set(_special(SparseParity((1, 12)), [6] * 200)) == {1, 2}


def test_numbers_and_bits_are_uniform() -> None:
    task = SparseParity((4, 4))
    batch = task.sample([16] * 4000, np.random.default_rng(1))
    first = np.bincount(batch.tokens[:, 1] - 4, minlength=20)
    assert len(first) == 20
    assert (abs(first - 200) < 60).all()  # half of the numbers are special, each as often as any other
    assert abs(least_share(task, 16) - 0.5) < 0.06


def test_lengths_sparse_parity() -> None:
    assert SparseParity((1, 4)).lengths(1, 9).tolist() == [4, 6, 8]
    assert SparseParity((4, 4)).least_length == 10


def test_the_program() -> None:
    """On inputs of any number of special symbols up to the one that it is for."""
    task = SparseParity((1, 5))
    program = load("sparse-parity-5")
    batch = task.sample([4, 8, 12, 20, 30] * 10, np.random.default_rng(2))
    for row, size in enumerate(batch.sizes.tolist()):
        read = task.decode(batch.tokens[row, :size].tolist())
        assert read[0] == SOS
        assert read[-1] == SEP
        assert program.predicts(read)[-1] == sparse_parity(10)(read[1:-1])


LENGTHS = (1, 2, 3, 5)
"""Numbers of chains."""


def _drawn(task: VariableAssignment, chains: list[int], seed: int = 3) -> tuple[Batch, list[list[str]]]:
    batch = task.sample([2 + 3 * task.d * each for each in chains], np.random.default_rng(seed))
    return batch, [task.decode(batch.tokens[row, :size].tolist()) for row, size in enumerate(batch.sizes)]


def test_orders_are_uniform() -> None:
    """Two chains of two steps: six orders, in half of which the chain that is asked for begins."""
    _, rows = _drawn(VariableAssignment(2, 8), [2] * 3000)
    orders: Counter[str] = Counter()
    first = 0
    for read in rows:
        x = read[1 : read.index(SEP)]
        (own,) = [chain for chain in chains(x, 2) if chain[0] == x[0]]
        order = "".join("o" if x[place] in own else "x" for place in range(2, len(x), 3))
        orders[order] += 1
        first += order[0] == "o"
    assert len(orders) == 6
    assert all(abs(times - 500) < 85 for times in orders.values())
    assert abs(first - 1500) < 115


def test_lengths_variable_assignment() -> None:
    task = VariableAssignment(2, 9)
    assert task.lengths(0, 100).tolist() == [8, 14, 20]  # nine variables are enough for three chains
    assert load_task("variable-assignment:5").least_length == 17


def test_the_ids_of_the_paper_variable_assignment() -> None:
    """The example of E.3.1 with d = 2 and w = 2: the chain stands in the second and third assignment."""
    task = VariableAssignment(2, 6)
    text = "SOS v1 SEP1 v4 ← v5 v1 ← v2 v2 ← v3 v5 ← v6 SEP v1 ← v2 v2 ←"
    tokens = np.array([[task.tokens.index(token) for token in text.split()]])
    size = np.array([tokens.shape[1]])
    batch = Batch(tokens, tokens, tokens > 0, tokens, size)
    ids = task.coupled_ids(batch)
    assert ids is not None
    assert ids[0].tolist() == [*range(15), 0, 6, 7, 8, 9, 10, 11]


@pytest.mark.parametrize("d", [1, 2, 4])
def test_coupled_ids_variable_assignment(d: int) -> None:
    task = VariableAssignment(d, 40)
    batch, rows = _drawn(task, [*LENGTHS] * 5)
    ids = task.coupled_ids(batch)
    assert ids is not None
    assert ids.shape == (len(rows), batch.tokens.shape[1] + 1)
    for row, read in enumerate(rows):
        at = read.index(SEP)
        own = [*range(at), 0]
        for step in range(at + 1, len(read), 3):
            (left,) = [place for place in range(3, at, 3) if read[place] == read[step]]
            own += [left, left + 1, left + 2]
        assert ids[row].tolist() == own + [0] * (ids.shape[1] - len(own))
    assert VariableAssignment(d, 40, scratchpad=False).coupled_ids(batch) is None


def test_the_program_variable_assignment() -> None:
    task = VariableAssignment(2)
    program = load("variable-assignment-2")
    _, rows = _drawn(task, [1, 2] * 20)
    for read in rows:
        at = read.index(SEP)
        assert read[0] == SOS
        assert program.predicts(read)[at:] == [[token] for token in task.answer(read[1:at])]


def test_training_meets_several_chains() -> None:
    for depth in (2, 3, 5):
        task = VariableAssignment(depth)
        lengths = task.lengths(*task.train_range(12))
        assert len(lengths) == 4
        assert task.train_range(150).last == 150


@pytest.mark.parametrize(("depth", "variables"), [(2, 20), (2, 9), (3, 12), (1, 6), (5, 200), (20, 200)])
def test_default_lengths_fit_the_variables(depth: int, variables: int) -> None:
    task = VariableAssignment(depth, variables)
    for train_to in (6, 20, 50):
        trained = task.train_range(train_to)
        lengths = [task.lengths(*each) for each in (trained, *task.test_ranges(trained.last))]
        assert all(len(each) for each in lengths)
