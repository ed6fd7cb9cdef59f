"""The runs of a study counted by what theory says of their task: which settings work where.

A study that compares settings, such as positional encodings, has a line for each of them and a column for
each group of tasks: those with a program without positions, those whose programs need positions, and those
without any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from longreach.comparison.cell_forecast import forecast_of
from longreach.comparison.outcome import Outcome
from longreach.comparison.places import Place
from longreach.studies.markdown_table import markdown_table

Group: TypeAlias = Literal["without positions", "with positions", "none"]
GROUPS: dict[Group, str] = {
    "without positions": "program without positions",
    "with positions": "program with positions only",
    "none": "no program",
}
"""In the order of figures and tables, with their headings."""
ABOUT = (
    "Runs that work on the longest test range, of all that finished, by the programs that the task has (in "
    "brackets: how many tasks); learned: right on the whole training range."
)


def group_of(task: str) -> Group:
    """Which programs a task has, as it is trained.

    >>> group_of("tomita-1"), group_of("aa"), group_of("parity")
    ('without positions', 'with positions', 'none')
    """
    if forecast_of(Place(task, "nope")) == "yes":
        return "without positions"
    return "with positions" if forecast_of(Place(task, "ape")) == "yes" else "none"


@dataclass(frozen=True, kw_only=True)
class Count:
    """Runs of one setting on the tasks of one group."""

    runs: int = 0
    learned: int = 0
    work: int = 0

    def __add__(self, other: Count) -> Count:
        """Both together."""
        return Count(
            runs=self.runs + other.runs, learned=self.learned + other.learned, work=self.work + other.work
        )

    def document(self) -> dict[str, int]:
        """As JSON has it."""
        return {"runs": self.runs, "learned": self.learned, "work": self.work}


@dataclass(frozen=True, kw_only=True)
class WorkByTheory:
    """A line for each setting.

    >>> WorkByTheory(tasks={"none": 1}, counts={"ape": {"none": Count(runs=3, learned=1, work=0)}}).document()
    {'tasks': {'none': 1}, 'settings': {'ape': {'none': {'runs': 3, 'learned': 1, 'work': 0}}}}
    """

    tasks: dict[Group, int]
    """How many each group has."""
    counts: dict[str, dict[Group, Count]]
    """By the setting and the group."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        settings = {
            setting: {group: count.document() for group, count in found.items()}
            for setting, found in self.counts.items()
        }
        return {"tasks": dict(self.tasks), "settings": settings}

    def markdown(self) -> str:
        """A table, with a sentence on what it counts."""
        heading, *lines = self._lines(GROUPS)
        return "\n".join([ABOUT, "", *markdown_table(heading, lines), ""])

    def text(self) -> str:
        """The same for a terminal."""
        lines = self._lines({group: group for group in GROUPS})
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows = (
            "  ".join([first.ljust(widths[0]), *map(str.rjust, others, widths[1:])])
            for first, *others in lines
        )
        return "\n".join(["runs that work on the longest test range, by the programs of the task:", *rows])

    def _lines(self, names: Mapping[Group, str]) -> list[list[str]]:
        titles = [f"{names[group]} ({number})" for group, number in self.tasks.items()]
        return [["setting", *titles, "learned"], *map(self._line, self.counts)]

    def _line(self, setting: str) -> list[str]:
        found = self.counts[setting]
        total = sum(found.values(), Count())
        cells = [(count.work, count.runs) for group in self.tasks if (count := found[group])]
        cells.append((total.learned, total.runs))
        return [setting, *(f"{number} of {runs}" if runs else "–" for number, runs in cells)]


def work_by_theory(found: Sequence[Outcome]) -> WorkByTheory:
    """Count the finished runs of each setting in each group; groups without tasks are left out."""
    tasks = {task: group_of(task) for task in dict.fromkeys(each.place.task for each in found)}
    groups: list[Group] = [group for group in GROUPS if group in tasks.values()]
    counts: dict[str, dict[Group, Count]] = {}
    for each in found:
        last = each.tallies[-1]
        own = counts.setdefault(each.place.label, dict.fromkeys(groups, Count()))
        own[tasks[each.place.task]] += Count(runs=last.runs, learned=last.learned, work=last.work)
    return WorkByTheory(tasks={group: list(tasks.values()).count(group) for group in groups}, counts=counts)
