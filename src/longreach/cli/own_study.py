"""`longreach study` for studies whose cells are not tasks under encodings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from longreach.cli.output import note, say, write_bytes
from longreach.cli.progress import Bars, going_on
from longreach.cli.study_asked import StudyAsked, end

if TYPE_CHECKING:
    from longreach.studies.study_definition import Study

FOR_LESS = "--scale smoke, fewer --seeds"


def own_study(chosen: Study, asked: StudyAsked) -> None:
    """Train what is missing, with bars; then the document or the text, the figure, and whoever failed."""
    assert chosen.own is not None, chosen.name
    from longreach.experiments.running import check_runs

    asked.refuse(chosen.name, "has cells of its own", "--tasks", "--encodings")
    check_runs(asked.runs)
    members = chosen.members(asked.scale, asked.seeds)
    if asked.dry_run:
        # Where fewer seeds decide, the others are spared.
        asked.show_plan(chosen.name, members, less=FOR_LESS, stops_early=True)
        return
    if members:
        asked.announce(members, less=FOR_LESS)
    with going_on():
        done = chosen.own.run(
            asked.scale,
            seeds=asked.seeds,
            runs=asked.runs,
            engine=asked.make() if asked.train else None,
            progress=Bars(overall=True, remarks=False),
            train=asked.train,
        )
    path = asked.figure_path(chosen.name, chosen.formats[0])
    if path is not None:
        write_bytes(path, done.content(path.suffix.lower(), chosen.heading(asked.scale)))
    if asked.as_json:
        asked.print_document(chosen, path, done.document())
    else:
        say(done.text(), end="")
        if asked.scale == "smoke":
            say("\nsmoke scale: tiny models, no claim")
        if path is not None:
            note(f"wrote {path}")
    end(done.failed)
