"""The report as one HTML document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from longreach.report.collect import report_view
from longreach.report.profiles import board_parts
from longreach.report.svg import curve_legend, curves, panel, series_class, shares
from longreach.report.view import CellView, ReportView, TaskView
from longreach.report.words import NO_BREAK, encoding_name, encoding_note, lengths, percent, sentence_case
from longreach.wording import counted, duration, shortened, visible

NOTHING_COUNTS = (
    "Not enough results yet: judging a forecast takes three finished runs of a task and encoding."
)


ASKED = "Does a model that was trained on short inputs work on longer ones?"


def headline(view: ReportView) -> str:
    """The finding in one sentence.

    >>> from longreach.report.collect import report_view
    >>> headline(report_view(None, ""))
    'No runs yet: what theory expects of 25 tasks.'
    """
    if not view.runs:
        return f"No runs yet: what theory expects of {counted(len(view.tasks), 'task')}."
    if not view.counted:
        return NOTHING_COUNTS
    return f"Forecast and measurement agree in {view.agreeing} of {counted(view.counted, 'cell')}."


def argument(view: ReportView) -> dict[str, str]:
    """What was asked, what theory says, what runs say, and what to do; empty where nothing counts."""
    shares = _shares(view)
    if not shares:
        return {}
    said = ", ".join(f"{answer} for {counted(total, 'cell')}" for answer, _, _, total in shares)
    done = " and ".join(f"{right} of the {total} expected to {words}" for _, words, right, total in shares)
    found = {
        "asked": ASKED,
        "theory": f"{said[:1].upper()}{said[1:]}. A cell is a task with one positional encoding.",
        "runs": f"{done} {'does' if sum(right for *_, right, _ in shares) == 1 else 'do'}.",
    }
    reasons = Counter(cell.reasons[0] for _, cell in view.disagreements if cell.reasons)
    if reasons:
        (reason, count), *_ = reasons.most_common(1)
        of = f"in {count} of {len(view.disagreements)} cells" if len(view.disagreements) > 1 else "there"
        found["to do"] = f"Where they disagree, the likeliest reason {of}: {reason}."
    elif any(answer == "no" for answer, *_ in shares):
        found["to do"] = "For a task that is expected to fail, longreach ask TASK says what would help."
    return found


def conclusion(view: ReportView) -> str:
    """In how many cells forecast and measurement agree, and where they do not.

    >>> from longreach.report.collect import report_view
    >>> conclusion(report_view(None, ""))
    'Not enough results yet: judging a forecast takes three finished runs of a task and encoding.'
    """
    if not view.counted:
        return NOTHING_COUNTS
    parts = [
        f"{right} of {total} that were forecast to {words} do" for _, words, right, total in _shares(view)
    ]
    wrong = [_told(task, cell) for task, cell in view.disagreements]
    text = f"Forecast and measurement agree in {view.agreeing} of {view.counted} cells: {', '.join(parts)}"
    return (text + (f"; not as forecast: {', '.join(wrong)}." if wrong else ".")).replace(NO_BREAK, " ")


def _told(task: TaskView, cell: CellView) -> str:
    """A cell with its runs counted: a mean over runs that do opposite things says nothing."""
    text = f"{task.title} with {encoding_name(cell.encoding)}"
    if cell.tally is None or not cell.ranges:
        return text
    return f"{text} ({cell.tally.words} at {lengths(cell.ranges[-1])})"


def _shares(view: ReportView) -> list[tuple[str, str, int, int]]:
    """For each answer of theory and what it expects: how many do, of how many."""
    judged = [
        (verdict.answer, cell.judgement == "agrees")
        for task, cell in view.places("agrees", "disagrees")
        if (verdict := task.verdict(cell.encoding)) is not None
    ]
    found = []
    for answer, words in (("yes", "work on longer inputs"), ("no", "fail")):
        agreed = [agrees for given, agrees in judged if given == answer]
        if agreed:
            found.append((answer, words, sum(agreed), len(agreed)))
    return found


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
            argument=argument(report),
            board=board_parts(report.profiles),
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
        "percent": percent, "duration": duration, "plural": counted, "encoding_name": encoding_name,
        "encoding_note": encoding_note, "shortened": shortened, "lengths": lengths,
        "sentence_case": sentence_case, "series_class": series_class, "shares": shares,
    }  # fmt: skip
    found.filters |= filters
    for drawing in (panel, curves, curve_legend):
        found.globals[drawing.__name__] = _as_markup(drawing)
    return found


def _shown(value: Any) -> Any:
    """Whatever a file says is shown without characters that do not show."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _as_markup(draw: Callable[..., str]) -> Callable[..., Markup]:
    return lambda *given: Markup(draw(*given))
