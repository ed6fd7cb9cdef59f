"""Whether a run works at three times its training length, told from what is inside it at the training length.

Scores are fitted on development languages of the census and on runs of one's own, kept in a file, and judged
on held-out languages only as they stand there, committed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.config.scales import Scale
from longreach.errors import InputError
from longreach.forecast.odds_model import fitted_odds
from longreach.results.atomic import write_atomically
from longreach.results.figure_files import figure_bytes
from longreach.studies.census.census_settings import commit_of
from longreach.studies.inspectable_runs import RATIO, Chosen, chosen_runs, is_held_out, look_into, spread
from longreach.studies.markdown_table import markdown_table
from longreach.studies.score_odds import frozen_odds, left_out_odds
from longreach.studies.standalone_study import StandaloneAsked, StandaloneStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from longreach.comparison.resampling import Estimate
    from longreach.inspection.fitted_score import FittedScore
    from longreach.inspection.score_judgement import LimitComparison, ScoreSlice
    from longreach.inspection.scored_run import ScoredRun

MOST_RUNS: dict[Scale, int | None] = {"smoke": 12, "laptop": 120, "paper": None}
"""Runs that are looked into at each scale, spread evenly over the directory; None: all."""
ODDS = "the forecast's odds"
KEEP_EVERY = 20
"""Runs between two writings of the table."""


@dataclass(frozen=True, eq=False, kw_only=True)
class InspectionScoreResult:
    """What the study came to."""

    slices: tuple[ScoreSlice, ...]
    runs: tuple[ScoredRun, ...]
    limits: tuple[LimitComparison, ...]
    there: int
    """Runs that could have been looked into."""
    held_out: bool
    fitted: FittedScore | None = None
    """What was fixed before, or has just been fitted."""
    commit: str | None = None
    """In which it stands."""
    table: Path | None = None
    """Where the runs are kept."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "ratio": RATIO,
            "held_out": self.held_out,
            "reference": ODDS,
            "score": None if self.fitted is None else self._score(),
            "runs_there": self.there,
            "runs_looked_into": len(self.runs),
            "slices": [each.document() for each in self.slices],
            "limit": [each.document() for each in self.limits],
            "runs": [] if self.table is not None else [
                {
                    "run": run.run, "language": run.language, "encoding": run.encoding,
                    "trained_to": run.trained_to, "works": run.works, "learned": run.learned,
                    "features": dict(run.features), "beside": dict(run.beside),
                    "beyond": None if run.beyond is None else asdict(run.beyond),
                }
                for run in self.runs
            ],
        }  # fmt: skip

    def _score(self) -> dict[str, Any]:
        """What was fitted, on what, and the commit in which it stands."""
        assert self.fitted is not None
        said = ("command", "runs", "languages", "work", "trained_to", "encodings", "best")
        found = {name: getattr(self.fitted, name) for name in said}
        return {**found, "commit": self.commit}

    def text(self) -> str:
        """A table for each slice."""
        lines = [
            f"{len(self.runs)} of {self.there} runs looked into; works at {RATIO} times the training length"
        ]
        if self.fitted is not None:
            lines.append(
                f"scores fitted on {self.fitted.runs} runs of {self.fitted.languages} other tasks"
                if self.held_out
                else f"scores fitted on these {self.fitted.runs} runs, for others"
            )
            lines.append(f"best on those that were fitted: {self.fitted.best}")
        for each in self.slices:
            lines.append(f"\n{each.name}: {each.runs}, of {each.languages} tasks, {each.work} work")
            size = max(len(row.name) for row in each.rows)
            for row in each.rows:
                than = "" if row.gain is None else f"  than the odds {_shown(row.gain, sign='+')}"
                lines.append(f"  {row.name:{size}}  ROC area {_shown(row.auc)}{than}")
        if self.limits:
            lines.append(f"\nright at {RATIO} times the training length, the same inputs")
        for limit in self.limits:
            kept = f"{100 * limit.kept:.1f} % ({limit.better} better, {limit.worse} worse)"
            lines += [
                f"  {limit.name}, {limit.runs} runs: the models {100 * limit.model:.1f} %",
                f"    with periodic positions and local φ {kept}",
                f"    as limit transformers with linear layer norms {100 * limit.strict:.1f} %",
            ]
        return "\n".join(lines) + "\n"

    def content(self, suffix: str, heading: str) -> bytes:
        """The figure, or tables."""
        if suffix == ".md":
            lines = []
            for each in self.slices:
                rows = [
                    (
                        row.name,
                        str(row.runs),
                        _shown(row.auc),
                        "" if row.gain is None else _shown(row.gain, sign="+"),
                    )
                    for row in each.rows
                ]
                lines += [
                    f"{each.name}: {each.runs} runs of {each.languages} tasks, {each.work} work",
                    "",
                    *markdown_table(("number", "runs", "ROC area", "more than the odds"), rows),
                    "",
                ]
            return ("\n".join(lines)).encode()
        return figure_bytes(lambda: draw(self.slices, heading), suffix, salt="inspection-score")


def _shown(found: Estimate, sign: str = "") -> str:
    """A number and its interval.

    >>> from longreach.comparison.resampling import Estimate
    >>> _shown(Estimate(value=0.5, low=0.25, high=0.75), sign="+")
    '+0.500 (+0.250 to +0.750)'
    """
    if found.value is None:
        return "not known"
    spread = (
        ""
        if found.low is None or found.high is None
        else f" ({found.low:{sign}.3f} to {found.high:{sign}.3f})"
    )
    return f"{found.value:{sign}.3f}{spread}"


