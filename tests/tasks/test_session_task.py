from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from longreach.config.task_name import TaskName
from longreach.errors import InputError
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.session_task import fingerprint, remember, session_task
from longreach.tasks.sort import Sort
from longreach.tasks.task import Batch, IntArray


@dataclass(frozen=True)
class _Downwards(Sort):
    """Sort, the other way round, under the same name."""

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x, y, sizes = super().draw(lengths, rng)
        inside = np.arange(y.shape[1]) < sizes[:, None]
        return x, np.where(inside, self.size - 1 - y, y), sizes


class _Broken(Sort):
    def _sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        raise ZeroDivisionError("no\nluck")


def test_a_name_leads_back_to_the_object() -> None:
    task = Sort(7)
    name = remember(task)
    assert TaskName(name).is_session
    assert not TaskName(name).is_attribute
    assert session_task(name) is task
    assert load_task(name) is task


def test_tasks_of_one_name_are_told_apart_by_what_they_are() -> None:
    names = {remember(Sort(20)), remember(Sort(21)), remember(_Downwards(20))}
    assert len(names) == 3
    assert {name.split("@")[0] for name in names} == {"object:sort"}


def test_all_tasks_have_their_own_fingerprint_and_keep_it() -> None:
    found = {name: fingerprint(make()) for name, make in TASKS.items()}
    assert found == {name: fingerprint(make()) for name, make in TASKS.items()}
    assert len(set(found.values())) == len(found)


def test_a_fingerprint_is_the_same_in_another_process() -> None:
    code = (
        "from longreach.tasks.session_task import remember\n"
        "from longreach.tasks.sort import Sort\n"
        "print(remember(Sort(9)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == remember(Sort(9))


def test_another_process_says_why_it_finds_no_such_task() -> None:
    name = remember(Sort(6))
    done = subprocess.run(
        [sys.executable, "-m", "longreach", "forecast", name], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert name in line
    assert "is an object of another Python session; put it into a module and name it module:attribute" in line


def test_a_task_that_cannot_draw_is_refused_in_one_line() -> None:
    with pytest.raises(InputError) as error:
        remember(_Broken())
    assert error.value.message == "sort: drawing examples fails: ZeroDivisionError: no luck"


def test_names_stay_names() -> None:
    task = Sort(5)
    object.__setattr__(task, "name", "my: own\ntask/" + "x" * 100)
    name = remember(task)
    assert name.startswith("object:my-own-task-xxx")
    assert len(name) < 80
    assert "\n" not in name
