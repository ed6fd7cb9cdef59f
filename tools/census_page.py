"""The numbers on the page about the census: blocks between two marks, made from its document and runs alone.

`python tools/census_page.py` writes them anew; what stands around them in docs/census.md is left alone.
"""

from __future__ import annotations

import json
from pathlib import Path

from longreach.studies.census.analysis import analysis_markdown, recipe_table
from longreach.studies.census.members import recipe_scores, recipes
from longreach.studies.census.tables import read_runs
from longreach.studies.study import table_text

ROOT = Path(__file__).parent.parent
PAGE, FOUND = ROOT / "docs" / "census.md", ROOT / "results" / "census"


def page(before: str) -> str:
    """The page with the numbers of the held-out part and with the table of recipes in their places."""
    parts = json.loads((FOUND / "census.json").read_text(encoding="utf-8"))["parts"]
    (held_out,) = (each for each in parts if each["part"] == "held-out")
    scores = recipe_scores(read_runs(FOUND / "recipes.jsonl"), recipes())
    after = with_block(before, "recipes of the census", f"{table_text(recipe_table(scores))}\n")
    return with_block(after, "numbers of the census", analysis_markdown(held_out))


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
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
