"""What a model extends, need by need: the profile as a document, and how it follows from its runs.

The *effective length* of a run is the largest length of the grid up to which it works on random and on
probing words; 0 where it does not fit the training range, or fails on the probing words of that range. Of a
task it is the median over seeds, of a need the median over tasks. Of two middle values the greater counts, as
several runs work when half of them do.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from longreach.answers.profile_suite import Count, Part, Share, SuiteNeed, SuiteTask, suite
from longreach.files import KEY
from longreach.runs.cells import FITS, ByAccuracy
from longreach.runs.index import Row
from longreach.tasks.lengths import LengthRange
from longreach.training.result import range_number
from longreach.wording import Column, Table, counted, listed

SAMPLES = 1000
"""Of the bootstrap over tasks."""
ROUNDING = 0.051
"""By which a sum of seconds may differ from what it is of."""
TAIL = 2.5
"""Per cent on each side of an interval."""
Said: TypeAlias = Literal["yes", "no", "not known"]
SAID: Final[tuple[Said, ...]] = ("yes", "no", "not known")
Length: TypeAlias = Annotated[int, Field(ge=0)]


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class ProfiledRun(_Document):
    """What one run came to; lists have an entry for the training range and each tested length."""

    run: Annotated[str, Field(pattern=KEY.pattern)]
    """The key of the result."""
    need: str
    task: str
    seed: Length
    fitted: bool
    effective: Length
    sure: Length
    """The same where also the worst loop or kind has to work."""
    lengths: tuple[Count, ...]
    accuracy: tuple[Share, ...]
    probing: tuple[Share, ...] = ()
    worst_loop: tuple[Share, ...] = ()
    length_given: tuple[Share, ...] = ()
    """Where the model is told how long the answer is."""
    chance: tuple[Share, ...]
    probing_chance: tuple[Share, ...] = ()
    steps: Length
    seconds: Annotated[float, Field(ge=0)]
    parameters: Count | None = None
    code: str
    """The version that trained it."""
    error: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        measured = (self.accuracy, self.chance, self.probing, self.worst_loop, self.length_given)
        if any(each and len(each) != len(self.lengths) for each in (*measured, self.probing_chance)):
            raise ValueError("there is a number for each length")
        if self.error is None and not (self.accuracy and len(self.chance) == len(self.accuracy)):
            raise ValueError("a run has accuracies with their chances, a failed one an error")
        stated, derived = (self.fitted, self.effective, self.sure), judged(self)
        if stated != derived:
            raise ValueError(f"fitted, effective and sure are {derived} by its accuracies, not {stated}")
        return self


def judged(run: ProfiledRun) -> tuple[bool, int, int]:
    """Whether a run fits the training range, its effective length, and the one it is sure at.

    A run that fits but fails on the probing words of the training range itself is effective to 0.
    """
    if run.error is not None or run.accuracy[0] < FITS:
        return False, 0, 0
    effective = sure = 0
    for place, length in enumerate(run.lengths):
        if not ByAccuracy(run.chance[place]).works(run.accuracy[place]):
            break
        guessed = run.probing_chance[place] if run.probing_chance else run.chance[place]
        if run.probing and not ByAccuracy(guessed).works(run.probing[place]):
            break
        is_sure = sure == effective and (
            not run.worst_loop or ByAccuracy(guessed).works(run.worst_loop[place])
        )
        effective, sure = length, length if is_sure else sure
    return True, effective, sure


def profiled_run(
    need: SuiteNeed, task: SuiteTask, ranges: Sequence[LengthRange], row: Row, parameters: int | None = None
) -> ProfiledRun:
    """A result as a line of a profile, with how many parameters its model has."""
    names = [each.name for each in ranges]
    fields: dict[str, Any] = {
        "run": row.key, "need": need.need, "task": task.task, "seed": row.seed or 0, "steps": row.steps or 0,
        "lengths": tuple(each.last for each in ranges), "seconds": round(row.seconds or 0.0, 1),
        "code": row.code or "", "fitted": False, "effective": 0, "sure": 0, "parameters": parameters,
    }  # fmt: skip
    if row.status != "done":
        text = " ".join((row.error or "failed").split())[:200]
        return ProfiledRun(**fields, accuracy=(), chance=(), error=text)
    chance = _numbers(row.other, [range_number("chance", name) for name in names], task.chance)
    probed = [range_number("chance", range_number("probing", name)) for name in names]
    probing = _numbers(row.other, [range_number("probing", name) for name in names])
    fields |= {
        "accuracy": tuple(_rounded(row.accuracy[name]) for name in names),
        "probing": probing,
        "worst_loop": _numbers(row.other, [range_number("worst loop", name) for name in names]),
        "length_given": _numbers(row.other, [range_number("length given", name) for name in names]),
        "chance": chance,
        "probing_chance": _numbers(row.other, probed, task.chance) if probing else (),
    }
    fitted, effective, sure = judged(ProfiledRun.model_construct(**fields))
    return ProfiledRun(**{**fields, "fitted": fitted, "effective": effective, "sure": sure})


def _numbers(
    known: Mapping[str, float], names: Sequence[str], usual: float | None = None
) -> tuple[float, ...]:
    """The numbers of these names, `usual` for those that are missing; none at all where one stays missing."""
    found = [known.get(name, usual) for name in names]
    return tuple(_rounded(each) for each in found if each is not None) if None not in found else ()


def _rounded(share: float) -> float:
    return round(share, 4)


class NeedProfile(_Document):
    """What a model extends of what one need asks."""

    need: str
    tasks: tuple[str, ...]
    runs: Length
    fitted: Length
    trained_to: Count
    effective: Length
    interval: tuple[Length, Length]
    """Of the effective length, by drawing tasks anew."""
    sure: Length
    curve: dict[str, Share]
    """By length, the share of the runs that reach it, or the last length where a task's inputs end before."""
    by_theory: dict[Said, Annotated[tuple[Length, Length], Field()]] = {}
    """By what theory says: how many tasks, and their effective length."""
    learned: str | None = None
    """What a run learned instead, where it was looked at."""

    def share(self, length: int) -> float:
        """Of runs that reach a length, or the last of the curve where a task's inputs end before."""
        known = [int(each) for each in self.curve]
        return self.curve[str(max((each for each in known if each <= length), default=known[0]))]

    @property
    def expected(self) -> str:
        """What theory expects of the tasks, in a word where it is the same of all."""
        counts = {said: count for said, (count, _) in self.by_theory.items()}
        if len(counts) == 1:
            return next(iter(counts))
        return ", ".join(f"{count} {said}" for said, count in counts.items())

    @property
    def interval_words(self) -> str:
        """The interval; nothing where there is one task alone, which says nothing of others."""
        return "–".join(map(str, self.interval)) if len(self.tasks) > 1 else ""

    @property
    def words(self) -> str:
        """Trained to what, effective to what."""
        if not self.fitted:
            who = "the run does not fit" if self.runs == 1 else f"none of {self.runs} runs fits"
            return f"{who} the training range"
        if not self.effective:
            return f"{self.fitted} of {counted(self.runs, 'run')} fit the training range"
        return f"trained to {self.trained_to}, effective to {self.effective}"


