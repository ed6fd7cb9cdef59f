"""The bound for sparse planted correlations beside the error of attention that fits short sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from longreach.config.scales import Scale
from longreach.sparsity.kgram_retrieval import kgram_retrieval
from longreach.sparsity.planted_comparison import (
    Comparison,
    compare_with_bound,
    rare_pair,
    rare_pair_class,
)
from longreach.sparsity.population_risk import Sampling
from longreach.studies.computed_study import ComputedReport, ComputedStudy
from longreach.studies.drawing import BLUE, GREEN, ORANGE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WINDOW = 4
SAMPLING = Sampling(limit=20_000)
"""All outcomes are listed."""
COLUMNS = ("δ", "L", "L̄", "minimizers", "error", "error/δ", "η_L", "η_L̄", "bound", "bound/error")
COLOURS, MARKERS = (BLUE, ORANGE, GREEN), "osD"


@dataclass(frozen=True)
class Grid:
    """What is computed at a scale."""

    deltas: tuple[Fraction, ...]
    train: tuple[int, ...]
    times: tuple[int, ...]
    """L̄ / L."""


GRIDS: dict[Scale, Grid] = {
    "smoke": Grid((Fraction(1, 64),), (16,), (1, 2)),
    "laptop": Grid((Fraction(1, 64), Fraction(1, 2**30)), (16, 32), (1, 2, 4, 8, 16)),
    "paper": Grid((Fraction(1, 64), Fraction(1, 2**30)), (16, 32, 64), (1, 2, 4, 8, 16)),
}


def compute(scale: Scale) -> ComputedReport:
    """One training for each δ and L, judged at each L̄."""
    grid, found = GRIDS[scale], list[Comparison]()
    for delta in grid.deltas:
        hypotheses, ensemble = rare_pair_class(delta, WINDOW), rare_pair(delta, WINDOW)
        for train in grid.train:
            found += compare_with_bound(
                hypotheses, ensemble,
                train_length=train, test_lengths=[train * times for times in grid.times], window=WINDOW,
                delta=delta, sampling=SAMPLING,
            )  # fmt: skip
    return ComputedReport(
        columns=COLUMNS,
        lines=tuple(_line(each) for each in found),
        remarks=_remarks(found),
        document={"window": WINDOW, "rows": [each.document() for each in found]},
        figure=lambda title: draw(found, title),
        spare=("bound/error", "η_L", "η_L̄", "minimizers"),
    )


def _remarks(found: Sequence[Comparison]) -> tuple[str, ...]:
    holds = sum(each.found.error.value <= each.bound for each in found)
    says = sum(each.bound < 1 for each in found)
    longest, retrieval = max(each.found.test_length for each in found), kgram_retrieval(4, k=1)
    first = (
        f"All outcomes are listed, nothing is sampled. The bound holds in {holds} of {len(found)} rows, and "
        f"is below 1, so that it says something, in {says}."
    )
    second = (
        f"The theorem is silent on 1-gram retrieval: it is {retrieval.sparsity}-sparse, and planted tokens "
        f"are up to {retrieval.places(longest).span} places apart at length {longest}."
    )
    return first, second


def _line(each: Comparison) -> tuple[str, ...]:
    error = float(each.found.error.value)
    return (
        f"{float(each.delta):.2g}", str(each.found.train_length), str(each.found.test_length),
        "; ".join(name.removesuffix(", planted") for name in each.found.minimizers), f"{error:.3g}",
        f"{error / float(each.delta):.3g}", f"{float(each.eta_train):g}", f"{float(each.eta_test):g}",
        f"{float(each.bound):.2g}", f"{each.ratio:.2g}",
    )  # fmt: skip


def draw(found: Sequence[Comparison], title: str) -> Figure:
    """Error and bound, both over δ, against L̄: a panel for each δ."""
    from matplotlib.figure import Figure

    deltas = list(dict.fromkeys(each.delta for each in found))
    drawn = Figure(figsize=(4.2 * len(deltas) + 0.6, 3.6), layout="constrained")
    drawn.suptitle(title, fontsize=10)
    for place, delta in zip(drawn.subplots(1, len(deltas), squeeze=False)[0], deltas, strict=True):
        own = [each for each in found if each.delta == delta]
        for number, train in enumerate(dict.fromkeys(each.found.train_length for each in own)):
            rows = [each for each in own if each.found.train_length == train]
            lengths = [each.found.test_length for each in rows]
            errors = [float(each.found.error.value) / float(delta) for each in rows]
            bounds = [float(each.bound / delta) for each in rows]
            look = {"color": COLOURS[number], "marker": MARKERS[number], "markersize": 4}
            place.plot(lengths, errors, linewidth=1.2, label=f"measured, L = {train}", **look)
            place.plot(lengths, bounds, linewidth=0.8, linestyle="--", markerfacecolor="white",
                       label=f"bound, L = {train}", **look)  # fmt: skip
        place.axhline(1 / float(delta), color="black", linewidth=0.7, linestyle=":", label="error 1")
        place.set_xscale("log", base=2)
        place.set_yscale("log")
        place.xaxis.set_major_formatter("{x:g}")
        place.set_title(f"δ = {float(delta):.2g}", fontsize=8)
        place.set_xlabel("test length L̄", fontsize=8)
        place.set_ylabel("error / δ", fontsize=8)
        place.tick_params(labelsize=7)
        place.legend(fontsize=6, frameon=False)
    return drawn


STUDY = ComputedStudy(
    name="planted",
    title="Sparse planted correlations: bound and measured error",
    source="Golowich et al., arXiv 2502.16792, Theorem 4.3",
    about="the bound for sparse attention beside the worst minimizer's error, exactly, by lengths",
    time="laptop: about 10 seconds",
    compute=compute,
)
