from __future__ import annotations

from itertools import product

import numpy as np

from longreach.tasks.multiplication import Multiplication
from longreach.tasks.task import EOS, SOS, draw_lengths
from tests.helpers.task_checks import statuses


def _added_up(x: str) -> str:
    """The first factor as often as the second says, counted down."""
    first, second = x.removesuffix("=").split("*")
    total = 0
    for place, bit in enumerate(reversed(second)):
        total += int(bit) * (int(first, 2) << place)
    digits = bin(total)
    return digits[2:]


def test_samples() -> None:
    task, rng = Multiplication(), np.random.default_rng(7)
    for span in ((4, 8), (4, 50), (101, 150)):
        lengths = draw_lengths(task, *span, 150, rng)
        batch = task.sample(lengths, rng)
        for row, length in enumerate(lengths.tolist()):
            read = task.decode(batch.tokens[row, : batch.sizes[row]].tolist())
            x = "".join(read[1 : 1 + length])
            assert read == [SOS, *x, *_added_up(x)]
            assert task.decode(batch.targets[row][batch.mask[row]].tolist()) == [*_added_up(x), EOS]
            assert len(read) <= task.input_size(length)


def test_short_factors() -> None:
    words = ["".join(bits) for size in (1, 2, 3) for bits in product("01", repeat=size)]
    for first in words:
        for second in words:
            assert "".join(Multiplication().answer(f"{first}*{second}=")[:-1]) == _added_up(
                f"{first}*{second}="
            )


def test_lengths_of_factors_are_uniform() -> None:
    batch = Multiplication().sample([8] * 3000, np.random.default_rng(0))
    firsts = (batch.tokens[:, 1:9] == Multiplication().tokens.index("*")).argmax(axis=1)
    assert np.bincount(firsts, minlength=6)[1:6].min() > 500


def test_forecast() -> None:
    assert statuses("multiplication") == {"nope": ("no", "valid"), "ape": ("no", "valid")}
