from __future__ import annotations

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.task_change import base_of, check_distinct, places_of


def test_lengths_are_those_of_the_base() -> None:
    lengths = np.arange(12)
    assert load_task("addition+reversed").has(lengths).tolist() == load_task("addition").has(lengths).tolist()
    assert load_task("addition+reversed").least_length == 4


def test_the_base_of_all_changes() -> None:
    assert base_of(load_task("addition+reversed+index-hints")) == load_task("addition")


def test_tokens_that_stand_twice() -> None:
    check_distinct("mine", ["a", "b"])
    with pytest.raises(InputError, match="mine: 'a' cannot be a symbol"):
        check_distinct("mine", ["a", "b", "a"])
    assert places_of(("a", "b"), ("b", "b")) == [1, 1]
