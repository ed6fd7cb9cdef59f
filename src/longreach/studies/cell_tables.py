"""The cells of a study as tables in Markdown: those that do not agree, then all of them."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.comparison.outcome import Outcome, agreement
from longreach.comparison.tally import Tally
from longreach.results.cells import Spread
from longreach.studies.markdown_table import markdown_table

SHORT_COLUMNS = ("task", "encoding", "forecast", "last bin", "work", "paper", "judgement", "why")
FIRST_COLUMNS = ("task", "encoding", "forecast", "learned")
LAST_COLUMNS = ("work", "paper", "by the mean", "by runs")
USUAL_BINS = 3
ABOUT = (
    "Mean and standard deviation in per cent over the runs that are right on the whole training range, over "
    "all where none is (learned: how many are); in brackets the mean at random offsets. Where some runs work "
    "and others do not, their number stands in place of the mean. Judgements are by the mean and by runs (at "
    "least half of them work). A star: lengths of the figure's axis."
)


def cell_tables(found: Sequence[Outcome]) -> str:
    """What the results say, cell by cell; accuracies at random offsets stand in brackets.

    >>> print(cell_tables([]).splitlines()[0])
    Forecast and measurement agree in 0 of 0 counted cells by the mean, in 0 of 0 by runs; undecided ...
    """
    bins = max((len(each.ranges) for each in found), default=USUAL_BINS)
    columns = (*FIRST_COLUMNS, *(f"bin {place + 1}" for place in range(bins)), *LAST_COLUMNS)
    return "\n".join(
        [
            _counted(found),
            "",
            "## Cells that do not agree, or are not counted",
            "",
            *markdown_table(SHORT_COLUMNS, [_short(each) for each in found if not _is_usual(each)]),
            "",
            "## All cells",
            "",
            ABOUT,
            "",
            *markdown_table(columns, [_long(each) for each in found if each.cell is not None]),
            "",
        ]
    )


def _counted(found: Sequence[Outcome]) -> str:
    counts = agreement(found)
    rows = [row for each in found if each.cell is not None for row in each.cell.rows]
    right = sum(bool(row.reached) for row in rows)
    minutes = sum(row.seconds or 0.0 for row in rows) / 60
    return (
        f"Forecast and measurement agree in {counts['agrees']} of {counts['counted']} counted cells by the "
        f"mean, in {counts['by_runs']['agrees']} of {counts['by_runs']['counted']} by runs; "
        f"undecided by the theory: {counts['undecided']}, not counted: {counts['not_counted']}. "
        f"Right on the whole training range: {right} of {len(rows)} runs. "
        f"Recorded times: {minutes:.0f} minutes, {minutes / 2:.0f} on two cores."
    )


def _is_usual(outcome: Outcome) -> bool:
    states = {outcome.judgement.state, outcome.judgement_by_runs.state}
    return states == {"agrees"} or outcome.place.is_baseline or outcome.cell is None


def _short(each: Outcome) -> tuple[str, ...]:
    last, shifted, tally = each.accuracy[-1], each.accuracy_random_offset[-1], each.tallies[-1]
    measured = "–"
    if tally.is_mixed:
        measured = f"– at {each.ranges[-1]}"
    elif last is not None:
        measured = f"{100 * last.mean:.1f} %{_brackets(shifted)} at {each.ranges[-1]}"
    state, by_runs = each.judgement.state, each.judgement_by_runs.state
    return (
        each.place.task, each.place.label, each.forecast or "–", measured, _work(tally), _paper(each),
        state if state == by_runs else f"{state}; by runs {by_runs}", each.judgement.reason,
    )  # fmt: skip


def _long(each: Outcome) -> tuple[str, ...]:
    assert each.cell is not None
    bins = [
        _bin(tally, spread, shifted)
        for tally, spread, shifted in zip(
            each.tallies, each.accuracy, each.accuracy_random_offset, strict=True
        )
    ]
    success = f"{len(each.cell.successful)} of {len(each.cell.rows)}"
    return (
        each.place.task, each.place.label, each.forecast or "–", success, *bins, _work(each.tallies[-1]),
        _paper(each), each.judgement.state, each.judgement_by_runs.state,
    )  # fmt: skip


def _work(tally: Tally) -> str:
    return f"{tally.work} of {tally.runs}"


def _bin(tally: Tally, spread: Spread | None, shifted: Spread | None) -> str:
    if tally.is_mixed:
        return f"{_work(tally)} work"
    if spread is None:
        return "–"
    return f"{100 * spread.mean:.1f} ± {100 * spread.deviation:.1f}{_brackets(shifted)}"


def _brackets(shifted: Spread | None) -> str:
    return "" if shifted is None else f" ({100 * shifted.mean:.1f})"


def _paper(each: Outcome) -> str:
    if each.published is None:
        return "–"
    return f"{100 * each.published[-1]:.1f} % at {each.published_lengths[-1]}".replace("*", "\\*")
