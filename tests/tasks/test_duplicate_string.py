from __future__ import annotations

from longreach.tasks.duplicate_string import DuplicateString
from tests.helpers.task_checks import assert_samples_are_right, statuses


def test_samples() -> None:
    assert_samples_are_right(DuplicateString(), lambda x: list(x) * 2)


def test_forecast() -> None:
    assert statuses("duplicate-string") == {"nope": ("no", "valid"), "ape": ("no", "valid")}
