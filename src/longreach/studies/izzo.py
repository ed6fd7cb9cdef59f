"""Izzo, Nichani and Lee: SimpleTask, ModPTask and in-context k-grams, with their figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longreach.config.scales import Scale
from longreach.figures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY
from longreach.studies.drawing import titled
from longreach.studies.losses import LossGrid, LossReport, Threshold, loss_study
from longreach.tasks.names import NUMBER_FAMILIES, FamilyName

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The figure: loss by test length and by N, the least N by parameter, and bounds.


COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK, GREY)
MARKERS = "osD^vPX*"
BAND = 0.2
ATTENTION_LENGTH = 80
PUBLISHED_PERIOD = 5
FLOOR = 1e-12
"""Losses are drawn on a logarithmic axis."""


def loss_figure(report: LossReport, title: str) -> Figure:
    """Test loss against test length, plateaus against N, the least N, and bound / measured."""
    panels = 4 + any(each.values("attention right") for each in report.outcomes)
    drawn = titled(title, (3.3 * panels, 3.3))
    places = drawn.subplots(1, panels)
    _curves(places[0], report)
    _plateaus(places[1], report)
    _thresholds(places[2], report)
    _ratios(places[3], report)
    if panels > 4:
        _attention(places[4], report)
    for place in places:
        place.tick_params(labelsize=7)
        if place.get_legend_handles_labels()[0]:
            place.legend(fontsize=6, frameon=False)
    return drawn


def _titled(place: Axes, title: str, x: str, y: str) -> None:
    place.set_title(title, fontsize=8)
    place.set_xlabel(x, fontsize=8)
    place.set_ylabel(y, fontsize=8)


def _band(
    place: Axes, number: int, x: Sequence[float], y: Sequence[tuple[float, float, float]], label: str
) -> None:
    """A line with the lowest and the highest run around it."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    means, low, high = ([max(each[part], FLOOR) for each in y] for part in range(3))
    place.plot(x, means, color=colour, marker=marker, markersize=3.5, linewidth=1.1, label=label)
    place.fill_between(x, low, high, color=colour, alpha=BAND, linewidth=0)


