"""Table 2: verdicts for the regular languages beside star-freeness, dot-depth and AC⁰."""

from __future__ import annotations

from longreach.comparison.cell_forecast import measures_of
from longreach.comparison.places import REGULAR
from longreach.studies.study_definition import Study
from longreach.studies.theory import Entry, TheoryTable, rows_of, verdict_entries, yes_or_no

PARITY = "parity-language"
BEFORE_PARITY = "d-12"


def table() -> TheoryTable:
    """All of it computed from the automata.

    >>> table().disagreeing
    []
    """
    position = REGULAR.index(BEFORE_PARITY) + 1
    names = [*REGULAR[:position], PARITY, *REGULAR[position:]]
    rows = []
    for task, row in rows_of(names):
        found = measures_of(task)
        entries = {
            **verdict_entries(task, row),
            "star-free": Entry(yes_or_no(found.star_free), yes_or_no(row.star_free)),
            "dot-depth": Entry(found.dot_depth or "–", "–" if row.dot_depth is None else str(row.dot_depth)),
            "AC⁰": Entry(yes_or_no(found.ac0), yes_or_no(row.ac0)),
            "states": Entry(str(found.states)),
            "monoid": Entry("unknown" if found.monoid is None else str(found.monoid)),
        }
        rows.append(("–" if task == PARITY else str(REGULAR.index(task) + 1), task, entries))
    return TheoryTable(STUDY.title, tuple(rows[0][2]), tuple(rows))


STUDY = Study(
    name="table2",
    title="Regular languages: verdicts and other measures",
    source="Huang et al., arXiv 2410.02140, Table 2",
    about="computed verdicts and measures of 18 regular languages beside the published ones",
    time="a second at any scale; trains nothing",
    table=table,
)
