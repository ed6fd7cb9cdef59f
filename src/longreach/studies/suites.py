"""The study `published-suites`: forecasts beside accuracies that other groups published.

The numbers are read from files, each with the table it was taken from. A forecast agrees if a yes meets a
number that works, or a no one that fails. For recurrences a yes says that weights exist, so a yes that fails
is no contradiction, but a no that works would be one. A transformer whose encoding is not known, or chosen as
the best of several, is judged where its forecasts without and with positions are the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from longreach.answers.agreement import ENCODINGS, Place, level, published_accuracy
from longreach.answers.forecast import forecast
from longreach.answers.published import FIGURE_1_TASKS
from longreach.figures import BLUE, GREEN, GREY, RED
from longreach.runs.cells import ByAccuracy
from longreach.runs.index import Row
from longreach.studies.drawing import titled
from longreach.studies.state_languages import LEVEL, judged_languages
from longreach.studies.study import Claim, Study, StudyOptions, StudyReport, table_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Said: TypeAlias = Literal["yes", "no", "not known"]
DATA = Path(__file__).with_name("published_suites.json")
LOOKS = {
    "yes, works": GREEN, "no, fails": BLUE, "yes, fails": GREY, "no, works": RED,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Reported:
    """One published number, and what theory says of the model and the task."""

    suite: str
    task: str
    model: str
    accuracy: float
    level: float
    """From here on it works."""
    said: Said
    is_about_weights: bool = False
    """Whether a yes says no more than that weights exist."""
    why: str = field(default="", compare=False)
    """What is known of a disagreement."""

    @property
    def works(self) -> bool:
        return self.accuracy >= self.level

    @property
    def kind(self) -> str | None:
        """As in "yes, works"; None where theory does not decide."""
        if self.said == "not known":
            return None
        return f"{self.said}, {'works' if self.works else 'fails'}"

    @property
    def contradicts(self) -> bool:
        """Whether forecast and number cannot both be right."""
        return self.kind == "no, works" or (self.kind == "yes, fails" and not self.is_about_weights)

    def document(self) -> dict[str, Any]:
        return {
            "suite": self.suite, "task": self.task, "model": self.model, "accuracy": self.accuracy,
            "level": self.level, "forecast": self.said, "works": self.works,
        }  # fmt: skip


@cache
def content() -> Mapping[str, Any]:
    """The file of numbers.

    >>> [len(suite["rows"]) for suite in content()["suites"]]
    [13, 5]
    """
    found: Mapping[str, Any] = json.loads(DATA.read_bytes())
    return found


WHY = {
    ("D-SLiCE", "cycle-navigation"): "its gates have no bound, so it may count steps as a number: the "
    "longest tests have 256",
}
"""What is known of single disagreements."""


def tabled() -> Iterator[Reported]:
    """The numbers of the file."""
    for suite in content()["suites"]:
        for row in suite["rows"]:
            for place, task in enumerate(suite["tasks"]):
                title = task or suite["titles"][place]
                yield Reported(
                    suite=suite["name"],
                    task=title,
                    model=row["model"],
                    accuracy=row["accuracy"][place],
                    level=ByAccuracy(suite["chance"][place]).level,
                    said="not known" if task is None else _said(row, task),
                    is_about_weights=row["theory"] not in (None, "decoder"),
                    why=WHY.get((row["model"], title), ""),
                )


def _said(row: Mapping[str, Any], task: str) -> Said:
    if row["theory"] is None:
        return "not known"
    if "encodings" in row:
        answers = {by_encoding(task)[encoding] for encoding in row["encodings"]}
        return answers.pop() if len(answers) == 1 else "not known"
    return _by_model(task, row["theory"], json.dumps(row.get("options", {})))


@cache
def _by_model(task: str, name: str, options: str) -> Said:
    found = forecast(task, model=name, model_options=json.loads(options)).model
    assert found is not None
    return found.answer


@cache
def by_encoding(task: str) -> dict[str, Said]:
    """The forecast of a decoder without and with positions.

    >>> by_encoding("even-pairs")
    {'ape': 'yes', 'nope': 'no'}
    """
    found = forecast(task)
    words: dict[str, Said] = {"yes": "yes", "no": "no"}
    return {each: words.get(getattr(found, each).answer.value, "not known") for each in ENCODINGS}


def figure_1() -> Iterator[Reported]:
    """Figure 1 of Huang et al., on its longest lengths."""
    name = content()["elsewhere"][0]["name"]
    for task in FIGURE_1_TASKS:
        for encoding, said in by_encoding(task).items():
            shares = published_accuracy(Place(task, encoding))
            if shares is not None:
                yield Reported(
                    suite=name, task=task, model=encoding, accuracy=shares[-1],
                    level=level(task), said=said,
                )  # fmt: skip


def states() -> Iterator[Reported]:
    """State prediction on the languages of state-tracking-crasp, on the longest lengths."""
    name = content()["elsewhere"][1]["name"]
    for each in judged_languages():
        said: Said = "not known" if each.after_letter is None else "yes" if each.after_letter else "no"
        yield Reported(
            suite=name, task=each.published.expression, model="nope", accuracy=each.published.last,
            level=LEVEL, said=said, why="" if each.agrees() else each.reason,
        )  # fmt: skip


def counts(found: Iterable[Reported]) -> dict[str, int]:
    """How many numbers are of each kind, and how many are not judged."""
    kinds = [each.kind for each in found]
    return {kind: kinds.count(kind) for kind in LOOKS} | {"not judged": kinds.count(None)}


def suites_report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
    """All suites with numbers; at the scale smoke those of the file alone."""
    found = list(tabled())
    if options.scale != "smoke":
        found += [*figure_1(), *states()]
    suites = list(dict.fromkeys(each.suite for each in found))
    by_suite = {name: counts(each for each in found if each.suite == name) for name in suites}
    columns = ["suite", *LOOKS, "not judged"]
    lines = [[name, *(str(by_suite[name][kind]) for kind in columns[1:])] for name in suites]
    against = [each for each in found if each.contradicts]
    missing = content()["missing"]
    tables = [
        table_of(columns, lines, title="Published numbers by forecast: does a yes work, does a no fail?"),
        table_of(
            ["suite", "task", "model", "accuracy", "forecast", "why"],
            [
                [each.suite, each.task, each.model, f"{100 * each.accuracy:.1f}%", each.said, each.why or "–"]
                for each in against
            ],
            title="What contradicts its forecast",
            spare=["why", "suite"],
        ),
        table_of(
            ["model", "task", "accuracy"],
            [
                [each.model, each.task, f"{100 * each.accuracy:.1f}%"]
                for each in found
                if each.kind == "yes, fails" and not each.contradicts
            ],
            title="Weights exist, and training did not find them",
        ),
    ]
    remarks = [
        f"{each['name']} ({each['paper']}): no numbers could be had. Looked at: {each['looked']}."
        for each in missing
    ]
    return StudyReport(
        claims=() if options.scale == "smoke" else _claims(found),
        document={
            "suites": by_suite,
            "sources": [
                {name: each[name] for name in ("name", "paper", "read")}
                for each in (*content()["suites"], *content()["elsewhere"])
            ],
            "numbers": [each.document() for each in found],
            "missing": missing,
        },
        tables=tables,
        remarks=remarks,
        figure=lambda title: draw_suites(by_suite, title),
    )


def _claims(found: Sequence[Reported]) -> tuple[Claim, ...]:
    all_of = counts(found)
    no = all_of["no, works"] + all_of["no, fails"]
    programs = counts(each for each in found if not each.is_about_weights)
    yes = programs["yes, works"] + programs["yes, fails"]
    return (
        Claim(
            text="what theory excludes fails",
            holds=all_of["no, works"] == 0,
            detail=f"{all_of['no, fails']} of {no} numbers",
        ),
        Claim(
            text="where a program exists, the decoder works",
            holds=programs["yes, fails"] == 0,
            detail=f"{programs['yes, works']} of {yes} numbers",
        ),
    )


def draw_suites(by_suite: Mapping[str, Mapping[str, int]], title: str) -> Figure:
    """A bar for each suite: the shares of what was judged, with counts."""
    drawn = titled(title, (8, 0.7 * len(by_suite) + 1.2))
    place = drawn.subplots()
    for line, found in enumerate(by_suite.values()):
        total, start = sum(found[kind] for kind in LOOKS), 0.0
        for kind, colour in LOOKS.items():
            share = found[kind] / total
            place.barh(line, share, left=start, color=colour, label=kind if not line else None)
            if found[kind]:
                place.text(start + share / 2, line, str(found[kind]), ha="center", va="center", fontsize=8)
            start += share
    place.set_yticks(range(len(by_suite)), list(by_suite), fontsize=8)
    place.invert_yaxis()
    place.set_xlim(0, 1)
    place.set_xlabel("share of the numbers that a forecast judges", fontsize=8)
    place.legend(fontsize=7, frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1))
    return drawn


STUDY = Study(
    name="published-suites",
    title="Forecasts beside what others published",
    source="Delétang et al., arXiv 2207.02098; Walker et al., arXiv 2505.17761; "
    "Huang et al., arXiv 2410.02140; arXiv 2608.13433",
    about="published accuracies of four suites, each beside its forecast, and what disagrees",
    time="laptop: about 5 seconds",
    report=suites_report,
)
