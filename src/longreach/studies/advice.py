"""What would help, tried: every built-in task that theory expects to fail, as it is and changed.

The changes are those of `longreach advise`: where some have local steps these, else all that may help. The
original has the shape, steps and lengths of its first change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longreach.answers.advice import original_encoding, original_members, remedy_members
from longreach.answers.forecast import forecast
from longreach.answers.question import Question
from longreach.answers.remedies import Remedy, remedies
from longreach.config.reach import REACH
from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.studies.curves import SMOKE, Curve, Measured, curve_study, lengths_at
from longreach.studies.study import Claim
from longreach.tasks.catalog import load_task

BUILT_IN = (
    "copy-repeat", "reverse", "duplicate-string", "parity", "addition", "multiplication", "cycle-navigation",
    "modular-arithmetic", "boolean-expressions", "tomita-3", "tomita-5", "tomita-6", "parity-language",
    "012-0-2", "sigma-be", "l-bb",
)  # fmt: skip
"""No program exists for them under either encoding; variants of others are left out."""
OF_THE_CENSUS = ("regex:(a|b|c(b|c)*a)*", "regex:(a|b)*c(a|c|b(a|b|c))*", "regex:(a|b)a*b(a|b(a|b)a*b)*")
"""The three shortest of its development languages without a program under either encoding."""


@dataclass(frozen=True, kw_only=True)
class AdviceScale:
    """What is trained at a scale."""

    tasks: tuple[str, ...]
    train_to: int
    seeds: int
    setting: dict[str, Any]
    """Where it differs from the laptop's own for the changed task."""


SCALES: dict[Scale, AdviceScale] = {
    "smoke": AdviceScale(tasks=("parity", "multiplication"), train_to=6, seeds=1, setting=SMOKE),
    "laptop": AdviceScale(tasks=BUILT_IN + OF_THE_CENSUS, train_to=12, seeds=3, setting={"test_size": 300}),
    "paper": AdviceScale(
        tasks=BUILT_IN + OF_THE_CENSUS, train_to=20, seeds=5, setting={"max_steps": 10_000, "test_size": 1000}
    ),
}  # fmt: skip
"""Nobody has published this: the largest scale has more seeds, steps and length."""
LEVEL = 0.95
TIMES = (1, 2, 3)
AS_IT_IS = "as it is"


def tried(task: str) -> tuple[Remedy, ...]:
    """The changes that are tried: those with local steps, else all.

    >>> [each.name for each in tried("parity")]
    ['parity+scratchpad with coupled-local']
    """
    # Attention to the last match has a study of its own.
    found = tuple(each for each in remedies(forecast(task)) if each.encoding != REACH)
    return tuple(each for each in found if each.ground != "open") or found


def curves(scale: Scale) -> list[Curve]:
    """A panel for each task: the original, and each change.

    >>> [(each.panel, each.name) for each in curves("smoke")][:2]
    [('parity', 'as it is with ape'), ('parity', '+scratchpad with coupled-local')]
    """
    at, found = SCALES[scale], list[Curve]()
    for task in at.tasks:
        question, changes = Question(command="advise", task=task, seeds=1, train_to=at.train_to), tried(task)
        changed = [remedy_members(question, each, 1.0)[0] for each in changes]
        encoding = original_encoding(changes, task)
        (original,) = original_members(question, encoding, changed[0])
        named = [(f"{AS_IT_IS} with {encoding}", original)]
        # The panel says which task it is.
        names = [each.name.removeprefix(task).strip() for each in changes]
        named += list(zip(names, changed, strict=True))
        found += [
            Curve(panel=task, name=name, config=_tested(config, at), seeds=at.seeds) for name, config in named
        ]
    return found


def _tested(config: RunConfig, at: AdviceScale) -> RunConfig:
    """The same, tested at the longest lengths up to once, twice and three times that of training."""
    task = load_task(config.task)
    known = task.lengths(task.least_length, TIMES[-1] * at.train_to).tolist()
    longest = [max(length for length in known if length <= times * at.train_to) for times in TIMES]
    return RunConfig.read({**config.document(), **at.setting, "test_lengths": lengths_at(*longest)})


def claims(scale: Scale, measured: Sequence[Measured]) -> list[Claim]:
    """Of each task that one of its changes works at three times the length."""
    return [
        _claim(task, [each for each in measured if each.curve.panel == task]) for task in SCALES[scale].tasks
    ]


def _claim(task: str, mine: Sequence[Measured]) -> Claim:
    text = f"{task}: a change is at {100 * LEVEL:.0f} % at {TIMES[-1]} times the training length"
    last = {each.curve.name: each.mean(each.curve.lengths[-1]) for each in mine}
    known = {name: mean for name, mean in last.items() if mean is not None}
    changed = [mean for name, mean in known.items() if not name.startswith(AS_IT_IS)]
    detail = ", ".join(f"{name} {100 * mean:.1f}" for name, mean in known.items())
    if any(mean >= LEVEL for mean in changed):
        return Claim(text=text, holds=True, detail=detail)
    return Claim(text=text, holds=None if len(known) < len(last) else False, detail=detail)


STUDY = curve_study(
    curves,
    claims,
    name="advice",
    title="What would help, tried",
    source="the changes of longreach advise",
    about="tasks that theory expects to fail, as they are and with what would help, to 3 × the length",
    time="laptop: 23 minutes on two cores",
)
