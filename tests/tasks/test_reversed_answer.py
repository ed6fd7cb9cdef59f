"""Answers from their end, against the base's own answers and against sums by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from longreach.tasks.catalog import load_task
from longreach.tasks.task import EOS, SEP, SOS, draw_lengths
from tests.helpers.task_checks import assert_samples_are_right, statuses


def _digits(x: Sequence[str]) -> list[str]:
    """Bit by bit with a carry, as long as the longer operand and one more."""
    first, second = (part[::-1] for part in "".join(x)[:-1].split("+"))
    written, carry = [], 0
    for place in range(max(len(first), len(second)) + 1):
        carry += sum(int(part[place]) for part in (first, second) if place < len(part))
        written.append(str(carry % 2))
        carry //= 2
    return written


def _product(x: Sequence[str]) -> list[str]:
    first, second = "".join(x)[:-1].split("*")
    value, written = int(first, 2) * int(second, 2), []
    for _ in range(len(first) + len(second)):
        written.append(str(value % 2))
        value //= 2
    return written


@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("addition+reversed", _digits),
        ("addition-no-leading-zeros+reversed", _digits),
        ("multiplication+reversed", _product),
    ],
)
def test_numbers(name: str, oracle: object) -> None:
    assert callable(oracle)
    task, rng = load_task(name), np.random.default_rng(3)
    for span in ((4, 9), (4, 40), (61, 80)):
        lengths = draw_lengths(task, *span, 100, rng)
        batch = task.sample(lengths, rng)
        for row, length in enumerate(lengths.tolist()):
            read = task.decode(batch.tokens[row, : batch.sizes[row]].tolist())
            x = read[1 : 1 + length]
            assert read == [SOS, *x, *oracle(x)]
            assert task.decode(batch.targets[row][batch.mask[row]].tolist()) == [*oracle(x), EOS]
            assert task.answer(x) == (*oracle(x), EOS)
            assert len(read) <= task.input_size(length)


def test_other_answers() -> None:
    assert_samples_are_right(load_task("copy-repeat+reversed"), lambda x: list(x)[::-1])
    assert_samples_are_right(load_task("sort+reversed"), lambda x: sorted(x, key=int, reverse=True))
    assert load_task("sort+reversed").sample([3], np.random.default_rng(0)).tokens.shape == (1, 8)
    assert SEP in load_task("sort+reversed").tokens


def test_forecasts() -> None:
    for name in ("addition+reversed", "copy-repeat+reversed", "multiplication+reversed"):
        assert statuses(name) == {"nope": ("no", "valid"), "ape": ("no", "valid")}, name
    assert statuses("sort+reversed")["nope"][0] == "undecided"
