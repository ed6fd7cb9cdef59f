"""The report as one HTML document, from its parts in `templates`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from longreach.report import length_chart
from longreach.report.conclusion import detail, headline
from longreach.report.curve_chart import curve_legend, curves
from longreach.report.results_to_view import report_view
from longreach.report.text import (
    duration,
    encoding_name,
    encoding_note,
    lengths,
    percent,
    plural,
    printable,
    sentence_case,
    shortened,
)
from longreach.report.view import CellView, Group, ReportView, TaskView

TITLE = "longreach report"


def build(runs: str | Path | None = None, title: str = TITLE) -> str:
    """The report of a results directory as one HTML document; without one it has the forecasts.

    >>> build().startswith("<!doctype html>")
    True
    """
    return render(report_view(None if runs is None else Path(runs), title))


def render(report: ReportView) -> str:
    """The document of a report."""
    return (
        environment()
        .get_template("report.html.jinja")
        .render(
            title=report.title,
            report=report,
            columns=report.encodings,
            headline=headline(report),
            detail=detail(report),
        )
    )


def environment() -> jinja2.Environment:
    """The templates, with all that they call."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
    )
    filters: dict[str, Any] = {
        "percent": percent, "duration": duration, "plural": plural, "encoding_name": encoding_name,
        "encoding_note": encoding_note, "shortened": shortened, "lengths": lengths,
        "sentence_case": sentence_case, "series_class": length_chart.series_class,
        "shares": length_chart.shares,
    }  # fmt: skip
    found.filters |= filters
    found.globals |= {"panel": _panel, "curves": _curves, "curve_legend": _curve_legend}
    return found


def _shown(value: Any) -> Any:
    """Whatever a file says is shown without characters that do not show."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _panel(
    task: TaskView, columns: tuple[str, ...], group: Group | None = None, large: bool = False
) -> Markup:
    return Markup(length_chart.panel(task, columns, group, large=large))


def _curves(cell: CellView, what: str) -> Markup:
    return Markup(curves(cell, what))


def _curve_legend(cell: CellView) -> Markup:
    return Markup(curve_legend(cell))
