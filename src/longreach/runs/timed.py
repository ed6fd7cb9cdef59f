"""Training within some minutes: finished runs are reused, and when time is up the results so far count."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from longreach.config.model import CellLabel
from longreach.config.run import RunConfig
from longreach.errors import Field, InputError
from longreach.execution.local import cores
from longreach.files import ResultError, read_bytes, write_atomically
from longreach.runs.plan import START_SECONDS, seconds_of, start_seconds, together
from longreach.runs.resolve import resolve
from longreach.runs.train import EngineMaker, Nobody, Watcher, train_pending, usual_maker, writable_runs
from longreach.training.result import Result, read_result
from longreach.wording import counted, roughly

SHARES = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05)
"""Of the setting's steps: the largest with which everything fits."""
LEAST_STEPS = 100
MARGIN = 1.15
"""Evaluations and what else a few steps do not show."""


class TimedTraining:
    """Members are trained until the time is over or somebody interrupts; results are kept as they come."""

    def __init__(
        self,
        runs: Path,
        minutes: float | None,
        *,
        engine: EngineMaker | None = None,
        progress: Watcher | None = None,
        here: bool = True,
    ) -> None:
        self.runs, self.engine, self.progress = runs, engine, progress or Nobody()
        self.deadline = None if minutes is None else time.monotonic() + 60 * minutes
        self.here = here
        """Whether members train on the cores of this machine, so that a few steps tell how long it takes."""
        self.results: dict[str, Result] = {}
        self.failed: dict[str, Result] = {}
        """The members that failed this time."""
        self.interrupted = False
        self.pace = 1.0
        """How many times as long as estimated runs took so far: others may be busy on this machine."""

    @property
    def left(self) -> float:
        """Seconds until the end."""
        return math.inf if self.deadline is None else self.deadline - time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether nothing more is trained."""
        return self.interrupted or self.left <= 0

    def done(self, member: RunConfig) -> Result | None:
        """The result of a member, if it has one that did not fail."""
        if member.key not in self.results:
            try:
                found = read_result(self.runs, member.key)
            except ResultError:
                return None
            if found.status != "done":
                return None
            self.results[member.key] = found
        return self.results[member.key]

    def outcomes(self, members: Sequence[RunConfig]) -> dict[str, Result]:
        """By their keys, the results of these members, those of failed ones included."""
        found = dict[str, Result]()
        for member in members:
            result = self.done(member) or self.failed.get(member.key)
            if result is None:
                with suppress(ResultError):
                    result = read_result(self.runs, member.key)  # failed another time
            if result is not None:
                found[member.key] = result
        return found

    def seconds(self, members: Sequence[RunConfig]) -> float:
        """How long the members that are not done take on this machine."""
        waiting = [member for member in members if self.done(member) is None]
        times = list(seconds_of(waiting).values())
        return self.pace * MARGIN * together(times, cores()) if times else 0.0

    def fits(self, members: Sequence[RunConfig]) -> bool:
        """Whether the members that are not done would end in time."""
        seconds = self.seconds(members)
        return not seconds or seconds <= self.left - START_SECONDS

    def share(
        self,
        plan: str,
        asked: Mapping[str, Any],
        members: Callable[[float], Sequence[RunConfig]],
        part: float,
    ) -> float:
        """The share of the setting's steps with which members fit into a part of the time.

        It is kept in a file beside the results, so that the same question trains the same members again.
        """
        seconds = part * self.left - START_SECONDS

        def choose() -> float:
            share = largest_share(members, seconds, self.seconds)
            writable_runs(self.runs)
            return share

        return kept_share(self.runs / plan, asked, choose)

    def train(self, members: Sequence[RunConfig], what: str, after: str = "") -> None:
        """Train those that are not done, in this order, after saying so."""
        waiting = [member for member in members if self.done(member) is None]
        if not waiting or self.is_over:
            return
        writable_runs(self.runs)
        estimated, seconds = dict[str, float](), None
        if self.here:
            estimated = seconds_of(waiting)
            make = self.engine or usual_maker(waiting, self.runs)
            seconds = start_seconds(make(len(waiting))) + self.seconds(waiting)
        plan = _plan(waiting, seconds, self.left, what, after)
        self.progress.say(f"{plan}\npress {self.progress.ended_by} to stop early and use the results so far")
        try:
            found = train_pending(
                members, self.runs, engine=self.engine, progress=self.progress, deadline=self.deadline
            )
            self.failed |= {key: result for key, result in found.items() if result.status == "failed"}
        except KeyboardInterrupt:
            self.interrupted = True
        for member in members:
            self.done(member)
        done = estimated.keys() & self.results.keys()
        if known := sum(estimated[key] for key in done):
            taken = sum(self.results[key].timings.seconds for key in done)
            self.pace = max(1.0, taken / (MARGIN * known))  # runs that stop early say nothing of the others


def _plan(waiting: Sequence[RunConfig], seconds: float | None, left: float, what: str, after: str) -> str:
    count = counted(len(waiting), "run")
    steps = f"{waiting[0].max_steps:,} steps each"
    if seconds is not None and seconds > left:
        return f"measuring {count} {what}, {steps}: as many as fit into {roughly(left)}"
    about = "" if seconds is None else f": about {roughly(seconds)}"
    then = f", {after}" if after else ""
    return f"measuring {count} {what}, {steps}{about}{then}"


def usual_member(task: str, encoding: str, **given: Any) -> RunConfig:
    """The laptop's setting, where only `train_to` can be chosen: what is wrong with default tests names that.

    >>> usual_member("regex:a|ab", "ape")
    Traceback (most recent call last):
    longreach.errors.InputError: train_to: regex:a|ab: no input has a length in 21:40, the longest...
    """
    try:
        return resolve(task, scale="laptop", **CellLabel.read(encoding).settings, **given)
    except InputError as error:
        if error.place == Field("test_lengths"):
            raise InputError(error.reason, place=Field("train_to")) from None
        raise


def with_share(usual: RunConfig, share: float) -> RunConfig:
    """The member with a share of its steps; with all of them it is as `longreach train` has it.

    >>> from longreach.runs.resolve import resolve
    >>> with_share(resolve("aa"), 0.5).max_steps
    500
    """
    if share == 1.0:
        return usual
    steps = max(LEAST_STEPS, 100 * round(share * usual.max_steps / 100))
    given = {"max_steps": steps, "evaluate_every": steps, "warmup": int(share * usual.warmup)}
    return RunConfig.read({**usual.document(), **given})


def largest_share(
    members: Callable[[float], Sequence[RunConfig]],
    seconds: float,
    cost: Callable[[Sequence[RunConfig]], float],
) -> float:
    """The largest share of steps with which members take no more than these seconds; else the least.

    >>> from longreach.runs.resolve import resolve
    >>> usual = resolve("aa")
    >>> largest_share(lambda share: [with_share(usual, share)], 4, lambda found: found[0].max_steps / 100)
    0.35
    """
    return next((share for share in SHARES if cost(members(share)) <= seconds), SHARES[-1])


def kept_share(path: Path, asked: Mapping[str, Any], choose: Callable[[], float]) -> float:
    """The share in the plan that was made when the same was first asked; else it is chosen and kept."""
    try:
        found = json.loads(read_bytes(path))
        if found["question"] == asked and found["share"] in SHARES:
            return float(found["share"])
    except (ValueError, KeyError, TypeError):
        pass  # no plan, or a damaged one
    share = choose()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps({"question": asked, "share": share}, indent=1).encode())
    return share
