from __future__ import annotations

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.parity_scratchpad import ParityScratchpad
from tests.helpers.task_checks import assert_samples_are_right, least_share, statuses


def _oracle(k: int):  # type: ignore[no-untyped-def]
    """Equation (21) with jumps: one bit after the other, a line for every k-th and for the last."""

    def answer(x: list[str]) -> list[str]:
        parity, written = 0, list[str]()
        for place, bit in enumerate(x, 1):
            parity ^= int(bit)
            if place % k == 0 or place == len(x):
                written.append(str(parity))
        return written

    return answer


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_samples(k: int) -> None:
    assert_samples_are_right(ParityScratchpad(k), _oracle(k))
    assert abs(least_share(ParityScratchpad(k), 7) - 0.5) < 0.06


def test_samples_without_a_scratchpad() -> None:
    assert_samples_are_right(ParityScratchpad(scratchpad=False), lambda x: [str(x.count("1") % 2)])
    with pytest.raises(InputError, match="k goes with a scratchpad"):
        load_task("parity-scratchpad:2,scratchpad=no")


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


def test_forecasts() -> None:
    no = {"nope": ("no", "valid"), "ape": ("no", "valid")}
    assert statuses("parity-scratchpad") == no
    assert {verdict for verdict, _ in statuses("parity-scratchpad:3").values()} == {"undecided"}
