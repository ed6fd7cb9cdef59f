"""Studies that compute and train nothing: planted tokens, counterexamples, coupling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from longreach.config.scales import Scale
from longreach.figures import BLUE, GREEN, ORANGE, RED
from longreach.runs.index import Row
from longreach.studies.drawing import titled
from longreach.studies.sparsity.attention import SparseAttention
from longreach.studies.sparsity.counter_examples import (
    ASSUMPTIONS,
    Assumptions,
    Defeat,
    Problem,
    check_assumptions,
    counter_example,
    defeating_ensemble,
)
from longreach.studies.sparsity.coupling import (
    CoupledVocabulary,
    Coupling,
    coupled_class,
    coupled_ensemble,
    coupling_fault,
    far_token,
    far_token_class,
    retrieval_class,
    retrieval_to_one_id,
    to_neighbours,
    to_one_id,
)
from longreach.studies.sparsity.ensembles import PlantedEnsemble, kgram_retrieval
from longreach.studies.sparsity.generalization import (
    Comparison,
    Generalization,
    Sampling,
    compare_with_bound,
    length_generalizations,
    population_risks,
    rare_pair,
    rare_pair_class,
)
from longreach.studies.study import Study, StudyOptions, StudyReport, table_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Planted correlations: the bound beside the error of attention that fits short sequences.


PLANTED_WINDOW = 4
SAMPLING = Sampling(limit=20_000)
"""All outcomes are listed."""
PLANTED_COLUMNS = ("δ", "L", "L̄", "minimizers", "error", "error/δ", "η_L", "η_L̄", "bound", "bound/error")
COLOURS, MARKERS = (BLUE, ORANGE, GREEN), "osD"


@dataclass(frozen=True)
class PlantedGrid:
    """What is computed at a scale."""

    deltas: tuple[Fraction, ...]
    train: tuple[int, ...]
    times: tuple[int, ...]
    """L̄ / L."""


PLANTED_GRIDS: dict[Scale, PlantedGrid] = {
    "smoke": PlantedGrid((Fraction(1, 64),), (16,), (1, 2)),
    "laptop": PlantedGrid((Fraction(1, 64), Fraction(1, 2**30)), (16, 32), (1, 2, 4, 8, 16)),
    "paper": PlantedGrid((Fraction(1, 64), Fraction(1, 2**30)), (16, 32, 64), (1, 2, 4, 8, 16)),
}


def planted_report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
    """One training for each δ and L, judged at each L̄."""
    grid, found = PLANTED_GRIDS[options.scale], list[Comparison]()
    for delta in grid.deltas:
        hypotheses, ensemble = rare_pair_class(delta, PLANTED_WINDOW), rare_pair(delta, PLANTED_WINDOW)
        for train in grid.train:
            found += compare_with_bound(
                hypotheses,
                ensemble,
                train_length=train,
                test_lengths=[train * times for times in grid.times],
                window=PLANTED_WINDOW,
                delta=delta,
                sampling=SAMPLING,
            )
    table = table_of(
        columns=PLANTED_COLUMNS,
        rows=[_line(each) for each in found],
        spare=("bound/error", "η_L", "η_L̄", "minimizers"),
    )
    return StudyReport(
        document={"window": PLANTED_WINDOW, "rows": [each.document() for each in found]},
        tables=[table],
        remarks=_planted_remarks(found),
        figure=lambda title: draw_planted(found, title),
    )


def _planted_remarks(found: Sequence[Comparison]) -> tuple[str, ...]:
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


def draw_planted(found: Sequence[Comparison], title: str) -> Figure:
    """Error and bound, both over δ, against L̄: a panel for each δ."""
    deltas = list(dict.fromkeys(each.delta for each in found))
    drawn = titled(title, (4.2 * len(deltas) + 0.6, 3.6))
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


PLANTED = Study(
    name="planted",
    title="Sparse planted correlations: bound and measured error",
    source="Golowich et al., arXiv 2502.16792, Theorem 4.3",
    about="the bound for sparse attention beside the worst minimizer's error, exactly, by lengths",
    time="laptop: about 10 seconds",
    report=planted_report,
)


# Counterexamples: each assumption dropped in turn, beside the intact example.


COUNTEREXAMPLE_COLUMNS = (
    "dropped",
    "version",
    "L",
    "L̄",
    "δ",
    "η",
    "minimizers",
    "worst",
    "error",
    "best in class",
)
COUNTEREXAMPLE_GRIDS: dict[Scale, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "smoke": ((8,), (2,)),
    "laptop": ((8, 16), (2, 4)),
    "paper": ((8, 16, 32), (2, 4, 8)),
}
"""L, and L̄ / L."""
CHECKED = 2
"""Assumptions are checked up to so many times L."""


@dataclass(frozen=True, kw_only=True)
class CounterexampleRow:
    """One problem at one L̄."""

    dropped: str
    version: str
    found: Generalization
    assumptions: Assumptions
    best: Fraction
    """The least error of any hypothesis at L̄."""

    def document(self) -> dict[str, Any]:
        return {
            "dropped": self.dropped,
            "version": self.version,
            "assumptions": self.assumptions.document(),
            "missing": list(self.assumptions.missing()),
            "best_in_class": float(self.best),
            **self.found.document(),
        }

    def line(self) -> tuple[str, ...]:
        eta = self.assumptions.eta_test
        return (
            self.dropped, self.version, str(self.found.train_length), str(self.found.test_length),
            f"{float(self.assumptions.realizability):.3g}", "none" if eta is None else f"{float(eta):g}",
            str(len(self.found.minimizers)), self.found.worst.removesuffix(", g1"),
            f"{float(self.found.error.value):.3f}", f"{float(self.best):.3f}",
        )  # fmt: skip


def counterexamples_report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
    """All problems at all lengths, exactly."""
    train, times = COUNTEREXAMPLE_GRIDS[options.scale]
    found = [
        row for assumption in ASSUMPTIONS for length in train for row in _rows(assumption, length, times)
    ]
    defeat = defeated()
    table = table_of(
        columns=COUNTEREXAMPLE_COLUMNS,
        rows=[*(row.line() for row in found), _defeat_line(defeat)],
        spare=("best in class", "minimizers", "worst"),
    )
    return StudyReport(
        document={
            "rows": [row.document() for row in found],
            "defeat": {
                "sequence": list(defeat.sequence), "loss": float(defeat.loss), **defeat.found.document(),
            },
        },
        tables=[table],
        remarks=_counterexample_remarks(found, defeat),
        figure=lambda title: draw_counterexamples(found, title),
    )  # fmt: skip


def _counterexample_remarks(rows: Sequence[CounterexampleRow], defeat: Defeat) -> tuple[str, ...]:
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


def _rows(assumption: str, train: int, times: Sequence[int]) -> list[CounterexampleRow]:
    example = counter_example(assumption, train)
    found = []
    for version, problem in (("broken", example.broken), ("intact", example.intact)):
        checked = check_assumptions(problem, train, CHECKED * train)
        for judged in length_generalizations(
            problem.hypotheses, problem.ensemble, train, [train * each for each in times]
        ):
            best = _best(problem, judged.test_length)
            found.append(
                CounterexampleRow(
                    dropped=assumption, version=version, found=judged, assumptions=checked, best=best
                )
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


def draw_counterexamples(rows: Sequence[CounterexampleRow], title: str) -> Figure:
    """The error against L̄ / L, a panel for each assumption."""
    drawn = titled(title, (11, 3.1))
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


COUNTEREXAMPLES = Study(
    name="counter-examples",
    title="Every assumption is needed",
    source="Golowich et al., arXiv 2502.16792, Propositions C.3 and 3.1",
    about="locality, relativity, realizability, coverage: without each an example fails, exactly",
    time="laptop: about 5 seconds",
    report=counterexamples_report,
)


# Position coupling: ensembles with distant planted tokens, plain, windowed and coupled.


COUPLING_WINDOW, TOKENS = 3, 4
COUPLING_COLUMNS = ("ensemble", "class", "L", "L̄", "k", "span", "η_L̄", "train", "minimizers", "error")
LOOKS = {
    "as it is": (RED, "X"), "windowed": (ORANGE, "s"), "neighbours": (BLUE, "D"), "one id": (GREEN, "o"),
}  # fmt: skip


@dataclass(frozen=True)
class CouplingGrid:
    """What is computed at a scale."""

    train: tuple[int, ...]
    times: tuple[int, ...]
    samples: int


COUPLING_GRIDS: dict[Scale, CouplingGrid] = {
    "smoke": CouplingGrid((12,), (2,), 300),
    "laptop": CouplingGrid((12, 24), (2, 4), 4000),
    "paper": CouplingGrid((12, 24, 48), (2, 4), 20_000),
}


@dataclass(frozen=True, kw_only=True)
class CouplingRow:
    """One class on one ensemble at one L̄."""

    ensemble: str
    version: str
    sparsity: int
    span: int
    """The largest distance of planted tokens at L̄."""
    eta: Fraction | None
    found: Generalization

    def document(self) -> dict[str, Any]:
        eta = None if self.eta is None else float(self.eta)
        return {
            "ensemble": self.ensemble, "class": self.version, "sparsity": self.sparsity, "span": self.span,
            "eta_test": eta, **self.found.document(),
        }  # fmt: skip

    def line(self) -> tuple[str, ...]:
        best = min(self.found.train.values(), key=lambda risk: risk.value)
        return (
            self.ensemble, self.version, str(self.found.train_length), str(self.found.test_length),
            str(self.sparsity), str(self.span), "none" if self.eta is None else f"{float(self.eta):.3g}",
            f"{float(best.value):.3f}", f"{len(self.found.minimizers)} of {len(self.found.train)}",
            str(self.found.error),
        )  # fmt: skip


def coupling_report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
    """Both ensembles, each with its class as it is, cut to a window, and coupled."""
    grid, found = COUPLING_GRIDS[options.scale], list[CouplingRow]()
    for train in grid.train:
        tests = [train * times for times in grid.times]
        for version in _versions(train, tests):
            found += _judged(version, train, tests, Sampling(samples=grid.samples))
    table = table_of(
        columns=COUPLING_COLUMNS,
        rows=[row.line() for row in found],
        spare=("η_L̄", "minimizers", "span", "train"),
    )
    return StudyReport(
        document={"window": COUPLING_WINDOW, "rows": [row.document() for row in found]},
        tables=[table],
        remarks=_coupling_remarks(found),
        figure=lambda title: draw_coupling(found, title),
    )


def _coupling_remarks(rows: Sequence[CouplingRow]) -> tuple[str, ...]:
    plain = [row.found.error for row in rows if row.version in ("as it is", "windowed")]
    coupled = [row.found.error for row in rows if row.version not in ("as it is", "windowed")]
    legend = (
        "train: the least risk on lengths from L/2 to L; error: of the worst minimizer at L̄, with a 95% "
        "interval where it is from samples. The couplings satisfy Definition 4.1 at all lengths up to 2L."
    )
    outcome = (
        f"Without coupling the error is at least {min(float(risk.value) for risk in plain):.3f}; with it at "
        f"most {max(float(risk.value) for risk in coupled):.3g}, and below "
        f"{max(risk.high for risk in coupled):.2g} by its interval."
    )
    return legend, outcome


@dataclass(frozen=True)
class _Version:
    ensemble: str
    version: str
    hypotheses: tuple[SparseAttention, ...]
    law: PlantedEnsemble


def _versions(train: int, tests: Sequence[int]) -> list[_Version]:
    far, retrieval = far_token(train), kgram_retrieval(TOKENS)
    nothing = (Fraction(0),) * TOKENS
    return [
        _Version("far token", "as it is", far_token_class(), far),
        _Version("far token", "windowed", far_token_class(COUPLING_WINDOW), far),
        _coupled("far token", "neighbours", far, far_token_class(), to_neighbours, ((1,), (2,), (3,)), tests),
        _coupled("far token", "one id", far, far_token_class(), to_one_id, ((1, 2, 3),), tests),
        _Version("1-gram retrieval", "as it is", retrieval_class(TOKENS), retrieval),
        _Version("1-gram retrieval", "windowed", retrieval_class(TOKENS, COUPLING_WINDOW), retrieval),
        _coupled(
            "1-gram retrieval", "one id", retrieval, retrieval_class(TOKENS), retrieval_to_one_id,
            ((1, 2, 3),), tests, nothing,
        ),
    ]  # fmt: skip


def _coupled(
    name: str,
    version: str,
    ensemble: PlantedEnsemble,
    hypotheses: tuple[SparseAttention, ...],
    coupling: Coupling,
    ranks: tuple[tuple[int, ...], ...],
    tests: Sequence[int],
    otherwise: tuple[Fraction, ...] = (Fraction(0),),
) -> _Version:
    fault = coupling_fault(ensemble, coupling, COUPLING_WINDOW, range(2 * COUPLING_WINDOW, tests[0] + 1))
    assert fault is None, fault
    words = CoupledVocabulary(ensemble.vocabulary, ensemble.sparsity)
    own = coupled_class(hypotheses, words, ids=len(ranks), window=COUPLING_WINDOW, otherwise=otherwise)
    return _Version(name, version, own, coupled_ensemble(ensemble, coupling, ranks=ranks))


def _judged(version: _Version, train: int, tests: Sequence[int], sampling: Sampling) -> list[CouplingRow]:
    draws = np.random.default_rng(train)
    return [
        CouplingRow(
            ensemble=version.ensemble,
            version=version.version,
            sparsity=version.law.sparsity,
            span=version.law.places(found.test_length).span,
            eta=version.law.coverage(found.test_length, window=COUPLING_WINDOW).eta,
            found=found,
        )
        for found in length_generalizations(
            version.hypotheses, version.law, train, tests, rng=draws, sampling=sampling
        )
    ]


def draw_coupling(rows: Sequence[CouplingRow], title: str) -> Figure:
    """The error against L̄, a panel for each ensemble."""
    names = list(dict.fromkeys(row.ensemble for row in rows))
    drawn = titled(title, (8.6, 3.4))
    for place, name in zip(drawn.subplots(1, len(names), sharey=True), names, strict=True):
        for version, (colour, marker) in LOOKS.items():
            own = [row for row in rows if (row.ensemble, row.version) == (name, version)]
            for number, train in enumerate(dict.fromkeys(row.found.train_length for row in own)):
                line = [row for row in own if row.found.train_length == train]
                errors = [row.found.error for row in line]
                means = [float(risk.value) for risk in errors]
                spread = [
                    [max(0.0, mean - risk.low) for mean, risk in zip(means, errors, strict=True)],
                    [max(0.0, risk.high - mean) for mean, risk in zip(means, errors, strict=True)],
                ]
                place.errorbar(
                    [row.found.test_length for row in line], means, yerr=spread, color=colour, marker=marker,
                    markersize=4, linewidth=1, capsize=2, label=None if number else version,
                )  # fmt: skip
        place.set_title(name, fontsize=8)
        place.set_xticks(sorted({row.found.test_length for row in rows}))
        place.set_xlabel("test length L̄ (one line for each L)", fontsize=8)
        place.set_ylim(-0.05, 1.05)
        place.tick_params(labelsize=7)
        place.legend(fontsize=7, frameon=False)
    drawn.axes[0].set_ylabel("error of the worst minimizer", fontsize=8)
    return drawn


COUPLING = Study(
    name="coupling-operator",
    title="Position coupling makes far planted tokens near",
    source="Golowich et al., arXiv 2502.16792, Proposition 4.4",
    about="two ensembles that are not local: the same class fails as it is and works when ids are coupled",
    time="laptop: about 15 seconds",
    report=coupling_report,
)
