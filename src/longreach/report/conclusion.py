"""What was found, in one sentence, and in a few more."""

from __future__ import annotations

from longreach.report.text import NO_BREAK, encoding_name, lengths, plural
from longreach.report.view import CellView, ReportView, TaskView

NOTHING_COUNTS = "No cell counts yet: a forecast is judged by three finished runs."


def headline(view: ReportView) -> str:
    """The finding in one sentence.

    >>> from longreach.report.results_to_view import report_view
    >>> headline(report_view(None, ""))
    'No runs yet: what the theory expects of 25 tasks.'
    """
    if not view.runs:
        return f"No runs yet: what the theory expects of {plural(len(view.tasks), 'task')}."
    if not view.counted:
        return NOTHING_COUNTS
    return f"In {view.agreeing} of {plural(view.counted, 'cell')} the forecast and the measurement agree."


def detail(view: ReportView) -> str:
    """How many of those that were expected to work do, and of those that were expected to fail."""
    found = [
        f"of {total} expected to {words} {'all' if right == total > 1 else right or 'none'} "
        f"{'does' if right <= 1 else 'do'}"
        for words, right, total in _shares(view)
    ]
    return f"A cell is a task under one positional encoding: {', '.join(found)}." if found else ""


def conclusion(view: ReportView) -> str:
    """In how many cells forecast and measurement agree, and where they do not.

    >>> from longreach.report.results_to_view import report_view
    >>> conclusion(report_view(None, ""))
    'No cell counts yet: a forecast is judged by three finished runs.'
    """
    if not view.counted:
        return NOTHING_COUNTS
    parts = [f"{right} of {total} that were forecast to {words} do" for words, right, total in _shares(view)]
    wrong = [_told(task, cell) for task, cell in view.disagreements]
    text = f"Forecast and measurement agree in {view.agreeing} of {view.counted} cells: {', '.join(parts)}"
    return (text + (f"; not as forecast: {', '.join(wrong)}." if wrong else ".")).replace(NO_BREAK, " ")


def _told(task: TaskView, cell: CellView) -> str:
    """A cell with its runs counted: a mean over runs that do opposite things says nothing."""
    text = f"{task.title} with {encoding_name(cell.encoding)}"
    if cell.tally is None or not cell.ranges:
        return text
    return f"{text} ({cell.tally.words} at {lengths(cell.ranges[-1])})"


def _shares(view: ReportView) -> list[tuple[str, int, int]]:
    """For what was forecast to work and to fail: how many do, of how many."""
    judged = [
        (verdict.answer, cell.judgement == "agrees")
        for task in view.tasks
        for cell in task.chosen
        if cell.judgement in ("agrees", "disagrees") and (verdict := task.verdict(cell.encoding)) is not None
    ]
    found = []
    for answer, words in (("yes", "work on longer inputs"), ("no", "fail")):
        agreed = [agrees for given, agrees in judged if given == answer]
        if agreed:
            found.append((words, sum(agreed), len(agreed)))
    return found
