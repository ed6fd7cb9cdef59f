from __future__ import annotations

import numpy as np

from longreach.tasks.catalog import load_task
from longreach.tasks.task_change import LocalSteps, local_steps


def test_words() -> None:
    assert (
        LocalSteps(1, 0, "itself").words
        == "each step depends on 1 token at coupled distance 0 or less: itself"
    )


def test_lengths_are_those_of_the_base() -> None:
    lengths = np.arange(12)
    assert load_task("addition+reversed").has(lengths).tolist() == load_task("addition").has(lengths).tolist()
    assert load_task("addition+reversed").least_length == 4


def test_what_is_known_of_steps() -> None:
    found = local_steps(load_task("addition+reversed"))
    assert found is not None
    assert (found.parents, found.distance) == (5, 1)
    assert local_steps(load_task("multiplication+reversed")) is None
