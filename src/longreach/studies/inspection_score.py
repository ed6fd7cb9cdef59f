"""Whether a run works at three times its training length, told from its inside.

Runs of held-out languages of the census are passed over unless they are asked for; then they alone count.

Scores are fitted on development languages of the census and on runs of one's own, kept in a file, and judged
on held-out languages only as they stand there, committed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from longreach.answers.odds import OddsModel, fitted_odds
from longreach.answers.odds_features import CANDIDATES, KNOWN, ODDS_ENCODINGS, OddsCase, odds_features
from longreach.config.model import BASELINE
from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.errors import InputError
from longreach.figures import PALE, figure_bytes
from longreach.files import write_atomically
from longreach.runs.cells import ByAccuracy
from longreach.studies.cells import markdown_table
from longreach.studies.census.members import commit_of, language_table
from longreach.studies.census.odds import choose_features, probabilities
from longreach.studies.census.scores import odds_table
from longreach.studies.census.tables import Cell, LanguageFacts
from longreach.studies.study import StandaloneAsked, StandaloneStudy
from longreach.theory.names import TaskName
from longreach.training.result import Result, candidates, check_directory, read_candidate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from longreach.answers.statistics import Estimate
    from longreach.studies.run_scores import FittedScore, LimitComparison, ScoredRun, ScoreSlice

# The runs of a results directory that can be looked into, and what is seen there.


RATIO = 3
LEARNED = 0.99
MODEL = "model.safetensors"
VERDICT, ACCURACY = "the forecast's verdict", "accuracy at the training length"


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """A run that is looked into."""

    key: str
    folder: Path
    config: RunConfig
    result: Result
    language: LanguageFacts | None
    """Of the census."""


@cache
def facts_by_task() -> dict[str, LanguageFacts]:
    """The languages of the census, as runs name them."""
    return {facts.task: facts for facts in language_table().values()}


def is_held_out(task: object) -> bool:
    """Whether a task is a held-out language of the census."""
    language = facts_by_task().get(task) if isinstance(task, str) else None
    return language is not None and language.part == "held-out"


def chosen_runs(runs: Path, *, held_out: bool) -> Iterator[Chosen]:
    """The finished runs with a model and a test range at three times the training length."""
    for candidate in candidates(check_directory(runs)):
        if candidate.stamp is None or not (candidate.file.parent / MODEL).is_file():
            continue
        entry = read_candidate(candidate)
        if entry.result is None or entry.result.status != "done":
            continue
        task = entry.result.config.get("task")
        language = facts_by_task().get(task) if isinstance(task, str) else None
        if is_held_out(task) != held_out:
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


def _config(result: Result) -> RunConfig | None:
    try:
        config = RunConfig.read(result.config)
    except InputError:  # such as a task with numbers as answers
        return None
    name = TaskName(config.task)
    outside = name.is_attribute or name.is_session or (name.is_file and not name.is_text)
    return None if outside or config.architecture == BASELINE else config


def _to(config: RunConfig) -> int:
    return config.train_lengths.last


def _names(config: RunConfig) -> list[str]:
    return [lengths.name for lengths in config.test_lengths]


def spread(found: list[Chosen], most: int | None) -> list[Chosen]:
    """So many of them at even distances, in the order of their keys, which is random."""
    if most is None or len(found) <= most:
        return found
    return [found[round(place)] for place in np.linspace(0, len(found) - 1, most).tolist()]


def look_into(chosen: Chosen) -> ScoredRun:
    """The numbers of a run."""
    from longreach.inspection.models import Subject, open_model
    from longreach.studies.run_scores import ScoredRun, beyond_training, run_features

    config, final = chosen.config, chosen.result.final
    subject = open_model(chosen.folder)
    assert isinstance(subject, Subject)
    assert subject.task is not None
    assert final is not None
    trained_to = _to(config)
    facts, chance = chosen.language, subject.task.chance
    if facts is not None and str(trained_to) in facts.lengths:
        chance = facts.chance(trained_to, RATIO)
    at_training = final.accuracy[config.train_lengths.name]
    beside = {ACCURACY: at_training}
    if facts is not None and config.encoding in facts.sides:
        beside[VERDICT] = float(facts.sides[config.encoding].verdict == "yes")
    reached = final.accuracy[f"{(RATIO - 1) * trained_to + 1}-{RATIO * trained_to}"]
    return ScoredRun(
        run=chosen.key,
        language=config.task,
        encoding=config.encoding,
        trained_to=trained_to,
        seed=config.seed,
        reached=reached,
        works=ByAccuracy(chance).works(reached),
        learned=at_training >= LEARNED,
        features=run_features(subject),
        beside=beside,
        beyond=beyond_training(subject, RATIO * trained_to),
    )


# The odds of the forecast for runs that were looked into: they know the language, not the run.


def frozen_odds(model: OddsModel, runs: Iterable[ScoredRun]) -> dict[str, float]:
    """By run, the odds of a model that was fitted before; runs outside what it was fitted on have none."""
    by_cell = _cells(runs)
    kept, said, _ = probabilities(model, [cell for cell, _ in by_cell])
    members = {id(cell): keys for cell, keys in by_cell}
    return _by_run([members[id(cell)] for cell in kept], said)


def left_out_odds(runs: Iterable[ScoredRun]) -> dict[str, float]:
    """By run, the odds that the census would give, fitted on these runs without the run's own language.

    The features of the odds are chosen as `longreach study census --fit` does; without runs of the census
    there are none.
    """
    by_cell = _cells(runs)
    if len({cell.language.key for cell, _ in by_cell}) < 2:
        return {}
    columns = zip(*(odds_features(cell.case) for cell, _ in by_cell), strict=True)
    whole = tuple(name for name, column in zip(KNOWN, columns, strict=True) if None not in column)
    table = odds_table([cell for cell, _ in by_cell], whole, lambda cell: odds_features(cell.case, whole))
    if not 0 < np.average(table.shares, weights=table.runs) < 1:
        return {}
    names, penalty = choose_features(table, [name for name in CANDIDATES if name in whole])
    return _by_run([keys for _, keys in by_cell], table.out_of_sample(names, penalty=penalty))


def _by_run(cells: list[tuple[str, ...]], said: np.ndarray) -> dict[str, float]:
    pairs = zip(cells, said.tolist(), strict=True)
    return {key: value for keys, value in pairs for key in keys if np.isfinite(value)}


def _cells(runs: Iterable[ScoredRun]) -> list[tuple[Cell, tuple[str, ...]]]:
    """Runs that differ in their seed alone have the same odds; runs of other tasks have none."""
    groups: dict[tuple[str, str, int], list[ScoredRun]] = {}
    for run in runs:
        facts = facts_by_task().get(run.language)
        if facts is None or run.encoding not in ODDS_ENCODINGS or str(run.trained_to) not in facts.lengths:
            continue
        groups.setdefault((run.language, run.encoding, run.trained_to), []).append(run)
    found = []
    for (task, encoding, trained_to), members in sorted(groups.items()):
        facts = facts_by_task()[task]
        case = OddsCase(features=facts.features(trained_to), encoding=encoding, ratio=RATIO)
        cell = Cell(language=facts, case=case, accuracies=tuple(run.reached for run in members))
        found.append((cell, tuple(run.run for run in members)))
    return found


# Whether a run works at three times its training length, told from what is inside it at the training
# length.


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

    >>> from longreach.answers.statistics import Estimate
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
        axis.plot([0, 1], [0, 1], color=PALE, linewidth=0.7)
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
    from longreach.studies.run_scores import FITTED, compare_limits, fit_scores, judge_scores, read_score

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
    from longreach.studies.run_scores import read_scored

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
    from longreach.studies.run_scores import scored_text

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
