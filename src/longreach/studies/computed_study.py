"""Studies that compute and train nothing: a table, remarks and a figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longreach.config.scales import Scale
from longreach.results.figure_files import figure_bytes
from longreach.studies.markdown_table import markdown_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png", ".pdf", ".md")


@dataclass(frozen=True, kw_only=True)
class ComputedReport:
    """What such a study came to."""

    columns: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...]
    document: dict[str, Any]
    """As JSON has it, beside the study's name and scale."""
    figure: Callable[[str], Figure]
    """From a title."""
    spare: tuple[str, ...] = ()
    """Columns that go where the terminal is narrow, the first one first."""

    def markdown(self) -> str:
        """The table and the remarks."""
        rows = markdown_table(self.columns, self.lines)
        return "\n".join([*rows, "", *(f"{remark}\n" for remark in self.remarks)])


@dataclass(frozen=True, kw_only=True)
class ComputedStudy:
    """Beside the others in the list of studies.

    >>> from longreach.studies.all_studies import COMPUTED_STUDIES
    >>> report = COMPUTED_STUDIES["counter-examples"].compute("smoke")
    >>> report.columns[0], len(report.lines)
    ('dropped', 9)
    """

    name: str
    title: str
    source: str
    about: str
    time: str
    compute: Callable[[Scale], ComputedReport]

    formats = FORMATS

    def heading(self, scale: Scale) -> str:
        """Its title, with the scale."""
        return f"{self.title} ({scale} scale)"

    def content(self, report: ComputedReport, scale: Scale, suffix: str) -> bytes:
        """The figure, or the table, in the format of a name's ending."""
        if suffix == ".md":
            return report.markdown().encode()
        return figure_bytes(lambda: report.figure(self.heading(scale)), suffix, salt=self.name)
