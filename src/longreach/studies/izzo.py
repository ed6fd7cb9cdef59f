"""Izzo, Nichani and Lee: SimpleTask, ModPTask and in-context k-grams, with their figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from longreach.figures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY
from longreach.runs.cells import Spread
from longreach.studies.drawing import titled
from longreach.studies.losses import LossGrid, LossReport, loss_study, parameters_of
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
    """Test loss against test length, plateaus against N, and the least N."""
    panels = 3 + any(each.values("attention right") for each in report.outcomes)
    drawn = titled(title, (3.3 * panels, 3.3))
    places = drawn.subplots(1, panels)
    _curves(places[0], report)
    _plateaus(places[1], report)
    _thresholds(places[2], report)
    if panels > 3:
        _attention(places[3], report)
    for place in places:
        place.tick_params(labelsize=7)
        if place.get_legend_handles_labels()[0]:
            place.legend(fontsize=6, frameon=False)
    return drawn


def _titled(place: Axes, title: str, x: str, y: str) -> None:
    place.set_title(title, fontsize=8)
    place.set_xlabel(x, fontsize=8)
    place.set_ylabel(y, fontsize=8)


def _band(place: Axes, number: int, points: Sequence[tuple[float, Spread]], label: str) -> None:
    """A line with the lowest and the highest run around it."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    x = [length for length, _ in points]
    means, low, high = (
        [max(getattr(spread, part), FLOOR) for _, spread in points] for part in ("mean", "low", "high")
    )
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
        _band(place, number, each.curve, f"N = {each.cell.train_to}")
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
        known = [(each.cell.train_to, each.plateau) for each in report.of_task(task) if each.plateau]
        if known:
            _band(place, number, known, parameters_of(task))
            drawn = True
    if drawn:
        place.axhline(report.loss, color="black", linewidth=0.7, linestyle=(0, (4, 3)))
        _logarithmic(place)


