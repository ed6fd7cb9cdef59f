"""Published numbers stand beside the lengths that they were measured at."""

from __future__ import annotations

import pytest

from longreach.answers.agreement import Place, published_accuracy, published_lengths
from longreach.answers.published import FIGURE_1_TASKS, published

AXIS = ["1-50", "51-100", "101-150"]
FILES = {
    **{f"tomita-{number}": ["1-100", "101-150", "101-150"] for number in range(1, 8)},
    "aaaa": ["1-500", "501-700", "501-700"],
    "abab": ["1-500", "501-700", "501-700"],
    "aa-bb-cc-dd-ee": ["1-200", "51-100*", "101-150*"],
    "d-4": ["1-100", "51-100*", "101-150*"],
    "d-12": ["1-100", "51-100*", "101-150*"],
}


@pytest.mark.parametrize("task", FIGURE_1_TASKS)
def test_lengths(task: str) -> None:
    drawn = published_accuracy(Place(task, "ape", 1e-4)) is not None  # by a script: the algorithmic tasks
    usual = AXIS if drawn else [f"{name}*" for name in AXIS]
    assert list(published_lengths(task)) == FILES.get(task, usual)
    found = published(task)
    assert found is not None
    for shares in found.accuracy.values():
        assert len(shares) == len(found.bins)


def test_a_star_is_explained() -> None:
    notes = {task: found.lengths_note for task in FIGURE_1_TASKS if (found := published(task)) is not None}
    assert notes["sort"] == ""
    assert notes["aaaa"] == "lengths of the authors' files"
    assert notes["aa"] == "* axis of the figure"
    assert notes["d-4"] == "lengths of the authors' files; * axis of the figure"
