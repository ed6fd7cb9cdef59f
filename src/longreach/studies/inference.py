"""The inference procedure run on programs: bounded size and a length N₀, or growth without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from longreach.config.scales import Scale
from longreach.errors import InputError
from longreach.figures import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, SKY
from longreach.runs.index import Row
from longreach.studies.drawing import titled
from longreach.studies.study import Study, StudyOptions, StudyReport, table_of
from longreach.tasks.targets import target_named
from longreach.theory.crasp.program import Builder, Program
from longreach.theory.crasp.syntax import count
from longreach.theory.search.inference import SCHEDULES, Inference, infer
from longreach.theory.search.space import Family
from longreach.theory.search.targets import RegularTarget

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class ThresholdPair:
    """Two thresholds of F_α (Huang et al., D.2), and the shortest input on which the functions differ.

    F_α asks for at least one 1 for every 1/α zeros. The closer two thresholds, the longer that input, so
    finite inputs identify nothing unless precision is penalized.
    """

    first: Fraction
    second: Fraction
    ones: int
    zeros: int

    @property
    def gap(self) -> Fraction:
        return abs(self.first - self.second)

    @property
    def length(self) -> int:
        return self.ones + self.zeros


def told_apart(first: Fraction, second: Fraction) -> ThresholdPair:
    """The shortest input on which two functions differ: the least n₁ + n₀ with n₀ between α n₁ and β n₁.

    >>> told_apart(Fraction(1, 2), Fraction(1, 3)).length
    3
    >>> told_apart(Fraction(10, 21), Fraction(11, 23)).length
    34
    """
    low, high = sorted((Fraction(first), Fraction(second)))
    if low < 0 or low == high:
        raise InputError("thresholds are two different numbers that are not negative")
    ones = 1
    while True:
        # The higher threshold accepts so many zeros, and the lower does not.
        zeros = int(low * ones) + 1
        if zeros <= high * ones:
            return ThresholdPair(Fraction(first), Fraction(second), ones, zeros)
        ones += 1


def threshold_program(alpha: Fraction) -> Program:
    """F_α as a program: p · #1 ≥ q · #0 for α = p/q; more precision is a larger program.

    >>> threshold_program(Fraction(1, 2)).accepts("110")
    True
    """
    b = Builder("01")
    b.let("F", alpha.numerator * count("1") >= alpha.denominator * count("0"))
    return b.program()


def approaching(alpha: Fraction, steps: int) -> list[ThresholdPair]:
    """α beside α + 1/2, α + 1/4, …: the length grows as they approach.

    >>> [pair.length for pair in approaching(Fraction(1), 5)]
    [5, 9, 17, 33, 65]
    """
    return [told_apart(alpha, alpha + Fraction(1, 2 ** (k + 1))) for k in range(steps)]


@dataclass(frozen=True, eq=False)
class InferenceRow:
    """A target and the run for it."""

    target: str
    run: Inference
    states: int | None
    """Of the minimal automaton; None where the target is given otherwise."""

    @property
    def title(self) -> str:
        """The target without the prefix of its name, its class and training length."""
        name = self.target.partition(":")[2] or self.target
        return f"{name}, {self.run.family.class_name}, t(n) = {self.run.schedule.formula}"

    @property
    def automaton_bound(self) -> int | None:
        """2n − 2: words up to this length tell automata of n states apart."""
        return None if self.states is None else 2 * self.states - 2

    @property
    def sizes(self) -> str:
        """The sizes of T_1, T_2, …, equal ones in a row once."""
        shown: list[str] = []
        for step in self.run.steps:
            size = str(step.complexity) if step.complexity is not None else f"≥{step.at_least}"
            if not shown or shown[-1] != size:
                shown.append(size)
        return " ".join(shown)

    def line(self) -> tuple[str, ...]:
        run = self.run
        n0 = "none" if run.n0 is None else str(run.n0)
        trained = "–" if run.n0_trained_to is None else str(run.n0_trained_to)
        bound = "–" if self.automaton_bound is None else str(self.automaton_bound)
        errors = "not known" if run.error_count is None else str(run.error_count)
        known = "–" if run.n0 is None else "proved" if run.proved else f"to length {run.to}"
        return (self.title, str(run.to), self.sizes, n0, trained, bound, errors, known)


@dataclass(frozen=True)
class InferenceCase:
    """A target, the class of programs, the training length, and how far it goes."""

    target: str
    family: str = "empty"
    schedule: str = "half"
    longest: int = 10


CASES = (
    InferenceCase("lib:majority"),
    InferenceCase("lib:dyck-1"),
    InferenceCase("regex:(a|b)*ab(a|b)*"),
    InferenceCase("aa", "periodic", longest=16),
    InferenceCase("aa", longest=16),
    InferenceCase("parity-language"),
    InferenceCase("sigma-be"),
    InferenceCase("lib:majority", schedule="log", longest=12),
    InferenceCase("parity-language", schedule="log", longest=12),
    InferenceCase("sigma-be", schedule="log", longest=10),
)
"""Targets in the class and outside it, with the usual training length and with a slow one."""
SIZES: dict[Scale, int] = {"smoke": 6, "laptop": 9, "paper": 10}
"""Operations of programs, at most."""
SECONDS: dict[Scale, float] = {"smoke": 5.0, "laptop": 90.0, "paper": 900.0}
SMOKE_LENGTH = 6
ALPHA, HALVINGS = Fraction(1), 10
"""F_α beside thresholds that approach it."""


def report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
    """Nothing is trained: the learner is exact, and takes a smallest program."""
    found = [inferred(case, options.scale) for case in CASES]
    pairs = approaching(ALPHA, HALVINGS)
    documents = [
        {"target": row.target, "automaton_bound": row.automaton_bound, **row.run.document()} for row in found
    ]
    runs = table_of(
        columns=("target", "n to", "sizes of T_n", "N₀", "t(N₀+1)", "2·states−2", "errors", "right"),
        rows=[row.line() for row in found],
        spare=("right", "errors", "2·states−2"),
    )
    lengths = table_of(
        title="F_α and F_β: the shortest input on which they differ",
        columns=("α", "β", "length"),
        rows=[(str(pair.first), str(pair.second), str(pair.length)) for pair in pairs],
    )
    return StudyReport(
        document={
            "targets": documents,
            "thresholds": [
                {"alpha": str(pair.first), "beta": str(pair.second), "length": pair.length} for pair in pairs
            ],
        },
        tables=[runs, lengths],
        figure=lambda title: inference_figure(found, pairs, title),
    )


def inferred(case: InferenceCase, scale: Scale) -> InferenceRow:
    """One run of the procedure.

    >>> inferred(InferenceCase("lib:majority"), "smoke").run.n0
    3
    """
    target = target_named(case.target)
    found = infer(
        target,
        family=Family.named(case.family),
        schedule=SCHEDULES[case.schedule],
        to=min(case.longest, SMOKE_LENGTH) if scale == "smoke" else case.longest,
        max_size=SIZES[scale],
        seconds=SECONDS[scale],
    )
    states = len(target.automaton) if isinstance(target, RegularTarget) else None
    return InferenceRow(case.target, found, states)


STUDY = Study(
    name="inference",
    title="The inference procedure, run on programs by size",
    source="Huang et al., arXiv 2410.02140, Definitions 6, 22 and 57, Theorems 7, 23 and 58, Appendix D.2",
    about="the smallest program that fits all words up to t(n): its size, its errors up to n, and N₀",
    time="smoke: seconds; laptop: a few minutes; trains nothing",
    report=report,
)


COLOURS = (BLUE, GREEN, SKY, ORANGE, PURPLE, RED, BLACK)
MARKERS = "os^vDXP"
SLOW = "--"
SHIFT = 0.06  # so that equal sizes do not hide each other


def inference_figure(rows: Sequence[InferenceRow], pairs: Sequence[ThresholdPair], title: str) -> Figure:
    """Three panels; a slow training length is dashed, an open marker is a lower bound."""
    from matplotlib.ticker import MaxNLocator

    figure = titled(title, (13, 5.2))
    sizes, errors, thresholds = figure.subplots(1, 3)
    names = list(dict.fromkeys((row.target, row.run.family.name) for row in rows))
    for row in rows:
        number = names.index((row.target, row.run.family.name)) % len(COLOURS)
        look = {"color": COLOURS[number], "marker": MARKERS[number], "markersize": 5}
        style = "-" if row.run.schedule.name == "half" else SLOW
        _sizes(sizes, row, look, style, SHIFT * number)
        _errors(errors, row, look, style)
    sizes.set(xlabel="n", ylabel="operations of T_n", title="size: bounded, or growing (open: at least)")
    errors.set(xlabel="n", ylabel="words up to n that T_n gets wrong", title="errors")
    errors.set_yscale("symlog", linthresh=1)
    thresholds.loglog(
        [float(pair.gap) for pair in pairs], [pair.length for pair in pairs], "o-", color=COLOURS[0]
    )
    thresholds.set(xlabel="β − 1", ylabel="shortest input on which F_1 and F_β differ", title="F_α (D.2)")
    for panel in (sizes, errors):
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    for panel in (sizes, errors, thresholds):
        panel.grid(alpha=0.3)
    figure.legend(
        *sizes.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=8, frameon=False
    )
    return figure


def _sizes(panel: Axes, row: InferenceRow, look: dict[str, Any], style: str, shift: float) -> None:
    steps = row.run.steps
    known = [step for step in steps if step.complexity is not None]
    panel.plot(
        [step.n for step in known],
        [shift + (step.complexity or 0) for step in known],
        style,
        label=row.title,
        **look,
    )
    open_ = [step for step in steps if step.complexity is None]
    if open_:
        panel.plot(
            [step.n for step in open_], [shift + step.at_least for step in open_], linestyle="none",
            **{**look, "markerfacecolor": "none"},
        )  # fmt: skip


def _errors(panel: Axes, row: InferenceRow, look: dict[str, Any], style: str) -> None:
    known = [step for step in row.run.steps if step.errors is not None]
    panel.plot([step.n for step in known], [step.errors or 0 for step in known], style, **look)
