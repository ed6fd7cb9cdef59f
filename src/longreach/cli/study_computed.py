"""`longreach study` for studies that compute and train nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from longreach.cli.fitted_table import Column, print_fitted
from longreach.cli.output import note, say, write_bytes
from longreach.cli.stages import stage
from longreach.cli.study_asked import StudyAsked

if TYPE_CHECKING:
    from longreach.studies.computed_study import ComputedStudy


def computed_study(study: ComputedStudy, asked: StudyAsked) -> None:
    """Compute, then the document or the table, and the figure."""
    asked.refuse(study.name, "computes and trains nothing", "--tasks", "--encodings", "--seeds")
    if asked.dry_run:
        if asked.as_json:
            asked.print_document(study, None, {"jobs": 0})
        else:
            say(f"0 jobs: {study.name} computes and trains nothing; {study.time}")
        return
    with stage(f"computing {study.name}"):
        report = study.compute(asked.scale)
    path = asked.figure_path(study.name, study.formats[0])
    if path is not None:
        write_bytes(path, study.content(report, asked.scale, path.suffix.lower()))
    if asked.as_json:
        asked.print_document(study, path, report.document)
        return
    ranks = {title: len(report.spare) - place for place, title in enumerate(report.spare)}
    columns = [Column(title, rank=ranks.get(title, 0), right=False) for title in report.columns]
    print_fitted(columns, report.lines)
    for remark in report.remarks:
        say(f"\n{remark}")
    if path is not None:
        note(f"wrote {path}")
