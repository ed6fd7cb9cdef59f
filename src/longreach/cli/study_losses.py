"""`longreach study` for tasks with numbers as answers: losses by length, the least N, bounds beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from longreach.cli.fitted_table import Column, print_fitted
from longreach.cli.output import note, print_json, write_bytes
from longreach.cli.progress import Bars, announce, going_on, print_plan
from longreach.cli.setting_options import ScaleName
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.config.scales import Scale
    from longreach.experiments.engine_makers import EngineMaker
    from longreach.studies.loss_report import LossReport
    from longreach.studies.loss_study import LossStudy

FOR_LESS = "--scale smoke, some --tasks, fewer --seeds"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The options of the command."""

    scale: ScaleName
    tasks: Sequence[str] | None
    seeds: int | None
    runs: Path
    out: Path | None
    dry_run: bool
    no_train: bool
    as_json: bool
    here: bool
    """Whether members train on this machine's processor."""


def loss_study(study: LossStudy, make: EngineMaker, asked: Asked) -> None:
    """Train what is missing, then show the whole of it; the exit code is 1 when a member failed."""
    from longreach.experiments.planning import plan
    from longreach.experiments.running import check_runs
    from longreach.studies.loss_study import run_loss_study

    check_runs(asked.runs)
    scale: Scale = asked.scale.value
    members = study.members(scale, asked.seeds, asked.tasks)
    if asked.dry_run:
        planned = plan(members, asked.runs, engine=make)
        if asked.as_json:
            print_json({"study": study.name, "scale": scale, **planned.document()})
        else:
            print_plan(planned, less=FOR_LESS, stops_early=True)
        return
    if asked.here and not asked.no_train:
        planned = plan(members, asked.runs, engine=make)
        announce(planned, make(max(1, planned.plan.pending)).parallel, less=FOR_LESS, stops_early=True)
    with going_on():
        done = run_loss_study(
            study, scale,
            seeds=asked.seeds, tasks=asked.tasks, runs=asked.runs, engine=make,
            progress=Bars(overall=True, remarks=False), train=not asked.no_train,
        )  # fmt: skip
    path = None if asked.no_train and asked.out is None else _figure(study, done.report, asked)
    if asked.as_json:
        print_json(
            {
                "study": study.name,
                "title": study.title,
                "source": study.source,
                "scale": scale,
                "figure": None if path is None else str(path),
                "law": study.law,
                **done.report.document(),
            }
        )
    else:
        _print(study, done.report, asked.scale)
        if path is not None:
            note(f"wrote {path}")
    for result in done.failed:
        note(f"{result.key}: {(result.error or 'failed').splitlines()[0]}")
    if done.failed:
        raise typer.Exit(1)


def _figure(study: LossStudy, report: LossReport, asked: Asked) -> Path:
    path = asked.out
    if path is None:
        path = asked.runs / "figures" / f"{study.name}-{asked.scale.value}{study.formats[0]}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"--runs: {path.parent}: cannot be created: {error.strerror}") from None
    write_bytes(path, study.content(report, asked.scale.value, path.suffix.lower()))
    return path


def _print(study: LossStudy, report: LossReport, scale: ScaleName) -> None:
    from longreach.studies.loss_tables import CELLS, THRESHOLDS, cell_lines, law_lines, threshold_lines

    ranks = {"runs": 4, "at the target loss": 3, "training": 2, "lowest": 5, "highest": 5}
    columns = [Column(title, rank=ranks.get(title, 0), right=title != "task") for title in CELLS]
    print_fitted(columns, cell_lines(report))
    print()
    shown = [Column(title, rank=1 if title == "by seed" else 0, right=False) for title in THRESHOLDS]
    print_fitted(shown, threshold_lines(report))
    print()
    if scale is ScaleName.smoke:
        print("smoke scale: tiny models, no claim")
        return
    for line in law_lines(report, study.law):
        print(line)
