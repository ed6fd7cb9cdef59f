"""The document of an analysis as tables for people: in the terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from longreach.config.encoding_table import ENCODINGS
from longreach.studies.markdown_table import markdown_table

Document = Mapping[str, Any]
NOTHING = "–"
MAIN_RATIO = 3


@dataclass(frozen=True, kw_only=True)
class TextTable:
    """A table of texts with what stands above it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """In Markdown, the title as a line above."""
        return "\n".join([self.title, "", *markdown_table(self.columns, self.rows)])


def analysis_tables(document: Document) -> tuple[TextTable, ...]:
    """All tables of an analysis."""
    tables = [_agreement(document), _rivals(document), _sources(document)]
    if document["odds"] is not None:
        tables += [_odds(document["odds"]), _reliability(document["odds"])]
    return (*tables, _failures(document["failures"]))


def analysis_markdown(document: Document) -> str:
    """What is counted, and all tables, in Markdown."""
    return "\n\n".join([counted(document), *(each.markdown() for each in analysis_tables(document))]) + "\n"


def counted(document: Document) -> str:
    """In one sentence, what the numbers rest on.

    >>> counted({"part": "held-out", "languages": 126, "runs": 756, "failed": 0, "hours": 4.1})
    '126 held-out languages, 756 runs, of which 0 failed; 4.1 hours of training.'
    """
    return (
        f"{document['languages']} {document['part']} languages, {document['runs']} runs, of which "
        f"{document['failed']} failed; {document['hours']} hours of training."
    )


def number(estimate: Document, *, percent: bool = False) -> str:
    """An estimate with its interval.

    >>> number({"value": 0.8123, "low": -0.1, "high": 0.9})
    '0.81 (−0.10 to 0.90)'
    >>> number({"value": 0.5, "low": 0.4, "high": 1.0}, percent=True)
    '50 % (40–100)'
    """
    value, low, high = estimate["value"], estimate["low"], estimate["high"]
    if value is None:
        return NOTHING
    if percent:
        ends = "" if low is None else f" ({100 * low:.0f}–{100 * high:.0f})"
        return f"{100 * value:.0f} %{ends}"
    between = "" if low is None else f" ({_signed(low)} to {_signed(high)})"
    return f"{_signed(value)}{between}"


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _title(encoding: str) -> str:
    return ENCODINGS[encoding].title


def _tested(ratio: int) -> str:
    return "N" if ratio == 1 else f"{ratio}N"


def _scores(document: Document, **wanted: Any) -> list[Document]:
    return [each for each in document["scores"] if all(each[name] == wanted[name] for name in wanted)]


def _agreement(document: Document) -> TextTable:
    rows = []
    for each in _scores(document, source=None):
        if each["trained_to"] is None or each["ratio"] is None:
            continue
        agreement = each["agreement"]
        rows.append(
            (
                _title(each["encoding"]),
                str(each["trained_to"]),
                _tested(each["ratio"]),
                str(each["cells"]),
                number(each["yes"], percent=True),
                number(each["no"], percent=True),
                number(agreement["half way"], percent=True),
                number(agreement["0.9"], percent=True),
                number(agreement["mean"], percent=True),
            )
        )
    return TextTable(
        title="How often runs work by the verdict, and in which share of cells verdict and most runs agree.",
        columns=(
            "encoding",
            "N",
            "tested to",
            "cells",
            "yes: runs that work",
            "no: runs that work",
            "agree",
            "at 0.9",
            "by the mean",
        ),
        rows=tuple(rows),
    )


def _rivals(document: Document) -> TextTable:
    found = {each["encoding"]: each for each in _scores(document, source=None, trained_to=None, ratio=None)}
    names = list(next(iter(found.values()))["predictors"]) if found else []
    rows = []
    for name in names:
        row = [name]
        for each in found.values():
            score = each["predictors"][name]
            row += [number(score["auc"]), number(score["skill"])]
        rows.append(tuple(row))
    columns = [f"{_title(encoding)}: {what}" for encoding in found for what in ("ROC area", "Brier skill")]
    return TextTable(
        title="The verdict and its rivals beyond the training length, all lengths together.",
        columns=("predictor", *columns),
        rows=tuple(rows),
    )


def _sources(document: Document) -> TextTable:
    rows = []
    for each in document["scores"]:
        if each["source"] is None or each["ratio"] != MAIN_RATIO:
            continue
        rows.append(
            (
                _title(each["encoding"]),
                each["source"],
                str(each["languages"]),
                number(each["yes"], percent=True),
                number(each["no"], percent=True),
                number(each["agreement"]["half way"], percent=True),
                number(each["predictors"]["verdict"]["auc"]),
            )
        )
    return TextTable(
        title="The same at 3N by how a language was drawn, since verdict and source go together.",
        columns=(
            "encoding",
            "drawn as",
            "languages",
            "yes: runs that work",
            "no: runs that work",
            "agree",
            "ROC area",
        ),
        rows=tuple(rows),
    )


def _odds(odds: Document) -> TextTable:
    rows = []
    for each in odds["scores"]:
        about = [
            *([_title(each["encoding"])] if each["encoding"] else []),
            *([f"trained to {each['trained_to']}"] if each["trained_to"] else []),
            *([f"at {_tested(each['ratio'])}"] if each["ratio"] else []),
        ]
        rows.append(
            (
                ", ".join(about) or "all",
                str(each["runs"]),
                f"{100 * each['work']:.0f} %",
                number(each["brier"]),
                number(each["skill"]),
                number(each["skill_over_verdict"]),
                number(each["auc"]),
            )
        )
    return TextTable(
        title=f"The odds on {odds['part']} languages.",
        columns=(
            "cells",
            "runs",
            "work",
            "Brier score",
            "skill over the base rate",
            "skill over the verdict alone",
            "ROC area",
        ),
        rows=tuple(rows),
    )


def _reliability(odds: Document) -> TextTable:
    rows = tuple(
        (
            f"{100 * each['low']:.0f}–{100 * each['high']:.0f} %",
            str(each["rows"]),
            f"{100 * each['said']:.0f} %",
            number(
                {"value": each["found"], "low": each["found_low"], "high": each["found_high"]}, percent=True
            ),
        )
        for each in odds["reliability"]
    )
    return TextTable(
        title="What was said and what came true.", columns=("odds", "runs", "said", "found"), rows=rows
    )


def _failures(found: Document) -> TextTable:
    rows = [
        ("cells with the verdict no", str(found["cells"])),
        ("of these, learned the training lengths", str(found["learned"])),
        ("work at all tested lengths", str(found["work at all lengths"])),
    ]
    for name, where in (("predicted to fail", "within"), ("predicted to last", "beyond")):
        share = found[name]
        rows.append((f"{name} {where} the tested lengths", f"{share['fail']} of {share['cells']} fail"))
    for letters, estimate in found["rank correlation"].items():
        rows.append((f"rank correlation, windows of up to {letters}", number(estimate)))
    return TextTable(
        title="Where a no ends: the length at which little memory gives out, and where runs fail.",
        columns=("", ""),
        rows=tuple(rows),
    )
