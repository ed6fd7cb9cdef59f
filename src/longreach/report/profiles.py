"""What the pages on profiles show: the card of one, and the board of several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from longreach.answers.board import board_needs, by_form
from longreach.answers.profile import SAID, NeedProfile, Profile, ProfiledRun
from longreach.answers.profile_suite import suite
from longreach.errors import InputError
from longreach.report.svg import Frame, svg
from longreach.report.words import escaped
from longreach.theory.architectures.classes import SILENT, ModelClass, model_class
from longreach.wording import counted, duration, listed

ROW, LEFT, CELL = 26.0, 180.0, 52.0


def heat_map(profile: Profile) -> Markup:
    """Needs by lengths: how many of the runs reach each length, as the strength of a colour."""
    lengths = profile.lengths
    height = 8.0 + ROW * len(profile.needs) + 21.0
    width = LEFT + CELL * len(lengths) + 8.0
    frame = Frame(width=width, height=height, low=0, high=1, first=0, last=len(lengths), left=LEFT)
    parts = []
    for row, need in enumerate(profile.needs):
        top = 8.0 + ROW * row
        parts.append(
            f'<text class="tick y" x="{LEFT - 8:g}" y="{top + ROW / 2 + 4:.1f}">{escaped(need.need)}</text>'
        )
        for column, length in enumerate(lengths):
            parts.append(_cell(need, length, LEFT + CELL * column, top))
    for column, length in enumerate(lengths):
        x = LEFT + CELL * (column + 0.5)
        parts.append(f'<text class="tick x" x="{x:.1f}" y="{height - 6:.1f}">{length}</text>')
    told = "; ".join(f"{each.need}: {each.words}" for each in profile.needs)
    return Markup(svg(frame, f"share of runs that reach each length. {told}.", parts, "large heat"))


def _cell(need: NeedProfile, length: int, x: float, y: float) -> str:
    share = need.share(length)
    place = f'x="{x + 1:.1f}" y="{y + 1:.1f}" width="{CELL - 2:g}" height="{ROW - 2:g}" rx="3"'
    tip = escaped(f"{need.need}, length {length}: {100 * share:.0f} % of {need.runs} runs")
    label = f"{100 * share:.0f}"
    kind = "strong" if share > 0.55 else "weak"
    text = f'<text class="share {kind}" x="{x + CELL / 2:.1f}" y="{y + ROW / 2 + 4:.1f}">{label}</text>'
    ground = f'<rect class="none" {place}/>'
    return f'{ground}<rect class="reach" fill-opacity="{share:.2f}" data-tip="{tip}" {place}/>{text}'


def _facts(profile: Profile) -> list[tuple[str, str]]:
    budget = profile.budget
    facts = [
        ("suite", f"{profile.suite}, tasks {profile.hash}, {profile.part} part"),
        ("model", profile.title),
        ("theory", _class_words(profile)),
        ("parameters", f"{profile.parameters:,}"),
        ("state", "" if profile.state_size is None else f"{profile.state_size:,} numbers at length 500"),
        ("learning rate", f"{budget.rate:g}" + (", chosen on development tasks" if budget.rates else "")),
        ("examples", f"{budget.examples:,} in {len(profile.runs) + len(profile.tried)} runs"),
        ("time", f"{duration(profile.seconds)} of one core"),
        ("command", profile.command),
        ("code", profile.code),
    ]
    return [(name, value) for name, value in facts if value]


def class_of(profile: Profile) -> ModelClass | None:
    """What the model can express, where theory says it."""
    place = {} if profile.encoding is None else {"encoding": profile.encoding}
    try:
        return model_class(profile.model, {**profile.model_options, **place})
    except InputError:
        return None


def _class_words(profile: Profile) -> str:
    found = class_of(profile)
    return SILENT if found is None else f"{found.title} ({found.source})"


def theory_words(profile: Profile) -> list[tuple[str, str]]:
    """By what theory says, which needs it says so of, and how far the model gets on their tasks."""
    found = class_of(profile)
    programs = found is not None and found.side is not None
    names = ("should extend", "should fail") if programs else ("can extend", "cannot extend")
    lines = []
    for said, name in zip(SAID, (*names, "not known"), strict=True):
        reached: dict[str, list[str]] = {}
        for each in profile.needs:
            count, length = each.by_theory.get(said, (0, 0))
            if count:
                some = "" if len(each.by_theory) == 1 else f" ({counted(count, 'task')})"
                reached.setdefault(f"to {length}" if length else "not fitted", []).append(each.need + some)
        if reached:
            lines.append((name, "; ".join(f"{words}: {listed(needs)}" for words, needs in reached.items())))
    return lines


def by_task(profile: Profile, need: str) -> list[tuple[str, str, list[ProfiledRun]]]:
    """Each task of a need, what theory says of it, and its runs."""
    tasks: dict[str, list[ProfiledRun]] = {}
    for run in profile.runs:
        if run.need == need:
            tasks.setdefault(run.task, []).append(run)
    return [(task, profile.theory.get(task, "not known"), found) for task, found in tasks.items()]


def card_parts(profile: Profile) -> dict[str, Any]:
    """What the template of a profile's card is called with."""
    known = suite()
    return {
        "profile": profile,
        "heat": heat_map(profile),
        "about": {need.need: need.about for need in known.needs} if profile.suite == known.suite else {},
        "tasks": {each.need: by_task(profile, each.need) for each in profile.needs},
        "facts": _facts(profile),
        "model_class": class_of(profile),
        "by_theory": theory_words(profile),
    }


def board_parts(profiles: Sequence[Profile]) -> dict[str, Any]:
    """What the board's template is called with."""
    numbers = {id(profile): number for number, profile in enumerate(profiles, 1)}
    forms = [
        (form, board_needs(found), [(numbers[id(each)], each, _by_need(each)) for each in found])
        for form, found in by_form(profiles).items()
    ]
    return {"forms": forms, "time": duration, "shade": shade}


def shade(need: NeedProfile) -> int:
    """How strong the colour of a cell is, from 0 to 9: the same step for each doubling of the length.

    >>> from longreach.answers.profile import need_profile
    >>> shade(need_profile("depth", [], 20))
    0
    """
    if not need.effective:
        return 0
    longest = suite().grid[-1] / need.trained_to
    return 1 + round(8 * min(1, max(0, math.log(need.effective / need.trained_to, longest))))


def _by_need(profile: Profile) -> dict[str, tuple[NeedProfile, list[tuple[str, str, list[ProfiledRun]]]]]:
    return {each.need: (each, by_task(profile, each.need)) for each in profile.needs}
