"""`longreach study` for tasks with numbers as answers: losses by length, the least N, bounds beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from longreach.cli.fitted_table import Column, print_fitted
from longreach.cli.output import note, write_bytes
from longreach.cli.progress import Bars, going_on
from longreach.cli.study_asked import StudyAsked, end, listed_names

if TYPE_CHECKING:
    from longreach.config.scales import Scale
    from longreach.studies.loss_report import LossReport
    from longreach.studies.loss_study import LossStudy

FOR_LESS = "--scale smoke, some --tasks, fewer --seeds"


def loss_study(study: LossStudy, asked: StudyAsked) -> None:
    """Train what is missing, then show the whole of it; the exit code is 1 when a member failed."""
    from longreach.experiments.running import check_runs
    from longreach.studies.loss_study import run_loss_study

    asked.refuse(study.name, "trains models that have the positions of their tasks", "--encodings")
    check_runs(asked.runs)
    tasks = task_names(asked.tasks)
    members = study.members(asked.scale, asked.seeds, tasks)
    if asked.dry_run:
        asked.show_plan(study.name, members, less=FOR_LESS, stops_early=True)
        return
    asked.announce(members, less=FOR_LESS)
    with going_on():
        done = run_loss_study(
            study, asked.scale,
            seeds=asked.seeds, tasks=tasks, runs=asked.runs, engine=asked.make() if asked.train else None,
            progress=Bars(overall=True, remarks=False), train=asked.train,
        )  # fmt: skip
    path = asked.figure_path(study.name, study.formats[0])
    if path is not None:
        write_bytes(path, study.content(done.report, asked.scale, path.suffix.lower()))
    if asked.as_json:
        asked.print_document(study, path, {"law": study.law, **done.report.document()})
    else:
        _print(study, done.report, asked.scale)
        if path is not None:
            note(f"wrote {path}")
    end(done.failed)


def task_names(text: str | None) -> list[str] | None:
    """Names with parameters: a comma before a parameter does not end one.

    >>> task_names("modp-task:p=2,k=0,modp-task:p=3")
    ['modp-task:p=2,k=0', 'modp-task:p=3,k=0']
    """
    names = listed_names("--tasks", text)
    if names is None:
        return None
    from longreach.config.regression_name import RegressionName

    joined: list[str] = []
    for part in names:
        if joined and "=" in part and ":" not in part:
            joined[-1] += f",{part}"
        else:
            joined.append(part)
    return [RegressionName.read(each).text if RegressionName.is_one(each) else each for each in joined]


def _print(study: LossStudy, report: LossReport, scale: Scale) -> None:
    from longreach.studies.loss_tables import CELLS, THRESHOLDS, cell_lines, law_lines, threshold_lines

    ranks = {"runs": 4, "at the target loss": 3, "training": 2, "lowest": 5, "highest": 5}
    columns = [Column(title, rank=ranks.get(title, 0), right=title != "task") for title in CELLS]
    print_fitted(columns, cell_lines(report))
    print()
    shown = [Column(title, rank=1 if title == "by seed" else 0, right=False) for title in THRESHOLDS]
    print_fitted(shown, threshold_lines(report))
    print()
    if scale == "smoke":
        print("smoke scale: tiny models, no claim")
        return
    for line in law_lines(report, study.law):
        print(line)
