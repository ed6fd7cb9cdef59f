"""The inference procedure run on programs: bounded size and a length N₀, or growth without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from longreach.config.scales import Scale
from longreach.config.training import TrainConfig
from longreach.experiments.engine_makers import EngineMaker
from longreach.experiments.running import Watcher
from longreach.studies.inference_report import InferenceReport, InferenceRow
from longreach.studies.study_definition import Study
from longreach.synthesis.inference import infer
from longreach.synthesis.program_family import Family
from longreach.synthesis.search_target import RegularTarget
from longreach.synthesis.threshold_functions import approaching
from longreach.synthesis.training_lengths import SCHEDULES
from longreach.tasks.task_to_target import target_named


@dataclass(frozen=True)
class InferenceCase:
    """A target, the class of programs, the training length, and how far it goes."""

    target: str
    family: str = "empty"
    schedule: str = "half"
    longest: int = 10


CASES = (
    InferenceCase("lib:majority"),
    InferenceCase("lib:dyck-1"),
    InferenceCase("regex:(a|b)*ab(a|b)*"),
    InferenceCase("aa", "periodic", longest=16),
    InferenceCase("aa", longest=16),
    InferenceCase("parity-language"),
    InferenceCase("sigma-be"),
    InferenceCase("lib:majority", schedule="log", longest=12),
    InferenceCase("parity-language", schedule="log", longest=12),
    InferenceCase("sigma-be", schedule="log", longest=10),
)
"""Targets in the class and outside it, with the usual training length and with a slow one."""
SIZES: dict[Scale, int] = {"smoke": 6, "laptop": 9, "paper": 10}
"""Operations of programs, at most."""
SECONDS: dict[Scale, float] = {"smoke": 5.0, "laptop": 90.0, "paper": 900.0}
SMOKE_LENGTH = 6
ALPHA, HALVINGS = Fraction(1), 10
"""F_α beside thresholds that approach it."""


class InferenceCells:
    """Nothing is trained: the learner is exact, and takes a smallest program."""

    def members(self, scale: Scale, seeds: int | None = None) -> Sequence[TrainConfig]:
        return ()

    def run(
        self,
        scale: Scale,
        *,
        seeds: int | None = None,
        runs: str | Path = "runs",
        engine: EngineMaker | None = None,
        progress: Watcher | None = None,
        train: bool = True,
    ) -> InferenceReport:
        rows = tuple(inferred(case, scale) for case in CASES)
        return InferenceReport(rows, tuple(approaching(ALPHA, HALVINGS)))


def inferred(case: InferenceCase, scale: Scale) -> InferenceRow:
    """One run of the procedure.

    >>> inferred(InferenceCase("lib:majority"), "smoke").run.n0
    3
    """
    target = target_named(case.target)
    found = infer(
        target,
        family=Family.named(case.family),
        schedule=SCHEDULES[case.schedule],
        to=min(case.longest, SMOKE_LENGTH) if scale == "smoke" else case.longest,
        max_size=SIZES[scale],
        seconds=SECONDS[scale],
    )
    states = len(target.automaton) if isinstance(target, RegularTarget) else None
    return InferenceRow(case.target, found, states)


STUDY = Study(
    name="inference",
    title="The inference procedure on programs in order of size",
    source="Huang et al., arXiv 2410.02140, Definitions 6, 22 and 57, Theorems 7, 23 and 58, Appendix D.2",
    about="the smallest program that fits words up to t(n): its size, its errors up to n, and N₀",
    time="smoke: seconds; laptop: a few minutes; trains nothing",
    own=InferenceCells(),
)
