"""Does what was measured agree with what was forecast? The rule was fixed before anything was measured.

A cell *works* when its mean accuracy on the longest test range is at least half way from chance to 1. Chance
is what guessing the answer gives (1/2 for parity, 0 for a language); half way is as far from guessing as from
always being right, so the rule favours neither answer. The mean is over the successful runs, as in the paper,
and over all finished ones where none is successful. On the published numbers the rule splits yes from no
without exception: every published yes is above 0.76; the highest no is parity at 0.63, where the level is
0.75, and the other ones are below 0.02.

The forecast agrees when yes meets works or no meets fails. A cell is not counted when

- fewer than three of its runs finished, or
- it is a no that fails, none of its runs is right on the whole training range, and nothing shows that the
  budget was enough: neither another encoding of the task nor a sibling under the same encoding was learned
  with at most the cell's steps, batch, layers and width.

A no that works always counts, against the forecast; so does a yes that was not learned.

A mean hides runs that do opposite things: 100, 0 and 0 % are 33 %. So each cell is judged a second time, by
its runs: it works when at least half of its finished runs do, each by the same level. All else is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from longreach.comparison.cell_forecast import Verdict
from longreach.comparison.criterion import ByAccuracy
from longreach.comparison.places import Place, siblings
from longreach.tasks.catalog import load_task

State: TypeAlias = Literal["agrees", "disagrees", "undecided", "not counted", "no forecast", "not run"]
STATES: tuple[State, ...] = get_args(State)
LEAST_RUNS = 3


@dataclass(frozen=True)
class Budget:
    """What a cell's training was given."""

    steps: int
    batch: int
    layers: int
    width: int

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Budget:
        """From a resolved configuration."""
        return cls(config["max_steps"], config["batch"], config["layers"], config["width"])

    def covers(self, other: Budget) -> bool:
        """Whether this one is at least as large in everything.

        >>> Budget(100, 64, 2, 64).covers(Budget(100, 64, 1, 64)), Budget(100, 64, 2, 64).covers(
        ...     Budget(200, 64, 1, 16)
        ... )
        (True, False)
        """
        return (
            self.steps >= other.steps
            and self.batch >= other.batch
            and self.layers >= other.layers
            and self.width >= other.width
        )


@dataclass(frozen=True)
class Observation:
    """What was measured in a cell."""

    place: Place
    runs: int
    """How many finished."""
    learned: bool
    """Whether a run is right on the whole training range."""
    last: float | None
    """The mean accuracy on the longest test range."""
    budget: Budget
    work: int = 0
    """How many of the finished runs work on the longest test range."""


@dataclass(frozen=True)
class Judgement:
    """What a measurement says about a forecast."""

    state: State
    reason: str
    works: bool | None
    """Whether the cell works on the longest test range; None without a measurement."""


def level(task: str) -> float:
    """The accuracy from which on a task works: half way from chance to 1.

    >>> level("parity"), level("binary-majority-interleave"), level("aa")
    (0.75, 0.5625, 0.5)
    """
    return ByAccuracy(load_task(task).chance).level


def judge(
    observed: Sequence[Observation], forecasts: Mapping[Place, Verdict | None], *, by_runs: bool = False
) -> dict[Place, Judgement]:
    """The judgement of each cell, in the light of all of them: by the mean, or by the share of runs.

    >>> cell = Observation(Place("aa", "ape"), 3, True, 0.99, Budget(1000, 64, 1, 16))
    >>> judge([cell], {cell.place: "yes"})[cell.place].state
    'agrees'
    """
    return {each.place: _judge(each, forecasts[each.place], observed, by_runs) for each in observed}


def _judge(
    cell: Observation, forecast: Verdict | None, others: Iterable[Observation], by_runs: bool
) -> Judgement:
    if cell.last is None:
        return Judgement("not run", "no run has finished", None)
    by_mean = ByAccuracy(load_task(cell.place.task).chance).works(cell.last)
    working = 2 * cell.work >= cell.runs if by_runs else by_mean
    if cell.runs < LEAST_RUNS:
        return Judgement("not counted", f"{cell.runs} of at least {LEAST_RUNS} runs finished", working)
    if forecast is None:
        what = "the baseline" if cell.place.is_baseline else "this encoding"
        return Judgement("no forecast", f"the theory says nothing about {what}", working)
    if forecast == "undecided":
        return Judgement("undecided", "the theory has no verdict", working)
    if working:
        state: State = "agrees" if forecast == "yes" else "disagrees"
        return Judgement(state, f"forecast {forecast}, works", True)
    if forecast == "yes":
        learned = "" if cell.learned else "; not learned in distribution"
        return Judgement("disagrees", f"forecast yes, fails{learned}", False)
    enough = _enough(cell, others)
    if enough is None:
        reason = "not learned in distribution, and nothing shows that the budget was enough"
        return Judgement("not counted", reason, False)
    return Judgement("agrees", f"forecast no, fails; {enough}", False)


def _enough(cell: Observation, others: Iterable[Observation]) -> str | None:
    """What shows that the budget of a cell that fails was enough."""
    if cell.learned:
        return "learned in distribution"
    place = cell.place
    models = [each for each in others if not each.place.is_baseline]
    found = [each for each in models if each.learned and cell.budget.covers(each.budget)]
    for each in found:
        if each.place.task == place.task and each.place != place:
            return f"the same budget was enough with {each.place.label}"
    related = siblings(place.task)
    for each in found:
        if each.place.task in related and each.place.label == place.label:
            return f"the same budget was enough for {each.place.task}"
    return None


def count(judgements: Iterable[Judgement]) -> dict[State, int]:
    """How many cells are in each state.

    >>> count([Judgement("agrees", "", True)])["agrees"]
    1
    """
    found = Counter(each.state for each in judgements)
    return {state: found[state] for state in STATES}
