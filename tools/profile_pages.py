"""Generated parts of the pages on profiles: the tasks of the suite, and the board.

`python -m tools.profile_pages` writes them anew, between two marks each; the rest is left alone.
"""

from __future__ import annotations

from pathlib import Path

from longreach.answers.board import board_tables, read_board
from longreach.answers.profile_suite import PARTS, suite
from longreach.wording import counted
from tools.census_page import with_block

ROOT = Path(__file__).parent.parent
PROTOCOL, BOARD = ROOT / "docs" / "profile-protocol.md", ROOT / "docs" / "board.md"


def suite_block() -> str:
    """The tasks of each need."""
    found = suite()
    lines = [f"Seed {found.seed}, hash `{found.hash}`."]
    for need in found.needs:
        lines += ["", f"**{need.need}**: {need.about}; {need.steps:,} steps.", ""]
        same = need.tasks[PARTS[0]] == need.tasks[PARTS[1]]
        parts = {"both parts": need.tasks[PARTS[0]]} if same else {part: need.tasks[part] for part in PARTS}
        for part, tasks in parts.items():
            lines += [f"- {part}: {', '.join(f'`{each.task}`' for each in tasks)}"]
    return "\n".join(lines) + "\n"


def board_block() -> str:
    profiles = read_board(ROOT / "results" / "board")
    if not profiles:
        return "None yet.\n"
    text = (
        f"{counted(len(profiles), 'profile')}. Trained to length 20, tested to 500. “–”: no run fits the "
        "training range. In brackets: whether theory expects the model to extend it; “?”: not known.\n"
    )
    tables = [f"\n**{table.title}**\n\n{table.markdown()}\n" for table in board_tables(profiles, theory=True)]
    return "".join([text, *tables])


def pages() -> dict[Path, str]:
    """The pages as they should be."""
    return {
        PROTOCOL: with_block(PROTOCOL.read_text(encoding="utf-8"), "tasks of the suite", suite_block()),
        BOARD: with_block(BOARD.read_text(encoding="utf-8"), "profiles of the board", board_block()),
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
