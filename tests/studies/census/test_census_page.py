"""The page about the census shows what its committed document says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longreach.errors import InputError
from longreach.studies.census.census_members import language_table
from longreach.studies.census.census_page import (
    BEGIN,
    END,
    read_analysis,
    refresh_page,
    with_numbers,
    with_recipes,
)
from longreach.studies.census.census_run import read_runs
from longreach.studies.census.recipes import recipe_scores, recipes

ROOT = Path(__file__).parents[3]
PAGE, ANALYSIS = ROOT / "docs" / "census.md", ROOT / "results" / "census" / "census.json"
RECIPES = ROOT / "results" / "census" / "recipes.jsonl"


def test_the_page_has_the_numbers_of_the_document() -> None:
    """If not: `longreach study census --no-train … --json > results/census/census.json`, then in Python
    `refresh_page(Path("docs/census.md"), Path("results/census/census.json"))`."""
    page = PAGE.read_text(encoding="utf-8")
    assert with_numbers(page, read_analysis(ANALYSIS)) == page


def test_the_page_has_the_table_of_all_recipes() -> None:
    page = PAGE.read_text(encoding="utf-8")
    scores = recipe_scores(read_runs(RECIPES), recipes(), language_table())
    assert [each.recipe for each in scores] == [*recipes().recipes]
    assert {each.runs for each in scores} == {len(recipes().languages)}
    assert with_recipes(page, scores) == page


def test_a_page_is_refreshed_once(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"a\n{BEGIN}\nold\n{END}\nz\n")
    assert refresh_page(page, tmp_path / "none.json")
    assert page.read_text().startswith("a\n")
    assert page.read_text().endswith("\nz\n")
    assert not refresh_page(page, tmp_path / "none.json")


@pytest.mark.parametrize("text", ["", BEGIN, f"{END}{BEGIN}", f"{BEGIN}{BEGIN}{END}"])
def test_a_page_without_its_place_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="the page needs one line"):
        with_numbers(text, None)


def test_the_document_of_the_study_has_the_part(tmp_path: Path) -> None:
    path = tmp_path / "census.json"
    parts = [
        {"part": part, "scores": [], "odds": None, "failures": {}} for part in ("development", "held-out")
    ]
    path.write_text(json.dumps({"study": "census", "parts": parts}))
    assert read_analysis(path) == parts[1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [("{", "is not JSON"), ("[]", "is not the document"), ('{"parts": []}', "is not the doc")],
)
def test_what_is_no_analysis_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "held-out.json"
    path.write_text(text)
    with pytest.raises(InputError, match=reason):
        read_analysis(path)
