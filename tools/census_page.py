"""The numbers of the census: blocks between two marks in docs/census.md, census-tables.md and paper.md.

`python tools/census_page.py` writes them from the document and the runs alone; the text around them stays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longreach.studies.census.analysis import analysis_markdown, number, recipe_table
from longreach.studies.census.members import recipe_scores, recipes
from longreach.studies.census.strata import model_title, sure_table
from longreach.studies.census.tables import read_runs
from longreach.studies.study import table_of, table_text
from longreach.wording import Table

ROOT = Path(__file__).parent.parent
PAGE, TABLES, PAPER = (ROOT / "docs" / f"{name}.md" for name in ("census", "census-tables", "paper"))
FOUND = ROOT / "results" / "census"
# What a reader compares first: a column for each of these, where there are runs.
SHOWN = (
    ("nope", 3, "works"),
    ("ape", 3, "works"),
    ("reach", 3, "works"),
    ("reach", 10, "works"),
    ("reach", 10, "sure"),
)


def pages() -> dict[Path, str]:
    """The pages as they should be."""
    parts = json.loads((FOUND / "census.json").read_text(encoding="utf-8"))["parts"]
    (held_out,) = (each for each in parts if each["part"] == "held-out")
    recipe = table_text(recipe_table(recipe_scores(read_runs(FOUND / "recipes.jsonl"), recipes())))
    digested = "\n\n".join(map(table_text, (digest(held_out), sure_table(held_out["sure"]))))
    page = with_block(PAGE.read_text(encoding="utf-8"), "digest of the census", f"{digested}\n")
    tables = TABLES.read_text(encoding="utf-8")
    tables = with_block(tables, "numbers of the census", analysis_markdown(held_out))
    tables = with_block(tables, "recipes of the census", f"{recipe}\n")
    odds = held_out["odds"]["scores"][0]
    judged = (
        f"Odds: Brier score {number(odds['brier'])}, ROC area {number(odds['auc'])}, on {odds['runs']} tests."
    )
    paper = with_block(PAPER.read_text(encoding="utf-8"), "digest of the census", f"{digested}\n\n{judged}\n")
    return {PAGE: page, TABLES: tables, PAPER: paper}


def digest(document: Mapping[str, Any]) -> Table:
    """A line for each stratum, a column for each encoding and ratio, of runs trained to 20."""
    found = {
        (each["source"], each["group"], each["model"], each["ratio"]): each
        for each in document["strata"]
        if each["trained_to"] == 20
    }
    titles = (f"{model_title(name)}, {ratio}N: {what}" for name, ratio, what in SHOWN)

    def shown(source: str, group: str, name: str, ratio: int, what: str) -> str:
        each = found.get((source, group, name, ratio))
        return "–" if each is None else number(each[what], percent=True)

    rows = [
        [f"{source} {group}", *(shown(source, group, *column) for column in SHOWN)]
        for source, group in dict.fromkeys((source, group) for source, group, _, _ in found)
    ]
    above = "Runs trained to 20 that work, and that are sure, with 95 % intervals."
    return table_of(("held-out languages", *titles), rows, title=above)


def with_block(text: str, name: str, block: str) -> str:
    """A text with another block between the marks of a name.

    >>> print(with_block("a <!-- n: begin --> old <!-- n: end --> z", "n", "new"))
    a <!-- n: begin -->
    <BLANKLINE>
    new
    <!-- n: end --> z
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ValueError(f"the page needs one line {begin!r} and below it one {end!r}")
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n\n{block}\n{end}{rest.partition(end)[2]}"


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
