from __future__ import annotations

from longreach.tasks.reverse import Reverse
from tests.helpers.task_checks import assert_samples_are_right, statuses


def test_samples() -> None:
    assert_samples_are_right(Reverse(), lambda x: [x[-1 - k] for k in range(len(x))])


def test_forecast() -> None:
    assert statuses("reverse") == {"nope": ("no", "valid"), "ape": ("no", "valid")}
