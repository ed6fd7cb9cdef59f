"""The numbers on the page about the census: a block between two marks, made from the document alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longreach.errors import File, InputError
from longreach.results.atomic import write_atomically
from longreach.studies.census.analysis_tables import analysis_markdown

BEGIN, END = "<!-- numbers of the census: begin -->", "<!-- numbers of the census: end -->"
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
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise InputError(f"the page needs one line {BEGIN!r} and below it one {END!r}")
    before, _, rest = page.partition(BEGIN)
    numbers = NOT_YET if document is None else analysis_markdown(document)
    return f"{before}{BEGIN}\n\n{numbers}\n{END}{rest.partition(END)[2]}"


def refresh_page(page: Path, analysis: Path) -> bool:
    """Puts the numbers of an analysis onto the page; whether that changed it."""
    old = page.read_text(encoding="utf-8")
    new = with_numbers(old, read_analysis(analysis))
    if new == old:
        return False
    write_atomically(page, new.encode())
    return True
