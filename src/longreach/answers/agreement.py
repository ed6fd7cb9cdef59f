"""Measured cells beside the forecast and beside published numbers.

A cell *works* when its mean accuracy on the longest test range is at least halfway from chance to 1. Chance
is what guessing the answer gives (1/2 for parity, 0 for a language); halfway is as far from guessing as from
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
its runs: it works when at least half of its finished runs do, each by the same level and only if it fits its
training range. All else is the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from longreach.answers.forecast import Forecast, forecast
from longreach.answers.published import published
from longreach.config.architectures import BASELINE
from longreach.config.model import CellLabel
from longreach.runs.cells import ByAccuracy, Cell
from longreach.tasks.catalog import load_task
from longreach.theory.automata.monoid import Measures, measure
from longreach.theory.automata.named import named_automaton
from longreach.training.result import setting

# Tasks in the papers' order, and the cells of a study


ALGORITHMIC = (
    "binary-majority", "binary-majority-interleave", "majority", "sort", "copy-unique", "copy-repeat",
    "parity", "addition",
)  # fmt: skip
"""In the order of Table 3 of Huang et al., arXiv 2410.02140."""
REGULAR = (
    "tomita-1", "tomita-2", "tomita-3", "tomita-4", "tomita-5", "tomita-6", "tomita-7",
    "d-2", "d-3", "d-4", "d-12", "aa", "aaaa", "abab", "aa-bb-cc-dd-ee", "ab-d-bc", "012-0-2",
)  # fmt: skip
"""In the numbering of Table 2 there: the first is number 1."""
ENCODINGS = ("ape", "nope")
"""Those for which there are forecasts."""

FAMILIES = (
    frozenset({"binary-majority", "binary-majority-interleave", "majority", "parity"}),
    frozenset({"sort", "copy-unique", "copy-repeat", "addition"}),
    frozenset(REGULAR),
)
"""Siblings: tasks whose answer is a few tokens, those whose answer is a sequence, the regular languages."""


@dataclass(frozen=True)
class Place:
    """A cell of a study: a task under an encoding or another model, with or without the penalty on positions.

    >>> Place("sort", "ape").label, Place("sort", "ape", 1e-4).label
    ('ape', 'ape + 0.0001')
    >>> Place("parity", "deltanet(signed=true)").model
    {'architecture': 'deltanet', 'model_options': {'signed': True}}
    """

    task: str
    encoding: str
    penalty: float = 0.0

    @property
    def is_baseline(self) -> bool:
        """Whether it shows what the current token alone tells: no evidence for or against a forecast."""
        return self.encoding == BASELINE

    @property
    def model(self) -> dict[str, Any]:
        """What it trains, as settings of a run."""
        return CellLabel.read(self.encoding).settings

    @property
    def label(self) -> str:
        """The encoding, and the coefficient of the penalty if there is one."""
        return replace(CellLabel.read(self.encoding), penalty=self.penalty).text


def siblings(task: str) -> frozenset[str]:
    """The other tasks of the same family.

    >>> sorted(siblings("parity"))
    ['binary-majority', 'binary-majority-interleave', 'majority']
    """
    return frozenset().union(*(family - {task} for family in FAMILIES if task in family))


# The numbers and verdicts of the paper


PENALIZED = {0.0: "{}", 1e-4: "{}-regularized"}
"""How the published numbers with a penalty are called, by its coefficient."""


@dataclass(frozen=True)
class PublishedRow:
    nope: str
    ape: str
    ac0: bool
    star_free: bool | None = None
    dot_depth: int | None = None


def published_accuracy(place: Place) -> tuple[float, ...] | None:
    """The published mean accuracies of a cell, from the shortest bin to the longest; None if there are none.

    >>> published_accuracy(Place("sort", "ape", 1e-4)), published_accuracy(Place("sort", "rope"))
    ((1.0, 0.9999, 0.9956), None)
    """
    found = published(place.task)
    if found is None or place.penalty not in PENALIZED:
        return None
    shares = found.accuracy.get(PENALIZED[place.penalty].format(place.encoding), {})
    return tuple(shares.values()) or None


def published_lengths(task: str) -> tuple[str, ...]:
    """The lengths of the published bins of a task, with a star where only the figure's axis says them.

    >>> published_lengths("copy-unique"), published_lengths("tomita-4")
    (('1-50', '51-100', '101-150'), ('1-100', '101-150', '101-150'))
    >>> published_lengths("d-4"), published_lengths("dyck-1")
    (('1-100', '51-100*', '101-150*'), ())
    """
    found = published(task)
    return () if found is None else tuple(each.label for each in found.bins)


def published_row(task: str) -> PublishedRow:
    """What Table 2 or 3 says of a task.

    >>> published_row("d-12").dot_depth, published_row("addition").ac0
    (12, True)
    """
    found = published(task)
    assert found is not None, f"{task} is not in the tables"
    tables = json.loads(Path(__file__).with_name("tables.json").read_text(encoding="utf-8"))
    return PublishedRow(found.verdicts["nope"], found.verdicts["ape"], **tables["tasks"][task])


# What theory says of a cell


Verdict: TypeAlias = Literal["yes", "no", "undecided"]


def forecast_of(place: Place) -> Verdict | None:
    """The forecast for what the cell trains; None for encodings of which the theory has none.

    >>> forecast_of(Place("aa", "nope")), forecast_of(Place("aa", "ape")), forecast_of(Place("aa", "rope"))
    ('no', 'yes', None)
    """
    expected = _forecast(place.task).expected(place.encoding)
    return None if expected is None else expected.value


def verdict_of(task: str, encoding: str) -> Verdict:
    """Whether the task has a program, as the paper asks: for a language, whether membership has.

    >>> verdict_of("aa", "ape")
    'yes'
    """
    return _forecast(task).sides[encoding].answer.value


@cache
def _forecast(task: str) -> Forecast:
    return forecast(task)


@cache
def measures_of(language: str) -> Measures:
    """Star-freeness and the other measures of a regular language by name.

    >>> measures_of("aa").ac0
    True
    """
    return measure(named_automaton(language))


# Whether what was measured agrees; the rule was fixed before anything was measured


State: TypeAlias = Literal["agrees", "disagrees", "undecided", "not counted", "no forecast", "not run"]
STATES: tuple[State, ...] = get_args(State)
LEAST_RUNS = 3
BUDGET = ("max_steps", "batch", "layers", "width")
"""What a cell's training was given."""