def _curves(place: Axes, report: LossReport) -> None:
    """Of the task in the middle, one line for each N."""
    with_runs = [task for task in report.tasks if report.of_task(task)]
    _titled(place, "test loss", "test length", "mean squared error")
    if not with_runs:
        return
    task = with_runs[len(with_runs) // 2]
    place.set_title(f"test loss, {task}", fontsize=8)
    for number, each in enumerate(report.of_task(task)):
        curve = each.curve
        spreads = [(spread.mean, spread.low, spread.high) for _, spread in curve]
        _band(place, number, [length for length, _ in curve], spreads, f"N = {each.cell.train_to}")
    _logarithmic(place)


def _logarithmic(place: Axes) -> None:
    """Lengths by powers of two, losses by powers of ten."""
    from matplotlib.ticker import NullFormatter

    place.set_xscale("log", base=2)
    place.xaxis.set_major_formatter("{x:g}")
    place.xaxis.set_minor_formatter(NullFormatter())
    place.set_yscale("log")


def _plateaus(place: Axes, report: LossReport) -> None:
    _titled(place, "loss at the longest test", "training length N", "mean squared error")
    drawn = False
    for number, task in enumerate(report.tasks):
        found = [(each.cell.train_to, each.plateau) for each in report.of_task(task)]
        known = [(length, spread) for length, spread in found if spread is not None]
        if known:
            spreads = [(spread.mean, spread.low, spread.high) for _, spread in known]
            _band(place, number, [length for length, _ in known], spreads, short(task))
            drawn = True
    if drawn:
        place.axhline(report.loss, color="black", linewidth=0.7, linestyle=(0, (4, 3)))
        _logarithmic(place)


def short(task: str) -> str:
    """The parameters of a task.

    >>> short("in-context-kgram:S=2,k=1")
    'S=2, k=1'
    """
    return ", ".join(f"{name}={value:g}" for name, value in FamilyName.read(task).parameters.items())


def _thresholds(place: Axes, report: LossReport) -> None:
    """A point for each seed, and the line through them; hollow where the smallest N was enough."""
    _titled(place, f"least N for a loss of {report.loss:g}", " or ".join(report.axes), "training length N")
    for number, law in enumerate(report.laws):
        own = [each for each in report.thresholds if _is_of(each, law.parameter, law.fixed)]
        values = {each.task: FamilyName.read(each.task).parameters[law.parameter] for each in own}
        between = [(values[each.task], length) for each in own for length in each.between]
        smallest = [(values[each.task], each.smallest) for each in own if each.smallest in each.reached]
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        label = f"{law.parameter}, {law.fixed}" if law.fixed else law.parameter
        if law.line is not None:
            label += f": {law.line.slope:.2f} [{law.line.low:.2f}, {law.line.high:.2f}]"
            ends = [min(law.values), max(law.values)]
            heights = [law.line.intercept + law.line.slope * end for end in ends]
            place.plot(ends, heights, color=colour, linewidth=0.9)
        for points, inside, named in ((between, colour, label), (smallest, "white", None)):
            x, y = [point[0] for point in points], [point[1] for point in points]
            place.plot(
                x,
                y,
                color=colour,
                marker=marker,
                markersize=3.5,
                markerfacecolor=inside,
                linestyle="",
                label=named,
            )
    place.set_ylim(bottom=0)


def _is_of(threshold: Threshold, parameter: str, fixed: str) -> bool:
    values = FamilyName.read(threshold.task).parameters
    return fixed == ", ".join(f"{name}={value:g}" for name, value in values.items() if name != parameter)


def _ratios(place: Axes, report: LossReport) -> None:
    """How loose the bounds are, their unknown constants taken as 1."""
    _titled(place, "bound / measured (constants 1)", "", "ratio")
    names = list(dict.fromkeys(bound.name for each in report.thresholds for bound in each.bounds))
    drawn = False
    for number, name in enumerate(names):
        found = [
            (position, ratio)
            for position, each in enumerate(report.thresholds)
            for bound in each.bounds
            if bound.name == name and (ratio := bound.ratio(each.length)) is not None
        ]
        if found:
            x, y = zip(*found, strict=True)
            place.plot(x, y, color=COLOURS[number], marker=MARKERS[number], markersize=4, label=name)
            drawn = True
    ticks = range(len(report.thresholds))
    place.set_xticks(list(ticks), [short(each.task) for each in report.thresholds], rotation=40, ha="right")
    if drawn:
        place.axhline(1.0, color="black", linewidth=0.7, linestyle=(0, (4, 3)))
        place.set_yscale("log")


def _attention(place: Axes, report: LossReport) -> None:
    """Of the period 5 as in Figure 3 of the paper, else of the largest that divides the length."""
    tasks = [task for task in report.tasks if report.of_task(task)]
    periods = {task: int(FamilyName.read(task).parameters["p"]) for task in tasks}
    whole = [each for each in tasks if ATTENTION_LENGTH % periods[each] == 0]
    published = [each for each in tasks if periods[each] == PUBLISHED_PERIOD]
    task = max(published or whole or tasks, key=periods.__getitem__)
    _titled(
        place, f"attention at length {ATTENTION_LENGTH}, {task}", "training length N", "weight of a position"
    )
    for number, name in enumerate(("right", "wrong")):
        x, y = [], []
        for each in report.of_task(task):
            mean, spread = each.spread(f"attention {name}"), each.spread(f"attention {name} deviation")
            if mean is not None and spread is not None:
                x.append(each.cell.train_to)
                y.append((mean.mean, max(mean.mean - spread.mean, 0.0), mean.mean + spread.mean))
        if x:
            _band(place, number, x, y, f"{name} residue")
    expected = 1 / max(1, ATTENTION_LENGTH // periods[task])
    label = f"uniform: {expected:.3f}"
    place.axhline(expected, color="black", linewidth=0.7, linestyle=(0, (4, 3)), label=label)


# SimpleTask (Figure 1): the training length that a frequency needs.


SIMPLE_TASK_TESTS = (8, 16, 32, 64, 128, 256, 512)
OMEGAS: dict[Scale, tuple[int, ...]] = {
    "smoke": (1, 2),
    "laptop": (2, 4, 6, 8, 12),
    "paper": (1, 2, 4, 6, 8, 10, 12, 14, 16),
}
SIMPLE_TASK_LENGTHS: dict[Scale, tuple[int, ...]] = {
    "smoke": (4, 8),
    "laptop": (3, 4, 6, 8, 12, 16, 24, 32),
    "paper": (3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64),
}
SEEDS: dict[Scale, int] = {"smoke": 1, "laptop": 3, "paper": 8}


def simple_task_grid(scale: Scale) -> LossGrid:
    """Every frequency with every N."""
    tasks = [f"simple-task:omega={omega}" for omega in OMEGAS[scale]]
    tests = (8, 16, 32) if scale == "smoke" else SIMPLE_TASK_TESTS
    return LossGrid(
        train_to=dict.fromkeys(tasks, SIMPLE_TASK_LENGTHS[scale]), tests=tests, seeds=SEEDS[scale]
    )


SIMPLE_TASK = loss_study(
    name="simple-task",
    title="SimpleTask: loss at longer lengths",
    source="Izzo, Nichani and Lee, arXiv 2510.27015, Figure 1 of the workshop version",
    about="sin(ω (c0 − c1) / (c0 + c1)) from counts: plateaus, and the least N for a loss of 0.01 against ω",
    time="laptop: 120 runs, about five minutes on two cores",
    axes=("omega",),
    loss=NUMBER_FAMILIES["simple-task"].loss,
    law="linear in ω",
    grid=simple_task_grid,
    figure=loss_figure,
)


# ModPTask (Figures 2 and 3): the training length that a period needs, and attention.


MODP_TASK_TESTS: dict[Scale, tuple[int, ...]] = {
    "smoke": (16, 32),
    "laptop": (16, 32, 64, 128, 256, 512),
    "paper": (16, 32, 64, 128, 256, 512, 1024),
}
PERIODS: dict[Scale, tuple[int, ...]] = {
    "smoke": (2, 3),
    "laptop": (2, 3, 5, 8),
    "paper": (2, 3, 4, 5, 6, 8, 10),
}
MULTIPLES: dict[Scale, tuple[int, ...]] = {
    "smoke": (2, 3),
    "laptop": (1, 2, 3, 4, 6),
    "paper": (1, 2, 3, 4, 6, 8, 12),
}


def modp_task_grid(scale: Scale) -> LossGrid:
    """Every period with multiples of it as N."""
    tasks = {
        f"modp-task:p={period},k=0": tuple(times * period for times in MULTIPLES[scale])
        for period in PERIODS[scale]
    }
    return LossGrid(train_to=tasks, tests=MODP_TASK_TESTS[scale], seeds=SEEDS[scale])


MODP_TASK = loss_study(
    name="modp-task",
    title="ModPTask: loss at longer lengths",
    source="Izzo, Nichani and Lee, arXiv 2510.27015, Figures 2 and 3 of the workshop version",
    about="the mean of the bits at positions 0 modulo p: plateaus, least N for a loss of 0.001, attention",
    time="laptop: 60 runs, under two minutes on two cores",
    axes=("p",),
    loss=NUMBER_FAMILIES["modp-task"].loss,
    law="linear in the period p",
    grid=modp_task_grid,
    figure=loss_figure,
)


# In-context k-grams with two layers (Theorem 5.2): against S and against k.


TASKS: dict[Scale, tuple[tuple[int, int], ...]] = {
    "smoke": ((2, 1), (3, 1)),
    "laptop": ((2, 1), (3, 1), (4, 1), (2, 2)),
    "paper": ((2, 1), (3, 1), (4, 1), (5, 1), (2, 2), (3, 2), (4, 2), (2, 3), (2, 4)),
}
"""S and k."""
KGRAM_LENGTHS: dict[Scale, tuple[int, ...]] = {
    "smoke": (6, 10),
    "laptop": (4, 6, 8, 12, 16, 24),
    "paper": (4, 8, 12, 16, 24, 32, 48, 64),
}
LONGER: dict[Scale, tuple[int, ...]] = {
    "smoke": (6, 10),
    "laptop": (16, 24, 32, 48, 64, 96),
    "paper": (12, 16, 24, 32, 48, 64, 96, 128),
}
"""From k = 2 on."""
KGRAM_TESTS: dict[Scale, tuple[int, ...]] = {
    "smoke": (16, 32),
    "laptop": (16, 32, 64, 128, 256),
    "paper": (32, 64, 128, 256, 512),
}


def kgram_grid(scale: Scale) -> LossGrid:
    """Every S and k with several N."""
    lengths = {
        f"in-context-kgram:S={symbols},k={order}": KGRAM_LENGTHS[scale] if order == 1 else LONGER[scale]
        for symbols, order in TASKS[scale]
    }
    return LossGrid(train_to=lengths, tests=KGRAM_TESTS[scale], seeds=SEEDS[scale])


KGRAM = loss_study(
    name="in-context-kgram",
    title="In-context k-grams: loss at longer lengths",
    source="Izzo, Nichani and Lee, arXiv 2510.27015, section 5 and its experiment with two layers",
    about="what followed the last k of S symbols: plateaus, the least N for a loss of 0.05 against S and k",
    time="laptop: 72 runs, about seven minutes on two cores",
    axes=("S", "k"),
    loss=NUMBER_FAMILIES["in-context-kgram"].loss,
    law="grows with S and with k",
    grid=kgram_grid,
    figure=loss_figure,
)