def draw(slices: tuple[ScoreSlice, ...], heading: str) -> Figure:
    """ROC curves, a panel for each slice; what stands beside is dashed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.6 * len(slices), 4.6), layout="constrained")
    figure.suptitle(heading, fontsize=9)
    for axis, each in zip(figure.subplots(1, len(slices), squeeze=False)[0], slices, strict=True):
        axis.plot([0, 1], [0, 1], color="#BBBBBB", linewidth=0.7)
        for row in each.rows:
            wrong, right = each.curves[row.name]
            style = {"feature": "-", "together": "-.", "beside": "--"}[row.kind]
            area = "" if row.auc.value is None else f" {row.auc.value:.2f}"
            axis.plot(wrong, right, linestyle=style, linewidth=1.1, label=f"{row.name}{area}")
        axis.set_title(f"{each.name} ({each.work} of {each.runs} work)", fontsize=8)
        axis.set_xlabel("failures taken for successes", fontsize=7)
        axis.tick_params(labelsize=6.5, length=2)
        axis.legend(fontsize=5.5, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    return figure


def plan(asked: StandaloneAsked) -> dict[str, Any]:
    """How many runs would be looked into."""
    found = _found(asked)
    known = {each.run for each in _table(asked)}
    wanted = spread(found, MOST_RUNS[asked.scale])
    done = sum(each.key in known for each in wanted)
    return {"jobs": len(wanted), "done": done, "runs_there": len(found)}


def run(asked: StandaloneAsked) -> InspectionScoreResult:
    """Look into the runs and judge what is seen."""
    from longreach.inspection.fitted_score import FITTED, fit_scores, read_score
    from longreach.inspection.score_judgement import compare_limits, judge_scores

    if asked.fit and asked.held_out:
        raise InputError("--fit: scores are fitted on development languages, and held-out ones are asked for")
    fitted, commit = None, None
    if asked.held_out:
        fitted = read_score()
        commit = commit_of(FITTED)
    rows, there = _looked_into(asked)
    rows = _with_odds(rows, held_out=asked.held_out)
    slices = judge_scores(rows, fitted, reference=ODDS)
    if asked.fit:
        areas = {row.name: row.auc.value for row in slices[0].rows if row.kind != "beside"}
        made = fit_scores(rows, {name: area for name, area in areas.items() if area is not None})
        write_atomically(FITTED, made.text().encode())
        asked.tell(f"wrote {FITTED}")
        fitted = made
    return InspectionScoreResult(
        slices=slices,
        limits=compare_limits(rows),
        runs=tuple(rows),
        there=there,
        held_out=asked.held_out,
        fitted=fitted,
        commit=commit,
        table=asked.table,
    )


def _table(asked: StandaloneAsked) -> list[ScoredRun]:
    from longreach.inspection.scored_run import read_scored

    if asked.table is None or (asked.train and not asked.table.exists()):
        return []
    return list(read_scored(asked.table))


def _found(asked: StandaloneAsked) -> list[Chosen]:
    if asked.table is not None and not asked.train:
        return []
    return list(chosen_runs(asked.runs, held_out=asked.held_out))


def _looked_into(asked: StandaloneAsked) -> tuple[list[ScoredRun], int]:
    """The runs of the part, from the table and from the directory, and how many there are in both.

    With a table and without training, the table alone.
    """
    table = {each.run: each for each in _table(asked)}
    asked.tell(f"reading {asked.runs}")
    found = _found(asked)
    wanted = [each for each in spread(found, MOST_RUNS[asked.scale]) if each.key not in table]
    asked.tell(f"looking into {len(wanted)} runs")
    for place, each in enumerate(wanted, 1):
        table[each.key] = look_into(each)
        asked.progress(f"looking into {len(wanted)} runs: {place} done")
        if place % KEEP_EVERY == 0 or place == len(wanted):
            _keep(asked.table, table.values())
    rows = [each for each in table.values() if is_held_out(each.language) == asked.held_out]
    if not rows:
        where = asked.runs if asked.table is None or asked.train else asked.table
        raise InputError(f"{where}: no run with a model is tested at {RATIO} times its training length")
    return rows, len({each.key for each in found} | {each.run for each in rows})


def _keep(path: Path | None, rows: Iterable[ScoredRun]) -> None:
    from longreach.inspection.scored_run import scored_text

    if path is not None:
        write_atomically(path, scored_text(rows).encode())


def _with_odds(rows: Sequence[ScoredRun], *, held_out: bool) -> list[ScoredRun]:
    """With the odds of the package for held-out languages, which had no part in them.

    On others odds are fitted here, each language left out in turn.
    """
    if held_out:
        model = fitted_odds()
        said = {} if model is None else frozen_odds(model, rows)
    else:
        said = left_out_odds(rows)
    return [
        replace(row, beside={**row.beside, ODDS: said[row.run]}) if row.run in said else row for row in rows
    ]


STUDY = StandaloneStudy(
    name="inspection-score",
    title="Success at three times the training length, told from inside a run",
    source="own; offset variance of Huang et al., arXiv 2410.02140, G.6.2",
    about="does what is inside a run at its training length tell whether it works at three times it?",
    time="laptop: 120 runs of a results directory, about a minute of computing",
    options=("--part", "--table", "--fit"),
    plan=plan,
    run=run,
)
