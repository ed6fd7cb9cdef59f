"""What is said of steps, against counterfactuals: other tokens than the named ones may change at will."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from longreach.tasks.catalog import load_task
from longreach.tasks.layout import SequenceTask
from longreach.tasks.local_steps import LocalSteps, far_steps, local_steps
from longreach.tasks.task import EOS_ID, Batch


def test_words() -> None:
    words = LocalSteps(1, 0, "itself", but="not the end").words
    assert words == "each step depends on 1 token at coupled distance 0 or less: itself; not the end"


def test_what_is_known() -> None:
    found = local_steps(load_task("addition+reversed"))
    assert found is not None
    assert (found.parents, found.distance) == (5, 1)
    for name in ("multiplication+reversed", "addition", "parity", "sort", "parity-scratchpad:scratchpad=no"):
        assert local_steps(load_task(name)) is None


def test_what_is_far() -> None:
    for name in ("multiplication+reversed", "boolean-expressions+scratchpad", "duplicate-string"):
        assert far_steps(load_task(name))
    for name in ("addition+reversed", "copy-repeat", "sort", "reverse+reversed"):
        assert far_steps(load_task(name)) is None


def _all(task: SequenceTask, length: int) -> Batch:
    """Many examples of a length: nearly all that there are."""
    return task.sample([length] * 1000, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("copy-repeat", 4),
        ("parity+scratchpad", 4),
        ("regex:(ab|ba)*+scratchpad", 4),
        ("cycle-navigation+scratchpad", 3),
        ("addition+reversed", 7),
        ("reverse+reversed", 4),
        ("parity-scratchpad:1", 4),
        ("parity-scratchpad:2", 5),
        ("parity-scratchpad:3", 7),
    ],
)
def test_near_tokens_decide_each_step(name: str, length: int) -> None:
    """Examples that agree on the tokens within the coupled distance agree on what comes next."""
    task = load_task(name)
    assert isinstance(task, SequenceTask)
    known, batch = local_steps(task), _all(task, length)
    assert known is not None
    ids = task.coupled_ids(batch)
    assert ids is not None
    seen: dict[tuple[object, ...], int] = {}
    counts = set()
    for row, column in np.argwhere(batch.mask & (batch.targets != EOS_ID)).tolist():
        here = ids[row, column]
        near = [
            (int(ids[row, place] - here), bool(batch.mask[row, :place].any()), int(batch.tokens[row, place]))
            for place in range(column + 1)
            if abs(ids[row, place] - here) <= known.distance and (ids[row, place] > 0 or here == 0)
        ]
        near_by = tuple(sorted(near))
        target = int(batch.targets[row, column])
        assert seen.setdefault((here == 0, near_by), target) == target, name
        counts.add(target)
    assert len(counts) > 1


def test_a_sum_needs_all_five() -> None:
    """Leaving out any of the five tokens leaves the next bit open."""
    found: dict[tuple[int, ...], int] = {}
    for a, b, before_a, before_b, carry in product((0, 1), repeat=5):
        before = before_a ^ before_b ^ carry
        out = (before_a + before_b + carry) // 2
        found[a, b, before_a, before_b, before] = a ^ b ^ out
    assert len(found) == 32
    for place in range(5):
        assert any(found[key] != found[(*key[:place], 1 - key[place], *key[place + 1 :])] for key in found), (
            place
        )
