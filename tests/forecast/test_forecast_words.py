from __future__ import annotations

import pytest

from longreach.forecast import forecast
from longreach.tasks.published import FIGURE_1_TASKS


@pytest.mark.parametrize("name", [*FIGURE_1_TASKS, "regex:a*b", "crasp:lib:dyck-1", "repeated-sort"])
def test_a_forecast_is_three_lines_of_plain_words(name: str) -> None:
    found = forecast(name)
    lines = repr(found).splitlines()
    assert len(lines) == 3
    for line, side, title in zip(
        lines[1:], (found.nope, found.ape), ("without positions", "with learned positions"), strict=True
    ):
        assert line.startswith(f"  {title} ")
        assert f": {side.trained.expectation}: " in line


def test_notebooks_get_the_same_as_a_table() -> None:
    html = forecast("regex:(a|b)*", "ab<")._repr_html_()
    assert "expected to work" in html
    assert "(a|b)*" in html
    assert html.count("<tr>") == 3


def test_a_verdict_says_what_is_expected_and_of_which_class() -> None:
    found = forecast("aa")
    assert repr(found.nope).startswith("expected to fail: ")
    assert repr(found.ape).endswith("(C-RASP[periodic, local])")
    assert "expected to work" in found.ape._repr_html_()
    assert "&quot;" in found.nope._repr_html_()  # words are quoted, and quotes are escaped
