"""The report as one HTML document, from its parts in `templates`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from longreach.report import charts
from longreach.report.results_to_view import report_view
from longreach.report.text import duration, encoding_name, percent, plural, printable, shortened
from longreach.report.view import CellView, ReportView, TaskView

TITLE = "longreach report"


def build(runs: str | Path | None = None, title: str = TITLE) -> str:
    """The report of a results directory as one HTML document; without one it has the forecasts.

    >>> build().startswith("<!doctype html>")
    True
    """
    return render(report_view(None if runs is None else Path(runs), title))


def render(report: ReportView) -> str:
    """The document of a report."""
    return _environment().get_template("report.html.jinja").render(report=report)


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
    )
    filters: dict[str, Any] = {
        "percent": percent, "duration": duration, "plural": plural, "encoding_name": encoding_name,
        "shortened": shortened,
    }  # fmt: skip
    environment.filters |= filters
    environment.globals |= {"panel": _panel, "curves": _curves}
    return environment


def _shown(value: Any) -> Any:
    """Whatever a file says is shown without characters that do not show."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _panel(task: TaskView, columns: tuple[str, ...]) -> Markup:
    return Markup(charts.panel(task, columns))


def _curves(cell: CellView, what: str) -> Markup:
    return Markup(charts.curves(cell, what))
