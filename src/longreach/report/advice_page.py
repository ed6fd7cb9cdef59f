"""One page of advice: what would help and why, and the original and its remedies by length."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from longreach import __version__
from longreach.advice.advice_words import (
    as_it_is,
    conclusion,
    shares_words,
    time_words,
    title,
    trial_name,
    trial_ranges,
)
from longreach.advice.task_advice import TaskAdvice
from longreach.advice.trials import Trial
from longreach.config.length_range import LengthRange
from longreach.report.render import environment
from longreach.report.svg_frame import Frame, line, svg

_KINDS = ("nope", "ape", "other e0", "other e1", "other e2", "other e3")
"""The classes of the original, of the first remedy, and of the others."""
_APART = 3.2  # pixels between the lines of different trials


def render_advice_page(found: TaskAdvice) -> str:
    """One HTML document that needs nothing else.

    >>> from longreach.advice import advise
    >>> page = render_advice_page(advise("parity", minutes=0))
    >>> page.startswith("<!doctype html>"), "scratchpad" in page
    (True, True)
    """
    original = found.trials.original
    trials = [*([] if original is None else [original]), *(trial for _, trial in found.trials.tried)]
    ranges = trial_ranges(found)
    rows = [
        {
            "name": trial_name(trial),
            "kind": _KINDS[min(number, len(_KINDS) - 1)],
            "shares": [shares_words(trial.span(lengths)) for lengths in ranges],
            "words": trial.cell.words,
        }
        for number, trial in enumerate(trials)
    ]
    return (
        environment()
        .get_template("advice.html.jinja")
        .render(
            title=f"{title(found)}: what would help?",
            heading=title(found),
            about=found.forecast.task.about,
            conclusion=conclusion(found),
            sides=as_it_is(found),
            remedies=[(remedy, found.in_study(remedy)) for remedy in found.remedies],
            sparsity=found.sparsity,
            rows=rows,
            ranges=[_shown(lengths) for lengths in ranges],
            untried=[(remedy.name, time_words(seconds)) for remedy, seconds in found.trials.untried],
            refused=found.trials.refused,
            trained=None if not trials else trials[0].cell,
            chart=Markup(_chart(trials, ranges)) if ranges else None,
            best=found.best,
            provenance=(("page made by", f"longreach {__version__}"),),
        )
    )


def _shown(lengths: LengthRange) -> str:
    return lengths.words


def _chart(trials: Sequence[Trial], ranges: Sequence[LengthRange]) -> str:
    """Accuracy by length, a line per run; the training range is shaded."""
    frame = Frame(width=460, height=270, left=36, low=0.0, high=1.0, first=-0.3, last=len(ranges) - 0.7)
    parts = [frame.strip(-0.5, 0.5, "trained"), *frame.grid([(0.0, "0"), (0.5, "50"), (1.0, "100")])]
    parts += frame.below([(place, _shown(lengths)) for place, lengths in enumerate(ranges)])
    for number, trial in enumerate(trials):
        shift = _APART * (number - (len(trials) - 1) / 2)
        kind = _KINDS[min(number, len(_KINDS) - 1)]
        for curve in trial.curves:
            places = [
                (frame.x(ranges.index(lengths)) + shift, frame.y(share) + shift / 2)
                for lengths, share in curve
            ]
            parts.append(f'<path class="seed {kind}" d="{line(places)}"/>')
    told = "; ".join(f"{trial_name(trial)}, {trial.cell.words}" for trial in trials)
    return svg(frame, f"accuracy in per cent by length. {told}.", parts, "panel large")
