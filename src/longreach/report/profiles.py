"""What the pages on profiles show: the card of one, and the board of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from longreach.answers.board import board_needs, by_form
from longreach.answers.profile import NeedProfile, Profile, ProfiledRun
from longreach.answers.profile_suite import suite
from longreach.report.svg import Frame, svg
from longreach.report.words import escaped
from longreach.wording import duration

ROW, LEFT, CELL = 26.0, 150.0, 52.0


def heat_map(profile: Profile) -> Markup:
    """Needs by lengths: how many of the runs reach each length, as the strength of a colour."""
    lengths = sorted({int(length) for each in profile.needs for length in each.curve})
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
    share = need.curve.get(str(length))
    place = f'x="{x + 1:.1f}" y="{y + 1:.1f}" width="{CELL - 2:g}" height="{ROW - 2:g}" rx="3"'
    if share is None:
        return f'<rect class="none" {place}/>'
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
        ("parameters", f"{profile.parameters:,}"),
        ("state", "" if profile.state_size is None else f"{profile.state_size:,} numbers at length 500"),
        ("learning rate", f"{budget.rate:g}" + (", chosen on development tasks" if budget.rates else "")),
        ("examples", f"{budget.examples:,} in {len(profile.runs) + len(profile.tried)} runs"),
        ("time", f"{duration(profile.seconds)} of one core"),
        ("command", profile.command),
        ("code", profile.code),
    ]
    return [(name, value) for name, value in facts if value]


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
    }


def board_parts(profiles: Sequence[Profile]) -> dict[str, Any]:
    """What the board's template is called with."""
    numbers = {id(profile): number for number, profile in enumerate(profiles, 1)}
    forms = [
        (form, board_needs(found), [(numbers[id(each)], each, _by_need(each)) for each in found])
        for form, found in by_form(profiles).items()
    ]
    return {"forms": forms, "time": duration}


def _by_need(profile: Profile) -> dict[str, tuple[NeedProfile, list[tuple[str, str, list[ProfiledRun]]]]]:
    return {each.need: (each, by_task(profile, each.need)) for each in profile.needs}
