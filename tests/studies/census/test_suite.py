"""Suite 1 of `longreach profile`: the file is what the rule draws, and its tasks need what it says."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from longreach.answers.forecast import forecast
from longreach.answers.profile_suite import PARTS, SUITE, suite, suite_hash, tasks_of
from longreach.errors import InputError
from longreach.studies.census.draw import part_of
from longreach.studies.census.suite import draw_suite
from longreach.tasks.catalog import load_task
from longreach.tasks.regular import RegularLanguage
from longreach.theory.automata.monoid import measure
from longreach.theory.names import REGEX


def test_the_file_is_what_the_rule_draws() -> None:
    assert json.loads(SUITE.read_text(encoding="utf-8")) == draw_suite()


def test_languages_of_the_census_are_of_the_part_that_they_stand_in() -> None:
    for part in PARTS:
        for _, task in tasks_of(suite(), part):
            if task.task.startswith(REGEX):
                known = load_task(task.task)
                assert isinstance(known, RegularLanguage)
                assert part_of(known.automaton) == part
    both = [{task.task for _, task in tasks_of(suite(), part)} for part in PARTS]
    assert not any(name.startswith(REGEX) for name in both[0] & both[1])


WANTED = {
    "counting": ("yes", "yes"),
    "window": ("no", "yes"),
    "modulus": ("no", "yes"),
    "window and modulus": ("no", "yes"),
    "memory": ("no", "no"),
    "groups": ("no", "no"),
}


@pytest.mark.parametrize("need", WANTED)
def test_tasks_need_what_the_need_says(need: str) -> None:
    for part in PARTS:
        for task in suite().need(need).tasks[part]:
            found = forecast(task.task)
            assert (found.nope.trained.value, found.ape.trained.value) == WANTED[need], task.task
            window, modulus = found.ape.trained_needs
            if WANTED[need] == ("no", "yes"):
                assert window is not None
                assert modulus is not None
                assert (window > 0, modulus > 1) == ("window" in need, "modulus" in need), task.task
            if need == "memory":
                known = load_task(task.task)
                assert isinstance(known, RegularLanguage)
                assert measure(known.automaton).ac0 is True


def test_each_need_has_three_to_six_tasks_in_each_part() -> None:
    for need in suite().needs:
        for part in PARTS:
            names = [task.task for task in need.tasks[part]]
            assert 3 <= len(names) == len({*names}) <= 6


def test_the_longest_tests_end_where_the_grid_or_the_task_ends() -> None:
    for part in PARTS:
        for _, task in tasks_of(suite(), part):
            ranges = suite().tested(task)
            assert ranges[0].first == suite().trained_to + 1
            assert all(one.last + 1 == two.first for one, two in pairwise(ranges))
            assert ranges[-1].last == task.longest <= suite().grid[-1]
            for each in ranges:
                assert len(load_task(task.task).lengths(*each))


def test_a_changed_suite_is_refused(tmp_path: Path) -> None:
    document = json.loads(SUITE.read_text(encoding="utf-8"))
    assert document["hash"] == suite_hash(document)
    document["needs"][0]["steps"] = 5000
    changed = tmp_path / "suite.json"
    changed.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match="the hash is not that of the suite"):
        suite(changed)
