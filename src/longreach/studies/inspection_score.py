"""Whether a run works at three times its training length, told from inside it at the training length.

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
from longreach.answers.odds_features import ODDS_ENCODINGS, OddsCase, range_at
from longreach.config.architectures import BASELINE
from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.errors import InputError
from longreach.figures import PALE
from longreach.files import write_atomically
from longreach.runs.cells import ByAccuracy
from longreach.runs.index import Row
from longreach.studies.census.members import LEARNED, commit_of
from longreach.studies.census.odds import choose_features, known_features, probabilities
from longreach.studies.census.tables import LANGUAGES, CensusCell, LanguageFacts, language_table
from longreach.studies.drawing import titled
from longreach.studies.study import Study, StudyOptions, StudyReport, table_of
from longreach.theory.names import TaskName
from longreach.training.result import Result, check_directory, entries
from longreach.wording import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from longreach.studies.run_scores import FittedScore, LimitComparison, ScoredRun, ScoreSlice

RATIO = 3
MODEL = "model.safetensors"
VERDICT, ACCURACY = "the forecast's verdict", "accuracy at the training length"


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """A run that is looked into."""

    key: str
    folder: Path
    config: RunConfig
    result: Result

    @property
    def tested(self) -> str:
        """The test range at three times the training length."""
        return range_at(self.config.train_lengths.last, RATIO).name


@cache
def facts_by_task() -> dict[str, LanguageFacts]:
    """The languages of the census, as runs name them."""
    return {facts.task: facts for facts in language_table(LANGUAGES).values()}


def is_held_out(task: object) -> bool:
    """Whether a task is a held-out language of the census."""
    language = facts_by_task().get(task) if isinstance(task, str) else None
    return language is not None and language.part == "held-out"


def chosen_runs(runs: Path, *, held_out: bool) -> Iterator[Chosen]:
    """The finished runs with a model and a test range at three times the training length."""
    for unread in entries(check_directory(runs)):
        folder = unread.file.parent
        if unread.stamp is None or not (folder / MODEL).is_file():
            continue
        entry = unread.read()
        if entry.result is None or entry.result.status != "done":
            continue
        if is_held_out(entry.result.config.get("task")) != held_out:
            continue
        try:
            config = RunConfig.read(entry.result.config)
        except InputError:  # such as a task with numbers as answers
            continue
        name = TaskName(config.task)
        outside = name.is_attribute or name.is_session or (name.is_file and not name.is_text)
        found = Chosen(key=entry.name, folder=folder, config=config, result=entry.result)
        if (
            not outside
            and config.architecture != BASELINE
            and found.tested in [lengths.name for lengths in config.test_lengths]
        ):
            yield found


def spread(found: list[Chosen], most: int | None) -> list[Chosen]:
    """So many of them at even distances, in the order of their keys, which is random."""
    if most is None or len(found) <= most:
        return found
    return [found[round(place)] for place in np.linspace(0, len(found) - 1, most).tolist()]


def look_into(chosen: Chosen) -> ScoredRun:
    from longreach.inspection.models import Subject, open_model
    from longreach.studies.run_scores import ScoredRun, beyond_training, run_features

    config, final = chosen.config, chosen.result.final
    subject = open_model(chosen.folder)
    assert isinstance(subject, Subject)
    assert subject.task is not None
    assert final is not None
    trained_to = config.train_lengths.last
    facts, chance = facts_by_task().get(config.task), subject.task.chance
    if facts is not None and str(trained_to) in facts.lengths:
        chance = facts.chance(trained_to, RATIO)
    at_training = final.accuracy[config.train_lengths.name]
    beside = {ACCURACY: at_training}
    if facts is not None and config.encoding in facts.sides:
        beside[VERDICT] = float(facts.sides[config.encoding].verdict == "yes")
    reached = final.accuracy[chosen.tested]
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


def frozen_odds(model: OddsModel, runs: Iterable[ScoredRun]) -> dict[str, float]:
    """By run, the odds of a model that was fitted before; runs outside what it was fitted on have none.

    Odds know the language, not the run.
    """
    by_cell = _cells(runs)
    kept, said, _ = probabilities(model, [cell for cell, _ in by_cell])
    keys = {id(cell): keys for cell, keys in by_cell}
    return _by_run([keys[id(cell)] for cell in kept], said)


def left_out_odds(runs: Iterable[ScoredRun]) -> dict[str, float]:
    """By run, the odds that the census would give, fitted on these runs without the run's own language.

    The features of the odds are chosen as `longreach study census --fit` does; without runs of the census
    there are none.
    """
    by_cell = _cells(runs)
    if len({cell.language.key for cell, _ in by_cell}) < 2:
        return {}
    table = known_features([cell for cell, _ in by_cell])
    if not table.varies:
        return {}
    names, penalty = choose_features(table)
    return _by_run([keys for _, keys in by_cell], table.out_of_sample(names, penalty=penalty))


def _by_run(cells: list[tuple[str, ...]], said: np.ndarray) -> dict[str, float]:
    pairs = zip(cells, said.tolist(), strict=True)
    return {key: value for keys, value in pairs for key in keys if np.isfinite(value)}


def _cells(runs: Iterable[ScoredRun]) -> list[tuple[CensusCell, tuple[str, ...]]]:
    """Runs that differ in their seed alone have the same odds; runs of other tasks have none."""
    groups: dict[tuple[str, str, int], list[ScoredRun]] = {}
    for run in runs:
        facts = facts_by_task().get(run.language)
        if facts is None or run.encoding not in ODDS_ENCODINGS or str(run.trained_to) not in facts.lengths:
            continue
        groups.setdefault((run.language, run.encoding, run.trained_to), []).append(run)
    found = []
    for (task, encoding, trained_to), alike in sorted(groups.items()):
        facts = facts_by_task()[task]
        case = OddsCase(features=facts.features(trained_to), encoding=encoding, ratio=RATIO)
        cell = CensusCell(language=facts, case=case, accuracies=tuple(run.reached for run in alike))
        found.append((cell, tuple(run.run for run in alike)))
    return found


MOST_RUNS: dict[Scale, int | None] = {"smoke": 12, "laptop": 120, "paper": None}
"""Runs that are looked into at each scale, spread evenly over the directory; None: all."""
ODDS = "the forecast's odds"
FITTED_ON = ("command", "runs", "languages", "work", "trained_to", "encodings", "best")
"""What is said of a score that was fitted …"""
SHOWN = (
    "run", "language", "encoding", "trained_to", "works", "learned", "features", "beside", "beyond",
)  # fmt: skip
"""… and of a run that was looked into."""
KEEP_EVERY = 20
"""Runs between two writings of the table."""


def plan(options: StudyOptions) -> tuple[dict[str, Any], str]:
    found = _found(options)
    known = {each.run for each in _table(options)}
    wanted = spread(found, MOST_RUNS[options.scale])
    done = sum(each.key in known for each in wanted)
    document = {"jobs": len(wanted), "done": done, "runs_there": len(found)}
    return document, f"{len(wanted)} jobs, {done} of them done"


def report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
    """Look into the runs and judge what is seen."""
    from longreach.studies.run_scores import FITTED, compare_limits, fit_scores, judge_scores, read_score

    held_out = options.part == "held-out"
    if options.fit and held_out:
        raise InputError("--fit: scores are fitted on development languages, and held-out ones are asked for")
    fitted, commit = None, None
    if held_out:
        fitted = read_score()
        commit = commit_of(FITTED)
    seen, there = _looked_into(options)
    seen = _with_odds(seen, held_out=held_out)
    slices = judge_scores(seen, fitted, reference=ODDS)
    if options.fit:
        areas = {row.name: row.auc.value for row in slices[0].rows if row.kind != "beside"}
        fitted = fit_scores(seen, {name: area for name, area in areas.items() if area is not None})
        write_atomically(FITTED, fitted.text().encode())
        options.note(f"wrote {FITTED}")
    limits = compare_limits(seen)
    document = {
        "ratio": RATIO,
        "held_out": held_out,
        "reference": ODDS,
        "score": None if fitted is None else {**_fields(fitted, *FITTED_ON), "commit": commit},
        "runs_there": there,
        "runs_looked_into": len(seen),
        "slices": [each.document() for each in slices],
        "limit": [*map(asdict, limits)],
        "runs": [_fields(each, *SHOWN) for each in seen if options.table is None],
    }
    remarks = [f"{len(seen)} of {there} runs looked into; works at {RATIO} times the training length"]
    if fitted is not None:
        known = f"scores fitted on {fitted.runs} runs of {fitted.languages} other tasks"
        remarks.append(known if held_out else f"scores fitted on these {fitted.runs} runs, for others")
        remarks.append(f"best on those that were fitted: {fitted.best}")
    tables = [*map(_slice_table, slices), *([_limit_table(limits)] if limits else [])]
    return StudyReport(
        document=document, tables=tables, remarks=remarks, figure=lambda title: draw(slices, title)
    )


def _fields(found: FittedScore | ScoredRun, *names: str) -> dict[str, Any]:
    document = asdict(found)
    return {name: document[name] for name in names}


def _slice_table(each: ScoreSlice) -> Table:
    rows = [
        (
            row.name,
            str(row.runs),
            row.auc.words(".3f", "not known"),
            "" if row.minus_reference is None else row.minus_reference.words("+.3f", "not known"),
        )
        for row in each.rows
    ]
    return table_of(
        title=f"{each.name}: {each.runs} runs of {each.languages} tasks, {each.work} work",
        columns=("number", "runs", "ROC area", "more than the odds"),
        rows=rows,
    )


def _limit_table(limits: Sequence[LimitComparison]) -> Table:
    return table_of(title=f"Right at {RATIO} times the training length, the same inputs",
        columns=("", "runs", "the models", "with periodic positions and local φ", "better", "worse",
                 "as limit transformers with linear layer norms"),
        rows=[
            (
                each.name, str(each.runs), f"{100 * each.model:.1f} %", f"{100 * each.kept:.1f} %",
                str(each.better), str(each.worse), f"{100 * each.strict:.1f} %",
            )
            for each in limits
        ],
        spare=("worse", "better"),
    )  # fmt: skip


def draw(slices: tuple[ScoreSlice, ...], heading: str) -> Figure:
    """ROC curves, a panel for each slice; what stands beside is dashed."""
    figure = titled(heading, (3.6 * len(slices), 4.6), fontsize=9)
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


def _table(options: StudyOptions) -> list[ScoredRun]:
    from longreach.studies.run_scores import read_scored

    if options.table is None or (options.train and not options.table.exists()):
        return []
    return list(read_scored(options.table))


def _found(options: StudyOptions) -> list[Chosen]:
    if options.table is not None and not options.train:
        return []
    return list(chosen_runs(options.runs, held_out=options.part == "held-out"))


def _looked_into(options: StudyOptions) -> tuple[list[ScoredRun], int]:
    """The runs of the part, from the table and from the directory, and how many there are in both.

    With a table and without training, the table alone.
    """
    from longreach.studies.run_scores import scored_text

    table = {each.run: each for each in _table(options)}
    with options.stages(False) as stage:
        stage(f"reading {options.runs}", 0)
        found = _found(options)
        wanted = [each for each in spread(found, MOST_RUNS[options.scale]) if each.key not in table]
        advance = stage(f"looking into {len(wanted)} runs", len(wanted))
        for place, each in enumerate(wanted, 1):
            table[each.key] = look_into(each)
            advance(1)
            if options.table is not None and (place % KEEP_EVERY == 0 or place == len(wanted)):
                write_atomically(options.table, scored_text(table.values()).encode())
    rows = [each for each in table.values() if is_held_out(each.language) == (options.part == "held-out")]
    if not rows:
        where = options.runs if options.table is None or options.train else options.table
        raise InputError(f"{where}: no run with a model is tested at {RATIO} times its training length")
    return rows, len({each.key for each in found} | {each.run for each in rows})


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


STUDY = Study(
    name="inspection-score",
    title="Success at three times the training length, told from inside a run",
    source="own; offset variance of Huang et al., arXiv 2410.02140, G.6.2",
    about="can weights and attention at the training length predict whether a run works at three times it?",
    time="laptop: 120 runs of a results directory, about a minute of computing",
    options=frozenset({"--part", "--table", "--fit"}),
    plan=plan,
    report=report,
)
