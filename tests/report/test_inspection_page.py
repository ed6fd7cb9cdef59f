from __future__ import annotations

from dataclasses import replace

from longreach.inspection.inspection_figures import figure_files, figures_of
from longreach.inspection.model_inspection import inspect_subject
from longreach.report.inspection_page import render_inspection_page
from tests.helpers.html_page import check
from tests.helpers.inspected_models import small_subject

HOSTILE = '<script>alert("x")</script>'


def test_a_page_that_needs_nothing_else() -> None:
    found = inspect_subject(small_subject("ape", task="regex:(a|b)*bb(a|b)*"), rows=4, inputs=3)
    drawn = {"lengths": figure_files(figures_of(found)["lengths"], "lengths", (".svg",))[".svg"]}
    text = render_inspection_page(found, drawn, title="a run")
    page = check(text)
    parts = [
        "a run", "At longer lengths", "How it fails", "As a limit transformer", "Heads",
        "Where the task's program attends", "Products through value matrices", "Figures",
    ]  # fmt: skip
    places = [page.words.index(part) for part in parts]
    assert places == sorted(places)
    images = [attributes for tag, attributes in page.elements if tag == "img"]
    assert [str(each["src"])[:26] for each in images] == ["data:image/svg+xml;base64,"]


def test_what_comes_from_outside_is_text() -> None:
    found = inspect_subject(small_subject("rope"), rows=4, inputs=3)
    hostile = replace(found, name=HOSTILE, remarks=(HOSTILE,), facts={**found.facts, "task": HOSTILE})
    text = render_inspection_page(hostile, {}, title=HOSTILE)
    check(text)
    assert HOSTILE not in text
