"""What was found, in one sentence."""

from __future__ import annotations

from longreach.report.text import NO_BREAK, encoding_name, percent
from longreach.report.view import ReportView


def conclusion(view: ReportView) -> str:
    """In how many cells forecast and measurement agree, and where they do not.

    >>> from longreach.report.results_to_view import report_view
    >>> conclusion(report_view(None, ""))
    'No cell counts yet: a forecast is judged by three finished runs.'
    """
    cells = [(task, cell) for task in view.tasks for cell in task.chosen]
    judged = [(task, cell) for task, cell in cells if cell.judgement in ("agrees", "disagrees")]
    if not judged:
        return "No cell counts yet: a forecast is judged by three finished runs."
    parts = []
    for answer, words in (("yes", "work on longer inputs"), ("no", "fail")):
        asked = [
            cell
            for task, cell in judged
            if (verdict := task.verdict(cell.encoding)) is not None and verdict.answer == answer
        ]
        right = sum(cell.judgement == "agrees" for cell in asked)
        if asked:
            parts.append(f"{right} of {len(asked)} that were forecast to {words} do")
    wrong = [
        f"{task.name} with {encoding_name(cell.encoding)} ({percent(cell.last.mean)} at {cell.last.label})"
        for task, cell in view.disagreements
        if cell.last is not None
    ]
    text = f"Forecast and measurement agree in {view.agreeing} of {view.counted} cells: {', '.join(parts)}"
    return (text + (f"; not as forecast: {', '.join(wrong)}." if wrong else ".")).replace(NO_BREAK, " ")
