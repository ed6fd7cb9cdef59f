"""Position coupling as an operator: ensembles with far planted tokens, as they are, windowed, and coupled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from longreach.config.scales import Scale
from longreach.sparsity.coupled_tokens import CoupledVocabulary
from longreach.sparsity.coupling_examples import (
    far_token,
    far_token_class,
    retrieval_class,
    retrieval_to_one_id,
    to_neighbours,
    to_one_id,
)
from longreach.sparsity.kgram_retrieval import kgram_retrieval
from longreach.sparsity.length_generalization import Generalization, length_generalizations
from longreach.sparsity.planted_ensemble import PlantedEnsemble
from longreach.sparsity.population_risk import Sampling
from longreach.sparsity.position_coupling import Coupling, coupled_class, coupled_ensemble, coupling_fault
from longreach.sparsity.sparse_attention import SparseAttention
from longreach.studies.computed_study import ComputedReport, ComputedStudy
from longreach.studies.drawing import BLUE, GREEN, ORANGE, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WINDOW, TOKENS = 3, 4
COLUMNS = ("ensemble", "class", "L", "L̄", "k", "span", "η_L̄", "train", "minimizers", "error")
LOOKS = {
    "as it is": (RED, "X"), "windowed": (ORANGE, "s"), "neighbours": (BLUE, "D"), "one id": (GREEN, "o"),
}  # fmt: skip


@dataclass(frozen=True)
class Grid:
    """What is computed at a scale."""

    train: tuple[int, ...]
    times: tuple[int, ...]
    samples: int


GRIDS: dict[Scale, Grid] = {
    "smoke": Grid((12,), (2,), 300),
    "laptop": Grid((12, 24), (2, 4), 4000),
    "paper": Grid((12, 24, 48), (2, 4), 20_000),
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One class on one ensemble at one L̄."""

    ensemble: str
    version: str
    sparsity: int
    span: int
    """The largest distance of planted tokens at L̄."""
    eta: Fraction | None
    found: Generalization

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        eta = None if self.eta is None else float(self.eta)
        return {
            "ensemble": self.ensemble, "class": self.version, "sparsity": self.sparsity, "span": self.span,
            "eta_test": eta, **self.found.document(),
        }  # fmt: skip

    def line(self) -> tuple[str, ...]:
        """As the table has it."""
        best = min(self.found.train.values(), key=lambda risk: risk.value)
        return (
            self.ensemble, self.version, str(self.found.train_length), str(self.found.test_length),
            str(self.sparsity), str(self.span), "none" if self.eta is None else f"{float(self.eta):.3g}",
            f"{float(best.value):.3f}", f"{len(self.found.minimizers)} of {len(self.found.train)}",
            str(self.found.error),
        )  # fmt: skip


def compute(scale: Scale) -> ComputedReport:
    """Both ensembles, each with its class as it is, cut to a window, and coupled."""
    grid, rows = GRIDS[scale], list[Row]()
    for train in grid.train:
        tests = [train * times for times in grid.times]
        for version in _versions(train, tests):
            rows += _judged(version, train, tests, Sampling(samples=grid.samples))
    return ComputedReport(
        columns=COLUMNS,
        lines=tuple(row.line() for row in rows),
        remarks=_remarks(rows),
        document={"window": WINDOW, "rows": [row.document() for row in rows]},
        figure=lambda title: draw(rows, title),
        spare=("η_L̄", "minimizers", "span", "train"),
    )


def _remarks(rows: Sequence[Row]) -> tuple[str, ...]:
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
        _Version("far token", "windowed", far_token_class(WINDOW), far),
        _coupled("far token", "neighbours", far, far_token_class(), to_neighbours, ((1,), (2,), (3,)), tests),
        _coupled("far token", "one id", far, far_token_class(), to_one_id, ((1, 2, 3),), tests),
        _Version("1-gram retrieval", "as it is", retrieval_class(TOKENS), retrieval),
        _Version("1-gram retrieval", "windowed", retrieval_class(TOKENS, WINDOW), retrieval),
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
    fault = coupling_fault(ensemble, coupling, WINDOW, range(2 * WINDOW, tests[0] + 1))
    assert fault is None, fault
    words = CoupledVocabulary(ensemble.vocabulary, ensemble.sparsity)
    own = coupled_class(hypotheses, words, ids=len(ranks), window=WINDOW, otherwise=otherwise)
    return _Version(name, version, own, coupled_ensemble(ensemble, coupling, ranks=ranks))


def _judged(version: _Version, train: int, tests: Sequence[int], sampling: Sampling) -> list[Row]:
    draws = np.random.default_rng(train)
    return [
        Row(
            ensemble=version.ensemble,
            version=version.version,
            sparsity=version.law.sparsity,
            span=version.law.places(found.test_length).span,
            eta=version.law.coverage(found.test_length, window=WINDOW).eta,
            found=found,
        )
        for found in length_generalizations(
            version.hypotheses, version.law, train, tests, rng=draws, sampling=sampling
        )
    ]


def draw(rows: Sequence[Row], title: str) -> Figure:
    """The error against L̄, a panel for each ensemble."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(row.ensemble for row in rows))
    drawn = Figure(figsize=(8.6, 3.4), layout="constrained")
    drawn.suptitle(title, fontsize=10)
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


STUDY = ComputedStudy(
    name="coupling-operator",
    title="Position coupling makes far planted tokens near",
    source="Golowich et al., arXiv 2502.16792, Proposition 4.4",
    about="two ensembles that are not local: the same class fails as it is and works when ids are coupled",
    time="laptop: about 15 seconds",
    compute=compute,
)
