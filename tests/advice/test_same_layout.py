from __future__ import annotations

import numpy as np
import pytest

from longreach.advice.same_layout import SameLayout
from longreach.tasks.catalog import load_task


@pytest.mark.parametrize("name", ["addition", "addition+reversed", "copy-repeat", "aa"])
def test_inputs_stand_alike_and_are_the_task_s(name: str) -> None:
    task = load_task(name)
    alike = SameLayout(task, 8)
    batch = alike.sample([8] * 300, np.random.default_rng(1))
    assert len(batch) == 300
    assert len({mask.tobytes() for mask in batch.mask}) == len(set(batch.sizes.tolist())) == 1
    ids = alike.coupled_ids(batch)
    assert ids is None or len({row.tobytes() for row in ids}) == 1
    for row in range(10):
        read = task.decode(batch.tokens[row, 1:9].tolist())
        assert task.decode(batch.targets[row][batch.mask[row]].tolist()) == list(task.answer(read))


def test_all_inputs_of_the_layout_come_up() -> None:
    """Four bits copied: all sixteen words."""
    batch = SameLayout(load_task("copy-repeat"), 4).sample([4] * 400, np.random.default_rng(0))
    assert len({row[1:5].tobytes() for row in batch.tokens}) == 16


def test_products_are_not_all_zero() -> None:
    """The commonest layout has an answer of one bit, nearly always 0: it is passed over."""
    task = load_task("multiplication")
    batch = SameLayout(task, 9).sample([9] * 200, np.random.default_rng(0))
    assert len({row.tobytes() for row in batch.targets}) > 8
