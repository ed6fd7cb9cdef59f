from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from longreach.crasp.library import variable_assignment
from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.task import SEP, SOS, Batch
from longreach.tasks.variable_assignment import VariableAssignment
from tests.helpers.task_checks import statuses

LENGTHS = (1, 2, 3, 5)
"""Numbers of chains."""


def _drawn(task: VariableAssignment, chains: list[int], seed: int = 3) -> tuple[Batch, list[list[str]]]:
    batch = task.sample([2 + 3 * task.d * each for each in chains], np.random.default_rng(seed))
    return batch, [task.decode(batch.tokens[row, :size].tolist()) for row, size in enumerate(batch.sizes)]


def _chains(x: list[str], d: int) -> list[list[str]]:
    """The chains of an input, followed assignment by assignment in the order in which they stand."""
    assert x[1] == "SEP1"
    found: list[list[str]] = []
    for place in range(2, len(x), 3):
        left, arrow, right = x[place : place + 3]
        assert arrow == "←"
        own = [chain for chain in found if chain[-1] == left and len(chain) <= d]
        if own:
            own[0].append(right)
        else:
            found.append([left, right])
    return found


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("scratchpad", [True, False])
def test_samples(d: int, scratchpad: bool) -> None:
    task = VariableAssignment(d, 40, scratchpad)
    batch, rows = _drawn(task, [*LENGTHS] * 20)
    for row, read in enumerate(rows):
        at = read.index(SEP)
        x, y = read[1:at], read[at + 1 :]
        chains = _chains(x, d)
        assert len(chains) == LENGTHS[row % len(LENGTHS)]
        # d assignments a chain, all variables distinct, in order.
        variables = [variable for chain in chains for variable in chain]
        assert [len(chain) for chain in chains] == [d + 1] * len(chains)
        assert len(set(variables)) == len(variables)
        (own,) = [chain for chain in chains if chain[0] == x[0]]
        steps = [token for left, right in pairwise(own) for token in (left, "←", right)]
        right = steps if scratchpad else [own[-1]]
        assert y == right[:-1]
        assert task.decode(batch.targets[row][batch.mask[row]].tolist()) == right
        assert task.answer(x) == tuple(right)


def test_orders_are_uniform() -> None:
    """Two chains of two steps: six orders, in half of which the chain that is asked for begins."""
    _, rows = _drawn(VariableAssignment(2, 8), [2] * 3000)
    orders: Counter[str] = Counter()
    first = 0
    for read in rows:
        x = read[1 : read.index(SEP)]
        chains = _chains(x, 2)
        (own,) = [chain for chain in chains if chain[0] == x[0]]
        order = "".join("o" if x[place] in own else "x" for place in range(2, len(x), 3))
        orders[order] += 1
        first += order[0] == "o"
    assert len(orders) == 6
    assert all(abs(times - 500) < 85 for times in orders.values())
    assert abs(first - 1500) < 115


def test_lengths() -> None:
    task = VariableAssignment(2, 9)
    assert task.lengths(0, 100).tolist() == [8, 14, 20]  # nine variables are enough for three chains
    assert load_task("variable-assignment:5").least_length == 17
    with pytest.raises(InputError, match="a chain of 3 steps needs 4 variables"):
        VariableAssignment(3, 3)
    with pytest.raises(InputError, match="nothing is assigned to v3"):
        task.answer(["v1", "SEP1", "v1", "←", "v3"])
    with pytest.raises(InputError, match="x begins with a variable and SEP1"):
        task.answer(["v1", "←", "v3"])
    with pytest.raises(InputError, match="assignments are written as in"):
        task.answer(["v1", "SEP1", "v1", "v2", "v3"])


def test_the_ids_of_the_paper() -> None:
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
def test_coupled_ids(d: int) -> None:
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


def test_the_program() -> None:
    task = VariableAssignment(2, 6)
    program = variable_assignment(2, variables=6)
    _, rows = _drawn(task, [1, 2] * 20)
    for read in rows:
        at = read.index(SEP)
        assert read[0] == SOS
        assert program.predicts(read)[at:] == [[token] for token in task.answer(read[1:at])]


def test_forecasts() -> None:
    found = statuses("variable-assignment:2,variables=20")
    assert {verdict for verdict, _ in found.values()} == {"undecided"}


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
