"""Studies that compute and train nothing: planted tokens, counterexamples, coupling."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from longreach.config.scales import Scale
from longreach.figures import BLUE, GREEN, ORANGE, RED
from longreach.runs.index import Row
from longreach.studies.drawing import titled
from longreach.studies.sparsity.attention import SparseAttention
from longreach.studies.sparsity.counter_examples import (
    ASSUMPTIONS,
    Defeat,
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
from longreach.wording import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Each = TypeVar("Each")


@dataclass(frozen=True)
class Grid:
    """What is computed at a scale."""

    train: tuple[int, ...]
    times: tuple[int, ...]
    """L̄ / L."""
    deltas: tuple[Fraction, ...] = ()
    samples: int = 0

    def lengths(self) -> list[tuple[int, list[int]]]:
        """Each L, with the L̄ to judge at."""
        return [(train, [train * times for times in self.times]) for train in self.train]


@dataclass(frozen=True)
class Judged:
    """How a class generalizes from L to L̄, and what else its row of the document says."""

    facts: dict[str, Any]
    found: Generalization

    def document(self) -> dict[str, Any]:
        return self.facts | self.found.document()


def _table(columns: Mapping[str, Callable[[Each], str]], rows: Sequence[Each], spare: Sequence[str]) -> Table:
    lines = [[show(row) for show in columns.values()] for row in rows]
    return table_of(columns=list(columns), rows=lines, spare=spare)


def _eta(value: float | None, style: str) -> str:
    """Of coverage: no number is enough where it is None, and nothing is asked where it is not a number."""
    return "none" if value is None else "–" if math.isnan(value) else format(value, style)


# Planted correlations: the bound beside the error of attention that fits short sequences.


PLANTED_WINDOW = 4
SAMPLING = Sampling(limit=20_000)
"""All outcomes are listed."""
PLANTED_COLUMNS: dict[str, Callable[[Comparison], str]] = {
    "δ": lambda each: f"{float(each.delta):.2g}",
    "L": lambda each: str(each.found.train_length),
    "L̄": lambda each: str(each.found.test_length),
    "minimizers": lambda each: "; ".join(n.removesuffix(", planted") for n in each.found.minimizers),
    "error": lambda each: f"{float(each.found.error.value):.3g}",
    "error/δ": lambda each: f"{float(each.found.error.value) / float(each.delta):.3g}",
    "η_L": lambda each: f"{float(each.eta_train):g}",
    "η_L̄": lambda each: f"{float(each.eta_test):g}",
    "bound": lambda each: f"{float(each.bound):.2g}",
    "bound/error": lambda each: f"{each.ratio:.2g}",
}
COLOURS, MARKERS = (BLUE, ORANGE, GREEN), "osD"


PLANTED_GRIDS: dict[Scale, Grid] = {
    "smoke": Grid((16,), (1, 2), deltas=(Fraction(1, 64),)),
    "laptop": Grid((16, 32), (1, 2, 4, 8, 16), deltas=(Fraction(1, 64), Fraction(1, 2**30))),
    "paper": Grid((16, 32, 64), (1, 2, 4, 8, 16), deltas=(Fraction(1, 64), Fraction(1, 2**30))),
}


def planted_report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
    """One training for each δ and L, judged at each L̄."""
    grid, found = PLANTED_GRIDS[options.scale], list[Comparison]()
    for delta in grid.deltas:
        hypotheses, ensemble = rare_pair_class(delta, PLANTED_WINDOW), rare_pair(delta, PLANTED_WINDOW)
        for train, tests in grid.lengths():
            found += compare_with_bound(
                hypotheses, ensemble, train_length=train, test_lengths=tests,
                window=PLANTED_WINDOW, delta=delta, sampling=SAMPLING,
            )  # fmt: skip
    return StudyReport(
        document={"window": PLANTED_WINDOW, "rows": [each.document() for each in found]},
        tables=[_table(PLANTED_COLUMNS, found, spare=("bound/error", "η_L", "η_L̄", "minimizers"))],
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


COUNTEREXAMPLE_GRIDS: dict[Scale, Grid] = {
    "smoke": Grid((8,), (2,)),
    "laptop": Grid((8, 16), (2, 4)),
    "paper": Grid((8, 16, 32), (2, 4, 8)),
}
CHECKED = 2
"""Assumptions are checked up to so many times L."""


COUNTEREXAMPLE_COLUMNS: dict[str, Callable[[Judged], str]] = {
    "dropped": lambda row: str(row.facts["dropped"]),
    "version": lambda row: str(row.facts["version"]),
    "L": lambda row: str(row.found.train_length),
    "L̄": lambda row: str(row.found.test_length),
    "δ": lambda row: f"{row.facts['assumptions']['delta']:.3g}",
    "η": lambda row: _eta(row.facts["assumptions"]["eta_test"], "g"),
    "minimizers": lambda row: str(len(row.found.minimizers)),
    "worst": lambda row: row.found.worst.removesuffix(", g1"),
    "error": lambda row: f"{float(row.found.error.value):.3f}",
    "best in class": lambda row: f"{row.facts['best_in_class']:.3f}",
}


def counterexamples_report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
    """All problems at all lengths, exactly; at last a class that is defeated."""
    found = [
        row
        for assumption in ASSUMPTIONS
        for train, tests in COUNTEREXAMPLE_GRIDS[options.scale].lengths()
        for row in _rows(assumption, train, tests)
    ]
    defeat = defeated()
    facts = {"dropped": "all", "version": "defeated", "best_in_class": 0.0}
    last = Judged(facts | {"assumptions": {"delta": 0.0, "eta_test": math.nan}}, defeat.found)
    document = {"sequence": list(defeat.sequence), "loss": float(defeat.loss), **defeat.found.document()}
    spare = ("best in class", "minimizers", "worst")
    return StudyReport(
        document={"rows": [row.document() for row in found], "defeat": document},
        tables=[_table(COUNTEREXAMPLE_COLUMNS, [*found, last], spare)],
        remarks=_counterexample_remarks(found, defeat),
        figure=lambda title: draw_counterexamples(found, title),
    )


def _counterexample_remarks(rows: Sequence[Judged], defeat: Defeat) -> tuple[str, ...]:
    broken = [row for row in rows if row.facts["version"] == "broken"]
    intact = [row for row in rows if row.facts["version"] == "intact"]
    alone = sum(row.facts["missing"] == [row.facts["dropped"]] for row in broken)
    whole = sum(not row.facts["missing"] for row in intact)
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


def _rows(assumption: str, train: int, tests: Sequence[int]) -> Iterator[Judged]:
    example, draws = counter_example(assumption, train), np.random.default_rng(0)
    for version, problem in (("broken", example.broken), ("intact", example.intact)):
        checked = check_assumptions(problem, train, CHECKED * train)
        for found in length_generalizations(problem.hypotheses, problem.ensemble, train, tests):
            risks, _ = population_risks(problem.hypotheses, problem.ensemble, [found.test_length], rng=draws)
            facts = {
                "dropped": assumption, "version": version, "assumptions": checked.document(),
                "missing": list(checked.missing()), "best_in_class": min(float(risk.value) for risk in risks),
            }  # fmt: skip
            yield Judged(facts, found)


def defeated() -> Defeat:
    """Neighbours up to length 8; the key that looks for neighbours alone is defeated at length 16."""
    problem = counter_example("coverage", 8).broken
    near, either = problem.hypotheses
    return defeating_ensemble(
        problem.hypotheses, problem.ensemble, either, near, train_length=8, test_length=16, error=0.5
    )


def draw_counterexamples(rows: Sequence[Judged], title: str) -> Figure:
    """The error against L̄ / L, a panel for each assumption."""
    times = sorted({row.found.test_length // row.found.train_length for row in rows})
    drawn = titled(title, (11, 3.1))
    for place, assumption in zip(drawn.subplots(1, len(ASSUMPTIONS), sharey=True), ASSUMPTIONS, strict=True):
        own = [row for row in rows if row.facts["dropped"] == assumption]
        for version, (colour, marker) in {"broken": (RED, "X"), "intact": (GREEN, "o")}.items():
            for label, train, line in _lines(own, "version", version):
                place.plot(
                    [row.found.test_length / train for row in line],
                    [float(row.found.error.value) for row in line],
                    color=colour, marker=marker, markersize=4, linewidth=1, label=label,
                )  # fmt: skip
        _finish(place, f"without {assumption}", "L̄ / L", times)
    drawn.axes[0].set_ylabel("error of the worst minimizer", fontsize=8)
    return drawn


def _lines(rows: Sequence[Judged], fact: str, value: str) -> Iterator[tuple[str | None, int, list[Judged]]]:
    """The rows with a fact, by L; the first line is labelled."""
    own = [row for row in rows if row.facts[fact] == value]
    for number, train in enumerate(dict.fromkeys(row.found.train_length for row in own)):
        yield None if number else value, train, [row for row in own if row.found.train_length == train]


def _finish(place: Axes, title: str, across: str, ticks: Sequence[int]) -> None:
    place.set_title(title, fontsize=8)
    place.set_xlabel(across, fontsize=8)
    place.set_xticks(ticks)
    place.set_ylim(-0.05, 1.05)
    place.tick_params(labelsize=7)
    place.legend(fontsize=7, frameon=False)


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
COUPLING_COLUMNS: dict[str, Callable[[Judged], str]] = {
    "ensemble": lambda row: str(row.facts["ensemble"]),
    "class": lambda row: str(row.facts["class"]),
    "L": lambda row: str(row.found.train_length),
    "L̄": lambda row: str(row.found.test_length),
    "k": lambda row: str(row.facts["sparsity"]),
    "span": lambda row: str(row.facts["span"]),
    "η_L̄": lambda row: _eta(row.facts["eta_test"], ".3g"),
    "train": lambda row: f"{min(float(risk.value) for risk in row.found.train.values()):.3f}",
    "minimizers": lambda row: f"{len(row.found.minimizers)} of {len(row.found.train)}",
    "error": lambda row: str(row.found.error),
}
LOOKS = {
    "as it is": (RED, "X"), "windowed": (ORANGE, "s"), "neighbours": (BLUE, "D"), "one id": (GREEN, "o"),
}  # fmt: skip


COUPLING_GRIDS: dict[Scale, Grid] = {
    "smoke": Grid((12,), (2,), samples=300),
    "laptop": Grid((12, 24), (2, 4), samples=4000),
    "paper": Grid((12, 24, 48), (2, 4), samples=20_000),
}


def coupling_report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
    """Both ensembles, each with its class as it is, cut to a window, and coupled."""
    grid, found = COUPLING_GRIDS[options.scale], list[Judged]()
    for train, tests in grid.lengths():
        for name, version, hypotheses, law in _versions(train, tests):
            judged = length_generalizations(
                hypotheses, law, train, tests,
                rng=np.random.default_rng(train), sampling=Sampling(samples=grid.samples),
            )  # fmt: skip
            for each in judged:
                eta = law.coverage(each.test_length, window=COUPLING_WINDOW).eta
                facts = {
                    "ensemble": name,
                    "class": version,
                    "sparsity": law.sparsity,
                    "span": law.places(each.test_length).span,
                    "eta_test": None if eta is None else float(eta),
                }
                found.append(Judged(facts, each))
    return StudyReport(
        document={"window": COUPLING_WINDOW, "rows": [row.document() for row in found]},
        tables=[_table(COUPLING_COLUMNS, found, spare=("η_L̄", "minimizers", "span", "train"))],
        remarks=_coupling_remarks(found),
        figure=lambda title: draw_coupling(found, title),
    )


def _coupling_remarks(rows: Sequence[Judged]) -> tuple[str, ...]:
    plain = [row.found.error for row in rows if row.facts["class"] in ("as it is", "windowed")]
    coupled = [row.found.error for row in rows if row.facts["class"] not in ("as it is", "windowed")]
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


Version: TypeAlias = tuple[str, str, tuple[SparseAttention, ...], PlantedEnsemble]
"""Names of the ensemble and of the class, and both."""


def _versions(train: int, tests: Sequence[int]) -> list[Version]:
    far, near, label = far_token(train), far_token_class(), (Fraction(0),)
    retrieval, grams = kgram_retrieval(TOKENS), retrieval_class(TOKENS)

    def coupled(
        name: str, version: str, hypotheses: tuple[SparseAttention, ...], ensemble: PlantedEnsemble,
        coupling: Coupling, ranks: tuple[tuple[int, ...], ...], otherwise: tuple[Fraction, ...],
    ) -> Version:  # fmt: skip
        fault = coupling_fault(ensemble, coupling, COUPLING_WINDOW, range(2 * COUPLING_WINDOW, tests[0] + 1))
        assert fault is None, fault
        words = CoupledVocabulary(ensemble.vocabulary, ensemble.sparsity)
        own = coupled_class(hypotheses, words, ids=len(ranks), window=COUPLING_WINDOW, otherwise=otherwise)
        return name, version, own, coupled_ensemble(ensemble, coupling, ranks=ranks)

    return [
        ("far token", "as it is", near, far),
        ("far token", "windowed", far_token_class(COUPLING_WINDOW), far),
        coupled("far token", "neighbours", near, far, to_neighbours, ((1,), (2,), (3,)), label),
        coupled("far token", "one id", near, far, to_one_id, ((1, 2, 3),), label),
        ("1-gram retrieval", "as it is", grams, retrieval),
        ("1-gram retrieval", "windowed", retrieval_class(TOKENS, COUPLING_WINDOW), retrieval),
        coupled(
            "1-gram retrieval", "one id", grams, retrieval, retrieval_to_one_id, ((1, 2, 3),), label * TOKENS
        ),
    ]


def draw_coupling(rows: Sequence[Judged], title: str) -> Figure:
    """The error against L̄, a panel for each ensemble."""
    names = list(dict.fromkeys(row.facts["ensemble"] for row in rows))
    tests = sorted({row.found.test_length for row in rows})
    drawn = titled(title, (8.6, 3.4))
    for place, name in zip(drawn.subplots(1, len(names), sharey=True), names, strict=True):
        own = [row for row in rows if row.facts["ensemble"] == name]
        for version, (colour, marker) in LOOKS.items():
            for label, _, line in _lines(own, "class", version):
                errors = [row.found.error for row in line]
                means = [float(risk.value) for risk in errors]
                spread = [
                    [mean - risk.low for mean, risk in zip(means, errors, strict=True)],
                    [risk.high - mean for mean, risk in zip(means, errors, strict=True)],
                ]
                place.errorbar(
                    [row.found.test_length for row in line], means, yerr=spread, color=colour, marker=marker,
                    markersize=4, linewidth=1, capsize=2, label=label,
                )  # fmt: skip
        _finish(place, name, "test length L̄ (one line for each L)", tests)
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