def median(values: Iterable[int]) -> int:
    """The middle value, of two the greater; 0 of none.

    >>> median([0, 500, 80]), median([0, 80]), median([])
    (80, 80, 0)
    """
    found = sorted(values)
    return found[len(found) // 2] if found else 0


def _by_task(runs: Iterable[ProfiledRun], name: Literal["effective", "sure"]) -> dict[str, int]:
    values: dict[str, list[int]] = {}
    for run in runs:
        values.setdefault(run.task, []).append(getattr(run, name))
    return {task: median(found) for task, found in values.items()}


def need_profile(
    need: str, runs: Sequence[ProfiledRun], trained_to: int, theory: Mapping[str, Said] | None = None
) -> NeedProfile:
    """The runs of one need, summed up; `theory` is what is expected of its tasks."""
    effective, sure = _by_task(runs, "effective"), _by_task(runs, "sure")
    values = np.array(list(effective.values()) or [0])
    drawn = np.sort(values[np.random.default_rng(0).integers(0, len(values), (SAMPLES, len(values)))], axis=1)
    medians = drawn[:, len(values) // 2]
    low, high = (int(np.percentile(medians, each, method="nearest")) for each in (TAIL, 100 - TAIL))
    longest = max((run.lengths[-1] for run in runs), default=0)
    lengths = sorted({length for run in runs if run.lengths[-1] == longest for length in run.lengths})
    curve = {}
    for length in lengths:
        reached = sum(run.effective >= min(length, run.lengths[-1]) for run in runs)
        curve[str(length)] = _rounded(reached / len(runs))
    expected: dict[Said, list[int]] = {}
    for task, length in effective.items():
        if theory:
            expected.setdefault(theory[task], []).append(length)
    return NeedProfile(
        need=need,
        tasks=tuple(effective),
        runs=len(runs),
        fitted=sum(run.fitted for run in runs),
        trained_to=trained_to,
        effective=median(effective.values()),
        interval=(low, high),
        sure=median(sure.values()),
        curve=curve,
        by_theory={said: (len(expected[said]), median(expected[said])) for said in SAID if said in expected},
    )


def with_theory(profile: Profile, theory: Mapping[str, Said]) -> Profile:
    """The profile with what theory expects of its tasks."""
    needs = []
    for each in profile.needs:
        own = [run for run in profile.runs if run.need == each.need]
        found = need_profile(each.need, own, each.trained_to, theory)
        needs.append(found.model_copy(update={"learned": each.learned}))
    return profile.model_copy(update={"theory": dict(theory), "needs": tuple(needs)})


class SpentBudget(_Document):
    """What every run had, and what was spent on all."""

    steps: dict[str, Count]
    """By need."""
    batch: Count
    examples: Length
    """Trained on by all runs together."""
    rate: Annotated[float, Field(gt=0)]
    rates: dict[str, tuple[Length, ...]] = {}
    """Of the learning rates that were tried, the effective length on each development task, in order."""
    seeds: Count
    minutes: float | None = None
    """Asked for; None: all of the suite was to be trained."""
    suite: bool = True
    """Whether it is the budget of the suite; a profile with another one is on no board."""


class Profile(_Document):
    """What a model extends: the document that `longreach profile --json` prints, and a row of the board."""

    suite: str
    hash: str
    """Of the tasks."""
    part: Part
    model: str
    model_options: dict[str, Any] = {}
    encoding: str | None
    label: str
    """What runs of it are called."""
    title: str
    parameters: Count
    """All of them, for the first task of the suite."""
    state_size: Length | None
    """Numbers kept of a prefix of the longest tested length, where that is known."""
    budget: SpentBudget
    seconds: Annotated[float, Field(ge=0)]
    """Of all runs together, on one core each."""
    headline: str
    whole: bool
    """Whether all tasks and seeds of the suite are there."""
    quick: bool = False
    """Whether it has the first task of each need, once, and nothing else."""
    needs: tuple[NeedProfile, ...]
    theory: dict[str, Said] = {}
    """By task, whether theory expects the model to extend it."""
    runs: tuple[ProfiledRun, ...]
    tried: tuple[ProfiledRun, ...] = ()
    """The runs at other learning rates, on development tasks."""
    command: str
    code: str
    """The version that made the profile, with its commit."""

    @model_validator(mode="after")
    def _derived(self) -> Self:
        """Numbers that follow from the runs are derived again."""
        names, keys = {run.need for run in self.runs}, {run.run for run in self.runs}
        if self.theory and not {run.task for run in self.runs} <= self.theory.keys():
            raise ValueError("theory: not of the tasks of its runs")
        for each in self.needs:
            own = [run for run in self.runs if run.need == each.need]
            theory = self.theory if each.by_theory else None
            derived = need_profile(each.need, own, each.trained_to, theory)
            if derived != each.model_copy(update={"learned": None}):
                raise ValueError(f"{each.need}: the numbers are not those of its runs")
        if {each.need for each in self.needs} != names or len(keys) != len(self.runs):
            raise ValueError("each need has its runs, and each run is there once")
        if self.headline != headline(self.title, self.needs):
            raise ValueError("the headline is not that of the needs")
        return self

    def document(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    @property
    def lengths(self) -> list[int]:
        """Those of the curves, as far as any goes; some tasks have inputs to another last length."""
        return max(([int(length) for length in each.curve] for each in self.needs), key=max)

    @property
    def table(self) -> Table:
        """One line for each need."""
        said = [each for each in SAID[:2] if any(each in need.by_theory for need in self.needs)]
        columns = [
            Column("need", right=False), Column("fitted", rank=2), Column("trained to", rank=4),
            Column("effective to"), Column("95 %", rank=3), Column("every loop", rank=3),
            *(Column(f"theory: {each}", rank=1, right=False) for each in said),
        ]  # fmt: skip
        lines = [
            [
                each.need, f"{each.fitted} of {each.runs}", each.trained_to,
                each.effective if each.fitted else "not fitted", each.interval_words, each.sure,
                *(_expected(each, one) for one in said),
            ]
            for each in self.needs
        ]  # fmt: skip
        return Table(columns, lines, title=self.headline)

    @property
    def given(self) -> dict[str, tuple[float, float]]:
        """By need with whole answers: exact match at the length after training, and with the length given."""
        found = {}
        for each in self.needs:
            own = [run for run in self.runs if run.need == each.need and len(run.length_given) > 1]
            if own:
                means = (float(np.mean([getattr(run, name)[1] for run in own])) for name in _GIVEN)
                found[each.need] = tuple(round(mean, 4) for mean in means)
        return found  # type: ignore[return-value]

    def csv(self) -> str:
        """One line for each run and length."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["model", "encoding", "part", *_COLUMNS, *_MEASURED])
        for run in self.runs:
            for place, length in enumerate(run.lengths):
                shown = [values[place] if (values := getattr(run, name)) else "" for name in _MEASURED]
                fixed = [run.run, run.need, run.task, run.seed, run.fitted, run.effective, run.sure, length]
                writer.writerow([self.model, self.encoding or "", self.part, *fixed, *shown])
        return text.getvalue()

    def __str__(self) -> str:
        return "\n".join([self.headline, *self.table.terminal()])

    def _repr_html_(self) -> str:
        return self.table.html()


_GIVEN = ("accuracy", "length_given")
_COLUMNS = ("run", "need", "task", "seed", "fitted", "effective", "sure", "length")
_MEASURED = ("accuracy", "probing", "worst_loop", "length_given", "chance")


def _expected(need: NeedProfile, said: Said) -> str:
    if said not in need.by_theory:
        return ""
    count, effective = need.by_theory[said]
    return f"{counted(count, 'task')} to {effective}"


def headline(title: str, needs: Sequence[NeedProfile]) -> str:
    """One sentence: trained to what, effective to what, on which needs.

    >>> made = need_profile("depth", [], 20)
    >>> headline("LSTM", [made])
    'LSTM, trained to 20, fits the training range of nothing.'
    """
    if not needs:
        return f"{title}: nothing was trained"
    by_length: dict[int, list[str]] = {}
    unfit, guessed = [], []
    for each in needs:
        name = each.need.replace(" and ", "+")  # so that it isn't taken for two items of the list
        if each.effective:
            by_length.setdefault(each.effective, []).append(name)
        elif 2 * each.fitted >= each.runs > 0:
            guessed.append(name)
        else:
            unfit.append(name)
    longest = max(int(length) for each in needs for length in each.curve) if by_length else 0
    start = f"{title}, trained to {needs[0].trained_to},"
    if not by_length and not guessed:
        return f"{start} fits the training range of nothing."
    ending = f"it does not fit {listed(unfit, 'or')}" if unfit else ""
    if guessed:
        missed = f"it fits {listed(guessed)} but fails probing words no longer than in training"
        ending = f"{missed}, and does not fit {listed(unfit, 'or')}" if unfit else missed
    if not by_length:
        return f"{title}, trained to {needs[0].trained_to}: {ending}."
    parts = [
        f"{length}{' (the longest tested)' if length == longest else ''} on {listed(names)}"
        for length, names in sorted(by_length.items(), reverse=True)
    ]
    return f"{start} is effective to {', to '.join(parts)}{'; ' if ending else ''}{ending}."


def is_whole(part: Part, runs: Iterable[ProfiledRun], *, quick: bool = False) -> str | None:
    """What keeps a profile from being all of the suite, or with `quick` its quick form; None: nothing.

    The quick form is the first task of each need with seed 0. All of the suite may have more seeds than it
    asks for, but all tasks the same ones.

    >>> is_whole("development", []), is_whole("development", [], quick=True)
    ('addition: 0 of 3 seeds', 'copy-unique: 0 of 1 seed')
    """
    known = suite()
    seeds: dict[tuple[str, str], list[int]] = {}
    for run in runs:
        seeds.setdefault((run.need, run.task), []).append(run.seed)
    order = known.in_order(part)
    wanted = {(need.need, task.task) for need, task in order[: len(known.needs) if quick else None]}
    count = 1 if quick else max([known.budget.seeds, *(len(found) for found in seeds.values())])
    for place in sorted(wanted, key=lambda each: each[1]):
        found = sorted(seeds.get(place, []))
        if found != list(range(count)):
            there = len(set(found) & set(range(count)))
            if there == count:
                return f"{place[1]}: {len(found)} runs, not {count}"
            return f"{place[1]}: {there} of {counted(count, 'seed')}"
    other = sorted(task for need, task in seeds.keys() - wanted)
    which = "first tasks of the suite's" if quick else "tasks of the suite's"
    return f"{other[0]}: none of the {which} {part} part" if other else None


def reach(lengths: Iterable[int]) -> float:
    """How far runs get together: a doubling counts the same wherever it is.

    >>> reach([0, 1, 3])
    3.0
    """
    return sum(math.log2(1 + length) for length in lengths)


def lines_of(profile: Profile) -> str:
    """The document as a file: one run on each line, so that changes can be read.

    >>> made = Profile.model_construct(runs=(), tried=(), needs=())
    >>> json.loads(lines_of(made))["runs"]
    []
    """
    lines = []
    for name, value in profile.model_dump(mode="json").items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = ",\n  ".join(json.dumps(each, ensure_ascii=False) for each in value)
            lines.append(f" {json.dumps(name)}: [\n  {rows}\n ]")
        else:
            lines.append(f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
