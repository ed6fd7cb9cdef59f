"""The card of one profile, and the board of several, each as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from longreach import __version__
from longreach.answers.profile import NeedProfile, Profile, ProfiledRun
from longreach.answers.profile_suite import suite
from longreach.report.render import environment
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
        ("page made by", f"longreach {__version__}"),
    ]
    return [(name, value) for name, value in facts if value]


def _by_task(profile: Profile, need: str) -> list[tuple[str, str, list[ProfiledRun]]]:
    """Each task of a need, what theory says of it, and its runs."""
    tasks: dict[str, list[ProfiledRun]] = {}
    for run in profile.runs:
        if run.need == need:
            tasks.setdefault(run.task, []).append(run)
    return [(task, profile.theory.get(task, "not known"), found) for task, found in tasks.items()]


def render_profile_page(profile: Profile) -> str:
    """The card of a profile."""
    about = {need.need: need.about for need in suite().needs} if profile.suite == suite().suite else {}
    return (
        environment()
        .get_template("profile.html.jinja")
        .render(
            title=f"{profile.title}: what it extends",
            profile=profile,
            heat=heat_map(profile),
            about=about,
            tasks={each.need: _by_task(profile, each.need) for each in profile.needs},
            facts=_facts(profile),
        )
    )


def render_board_page(profiles: Sequence[Profile]) -> str:
    """All profiles of a board: a table that sorts and filters, every cell with its runs."""
    names = list(dict.fromkeys(each.need for profile in profiles for each in profile.needs))
    order = [need.need for need in suite().needs]
    names.sort(key=lambda name: order.index(name) if name in order else len(order))
    rows = [
        (profile, {each.need: (each, _by_task(profile, each.need)) for each in profile.needs})
        for profile in profiles
    ]
    return (
        environment()
        .get_template("board.html.jinja")
        .render(
            title="What models extend: the board",
            needs=names,
            rows=rows,
            made=f"longreach {__version__}",
            time=duration,
        )
    )
