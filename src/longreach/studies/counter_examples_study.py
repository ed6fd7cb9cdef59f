"""Each assumption dropped at a time: the example that fails, and the intact one that works."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from longreach.config.scales import Scale
from longreach.sparsity.counter_examples import (
    ASSUMPTIONS,
    Assumptions,
    Problem,
    check_assumptions,
    counter_example,
)
from longreach.sparsity.defeating_ensemble import Defeat, defeating_ensemble
from longreach.sparsity.length_generalization import Generalization, length_generalizations
from longreach.sparsity.population_risk import population_risks
from longreach.studies.computed_study import ComputedReport, ComputedStudy
from longreach.studies.drawing import GREEN, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = ("dropped", "version", "L", "L̄", "δ", "η", "minimizers", "worst", "error", "best in class")
GRIDS: dict[Scale, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "smoke": ((8,), (2,)),
    "laptop": ((8, 16), (2, 4)),
    "paper": ((8, 16, 32), (2, 4, 8)),
}
"""L, and L̄ / L."""
CHECKED = 2
"""Assumptions are checked up to so many times L."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One problem at one L̄."""

    dropped: str
    version: str
    found: Generalization
    assumptions: Assumptions
    best: Fraction
    """The least error of any hypothesis at L̄."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "dropped": self.dropped,
            "version": self.version,
            "assumptions": self.assumptions.document(),
            "missing": list(self.assumptions.missing()),
            "best_in_class": float(self.best),
            **self.found.document(),
        }

    def line(self) -> tuple[str, ...]:
        """As the table has it."""
        eta = self.assumptions.eta_test
        return (
            self.dropped, self.version, str(self.found.train_length), str(self.found.test_length),
            f"{float(self.assumptions.realizability):.3g}", "none" if eta is None else f"{float(eta):g}",
            str(len(self.found.minimizers)), self.found.worst.removesuffix(", g1"),
            f"{float(self.found.error.value):.3f}", f"{float(self.best):.3f}",
        )  # fmt: skip


def compute(scale: Scale) -> ComputedReport:
    """All problems at all lengths, exactly."""
    train, times = GRIDS[scale]
    rows = [row for assumption in ASSUMPTIONS for length in train for row in _rows(assumption, length, times)]
    defeat = defeated()
    return ComputedReport(
        columns=COLUMNS,
        lines=(*(row.line() for row in rows), _defeat_line(defeat)),
        remarks=_remarks(rows, defeat),
        document={
            "rows": [row.document() for row in rows],
            "defeat": {
                "sequence": list(defeat.sequence), "loss": float(defeat.loss), **defeat.found.document(),
            },
        },
        figure=lambda title: draw(rows, title),
        spare=("best in class", "minimizers", "worst"),
    )  # fmt: skip


def _remarks(rows: Sequence[Row], defeat: Defeat) -> tuple[str, ...]:
    broken = [row for row in rows if row.version == "broken"]
    intact = [row for row in rows if row.version == "intact"]
    alone = sum(row.assumptions.missing() == (row.dropped,) for row in broken)
    whole = sum(not row.assumptions.missing() for row in intact)
    least = float(min(row.found.error.value for row in broken))
    most = float(max(row.found.error.value for row in intact))
    checked = (
        f"Assumptions are checked on all lengths up to {CHECKED}L, with δ = 0 and any finite η. In {alone} "
        f"of {len(broken)} broken rows the dropped one alone is missing, and the error is at least "
        f"{least:.3f}. In {whole} of {len(intact)} intact rows none is missing; the error is at most "
        f"{most:.3g}."
    )
    last = (
        "The last row assumes nothing of longer lengths (Proposition 3.1): all mass on "
        f"{''.join(map(str, defeat.sequence))} defeats {defeat.found.worst.removesuffix(', g1')}."
    )
    return checked, last


def _rows(assumption: str, train: int, times: Sequence[int]) -> list[Row]:
    example = counter_example(assumption, train)
    found = []
    for version, problem in (("broken", example.broken), ("intact", example.intact)):
        checked = check_assumptions(problem, train, CHECKED * train)
        for judged in length_generalizations(
            problem.hypotheses, problem.ensemble, train, [train * each for each in times]
        ):
            best = _best(problem, judged.test_length)
            found.append(
                Row(dropped=assumption, version=version, found=judged, assumptions=checked, best=best)
            )
    return found


def _best(problem: Problem, length: int) -> Fraction:
    risks, _ = population_risks(problem.hypotheses, problem.ensemble, [length], rng=np.random.default_rng(0))
    return min(Fraction(risk.value) for risk in risks)


def defeated() -> Defeat:
    """Neighbours up to length 8; the key that looks for neighbours alone is defeated at length 16."""
    problem = counter_example("coverage", 8).broken
    near, either = problem.hypotheses
    return defeating_ensemble(
        problem.hypotheses, problem.ensemble, either, near, train_length=8, test_length=16, error=0.5
    )


def _defeat_line(defeat: Defeat) -> tuple[str, ...]:
    found = defeat.found
    return (
        "all", "defeated", str(found.train_length), str(found.test_length), "0", "–",
        str(len(found.minimizers)), found.worst.removesuffix(", g1"), f"{float(found.error.value):.3f}",
        "0.000",
    )  # fmt: skip


def draw(rows: Sequence[Row], title: str) -> Figure:
    """The error against L̄ / L, a panel for each assumption."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(11, 3.1), layout="constrained")
    drawn.suptitle(title, fontsize=10)
    for place, assumption in zip(drawn.subplots(1, len(ASSUMPTIONS), sharey=True), ASSUMPTIONS, strict=True):
        for version, colour, marker in (("broken", RED, "X"), ("intact", GREEN, "o")):
            own = [row for row in rows if (row.dropped, row.version) == (assumption, version)]
            for train in dict.fromkeys(row.found.train_length for row in own):
                line = [row for row in own if row.found.train_length == train]
                place.plot(
                    [row.found.test_length / train for row in line],
                    [float(row.found.error.value) for row in line],
                    color=colour, marker=marker, markersize=4, linewidth=1,
                    label=version if train == own[0].found.train_length else None,
                )  # fmt: skip
        place.set_title(f"without {assumption}", fontsize=8)
        place.set_xlabel("L̄ / L", fontsize=8)
        place.set_xticks(sorted({row.found.test_length // row.found.train_length for row in rows}))
        place.set_ylim(-0.05, 1.05)
        place.tick_params(labelsize=7)
        place.legend(fontsize=7, frameon=False)
    drawn.axes[0].set_ylabel("error of the worst minimizer", fontsize=8)
    return drawn


STUDY = ComputedStudy(
    name="counter-examples",
    title="Every assumption is needed",
    source="Golowich et al., arXiv 2502.16792, Propositions C.3 and 3.1",
    about="locality, relativity, realizability, coverage: without each an example fails, exactly",
    time="laptop: about 5 seconds",
    compute=compute,
)
