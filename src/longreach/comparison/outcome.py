"""What a study found in one cell: runs, forecast, published numbers and judgement side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from longreach.comparison.agreement import Budget, Judgement, Observation, count, judge, level
from longreach.comparison.cell_forecast import Verdict, forecast_of
from longreach.comparison.paper import published_accuracy, published_lengths
from longreach.comparison.places import Place
from longreach.comparison.tally import Tally
from longreach.config.keys import canonical_json
from longreach.config.length_range import LengthRange
from longreach.config.training import TrainConfig
from longreach.results.cells import Cell, Spread, cells, without_seed
from longreach.results.index import Row
from longreach.tasks.catalog import load_task


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One cell of a study."""

    place: Place
    config: dict[str, Any]
    """Of all its members, without the seed."""
    remark: str
    """Where this setting comes from."""
    cell: Cell | None
    """None: nothing has run yet."""
    forecast: Verdict | None
    published: tuple[float, ...] | None
    judgement: Judgement
    """By the mean over runs, the rule that was fixed before anything was measured."""
    judgement_by_runs: Judgement
    """By the share of runs that work."""

    @property
    def ranges(self) -> tuple[str, ...]:
        """The names of the training range and the test ranges."""
        return tuple(span.name for span in self._spans)

    @property
    def published_lengths(self) -> tuple[str, ...]:
        """Of the published bins."""
        return published_lengths(self.place.task)

    @property
    def accuracy(self) -> tuple[Spread | None, ...]:
        """Per range, over the successful runs; over all finished ones where none is successful."""
        found = {} if self.cell is None else self.cell.accuracy
        return tuple(found.get(name) for name in self.ranges)

    @property
    def accuracy_random_offset(self) -> tuple[Spread | None, ...]:
        """The same at random offsets."""
        found = {} if self.cell is None else self.cell.accuracy_random_offset
        return tuple(found.get(name) for name in self.ranges)

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """Per range, the finished runs counted one by one: where they differ, their mean says nothing."""
        rows = () if self.cell is None else self.cell.rows
        chance = load_task(self.place.task).chance
        return tuple(Tally.of(rows, span, chance) for span in self._spans)

    @property
    def _spans(self) -> tuple[LengthRange, ...]:
        spans = [self.config["train_lengths"], *self.config["test_lengths"]]
        return tuple(LengthRange(*span) for span in spans)

    @property
    def learned(self) -> bool:
        """Whether a run is right on the whole training range."""
        return self.cell is not None and self.cell.learned

    def document(self) -> dict[str, Any]:
        """The cell as JSON has it."""
        cell = self.cell
        return {
            "task": self.place.task,
            "encoding": self.place.encoding,
            "penalty": self.place.penalty,
            "runs": 0 if cell is None else len(cell.rows),
            "finished": 0 if cell is None else len(cell.finished),
            "successful": 0 if cell is None else len(cell.successful),
            "success": None if cell is None else cell.success,
            "learned": self.learned,
            "accuracy": _spreads({} if cell is None else cell.accuracy),
            "accuracy_all": _spreads({} if cell is None else cell.accuracy_all),
            "accuracy_random_offset": _spreads({} if cell is None else cell.accuracy_random_offset),
            "seconds": 0.0 if cell is None else cell.seconds,
            "forecast": self.forecast,
            "published": None if self.published is None else list(self.published),
            "published_lengths": None if self.published is None else list(self.published_lengths),
            "level": level(self.place.task),
            "works": self.judgement.works,
            "judgement": self.judgement.state,
            "reason": self.judgement.reason,
            "work": self.tallies[-1].work,
            "works_by_runs": self.judgement_by_runs.works,
            "judgement_by_runs": self.judgement_by_runs.state,
            "setting": self.remark,
            "config": self.config,
            "keys": [] if cell is None else [row.key for row in cell.rows],
        }


def _spreads(found: Mapping[str, Spread]) -> dict[str, Any]:
    return {name: asdict(spread) for name, spread in found.items()}


def outcomes(
    members: Mapping[Place, Sequence[TrainConfig]], remarks: Mapping[Place, str], rows: Iterable[Row]
) -> list[Outcome]:
    """What the results say of each cell; results of other members are not looked at."""
    keys = {config.key for configs in members.values() for config in configs}
    found = {canonical_json(cell.config): cell for cell in cells(row for row in rows if row.key in keys)}
    configs = {place: without_seed(each[0].document()) for place, each in members.items()}
    own = {place: found.get(canonical_json(config)) for place, config in configs.items()}
    forecasts = {place: forecast_of(place) for place in members}
    observed = [_observation(place, configs[place], own[place]) for place in members]
    judged, by_runs = judge(observed, forecasts), judge(observed, forecasts, by_runs=True)
    return [
        Outcome(
            place=place,
            config=configs[place],
            remark=remarks[place],
            cell=own[place],
            forecast=forecasts[place],
            published=published_accuracy(place),
            judgement=judged[place],
            judgement_by_runs=by_runs[place],
        )
        for place in members
    ]


def _observation(place: Place, config: Mapping[str, Any], cell: Cell | None) -> Observation:
    longest = LengthRange(*config["test_lengths"][-1])
    spread = None if cell is None else cell.accuracy.get(longest.name)
    return Observation(
        place,
        0 if cell is None else len(cell.finished),
        cell is not None and cell.learned,
        None if spread is None else spread.mean,
        Budget.of(config),
        0 if cell is None else Tally.of(cell.rows, longest, load_task(place.task).chance).work,
    )


def agreement(found: Sequence[Outcome]) -> dict[str, Any]:
    """How many cells agree, and which do not or were not counted, with the paper's last number beside them.

    The counts are by the mean over runs; those by the share of runs that work stand under `by_runs`.
    Baselines are left out.

    >>> agreement([])["counted"], agreement([])["by_runs"]["counted"]
    (0, 0)
    """
    found = [outcome for outcome in found if not outcome.place.is_baseline]

    def named(*states: str) -> list[dict[str, Any]]:
        return [
            {
                "task": each.place.task,
                "encoding": each.place.encoding,
                "penalty": each.place.penalty,
                "forecast": each.forecast,
                "measured": None if each.accuracy[-1] is None else each.accuracy[-1].mean,
                "measured_random_offset": (
                    None if (shifted := each.accuracy_random_offset[-1]) is None else shifted.mean
                ),
                "published": None if each.published is None else each.published[-1],
                "published_lengths": None if each.published is None else each.published_lengths[-1],
                "reason": each.judgement.reason,
                "runs": each.tallies[-1].runs,
                "work": each.tallies[-1].work,
            }
            for each in found
            if each.judgement.state in states
        ]

    by_runs = [each for each in found if each.judgement_by_runs.state == "disagrees"]
    return {
        **_counts(each.judgement for each in found),
        "disagreeing": named("disagrees"),
        "apart": named("undecided", "not counted"),
        "by_runs": {
            **_counts(each.judgement_by_runs for each in found),
            "disagreeing": [
                {"task": each.place.task, "encoding": each.place.encoding, "penalty": each.place.penalty}
                for each in by_runs
            ],
        },
    }


def _counts(judged: Iterable[Judgement]) -> dict[str, int]:
    counts = count(judged)
    return {
        "counted": counts["agrees"] + counts["disagrees"],
        **{state.replace(" ", "_"): number for state, number in counts.items()},
    }
