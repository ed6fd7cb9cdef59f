"""One page for one task: three questions with their answers, then what was measured, and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longreach import __version__
from longreach.answer.answers_to_words import Block
from longreach.report.render import environment
from longreach.report.results_to_view import single_task


def render_answer_page(
    title: str,
    about: str,
    *,
    blocks: Sequence[Block],
    judgement: str,
    task: str,
    runs: Path | None,
    alphabet: Sequence[str] | None = None,
) -> str:
    """One HTML document that needs nothing else: the answers, then the runs of the task and its certificates.

    The caller has named the task, so it is loaded whatever it is: a file is read, a module imported.

    >>> from longreach.answer.answers_to_words import Line
    >>> line = Line("without positions (NoPE)", "expected to fail", "proved")
    >>> page = render_answer_page(
    ...     "(aa)*", "words of even length", task="regex:(aa)*", runs=None, judgement="",
    ...     blocks=[Block("Will it work on longer inputs?", (line,))],
    ... )
    >>> page.startswith("<!doctype html>"), "expected to fail" in page
    (True, True)
    """
    view = single_task(runs, task, None if alphabet is None else tuple(alphabet))
    template = environment().get_template("answer.html.jinja")
    return template.render(
        title=f"{title}: will it work on longer inputs?",
        heading=title,
        about=about,
        blocks=blocks,
        judgement=judgement,
        task=view,
        columns=tuple(dict.fromkeys(["nope", "ape", *(cell.encoding for cell in view.cells)])),
        provenance=(("page made by", f"longreach {__version__}"),),
    )
