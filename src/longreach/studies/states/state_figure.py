"""The figure of `state-tracking`: published accuracies by verdict, and ours of the sample by encoding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import TYPE_CHECKING

from longreach.comparison.outcome import Outcome
from longreach.comparison.state_languages import TRAINED_TO
from longreach.studies.drawing import GREEN, GREY, LIGHT, RED
from longreach.studies.states.published_verdicts import judged_languages
from longreach.studies.states.state_cells import ENCODINGS, sample
from longreach.studies.states.state_distance import LanguageDistance, language_distances

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {True: GREEN, False: RED}
NAMES = {True: "a program exists", False: "none exists"}
TITLES = {"nope": "ours, without positions", "ape": "ours, learned positions"}


def figure(found: Sequence[Outcome], title: str) -> Figure:
    """Left and middle: the two suites. Right: the sample after letters, with each encoding."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    drawn = Figure(figsize=(12.0, 3.6), layout="constrained")
    drawn.suptitle(title, fontsize=10)
    halves = drawn.subfigures(1, 2, squeeze=False)
    suites, ours = halves[0]
    left = suites.subplots(1, len(TRAINED_TO), sharey=True)
    for axis, suite in zip(left, TRAINED_TO, strict=True):
        languages = [each for each in judged_languages() if each.published.suite == suite]
        lines = {
            label: [each.published.accuracy for each in languages if each.after_letter is label]
            for label in COLOURS
        }
        _panel(axis, lines)
        counts = f"{len(lines[True])} with a program, {len(lines[False])} without"
        axis.set_title(f"published, trained to {TRAINED_TO[suite]}\n{counts}", fontsize=8)
    left[0].set_ylabel("accuracy", fontsize=8)
    distances = [each for each in language_distances(found) if each.after]
    for axis, encoding in zip(ours.subplots(1, len(ENCODINGS), sharey=True), ENCODINGS, strict=True):
        _ours(axis, [each for each in distances if each.encoding == encoding])
        axis.set_title(TITLES[encoding], fontsize=8)
    handles = [Line2D([], [], color=COLOURS[label], label=NAMES[label]) for label in COLOURS]
    handles.append(
        Line2D([], [], color=GREY, linewidth=3.2, alpha=LIGHT, label="published, the same languages")
    )
    drawn.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=7, frameon=False)
    return drawn


def _panel(axis: Axes, lines: dict[bool, list[dict[str, float]]]) -> None:
    ranges: list[str] = []
    for label, each in lines.items():
        for accuracy in each:
            axis.plot(list(accuracy.values()), color=COLOURS[label], linewidth=0.5, alpha=LIGHT)
        if each:
            ranges = list(each[0])
            medians = [median(accuracy[name] for accuracy in each) for name in ranges]
            axis.plot(medians, color=COLOURS[label], linewidth=2.0)
    _dress(axis, ranges)


def _ours(axis: Axes, found: Sequence[LanguageDistance]) -> None:
    labels = {name: each.c_rasp for name, each in sample().items()}
    for each in found:
        colour = COLOURS[labels[each.name]]
        axis.plot(list(each.published.values()), color=colour, linewidth=3.2, alpha=LIGHT)
        axis.plot(list(each.ours.values()), color=colour, linewidth=1.2, marker="o", markersize=3)
    if not found:
        axis.text(0.5, 0.5, "not run", transform=axis.transAxes, ha="center", fontsize=7, color=GREY)
    _dress(axis, found[0].ours if found else ())


def _dress(axis: Axes, ranges: Iterable[str]) -> None:
    names = [name.replace("-", "–") for name in ranges]
    axis.set_xticks(range(len(names)), names, rotation=60)
    axis.set_ylim(-0.05, 1.05)
    axis.tick_params(labelsize=6.5, length=2)
