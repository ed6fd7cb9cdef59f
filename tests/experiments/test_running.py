"""Members in, results out, from Python: with whatever watches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from longreach.config.training import TrainConfig
from longreach.errors import Field, InputError
from longreach.execution.engines import EngineOptions
from longreach.experiments import engine_maker, plan, planning, resolve, stacked_maker, train
from longreach.experiments.running import longest_first, train_pending
from longreach.results.schema import Result
from longreach.training import checkpoint, engine, job
from longreach.training.ensemble import NOT_COMPILED


def tiny(**given: Any) -> TrainConfig:
    few = {"train_lengths": (1, 5), "max_steps": 4, "test_size": 10, "layers": 1, "heads": 1, "width": 8}
    return resolve("binary-majority", **{**few, **given})


@dataclass
class Diary:
    """A watcher that writes down what it sees."""

    waiting: list[int] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    ended_by: str = "Ctrl-C"

    @contextmanager
    def watch(
        self, waiting: Sequence[TrainConfig], runs: Path, total: int
    ) -> Iterator[Callable[[Result], None]]:
        self.waiting.append(len(waiting))
        self.totals.append(total)
        yield lambda result: self.seen.append(result.key)

    def say(self, remark: str) -> None:
        self.said.append(remark)


def test_what_is_done_is_not_trained_again(tmp_path: Path) -> None:
    members, diary = [tiny(seed=seed) for seed in range(3)], Diary()
    first = train(members[1:2], tmp_path, progress=diary)
    results = train(members, tmp_path, progress=diary)
    assert [result.key for result in results] == [member.key for member in members]
    assert results[1] == first[0]
    assert (diary.waiting, diary.totals) == ([1, 2], [1, 3])
    assert sorted(diary.seen) == sorted(member.key for member in members)
    assert train_pending(members, tmp_path) == {}
    planned = plan(members, tmp_path)
    assert (planned.plan.done, planned.plan.pending, planned.seconds_at_most) == (3, 0, None)
    assert planned.document()["jobs"] == 3


@pytest.mark.slow
def test_remarks_are_said_once(tmp_path: Path) -> None:
    members, diary = [tiny(seed=seed, compile=True) for seed in range(2)], Diary()
    one = engine_maker("local", tmp_path, EngineOptions(workers=1))
    train(members, tmp_path, engine=stacked_maker(one, "cpu", 2), progress=diary)
    assert diary.said == [NOT_COMPILED]


def test_runs_must_be_a_directory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InputError, match="not a directory") as caught:
        train([tiny()], file)
    assert caught.value.place == Field("runs")


def test_longest_first() -> None:
    short, long = (resolve(task, scale="laptop") for task in ("tomita-1", "copy-unique"))
    more = short.model_copy(update={"max_steps": 10**9})
    assert longest_first([short, more, long, short]) == [more, long, short]


def test_a_deadline_keeps_what_is_finished_and_the_state_of_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "FUNCTION", "tests.helpers.training_functions:run_often")
    quick, endless = tiny(), tiny(max_steps=10**6, evaluate_every=10**6, compile=False)
    state, end = tmp_path / endless.key / checkpoint.STATE, time.monotonic() + 120
    found: dict[str, Result] = {}
    while not state.exists() or quick.key not in found:
        assert time.monotonic() < end
        found |= train_pending([quick, endless], tmp_path, deadline=time.monotonic() + 6)
    assert found.keys() == {quick.key}
    assert [each.key for each in train([endless, quick], tmp_path, deadline=time.monotonic())] == [quick.key]


@pytest.mark.parametrize("width", [16, 256])
def test_seconds_grow_with_the_steps_and_are_measured_once(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def seconds(config: TrainConfig) -> float:
        asked.append(config.width)
        return 0.5

    monkeypatch.setattr(engine, "step_seconds", seconds)
    planning._step_seconds.cache_clear()
    short, long = (tiny(width=width, max_steps=steps, test_size=1) for steps in (100, 1000))
    found = planning.seconds_of([short, long, long.with_seed(3)])
    assert asked == [width]
    assert found[long.key] == found[long.with_seed(3).key]
    assert found[short.key] == pytest.approx(50, rel=0.05)
    assert found[long.key] == pytest.approx(500, rel=0.05)
    planning._step_seconds.cache_clear()


def test_shapes_for_which_there_is_no_time_lie_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "step_seconds", lambda config: float(config.width))
    planning._step_seconds.cache_clear()
    members = [tiny(width=width, evaluate_every=10**6, test_size=1) for width in (8, 64, 16, 32)]
    small, large, *others = planning.seconds_of(members, budget=0.0).values()
    assert all(small < other < large for other in others)
    planning._step_seconds.cache_clear()
