"""The odds of the forecast for runs that were looked into: they know the language, not the run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from longreach.forecast.odds_features import CANDIDATES, KNOWN, ODDS_ENCODINGS, OddsCase, odds_features
from longreach.forecast.odds_model import OddsModel
from longreach.studies.census.census_cell import Cell
from longreach.studies.census.odds_fit import choose_features
from longreach.studies.census.odds_judgement import probabilities
from longreach.studies.census.odds_table import odds_table
from longreach.studies.inspectable_runs import RATIO, facts_by_task

if TYPE_CHECKING:
    from longreach.inspection.scored_run import ScoredRun


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
