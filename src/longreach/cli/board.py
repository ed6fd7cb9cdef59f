"""`longreach board`: profiles of many models beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from longreach.cli.options import JsonOption, option
from longreach.cli.output import check_file, console, note, print_json, write_text
from longreach.errors import InputError
from longreach.wording import Column, Table, counted, some


class Action(StrEnum):
    add = "add"


def board(
    action: Annotated[Action | None, typer.Argument(help="Add PROFILE to the board.")] = None,
    profile: Annotated[
        Path | None, typer.Argument(metavar="PROFILE", help="What `longreach profile --out` wrote as .json.")
    ] = None,
    directory: Annotated[
        Path | None, option("Directory of the board (default: results/board).", "DIR", "--board")
    ] = None,
    out: Annotated[
        Path | None, option("Write it as .csv, or as .html, a page that sorts and filters.", "FILE")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare profiles of many models.

    All models have the same tasks and the same budget. A number is the effective length: up to it, runs are
    right on random and on probing words. Quick profiles have a table of their own. `add` checks that a
    profile has the tasks of the suite with all their seeds, and that its numbers follow from its runs; what
    theory expects is derived again.

    Example: longreach board add lstm.json
    """
    from longreach.answers.board import (
        add_profile,
        board_csv,
        board_directory,
        board_document,
        board_tables,
        read_board,
    )

    as_csv = out is not None and out.suffix.lower() == ".csv"
    check_file(out, "--out", (".html", ".csv"))
    where = directory or board_directory()
    if (action is None) != (profile is None):
        raise InputError("PROFILE: missing" if profile is None else "add: missing before PROFILE")
    if profile is not None:
        added = add_profile(profile, where)
        note(f"{added.profile.title}: {'replaced' if added.replaced else 'added'}, {added.path}")
        if added.other_theory:
            note(f"what theory expects was put right for {some(added.other_theory, 3, ', ')}")
    profiles = read_board(where)
    if out is not None and as_csv:
        write_text(out, board_csv(profiles))
    elif out is not None:
        from longreach.report.pages import render_board_page

        write_text(out, render_board_page(profiles))
    if as_json:
        print_json(board_document(profiles))
        return
    if profiles:
        screen = console()
        for place, table in enumerate(board_tables(profiles)):
            if place:
                screen.print()
            screen.text(table.title, "bold")
            for part in [table] if table.fits(screen.width) else _turned(table, screen.width):
                screen.table(part)
        note(f"{counted(len(profiles), 'profile')}; a number is the length up to which runs are right")
    else:
        console().text(f"no profile in {where}; longreach profile --out FILE.json makes one")
    if out is not None:
        note(f"wrote {out}")


def _turned(table: Table, width: int) -> Iterator[Table]:
    """Parts with a column for each model, where a terminal has no room for all needs side by side."""
    models = list(table.rows)
    while models:
        count = len(models)
        while count > 1 and not _by_model(table, models[:count]).fits(width):
            count -= 1
        yield _by_model(table, models[:count])
        models = models[count:]


def _by_model(table: Table, models: Sequence[Sequence[Any]]) -> Table:
    columns = [Column("", right=False), *(Column(str(row[0])) for row in models)]
    rows = [[title, *(row[place] for row in models)] for place, title in enumerate(table.titles) if place]
    return Table(columns, rows)
