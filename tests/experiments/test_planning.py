"""How long training takes: what a few steps tell, and the start of worker processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from longreach.experiments import plan, planning, resolve
from longreach.experiments.in_process import InProcessEngine
from longreach.experiments.planning import START_SECONDS
from longreach.results.files import write_result
from longreach.results.schema import Result, Timings
from longreach.training import engine
from longreach.training.engine import steps_at_most
from tests.helpers.result_samples import sample


@pytest.fixture
def steps_of_a_second(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(engine, "step_seconds", lambda config: 1.0)
    planning._step_seconds.cache_clear()
    yield
    planning._step_seconds.cache_clear()


@pytest.mark.usefixtures("steps_of_a_second")
def test_workers_have_to_start_before_they_train(tmp_path: Path) -> None:
    member = resolve("binary-majority", scale="smoke")
    steps = steps_at_most(member)
    assert plan([member], tmp_path).seconds_at_most == pytest.approx(START_SECONDS + steps)
    here = plan([member], tmp_path, engine=lambda jobs: InProcessEngine())
    assert here.seconds_at_most == pytest.approx(steps)


def test_they_start_anew_where_earlier_members_say_how_long_it_takes(tmp_path: Path) -> None:
    first, second = (resolve("binary-majority", scale="smoke", seed=seed) for seed in range(2))
    taken = Timings(started="2026-01-31T12:00:00Z", seconds=2.5)
    fields = {"key": first.key, "config": first.document(), "timings": taken}
    write_result(tmp_path, Result(**dict(sample()) | fields))
    planned = plan([first, second], tmp_path)
    assert (planned.plan.seconds, planned.seconds_at_most) == (START_SECONDS + 2.5, None)
    assert plan([first], tmp_path).plan.seconds is None
