"""`longreach study` for studies that train no members of `longreach train`."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

from longreach.cli.output import note, print_json, say, write_bytes
from longreach.cli.stages import stage
from longreach.cli.study_asked import PartName, StudyAsked

if TYPE_CHECKING:
    from longreach.studies.standalone_study import StandaloneStudy

OPTIONS = ("--tasks", "--encodings", "--seeds", "--part", "--train-to", "--table", "--recipes", "--fit")


def standalone(chosen: StandaloneStudy, asked: StudyAsked) -> None:
    """Compute what is missing; then the document or the text, and the figure."""
    from longreach.studies.standalone_study import StandaloneAsked

    asked.refuse(chosen.name, "has no use for it", *(each for each in OPTIONS if each not in chosen.options))
    with contextlib.ExitStack() as speaking:

        def tell(doing: str) -> None:
            speaking.close()
            speaking.enter_context(stage(doing))

        wanted = StandaloneAsked(
            scale=asked.scale,
            seeds=asked.seeds,
            runs=asked.runs,
            held_out=asked.part is PartName.held_out,
            train=asked.train,
            tell=tell,
            table=asked.table,
            fit=asked.fit,
            progress=tell if sys.stderr is not None and sys.stderr.isatty() else lambda _: None,
        )
        if asked.dry_run:
            planned = {"study": chosen.name, "scale": asked.scale, **chosen.plan(wanted)}
            if asked.as_json:
                print_json(planned)
            else:
                say(f"{planned['jobs']} jobs, {planned['done']} of them done; {chosen.time}")
            return
        done = chosen.run(wanted)
    path = asked.figure_path(chosen.name, chosen.formats[0])
    if path is not None:
        write_bytes(path, done.content(path.suffix.lower(), chosen.heading(asked.scale)))
    if asked.as_json:
        asked.print_document(chosen, path, done.document())
        return
    say(done.text(), end="")
    if asked.scale == "smoke":
        say("smoke scale: few steps and runs, no claim")
    if path is not None:
        note(f"wrote {path}")
