"""The table of docs/papers.md on the published sizes: runs of each study, and how long they would compute.

`python -m tools.paper_times` times a few steps of each study on this machine and writes the table anew; it
takes some minutes. The time is the processor's, so that other work on the machine does not count.
"""

from __future__ import annotations

import time
from pathlib import Path

from longreach.runs.plan import seconds_of
from longreach.studies.catalog import load_study
from longreach.studies.study import StudyOptions, study_members
from longreach.wording import Column, Table, counted, roughly
from tools.census_page import with_block

PAGE = Path(__file__).parent.parent / "docs" / "papers.md"
NAME = "times of the published sizes"
STUDIES = (
    "figure1", "product-functions", "regularizer", "simple-task", "modp-task", "in-context-kgram",
    "sparse-parity", "parity-scratchpad", "variable-assignment", "natural-language",
)  # fmt: skip
"""Those with a published size; others share the runs of these, or train nothing."""
PAPER = StudyOptions(scale="paper")
LANGUAGE = "natural-language"


def runs_of(name: str) -> int:
    """How many runs a study has at the published size.

    >>> runs_of("sparse-parity"), runs_of("natural-language")
    (5, 2)
    """
    if name == LANGUAGE:
        from longreach.studies.language_training import NAMES

        return len(NAMES)
    return len(study_members(load_study(name), PAPER))


def time_of(name: str) -> str:
    """How long one core of this machine would compute."""
    if name == LANGUAGE:
        from longreach.studies.language_network import SETTINGS
        from longreach.studies.language_training import estimated_seconds

        return roughly(estimated_seconds(SETTINGS[PAPER.scale]))
    members = study_members(load_study(name), PAPER)
    seconds = sum(seconds_of(members, clock=time.process_time).values())
    stops = any(each.stop_early for each in members)
    return f"{'at most ' if stops else ''}{roughly(seconds)}"


def page(times: dict[str, str]) -> str:
    """The page with the table of these times."""
    columns = [Column("study"), Column("runs", right=True), Column("one core computes", right=False)]
    rows = [(f"`{name}`", f"{runs_of(name):,}", words) for name, words in times.items()]
    return with_block(PAGE.read_text(encoding="utf-8"), NAME, Table(columns, rows).markdown() + "\n")


if __name__ == "__main__":
    found = {}
    for each in STUDIES:
        found[each] = time_of(each)
        print(f"{each}: {counted(runs_of(each), 'run')}, {found[each]}", flush=True)
    PAGE.write_text(page(found), encoding="utf-8")
