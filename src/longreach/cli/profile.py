"""`longreach profile`: what any model extends, need by need, on a fixed suite with a fixed budget."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longreach.cli.options import DEFAULT_RUNS, JsonOption, RunsOption, flag, option
from longreach.cli.output import check_file, console, note, print_json, write_text
from longreach.cli.progress import Bars, going_on
from longreach.cli.training_options import HERE, Where, help_of, read_model_options
from longreach.errors import Field, InputError
from longreach.wording import Column, Table, counted, duration

if TYPE_CHECKING:
    from longreach.answers.profile import Profile

ENDINGS = (".json", ".html", ".csv")
BLOCKS = " ▁▂▃▄▅▆▇█"


class PartName(StrEnum):
    development = "development"
    held_out = "held-out"


class ProfileScale(StrEnum):
    smoke = "smoke"
    laptop = "laptop"


def profile(
    model: Annotated[
        str | None, option("An architecture, your own module:make, or hf:CONFIG.json.", "NAME")
    ] = None,
    model_options: Annotated[
        list[str] | None, option(help_of("model_options"), "KEY=VALUE", "--model-option")
    ] = None,
    encoding: Annotated[str | None, option(help_of("encoding"), "NAME")] = None,
    quick: Annotated[
        bool, flag("--quick", "Train the first task of each need, once: the same for every model.")
    ] = False,
    minutes: Annotated[
        float | None, option("Train as much of the suite as fits, in order (default: all).", "M")
    ] = None,
    seeds: Annotated[int | None, option("Runs for each task (default: 3).", "K")] = None,
    part: Annotated[PartName, option("Which languages of the census to use.")] = PartName.development,
    needs: Annotated[str | None, option("Measure only these needs.", "A,B,…")] = None,
    explain: Annotated[
        bool, flag("--explain", "Also show what failing runs learned instead (takes a minute).")
    ] = False,
    scale: Annotated[
        ProfileScale, option("laptop: the budget of the suite; smoke: a few steps, for tests.")
    ] = ProfileScale.laptop,
    where: Where = HERE,
    runs: RunsOption = DEFAULT_RUNS,
    out: Annotated[Path | None, option("Write it as .json, .html or .csv.", "FILE")] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what a model generalizes, need by need.

    Trained to 20, effective to which length: trains on a fixed suite of tasks, sorted by what a proof says
    they need, and tests to length 500 on random and on probing words. The budget is the same for every model.
    --quick takes one task of each need, ten minutes or so on two cores; --minutes M takes what fits. Finished
    runs are reused: run the same command again to resume. `longreach board` compares profiles. Exit code 1
    if a run failed.

    Example: longreach profile --model lstm --quick
    """
    check_file(out, "--out", ENDINGS)
    try:
        options = read_model_options(model_options or [])
    except InputError as error:
        raise error.at(Field("model_options")) from None
    from longreach.answers.board import keep
    from longreach.answers.profile_runs import profile as measure
    from longreach.answers.profile_runs import unfinished
    from longreach.config.architectures import DECODER

    with going_on():
        found = measure(
            model or DECODER, encoding, model_options=options, part=part.value,
            needs=[each.strip() for each in needs.split(",")] if needs else (), minutes=minutes, seeds=seeds,
            scale=scale.value, quick=quick, runs=runs, engine=where.engine_maker(runs), here=where.is_here,
            progress=Bars(overall=True),
        )  # fmt: skip
    if explain:
        from longreach.inspection.profiled import explained

        found = explained(found, runs)
    if out is not None:
        write_text(out, content(found, out.suffix.lower()))
    if scale is ProfileScale.laptop:
        keep(found, runs)
    lacks = unfinished(found)
    if as_json:
        print_json(found.document())
    else:
        _print(found, lacks)
        if out is not None:
            note(f"wrote {out}")
    failed = [run for run in found.runs if run.error is not None]
    for run in failed:
        note(f"{run.run}: {run.error}")
    if failed:
        raise typer.Exit(1)


def content(found: Profile, ending: str) -> str:
    """The profile as a file of that ending."""
    if ending == ".csv":
        return found.csv()
    if ending == ".html":
        from longreach.report.pages import render_profile_page

        return render_profile_page(found)
    from longreach.answers.profile import lines_of

    return lines_of(found)


def _print(found: Profile, lacks: str | None) -> None:
    out = console()
    out.text(found.headline, "bold")
    out.print()
    out.table(found.table)
    out.print()
    heads = [Column("share of runs that reach", right=False), *map(Column, map(str, found.lengths))]
    rows = [[each.need, *(bar(each.share(length)) for length in found.lengths)] for each in found.needs]
    out.table(Table(heads, rows))
    for need, (exact, given) in found.given.items():
        if given - exact >= 0.005:
            share = f"{100 * exact:.0f} % right just beyond training, {100 * given:.0f} % where the length"
            out.hanging(f"{need}: {share} of the answer is given", 0, 2)
    for each in found.needs:
        if each.learned is not None:
            out.hanging(f"{each.need}: {each.learned}", 0, 2)
    out.print()
    size = f"{found.parameters:,} parameters"
    state = "" if found.state_size is None else f", a state of {found.state_size:,} numbers"
    spent = f"{counted(len(found.runs), 'run')}, {duration(found.seconds)} of one core"
    out.hanging(f"{size}{state}; {spent}; learning rate {found.budget.rate:g}", 0, 2)
    if lacks is not None:
        out.hanging(lacks, 0, 2)


def bar(share: float) -> str:
    """A share as a block.

    >>> bar(1.0), bar(0.5), bar(0.0)
    ('█', '▄', '·')
    """
    return BLOCKS[round(share * (len(BLOCKS) - 1))].strip() or "·"