def _thresholds(place: Axes, report: LossReport) -> None:
    """A point for each seed, and the line through them; hollow where the smallest N was enough."""
    _titled(place, f"least N for a loss of {report.loss:g}", " or ".join(report.axes), "training length N")
    for number, law in enumerate(report.laws):
        own = [each for each in report.thresholds if parameters_of(each.task, law.parameter) == law.fixed]
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
            place.plot(
                [value for value, _ in points], [length for _, length in points], color=colour, marker=marker,
                markersize=3.5, markerfacecolor=inside, linestyle="", label=named,
            )  # fmt: skip
    place.set_ylim(bottom=0)


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
        points = []
        for each in report.of_task(task):
            mean, spread = each.spread(f"attention {name}"), each.spread(f"attention {name} deviation")
            if mean is not None and spread is not None:
                low, high = max(mean.mean - spread.mean, 0.0), mean.mean + spread.mean
                points.append((each.cell.train_to, replace(mean, low=low, high=high)))
        if points:
            _band(place, number, points, f"{name} residue")
    expected = 1 / max(1, ATTENTION_LENGTH // periods[task])
    label = f"uniform: {expected:.3f}"
    place.axhline(expected, color="black", linewidth=0.7, linestyle=(0, (4, 3)), label=label)


# SimpleTask (Figure 1): the training length that a frequency needs.


def _simple_task(omegas: Sequence[int], lengths: Sequence[int]) -> dict[str, Sequence[int]]:
    return {f"simple-task:omega={omega}": lengths for omega in omegas}


SIMPLE_TASK = loss_study(
    name="simple-task",
    title="SimpleTask: loss at longer lengths",
    source="Izzo, Nichani and Lee, arXiv 2510.27015, Figure 1 of the workshop version",
    about="sin(ω (c0 − c1) / (c0 + c1)) from counts: plateaus, and the least N for a loss of 0.01 against ω",
    time="laptop: 120 runs, about five minutes on two cores",
    axes=("omega",),
    loss=NUMBER_FAMILIES["simple-task"].loss,
    law="linear in ω",
    grids={
        "smoke": LossGrid(_simple_task((1, 2), (4, 8)), tests=(8, 16, 32), seeds=1),
        "laptop": LossGrid(
            _simple_task((2, 4, 6, 8, 12), (3, 4, 6, 8, 12, 16, 24, 32)),
            tests=(8, 16, 32, 64, 128, 256, 512),
            seeds=3,
        ),
        "paper": LossGrid(
            _simple_task((1, 2, 4, 6, 8, 10, 12, 14, 16), (3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)),
            tests=(8, 16, 32, 64, 128, 256, 512),
            seeds=8,
        ),
    },
    figure=loss_figure,
)


# ModPTask (Figures 2 and 3): the training length that a period needs, and attention.


def _modp_task(periods: Sequence[int], times: Sequence[int]) -> dict[str, Sequence[int]]:
    return {f"modp-task:p={period},k=0": [each * period for each in times] for period in periods}


MODP_TASK = loss_study(
    name="modp-task",
    title="ModPTask: loss at longer lengths",
    source="Izzo, Nichani and Lee, arXiv 2510.27015, Figures 2 and 3 of the workshop version",
    about="the mean of the bits at positions 0 modulo p: plateaus, least N for a loss of 0.001, attention",
    time="laptop: 60 runs, under two minutes on two cores",
    axes=("p",),
    loss=NUMBER_FAMILIES["modp-task"].loss,
    law="linear in the period p",
    grids={
        "smoke": LossGrid(_modp_task((2, 3), (2, 3)), tests=(16, 32), seeds=1),
        "laptop": LossGrid(
            _modp_task((2, 3, 5, 8), (1, 2, 3, 4, 6)), tests=(16, 32, 64, 128, 256, 512), seeds=3
        ),
        "paper": LossGrid(
            _modp_task((2, 3, 4, 5, 6, 8, 10), (1, 2, 3, 4, 6, 8, 12)),
            tests=(16, 32, 64, 128, 256, 512, 1024),
            seeds=8,
        ),
    },
    figure=loss_figure,
)


# In-context k-grams with two layers (Theorem 5.2): against S and against k.


def _kgrams(
    symbols: Mapping[int, Sequence[int]], lengths: Sequence[Sequence[int]]
) -> dict[str, Sequence[int]]:
    """By k the numbers S of symbols, and the lengths for k = 1 and for more."""
    return {
        f"in-context-kgram:S={number},k={order}": lengths[order > 1]
        for order, numbers in symbols.items()
        for number in numbers
    }


KGRAM = loss_study(
    name="in-context-kgram",
    title="In-context k-grams: loss at longer lengths",
    source="Izzo, Nichani and Lee, arXiv 2510.27015, section 5 and its experiment with two layers",
    about="what followed the last k of S symbols: plateaus, the least N for a loss of 0.05 against S and k",
    time="laptop: 60 runs, about 12 minutes on two cores",
    axes=("S", "k"),
    loss=NUMBER_FAMILIES["in-context-kgram"].loss,
    law="grows with S and with k",
    grids={
        "smoke": LossGrid(_kgrams({1: (2, 3)}, [(6, 10)]), tests=(16, 32), seeds=1),
        "laptop": LossGrid(
            _kgrams({1: (2, 3, 4), 2: (2,)}, [(4, 6, 8, 12, 16), (16, 24, 32, 48, 64)]),
            tests=(16, 32, 64, 128, 256),
            seeds=3,
        ),
        "paper": LossGrid(
            _kgrams(
                {1: (2, 3, 4, 5), 2: (2, 3, 4), 3: (2,), 4: (2,)},
                [(4, 8, 12, 16, 24, 32, 48, 64), (12, 16, 24, 32, 48, 64, 96, 128)],
            ),
            tests=(32, 64, 128, 256, 512),
            seeds=8,
        ),
    },
    figure=loss_figure,
)
