"""The first figure of the README: held-out languages of the census, by verdict, from committed runs.

`python tools/front_figure.py` writes `docs/images/front.png`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from longreach.studies.census.tables import CensusRun, language_table, read_runs

ROOT = Path(__file__).parent.parent
RUNS, PICTURE = ROOT / "results" / "census" / "runs.jsonl", ROOT / "docs" / "images" / "front.png"
TITLES = {
    "nope": "without positions",
    "ape": "with learned positions",
    "reach": "with reach",
}
COLOURS = {"yes": "#2a7f3f", "no": "#d2691e"}
WORDS = {"yes": "theory expects the language to generalize", "no": "theory expects it to fail"}
RATIOS = (1, 2, 3, 5, 10)
TRAINED_TO = 20


def draw() -> Figure:
    figure = Figure(figsize=(10, 3.7), layout="constrained")
    runs, facts = read_runs(RUNS), language_table()
    panels: Sequence[Axes] = figure.subplots(1, len(TITLES), sharey=True)
    for axis, (encoding, title) in zip(panels, TITLES.items(), strict=True):
        lines: dict[str, list[list[float]]] = {"yes": [], "no": []}
        by_language: dict[str, list[CensusRun]] = {}
        for run in runs:
            if run.encoding == encoding and run.trained_to == TRAINED_TO:
                by_language.setdefault(run.language, []).append(run)
        for key, found in by_language.items():
            if facts[key].part == "held-out":
                answer = "yes" if facts[key].sides[encoding].verdict == "yes" else "no"
                points = [run.accuracy for run in found]
                lines[answer].append([fmean(each) for each in zip(*points, strict=False)])
        for answer, here in lines.items():
            for accuracy in here:
                places = range(len(accuracy))
                axis.plot(places, accuracy, color=COLOURS[answer], alpha=0.13, linewidth=0.8)
            mean = [fmean(each) for each in zip(*here, strict=False)]
            axis.plot(
                range(len(mean)), mean, color=COLOURS[answer], linewidth=2.5, marker="o", label=WORDS[answer]
            )
        axis.set_title(
            f"{title}\nexpected: {len(lines['yes'])} generalize, {len(lines['no'])} fail", fontsize=10
        )
        axis.set_xticks(range(len(RATIOS)), ["training\nlengths", *(f"{each}×" for each in RATIOS[1:])])
        axis.set_ylim(-0.03, 1.03)
        axis.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("accuracy on new words")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, ncols=2, fontsize=10, loc="outside lower center", frameon=False)
    return figure


if __name__ == "__main__":
    draw().savefig(PICTURE, dpi=160)
