"""What the study of the inference procedure came to, as a table, a document and a figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longreach.results.figure_files import figure_bytes
from longreach.results.schema import Result
from longreach.studies.markdown_table import markdown_table
from longreach.synthesis.inference import Inference
from longreach.synthesis.threshold_functions import ThresholdPair

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        run = self.run
        n0 = "none" if run.n0 is None else str(run.n0)
        trained = "–" if run.n0_trained_to is None else str(run.n0_trained_to)
        bound = "–" if self.automaton_bound is None else str(self.automaton_bound)
        errors = "not known" if run.error_count is None else str(run.error_count)
        known = "–" if run.n0 is None else "proved" if run.proved else f"to length {run.to}"
        return (self.title, str(run.to), self.sizes, n0, trained, bound, errors, known)


HEADINGS = ("target", "n to", "sizes of T_n", "N₀", "t(N₀+1)", "2·states−2", "errors", "right")


@dataclass(frozen=True, eq=False)
class InferenceReport:
    """All rows, and how far apart thresholds are told."""

    rows: tuple[InferenceRow, ...]
    pairs: tuple[ThresholdPair, ...]

    @property
    def failed(self) -> Sequence[Result]:
        return ()

    def document(self) -> dict[str, Any]:
        return {
            "targets": [
                {"target": row.target, "automaton_bound": row.automaton_bound, **row.run.document()}
                for row in self.rows
            ],
            "thresholds": [
                {"alpha": str(pair.first), "beta": str(pair.second), "length": pair.length}
                for pair in self.pairs
            ],
        }

    def markdown(self) -> str:
        """The table, and the lengths that tell thresholds apart."""
        pairs = [(str(pair.first), str(pair.second), str(pair.length)) for pair in self.pairs]
        lines = [
            *markdown_table(HEADINGS, [row.cells() for row in self.rows]),
            "",
            "F_α and F_β: the shortest input on which they differ",
            "",
            *markdown_table(("α", "β", "length"), pairs),
            "",
        ]
        return "\n".join(lines)

    def text(self) -> str:
        columns = list(zip(HEADINGS, *(row.cells() for row in self.rows), strict=True))
        widths = [max(map(len, column)) for column in columns]
        table = zip(*columns, strict=True)
        lines = [
            "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in table
        ]
        far = ", ".join(f"{pair.second}: {pair.length}" for pair in self.pairs)
        return "\n".join(
            [*lines, "", f"F_1 differs from F_β first on inputs of length (β: length) {far}", ""]
        )

    def content(self, suffix: str, title: str) -> bytes:
        if suffix == ".md":
            return self.markdown().encode()
        return figure_bytes(lambda: self.figure(title), suffix, salt="inference")

    def figure(self, title: str) -> Figure:
        """Sizes, errors, and thresholds."""
        from longreach.studies.inference_figure import inference_figure

        return inference_figure(self.rows, self.pairs, title)