@dataclass(frozen=True)
class Judgement:
    """What a measurement says about a forecast."""

    state: State
    reason: str
    works: bool | None
    """Whether the cell works on the longest test range; None without a measurement."""


def level(task: str) -> float:
    """The accuracy from which on a task works: halfway from chance to 1.

    >>> level("parity"), level("binary-majority-interleave"), level("aa")
    (0.75, 0.5625, 0.5)
    """
    return ByAccuracy(load_task(task).chance).level


def judge(
    found: Mapping[Place, Cell],
    forecasts: Mapping[Place, Verdict | None],
    *,
    by_runs: bool = False,
    chances: Mapping[str, float] | None = None,
) -> dict[Place, Judgement]:
    """The judgement of each cell, in the light of all of them: by the mean, or by the share of runs.

    `chances` are those of tasks that are not loaded.

    >>> from longreach.runs.index import Row
    >>> place = Place("aa", "ape")
    >>> rows = [Row(key=str(n), status="done", reached=True, accuracy={"21-40": 0.9}) for n in range(3)]
    >>> cell = Cell.of({"task": "aa", "encoding": "ape", "test_lengths": [[21, 40]]}, rows)
    >>> judge({place: cell}, {place: "yes"})[place].state
    'agrees'
    """
    known = chances or {}
    return {place: _judge(place, found, forecasts[place], by_runs, known.get(place.task)) for place in found}


def _judge(
    place: Place, found: Mapping[Place, Cell], forecast: Verdict | None, by_runs: bool, chance: float | None
) -> Judgement:
    cell = found[place]
    criterion = ByAccuracy(load_task(place.task).chance if chance is None else chance)
    tested = cell.tested
    if tested is None or tested.name not in cell.accuracy:
        return Judgement("not run", "no run has finished", None)
    here = ByAccuracy(cell.chance(tested, criterion.chance))
    by_mean = here.works(cell.accuracy[tested.name].mean)
    working = bool(cell.count(criterion, tested).works) if by_runs else by_mean
    if len(cell.finished) < LEAST_RUNS:
        return Judgement(
            "not counted", f"{len(cell.finished)} of at least {LEAST_RUNS} runs finished", working
        )
    if forecast is None:
        what = "the baseline" if place.is_baseline else "this encoding"
        return Judgement("no forecast", f"the theory says nothing about {what}", working)
    if forecast == "undecided":
        return Judgement("undecided", "the theory has no verdict", working)
    if working:
        state: State = "agrees" if forecast == "yes" else "disagrees"
        return Judgement(state, f"forecast {forecast}, works", True)
    if forecast == "yes":
        learned = "" if cell.learned else "; not learned in distribution"
        return Judgement("disagrees", f"forecast yes, fails{learned}", False)
    enough = _enough(place, found)
    if enough is None:
        reason = "not learned in distribution, and nothing shows that the budget was enough"
        return Judgement("not counted", reason, False)
    return Judgement("agrees", f"forecast no, fails; {enough}", False)


def _enough(place: Place, found: Mapping[Place, Cell]) -> str | None:
    """What shows that the budget of a cell that fails was enough."""
    cell = found[place]
    if cell.learned:
        return "learned in distribution"
    learned = [
        other
        for other, each in found.items()
        if each.learned
        and not other.is_baseline
        and all(setting(cell.config, name) >= setting(each.config, name) for name in BUDGET)
    ]
    for other in learned:
        if other.task == place.task and other != place:
            return f"the same budget was enough with {other.label}"
    related = siblings(place.task)
    for other in learned:
        if other.task in related and other.label == place.label:
            return f"the same budget was enough for {other.task}"
    return None


def count(judgements: Iterable[Judgement]) -> dict[State, int]:
    """How many cells are in each state.

    >>> count([Judgement("agrees", "", True)])["agrees"]
    1
    """
    found = Counter(each.state for each in judgements)
    return {state: found[state] for state in STATES}
