"""Which model is profiled, on which part of the suite, with how much time: the runs, in their order.

The order does not look at results: the first task of each need, then the second, then the next seed. The
quick form is the first task of each need; with some minutes the first so many runs are trained; all of them
otherwise, and only then the learning rate is chosen, on development tasks.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from longreach.answers.profile_suite import Part, Suite, SuiteNeed, SuiteTask, check_part, suite
from longreach.config.architectures import DECODER, architecture_row
from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.errors import Field, InputError
from longreach.runs.resolve import resolve
from longreach.tasks.catalog import load_task
from longreach.tasks.lengths import LengthRange

SMOKE = {"layers": 1, "heads": 1, "width": 8, "batch": 8, "max_steps": 4, "test_size": 4}
"""The setting of the scale `smoke`, where it differs: for tests of the machinery, it says nothing."""
SMOKE_RANGES = 2


class Place(NamedTuple):
    """A run before it is trained."""

    need: SuiteNeed
    task: SuiteTask
    config: RunConfig


@dataclass(frozen=True, kw_only=True)
class ProfileQuestion:
    """Which model, on which part of the suite, with how much time.

    >>> question = ProfileQuestion(model="lstm", scale="smoke")
    >>> [place.need.need for place in question.places(0.003)][:3]
    ['counting', 'window', 'modulus']
    """

    model: str = DECODER
    encoding: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    part: Part = "development"
    needs: tuple[str, ...] = ()
    """Some of the suite's; empty: all."""
    minutes: float | None = None
    seeds: int | None = None
    scale: Scale = "laptop"
    quick: bool = False
    """The first task of each need, once, whatever the time."""

    def __post_init__(self) -> None:
        check_part(self.part)
        if self.seeds is not None and self.seeds < 1:
            raise InputError(f"must be at least 1, not {self.seeds}", place=Field("seeds"))
        if self.minutes is not None and not 0 < self.minutes < math.inf:
            raise InputError(f"must be more than 0, not {self.minutes:g}", place=Field("minutes"))
        if self.quick and (self.minutes is not None or self.seeds is not None):
            reason = "has one seed and no limit of time; give neither seeds nor minutes"
            raise InputError(reason, place=Field("quick"))
        if self.scale == "paper":
            raise InputError("a profile has the budget of its suite: laptop, or smoke", place=Field("scale"))
        for name in self.needs:
            self.suite.need(name)

    @cached_property
    def suite(self) -> Suite:
        return suite()

    @property
    def chosen(self) -> tuple[SuiteNeed, ...]:
        return tuple(each for each in self.suite.needs if not self.needs or each.need in self.needs)

    @property
    def seed_count(self) -> int:
        return self.seeds or (1 if self.takes_first else self.suite.budget.seeds)

    @property
    def takes_first(self) -> bool:
        """Whether of each need only the first task is trained."""
        return self.quick or self.scale == "smoke"

    def places(self, rate: float) -> list[Place]:
        """All runs in their order: seeds in rounds, and in each the first task of every need comes first."""
        found = self.suite.in_order(self.part, self.needs)[: len(self.chosen) if self.takes_first else None]
        once = [Place(need, task, self.config(need, task, rate)) for need, task in found]
        return [
            place._replace(config=place.config.with_seed(seed))
            for seed in range(self.seed_count)
            for place in once
        ]

    def tried(self, rate: float) -> list[Place]:
        """The runs by which a learning rate is judged: the first development task of each need, seed 0."""
        needs = [need for need in self.chosen if need.tasks["development"]]
        return [
            Place(need, task, self.config(need, task, rate))
            for need in needs
            for task in need.tasks["development"][:1]
        ]

    def config(self, need: SuiteNeed, task: SuiteTask, rate: float) -> RunConfig:
        budget, row = self.suite.budget, architecture_row(self.model)
        given: dict[str, Any] = {"batch": budget.batch, "max_steps": need.steps, "test_size": budget.words}
        given |= {"layers": budget.layers, "heads": budget.heads, "width": budget.width}
        tests = self.suite.tested(task)
        if self.scale == "smoke":
            given, tests = {**given, **SMOKE}, tests[:SMOKE_RANGES]
        sizes = ("layers", "heads", "width")
        given = {
            name: value
            for name, value in given.items()
            if name not in sizes or (name in row.sizes and name not in self.options)
        }
        known = load_task(task.task)
        given |= {"log_length": True} if "positions" in row.can else {}
        given |= {} if self.model == DECODER else {"architecture": self.model}
        return resolve(
            task.task, self.encoding, lr=rate, evaluate_every=given["max_steps"], warmup=0, stop_early=False,
            train_lengths=LengthRange(*known.train_range(self.suite.trained_to)), test_lengths=tests,
            model_options=dict(self.options), seed=0, **given,
        )  # fmt: skip

    def document(self) -> dict[str, Any]:
        return {
            "suite": self.suite.hash, "model": self.model, "encoding": self.encoding,
            "options": dict(self.options), "part": self.part, "needs": list(self.needs),
            "minutes": self.minutes, "seeds": self.seeds, "scale": self.scale,
        }  # fmt: skip

    @property
    def command(self) -> str:
        """What was run, without where."""
        return shlex.join(self.arguments)

    @property
    def arguments(self) -> list[str]:
        """The command, word by word."""
        parts = ["longreach", "profile"]
        parts += [] if self.model == DECODER else ["--model", self.model]
        for name, value in self.options.items():
            parts += ["--model-option", f"{name}={json.dumps(value)}"]
        parts += [] if self.encoding is None else ["--encoding", self.encoding]
        parts += ["--part", self.part]
        parts += ["--needs", ",".join(self.needs)] if self.needs else []
        parts += [] if self.minutes is None else ["--minutes", f"{self.minutes:g}"]
        parts += [] if self.seeds is None else ["--seeds", str(self.seeds)]
        parts += ["--quick"] if self.quick else []
        parts += [] if self.scale == "laptop" else ["--scale", self.scale]
        return parts
