"""What is trained: drawn by the rule, with one setting."""

from __future__ import annotations

import numpy as np

from longreach.config.task_name import TaskName
from longreach.studies.states.state_cells import (
    EASIER,
    SAMPLE,
    SEEDS,
    TESTS,
    drawn,
    sample,
    state_config,
    state_places,
)
from longreach.tasks.catalog import load_task


def test_the_sample_is_the_one_that_the_rule_draws() -> None:
    found = drawn()
    assert tuple(each.published.name for each in found) == SAMPLE
    easier = [each.published.name for each in found if each.at_letter != each.after_letter]
    assert tuple(easier) == EASIER
    labels = [each.published.c_rasp for each in found if each.agrees()]
    assert (labels.count(True), labels.count(False)) == (3, 6)
    # All that contradict the forecast and were trained to 50 are there.
    assert [each.published.name for each in found if not each.agrees()] == list(SAMPLE[9:])


def test_every_range_has_words() -> None:
    for language in list(sample().values())[::6]:
        task = load_task(f"states-after:{language.expression}")
        for span in TESTS:
            assert task.has(np.arange(span.first, span.last + 1)).any()


def test_one_setting_for_all_cells() -> None:
    places = state_places()
    assert len(places) == 2 * len(SAMPLE) + len(EASIER)
    for scale in SEEDS:
        configs = [state_config(place, scale) for place in places]
        assert len({config.key for config in configs}) == len(places)
        own = ("task", "encoding", "train_lengths")
        rest = [{k: v for k, v in config.document().items() if k not in own} for config in configs]
        assert all(each == rest[0] for each in rest)
        assert {TaskName(config.task).prefix for config in configs} == {"states:", "states-after:"}
    laptop = state_config(places[0], "laptop")
    assert [span.name for span in laptop.ranges[1:]] == ["51-100", "101-150", "201-250", "451-500"]
    assert laptop.train_lengths.last == 50
