"""The numbers on the page about the census: blocks between two marks, made from documents and runs alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longreach.errors import File, InputError
from longreach.results.atomic import write_atomically
from longreach.studies.census.analysis_tables import analysis_markdown
from longreach.studies.census.recipe_tables import recipe_table
from longreach.studies.census.recipes import RecipeScore

BEGIN, END = "<!-- numbers of the census: begin -->", "<!-- numbers of the census: end -->"
RECIPES_BEGIN, RECIPES_END = (
    "<!-- recipes of the census: begin -->",
    "<!-- recipes of the census: end -->",
)
NOT_YET = "Nothing has been measured yet.\n"


def read_analysis(path: Path) -> dict[str, Any] | None:
    """The document of an analysis, or of the study with the part that is held out; None without a file."""
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", place=File(str(path))) from None
    except ValueError:
        raise InputError("is not JSON", place=File(str(path))) from None
    if isinstance(document, dict) and isinstance(document.get("parts"), list):
        held_out = [each for each in document["parts"] if each.get("part") == "held-out"]
        document = held_out[-1] if held_out else document
    if not isinstance(document, dict) or not {"scores", "odds", "failures"} <= document.keys():
        raise InputError("is not the document of an analysis", place=File(str(path)))
    return document


def with_numbers(page: str, document: Mapping[str, Any] | None) -> str:
    """The page with the numbers of a document in their place.

    >>> print(with_numbers(f"# Page\\n{BEGIN}\\nold\\n{END}\\nend", None))
    # Page
    <!-- numbers of the census: begin -->
    <BLANKLINE>
    Nothing has been measured yet.
    <BLANKLINE>
    <!-- numbers of the census: end -->
    end
    """
    return _with_block(page, BEGIN, END, NOT_YET if document is None else analysis_markdown(document))


def with_recipes(page: str, scores: Sequence[RecipeScore]) -> str:
    """The page with the table of recipes in its place."""
    return _with_block(page, RECIPES_BEGIN, RECIPES_END, f"{recipe_table(scores).markdown()}\n")


def _with_block(page: str, begin: str, end: str, text: str) -> str:
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        raise InputError(f"the page needs one line {begin!r} and below it one {end!r}")
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n\n{text}\n{end}{rest.partition(end)[2]}"


def refresh_page(page: Path, analysis: Path) -> bool:
    """Puts the numbers of an analysis onto the page; whether that changed it."""
    old = page.read_text(encoding="utf-8")
    new = with_numbers(old, read_analysis(analysis))
    if new == old:
        return False
    write_atomically(page, new.encode())
    return True
