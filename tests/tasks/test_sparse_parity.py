from __future__ import annotations

import numpy as np
import pytest

from longreach.crasp.library import load
from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.sparse_parity import SparseParity
from longreach.tasks.task import SEP, SOS
from tests.helpers.task_checks import assert_samples_are_right, least_share, statuses


def _oracle(x: list[str]) -> list[str]:
    """Equation (20): the exclusive or of the bits whose number is at most N/2 = 10."""
    parity = 0
    for place in range(0, len(x), 2):
        if int(x[place]) <= 10:
            parity ^= int(x[place + 1][1])
    return [f"t{parity}"]


@pytest.mark.parametrize("name", ["sparse-parity:1-2", "sparse-parity:2-2", "sparse-parity:12"])
def test_samples(name: str) -> None:
    assert_samples_are_right(load_task(name), _oracle)


def test_samples_of_few_symbols() -> None:
    """With N = 3 one of the numbers is special."""

    def oracle(x: list[str]) -> list[str]:
        return [f"t{sum(x[place : place + 2] == ['1', 't1'] for place in range(0, len(x), 2)) % 2}"]

    assert_samples_are_right(load_task("sparse-parity:2,symbols=3"), oracle)


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


def test_lengths() -> None:
    assert SparseParity((1, 4)).lengths(1, 9).tolist() == [4, 6, 8]
    assert SparseParity((4, 4)).least_length == 10
    with pytest.raises(InputError, match="x is numbers and bits by turns"):
        SparseParity().answer(["3", "4"])


def test_the_program() -> None:
    """On inputs of any number of special symbols up to the one that it is for."""
    task = SparseParity((1, 5))
    program = load("sparse-parity-5")
    batch = task.sample([4, 8, 12, 20, 30] * 10, np.random.default_rng(2))
    for row, size in enumerate(batch.sizes.tolist()):
        read = task.decode(batch.tokens[row, :size].tolist())
        assert read[0] == SOS
        assert read[-1] == SEP
        assert program.predicts(read)[-1] == _oracle(read[1:-1])


def test_forecast() -> None:
    assert statuses("sparse-parity:6") == {"ape": ("yes", "not proved")}
