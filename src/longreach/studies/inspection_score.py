"""Whether a run works at three times its training length, told from what is inside it at the training length.

Runs of held-out languages of the census are passed over unless they are asked for; then they alone count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from longreach.comparison.tally import level_of
from longreach.config.scales import Scale
from longreach.config.task_name import TaskName
from longreach.config.training import TrainConfig
from longreach.errors import InputError
from longreach.forecast.odds_features import CANDIDATES, KNOWN, odds_features
from longreach.results.figure_files import figure_bytes
from longreach.results.files import candidates, check_directory, read_candidate
from longreach.results.schema import Result
from longreach.studies.census.census_cell import Cell, cells
from longreach.studies.census.census_language_table import LanguageFacts
from longreach.studies.census.census_members import Member, language_table
from longreach.studies.census.census_run import CensusRun
from longreach.studies.census.odds_fit import choose_features
from longreach.studies.census.odds_table import odds_table
from longreach.studies.standalone_study import StandaloneAsked, StandaloneStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from longreach.inspection.score_judgement import LimitComparison, ScoredRun, ScoreSlice

RATIO = 3
LEARNED = 0.99
MODEL = "model.safetensors"
MOST_RUNS: dict[Scale, int | None] = {"smoke": 12, "laptop": 120, "paper": None}
"""Runs that are looked into at each scale, spread evenly over the directory; None: all."""
VERDICT, ODDS, ACCURACY = "the forecast's verdict", "the forecast's odds", "accuracy at the training length"


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """A run that is looked into."""

    key: str
    folder: Path
    config: TrainConfig
    result: Result
    language: LanguageFacts | None
    """Of the census."""


@dataclass(frozen=True, eq=False, kw_only=True)
class InspectionScoreResult:
    """What the study came to."""

    slices: tuple[ScoreSlice, ...]
    runs: tuple[ScoredRun, ...]
    limits: tuple[LimitComparison, ...]
    there: int
    """Runs that could have been looked into."""
    held_out: bool

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "ratio": RATIO,
            "held_out": self.held_out,
            "runs_there": self.there,
            "runs_looked_into": len(self.runs),
            "slices": [each.document() for each in self.slices],
            "limit": [each.document() for each in self.limits],
            "runs": [
                {
                    "run": run.run, "language": run.language, "encoding": run.encoding,
                    "trained_to": run.trained_to, "works": run.works, "learned": run.learned,
                    "features": dict(run.features), "beside": dict(run.beside),
                    "beyond": None if run.beyond is None else asdict(run.beyond),
                }
                for run in self.runs
            ],
        }  # fmt: skip

    def text(self) -> str:
        """A table for each slice."""
        lines = [
            f"{len(self.runs)} of {self.there} runs looked into; works at {RATIO} times the training length"
        ]
        for each in self.slices:
            lines.append(f"\n{each.name}: {each.runs}, of {each.languages} tasks, {each.work} work")
            size = max(len(row.name) for row in each.rows)
            for row in each.rows:
                value, low, high = row.auc.value, row.auc.low, row.auc.high
                shown = "not known" if value is None else f"{value:.3f}"
                spread = "" if low is None or high is None else f"  ({low:.3f} to {high:.3f})"
                lines.append(f"  {row.name:{size}}  ROC area {shown}{spread}")
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
                lines += [
                    f"{each.name}: {each.runs} runs of {each.languages} tasks, {each.work} work", "",
                    "| number | runs | ROC area | 95 % interval |", "|---|---|---|---|",
                ]  # fmt: skip
                for row in each.rows:
                    low, high = row.auc.low, row.auc.high
                    spread = "" if low is None or high is None else f"{low:.3f} to {high:.3f}"
                    value = "" if row.auc.value is None else f"{row.auc.value:.3f}"
                    lines.append(f"| {row.name} | {row.runs} | {value} | {spread} |")
                lines.append("")
            return ("\n".join(lines)).encode()
        return figure_bytes(lambda: draw(self.slices, heading), suffix, salt="inspection-score")


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


@cache
def _census() -> dict[str, LanguageFacts]:
    return {facts.task: facts for facts in language_table().values()}


def chosen_runs(runs: Path, *, held_out: bool) -> Iterator[Chosen]:
    """The finished runs with a model and a test range at three times the training length."""
    for candidate in candidates(check_directory(runs)):
        if candidate.stamp is None or not (candidate.file.parent / MODEL).is_file():
            continue
        entry = read_candidate(candidate)
        if entry.result is None or entry.result.status != "done":
            continue
        task = entry.result.config.get("task")
        language = _census().get(task) if isinstance(task, str) else None
        if (language is not None and language.part == "held-out") != held_out:
            continue
        config = _config(entry.result)
        if config is None or f"{(RATIO - 1) * _to(config) + 1}-{RATIO * _to(config)}" not in _names(config):
            continue
        yield Chosen(
            key=entry.name,
            folder=candidate.file.parent,
            config=config,
            result=entry.result,
            language=language,
        )


def _config(result: Result) -> TrainConfig | None:
    try:
        config = TrainConfig.read(result.config)
    except InputError:  # such as a task with numbers as answers
        return None
    name = TaskName(config.task)
    outside = name.is_attribute or name.is_session or (name.is_file and not name.is_text)
    return None if outside or config.encoding == "mlp" else config


def _to(config: TrainConfig) -> int:
    return config.train_lengths.last


def _names(config: TrainConfig) -> list[str]:
    return [lengths.name for lengths in config.test_lengths]


def spread(found: list[Chosen], most: int | None) -> list[Chosen]:
    """So many of them at even distances, in the order of their keys, which is random."""
    if most is None or len(found) <= most:
        return found
    return [found[round(place)] for place in np.linspace(0, len(found) - 1, most).tolist()]


def plan(asked: StandaloneAsked) -> dict[str, Any]:
    """How many runs would be looked into."""
    found = list(chosen_runs(asked.runs, held_out=asked.held_out))
    return {"jobs": len(spread(found, MOST_RUNS[asked.scale])), "done": 0, "runs_there": len(found)}


def run(asked: StandaloneAsked) -> InspectionScoreResult:
    """Look into the runs and judge what is seen."""
    from longreach.inspection.score_judgement import compare_limits, judge_scores

    asked.tell(f"reading {asked.runs}")
    found = list(chosen_runs(asked.runs, held_out=asked.held_out))
    wanted = spread(found, MOST_RUNS[asked.scale])
    if not wanted:
        raise InputError(f"{asked.runs}: no run with a model is tested at {RATIO} times its training length")
    odds = forecast_odds(wanted)
    scored = []
    asked.tell(f"looking into {len(wanted)} runs")
    for place, each in enumerate(wanted):
        asked.progress(f"looking into {len(wanted)} runs: {place} done")
        scored.append(_scored(each, odds.get(each.key)))
    return InspectionScoreResult(
        slices=judge_scores(scored),
        limits=compare_limits(scored),
        runs=tuple(scored),
        there=len(found),
        held_out=asked.held_out,
    )


def _scored(chosen: Chosen, odds: float | None) -> ScoredRun:
    from longreach.inspection.inspected_model import Subject, open_model
    from longreach.inspection.run_features import beyond_training, run_features
    from longreach.inspection.score_judgement import ScoredRun

    config, final = chosen.config, chosen.result.final
    subject = open_model(chosen.folder)
    assert isinstance(subject, Subject)
    assert subject.task is not None
    assert final is not None
    trained_to = _to(config)
    chance = subject.task.chance
    if chosen.language is not None:
        chance = chosen.language.chance(trained_to, RATIO)
    at_training = final.accuracy[config.train_lengths.name]
    beside = {ACCURACY: at_training}
    if chosen.language is not None:
        beside[VERDICT] = float(chosen.language.sides[config.encoding].verdict == "yes")
    if odds is not None:
        beside[ODDS] = odds
    reached = final.accuracy[f"{(RATIO - 1) * trained_to + 1}-{RATIO * trained_to}"]
    return ScoredRun(
        run=chosen.key,
        language=config.task,
        encoding=config.encoding,
        trained_to=trained_to,
        works=reached >= level_of(chance),
        learned=at_training >= LEARNED,
        features=run_features(subject),
        beside=beside,
        beyond=beyond_training(subject, RATIO * trained_to),
    )


def forecast_odds(found: list[Chosen]) -> dict[str, float]:
    """By run, the odds that the census would give, fitted on these runs without the run's own language.

    The features of the odds are chosen as `longreach study census --fit` does; without runs of the census
    there are none.
    """
    known = {
        (each.language.key, each.config.encoding, _to(each.config)): each
        for each in found
        if each.language is not None
    }
    by_cell = _cells(list(known.values()))
    if len({cell.language.key for cell in by_cell}) < 2:
        return {}
    columns = zip(*(odds_features(cell.case) for cell in by_cell), strict=True)
    whole = tuple(name for name, column in zip(KNOWN, columns, strict=True) if None not in column)
    table = odds_table(by_cell, whole, lambda cell: odds_features(cell.case, whole))
    if not 0 < table.shares.mean() < 1:
        return {}
    names, penalty = choose_features(table, [name for name in CANDIDATES if name in whole])
    said = table.out_of_sample(names, penalty=penalty)
    return {
        known[cell.language.key, cell.encoding, cell.trained_to].key: float(value)
        for cell, value in zip(by_cell, said, strict=True)
        if np.isfinite(value)
    }


def _cells(found: list[Chosen]) -> list[Cell]:
    """One run a cell: those with other seeds have the same odds."""
    runs = []
    for each in found:
        final = each.result.final
        assert each.language is not None
        assert final is not None
        member = Member(each.language.key, each.config.encoding, _to(each.config), each.config.seed)
        runs.append(
            CensusRun(
                run=each.key, language=member.language, encoding=member.encoding,
                trained_to=member.trained_to, seed=member.seed,
                accuracy=tuple(final.accuracy.get(lengths.name, 0.0) for lengths in each.config.ranges),
                code=each.result.code, seconds=0.0, settings="",
            )
        )  # fmt: skip
    return [cell for cell in cells(runs, language_table()) if cell.ratio == RATIO]


STUDY = StandaloneStudy(
    name="inspection-score",
    title="Success at three times the training length, told from inside a run",
    source="own; offset variance of Huang et al., arXiv 2410.02140, G.6.2",
    about="does what is inside a run at its training length tell whether it works at three times it?",
    time="laptop: 120 runs of a results directory, about a minute of computing",
    options=("--part",),
    plan=plan,
    run=run,
)
