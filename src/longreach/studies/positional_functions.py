"""Figures 5 and 6 of Huang et al. (arXiv 2410.02140): products of positions fitted to functions of them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from longreach.config.scales import Scale
from longreach.errors import File, InputError
from longreach.files import job_key, read_bytes, write_atomically
from longreach.runs.index import Row
from longreach.studies.drawing import titled
from longreach.studies.study import Study, StudyOptions, StudyReport, table_of
from longreach.theory.limit.model import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POSITIONS, LENGTH, TESTS = 200, 50, (50, 100, 150)
HEIGHT = 2 * math.log(50)
"""The value of a function where its condition holds."""
PRIMES = frozenset(n for n in range(2, POSITIONS) if all(n % k for k in range(2, n)))
FOLDER = "positional-functions"
KINDS: dict[str, tuple[str, Callable[..., float]]] = {
    "one distance": ("j = i − c", lambda d, c: d == c),
    "near": ("j > i − c", lambda d, c: d < c),
    "periodic": ("i − j ≡ c₂ (mod c₁)", lambda d, modulus, residue: d % modulus == residue),
    "far": ("j < i − c", lambda d, c: d > c),
    "prime": ("i − j is prime", lambda d: d in PRIMES),
    "combined": ("j = i − 1, plus i − j ≡ 0 (mod c)", lambda d, c: (d == 1) + (d % c == 0)),
}
"""Conditions on the distance d: local, local, periodic (Figure 5); neither, neither, both (Figure 6)."""


@dataclass(frozen=True)
class PositionalFunction:
    """φ as a function of the distance i − j.

    >>> FUNCTIONS[0].name, FUNCTIONS[0].values()[:3].round(2).tolist()
    ('one distance, c = 1', [0.0, 7.82, 0.0])
    """

    kind: str
    numbers: tuple[int, ...]
    """Those of its condition."""

    @property
    def label(self) -> str:
        if self.kind == "periodic":
            modulus, residue = self.numbers
            return f"{residue} mod {modulus}"
        return "".join(f"c = {c}" for c in self.numbers)

    @property
    def name(self) -> str:
        return f"{self.kind}, {self.label}" if self.label else self.kind

    def values(self) -> Array:
        """At each distance that there is."""
        _, holds = KINDS[self.kind]
        return np.array([HEIGHT * holds(distance, *self.numbers) for distance in range(POSITIONS)])

    def matrix(self) -> Array:
        """Rows are queries; 0 where the key follows."""
        distances = np.subtract.outer(np.arange(POSITIONS), np.arange(POSITIONS))
        return np.where(distances >= 0, self.values()[np.maximum(distances, 0)], 0.0)


FUNCTIONS = (
    *(PositionalFunction("one distance", (c,)) for c in (1, 5, 20)),
    *(PositionalFunction("near", (c,)) for c in (2, 5, 20)),
    *(PositionalFunction("periodic", each) for each in ((2, 0), (3, 1), (10, 5))),
    *(PositionalFunction("far", (c,)) for c in (5, 20, 40)),
    PositionalFunction("prime", ()),
    *(PositionalFunction("combined", (c,)) for c in (2, 5)),
)


@dataclass(frozen=True, kw_only=True)
class FunctionSetting:
    """What is trained at a scale."""

    widths: tuple[int, ...]
    steps: int
    lr: float
    seeds: int
    functions: tuple[str, ...] | None = None
    """By name; None: all."""


SETTINGS: Mapping[Scale, FunctionSetting] = {
    "smoke": FunctionSetting(
        widths=(8,), steps=20, lr=1e-2, seeds=1, functions=("one distance, c = 1", "periodic, 0 mod 2")
    ),
    # Fewer steps at a higher rate, and half of the functions: what fits into minutes on one core.
    "laptop": FunctionSetting(
        widths=(32, 256), steps=2000, lr=3e-3, seeds=1,
        functions=(
            "one distance, c = 1", "one distance, c = 5", "near, c = 5", "periodic, 0 mod 2",
            "periodic, 1 mod 3", "far, c = 20", "prime", "combined, c = 2",
        ),
    ),
    "paper": FunctionSetting(widths=(32, 256), steps=15_000, lr=1e-3, seeds=3),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class FunctionErrors:
    """The mean squared errors of one function at one width, by seed and test length."""

    width: int
    function: PositionalFunction
    errors: Array


def draw(rows: Sequence[FunctionErrors], heading: str) -> Figure:
    """Errors against test lengths, a panel for each kind and width; logarithmic above 1, as in the paper."""
    widths = sorted({row.width for row in rows})
    kinds = [kind for kind in KINDS if any(row.function.kind == kind for row in rows)]
    figure = titled(heading, (2.1 * max(1, len(kinds)), 2.0 * max(1, len(widths)) + 0.5), fontsize=9)
    if not rows:
        return figure
    axes = figure.subplots(len(widths), len(kinds), squeeze=False, sharex=True, sharey=True)
    for line, width in zip(axes, widths, strict=True):
        for axis, kind in zip(line, kinds, strict=True):
            for row in rows:
                if row.width == width and row.function.kind == kind:
                    mean = row.errors.mean(axis=0)
                    below, above = mean - row.errors.min(axis=0), row.errors.max(axis=0) - mean
                    axis.errorbar(
                        TESTS, mean, yerr=(below, above), marker="o", markersize=3, linewidth=1.1,
                        elinewidth=0.7, capsize=1.5, label=row.function.label or row.function.kind,
                    )  # fmt: skip
            axis.set_yscale("symlog", linthresh=1.0)
            axis.set_ylim(bottom=0)
            axis.set_xticks(TESTS)
            axis.tick_params(labelsize=6.5, length=2)
            axis.legend(fontsize=6, frameon=False)
            if width == widths[0]:
                axis.set_title(f"{kind}\n{KINDS[kind][0]}", fontsize=7.5)
        line[0].set_ylabel(f"d = {width}: MSE", fontsize=7.5)
    return figure


def chosen(setting: FunctionSetting) -> tuple[PositionalFunction, ...]:
    names = setting.functions
    return tuple(each for each in FUNCTIONS if names is None or each.name in names)


def _file(options: StudyOptions, setting: FunctionSetting, width: int, seed: int) -> Path:
    about = {
        "study": FOLDER, "width": width, "seed": seed, "steps": setting.steps, "lr": setting.lr,
        "functions": [each.name for each in chosen(setting)],
    }  # fmt: skip
    return options.runs / FOLDER / f"{job_key(about)}.json"


def _jobs(options: StudyOptions) -> list[tuple[int, int]]:
    setting = SETTINGS[options.scale]
    return [(width, seed) for width in setting.widths for seed in range(options.seeds or setting.seeds)]


def plan(options: StudyOptions) -> tuple[dict[str, Any], str]:
    """How many widths and seeds there are, and how many are done."""
    setting, jobs = SETTINGS[options.scale], _jobs(options)
    done = sum(_file(options, setting, *job).exists() for job in jobs)
    document = {"jobs": len(jobs), "done": done, "functions": len(chosen(setting)), "steps": setting.steps}
    return document, f"{len(jobs)} jobs, {done} of them done"


def report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
    """Train the widths and seeds that are missing; each is kept as soon as it is done."""
    setting = SETTINGS[options.scale]
    functions = chosen(setting)
    fitted: dict[int, list[Array]] = {}
    missing = 0
    for width, seed in _jobs(options):
        path = _file(options, setting, width, seed)
        if not path.exists() and options.train:
            _train(options, setting, width, seed, path)
        if path.exists():
            fitted.setdefault(width, []).append(_read(path, len(functions)))
        else:
            missing += 1
    found = [
        FunctionErrors(width=width, function=function, errors=np.stack(seeds)[:, place])
        for width, seeds in fitted.items()
        for place, function in enumerate(functions)
    ]
    table = table_of(
        columns=("function", "width", *(f"MSE at {n}" for n in TESTS)),
        rows=[
            (row.function.name, str(row.width), *(f"{value:.4f}" for value in row.errors.mean(axis=0)))
            for row in found
        ],
    )
    return StudyReport(
        document={
            "train_length": LENGTH,
            "test_lengths": list(TESTS),
            "steps": setting.steps,
            "learning_rate": setting.lr,
            "missing": missing,
            "functions": [
                {
                    "width": row.width,
                    "kind": row.function.kind,
                    "function": row.function.name,
                    "mse": row.errors.tolist(),
                }
                for row in found
            ],
        },
        tables=[table],
        remarks=[f"{missing} fits are missing"] if missing else (),
        figure=lambda title: draw(found, title),
    )


def _train(options: StudyOptions, setting: FunctionSetting, width: int, seed: int, path: Path) -> None:
    from longreach.studies.positional_training import fit_functions

    functions = chosen(setting)
    with options.stages(False) as stage:
        advance = stage(f"fitting {len(functions)} functions, width {width}, seed {seed}", setting.steps)
        errors = fit_functions(
            np.stack([each.matrix() for each in functions]),
            seeds=[seed], width=width, length=LENGTH, tests=TESTS, steps=setting.steps, lr=setting.lr,
            report=advance,
        )[0]  # fmt: skip
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be created: {error.strerror}", place=File(str(path.parent))) from None
    document = {
        "width": width,
        "seed": seed,
        "functions": [each.name for each in functions],
        "mse": errors.tolist(),
    }
    write_atomically(path, (json.dumps(document) + "\n").encode())


def _read(path: Path, count: int) -> Array:
    try:
        errors = np.array(json.loads(read_bytes(path))["mse"], dtype=np.float64)
    except (ValueError, KeyError, TypeError):
        raise InputError("is damaged; remove it, and it is computed again", place=File(str(path))) from None
    if errors.shape != (count, len(TESTS)):
        raise InputError("is damaged; remove it, and it is computed again", place=File(str(path)))
    return errors


STUDY = Study(
    name="positional-functions",
    title="Products of positions fitted to functions of positions",
    source="Huang et al., arXiv 2410.02140, Figures 5 and 6",
    about="fit p_jᵀ KᵀQ p_i at length 50 to local, periodic and other functions, and test at 100 and 150",
    time="laptop: about two minutes of computing, paper: about 70 (estimated)",
    options=frozenset({"--seeds"}),
    plan=plan,
    report=report,
)
