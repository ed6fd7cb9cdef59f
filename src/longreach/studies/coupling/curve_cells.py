"""Studies of curves, run: train what is missing, collect all runs, and look at the claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from longreach.config.scales import Scale
from longreach.config.training import TrainConfig
from longreach.experiments.engine_makers import EngineMaker
from longreach.experiments.running import Watcher, longest_first, train_pending
from longreach.results.files import finished
from longreach.results.schema import Result
from longreach.studies.coupling.curve_report import CurveReport
from longreach.studies.coupling.curves import Claim, Curve, Measured

Curves = Callable[[Scale], Sequence[Curve]]
Claims = Callable[[Scale, Sequence[Measured]], Sequence[Claim]]


@dataclass(frozen=True)
class CurveCells:
    """How a study of curves is run."""

    name: str
    curves: Curves
    claims: Claims

    def members(self, scale: Scale, seeds: int | None = None) -> list[TrainConfig]:
        """What is trained, the most work first; curves that differ in the test only share their members."""
        return longest_first(member for curve in self.curves(scale) for member in curve.members(seeds))

    def run(
        self,
        scale: Scale,
        *,
        seeds: int | None = None,
        runs: str | Path = "runs",
        engine: EngineMaker | None = None,
        progress: Watcher | None = None,
        train: bool = True,
    ) -> CurveReport:
        """Train what is missing, unless only what is there counts, and look at all curves."""
        failed: tuple[Result, ...] = ()
        if train:
            found = train_pending(self.members(scale, seeds), runs, engine=engine, progress=progress)
            failed = tuple(result for result in found.values() if result.status == "failed")
        measured = tuple(self._measured(scale, seeds, Path(runs)))
        # The smallest models show that everything runs, and nothing else.
        claims = () if scale == "smoke" else tuple(self.claims(scale, measured))
        return CurveReport(study=self.name, curves=measured, claims=claims, failed=failed)

    def _measured(self, scale: Scale, seeds: int | None, runs: Path) -> Iterator[Measured]:
        known: dict[str, Result | None] = {}
        for curve in self.curves(scale):
            members = curve.members(seeds)
            for member in members:
                if member.key not in known:
                    known[member.key] = finished(runs / member.key)
            there = [known[member.key] for member in members]
            done = tuple(result for result in there if result is not None and result.status == "done")
            yield Measured(curve=curve, members=members, results=done)
