from __future__ import annotations

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.kgram_retrieval import KgramRetrieval
from tests.helpers.task_checks import assert_samples_are_right


def _oracle(k: int):  # type: ignore[no-untyped-def]
    def answer(x: list[str]) -> list[str]:
        found = [x[end] for end in range(k, len(x)) if x[end - k : end] == x[-k:]]
        assert len(found) == 1, x
        return found

    return answer


@pytest.mark.parametrize(("k", "symbols"), [(1, 8), (1, 32), (2, 12)])
def test_samples(k: int, symbols: int) -> None:
    assert_samples_are_right(KgramRetrieval(k, symbols), _oracle(k))


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
    with pytest.raises(InputError, match="stand 2 times before, not once"):
        KgramRetrieval(1).answer(["1", "2", "1", "3", "1"])
    with pytest.raises(InputError, match="hardly any input of length 60"):
        KgramRetrieval(2, 2).sample([60], np.random.default_rng(0))
