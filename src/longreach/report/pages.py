"""Single pages: the answers on a task, advice, profiles, and the inspection of a model."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from longreach import __version__
from longreach.answers.advice import TaskAdvice
from longreach.answers.ask import Block
from longreach.answers.judge import MeasuredCell
from longreach.answers.profile import Profile
from longreach.answers.suggestions import shares_words
from longreach.report.collect import single_task
from longreach.report.profiles import board_parts, card_parts
from longreach.report.render import environment
from longreach.report.svg import Series, by_length
from longreach.tasks.lengths import LengthRange
from longreach.theory.program_class import ENCODING_SIDES
from longreach.wording import percent, roughly

if TYPE_CHECKING:
    from longreach.inspection.report import Inspection


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

    >>> from longreach.answers.ask import Line
    >>> line = Line("without positions (NoPE)", "expected to fail", "proved")
    >>> page = render_answer_page(
    ...     "(aa)*", "words of even length", task="regex:(aa)*", runs=None, judgement="",
    ...     blocks=[Block("Will it work on longer inputs?", (line,))],
    ... )
    >>> page.startswith("<!doctype html>"), "expected to fail" in page
    (True, True)
    """
    view = single_task(runs, task, None if alphabet is None else tuple(alphabet))
    return _page(
        "answer",
        f"{title}: will it work on longer inputs?",
        heading=title,
        about=about,
        blocks=blocks,
        judgement=judgement,
        task=view,
        columns=tuple(dict.fromkeys([*ENCODING_SIDES, *(cell.encoding for cell in view.cells)])),
    )


def _page(template: str, title: str, **parts: Any) -> str:
    made_by = (("page made by", f"longreach {__version__}"),)
    found = environment().get_template(f"{template}.html.jinja")
    return found.render(title=title, provenance=made_by, **parts)


_KINDS = ("nope", "ape", "other e0", "other e1", "other e2", "other e3")
"""The classes of the original, of the first remedy, and of the others."""


def render_advice_page(found: TaskAdvice) -> str:
    """One HTML document that needs nothing else.

    >>> from longreach.answers.advice import advise
    >>> page = render_advice_page(advise("parity", minutes=0))
    >>> page.startswith("<!doctype html>"), "scratchpad" in page
    (True, True)
    """
    ranges = found.ranges
    rows = [
        {
            "name": name,
            "kind": _kind(number),
            "shares": [shares_words(cell.span(lengths)) for lengths in ranges],
            "words": cell.words,
        }
        for number, (name, cell) in enumerate(found.tried)
    ]
    return _page(
        "advice",
        f"{found.forecast.title}: what would help?",
        heading=found.forecast.title,
        about=found.forecast.task.about,
        conclusion=found.conclusion,
        sides=found.as_it_is,
        remedies=[(remedy, found.in_study(remedy)) for remedy in found.remedies],
        sparsity=found.sparsity,
        rows=rows,
        ranges=[lengths.words for lengths in ranges],
        untried=[(remedy.name, f"about {roughly(seconds)}") for remedy, seconds in found.trials.untried],
        refused=found.trials.refused,
        trained=found.tried[0][1] if found.tried else None,
        chart=Markup(_chart(found.tried, ranges)) if ranges else None,
        best=found.best,
    )


def _kind(number: int) -> str:
    return _KINDS[min(number, len(_KINDS) - 1)]


def _chart(trials: Sequence[tuple[str, MeasuredCell]], ranges: Sequence[LengthRange]) -> str:
    series = [
        Series(_kind(number), [[(ranges.index(each), share) for each, share in run] for run in cell.curves])
        for number, (_, cell) in enumerate(trials)
    ]
    told = "; ".join(f"{name}, {cell.words}" for name, cell in trials)
    labels = [lengths.words for lengths in ranges]
    return by_length(labels, series, f"accuracy in per cent by length. {told}.")


def render_profile_page(profile: Profile) -> str:
    """The card of a profile: one HTML document that needs nothing else."""
    return _page("profile", f"{profile.title}: what it extends", **card_parts(profile))


def render_board_page(profiles: Sequence[Profile]) -> str:
    """All profiles of a board: a table that sorts and filters, every number with its runs.

    >>> "No profile stands on this board yet." in render_board_page([])
    True
    """
    return _page("board", "How far models generalize: the board", **board_parts(profiles))


CAPTIONS = {
    "lengths": "Accuracy by length; the shaded lengths were trained. A limit transformer has no longest "
    "input.",
    "histogram": "Heads by offset variance: 0 where the product of two positions depends on their distance "
    "alone.",
    "heatmaps": "Some heads, from the largest offset variance to the least: the product of each pair of "
    "positions, the same with its mean at each distance, and the softmax of windows at several offsets.",
    "profiles": "The mean at each distance, and the nearest local and periodic function.",
    "hardness": "How hard attention is at the training length: the mean largest weight of a query, and its "
    "entropy as a share of that of even attention.",
    "construction": "Weights on the keys that the heads of the task's program attend, and on the others, of "
    "the trained head that is nearest.",
}


def render_inspection_page(found: Inspection, figures: Mapping[str, bytes], *, title: str) -> str:
    """One HTML document that needs nothing else; `figures` are SVG files by their names."""
    shown = [
        {"name": name, "caption": caption, "source": _data(figures[name])}
        for name, caption in CAPTIONS.items()
        if name in figures
    ]
    return _page(
        "inspection",
        f"{title}: what it does",
        heading=title,
        found=found,
        facts=[(name, value) for name, value in _facts(found).items() if value is not None],
        figures=shown,
        number=lambda value: f"{value:.3g}",
        percent_or_none=lambda value: percent(value, 0),
    )


def _data(content: bytes) -> Markup:
    """An image that is part of the page."""
    return Markup("data:image/svg+xml;base64,") + Markup(base64.b64encode(content).decode())


def _facts(found: Inspection) -> dict[str, Any]:
    facts = found.facts
    layers = facts.get("layers")
    shape = None
    if layers:
        shape = f"{layers} layers of {facts['heads_per_layer']} heads, width {facts['width']}"
    return {
        "task": facts.get("task"),
        "kind": facts.get("architecture") or found.kind,
        "shape": shape,
        "positions": facts.get("encoding"),
        "trained to": facts.get("trained_to"),
        "seed": facts.get("seed"),
        "product functions": found.products_from,
    }
