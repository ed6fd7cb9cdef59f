"""Another group's 175 languages: labels, our verdicts, and the sample we train.

The numbers are read from a file, never typed in. The words are those of the language, and the state is asked
for after every letter. The positional encoding of the runs is not stated in their logs.

Nothing here depends on what our runs give. The setting is that of the census, which was chosen on other
languages, but with the usual attention, and with fewer test words, because they have up to 500 letters.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from longreach.answers.agreement import Place
from longreach.config.run import RunConfig
from longreach.config.scales import PAPER_SEEDS, Scale
from longreach.runs.resolve import resolve
from longreach.tasks.catalog import load_task
from longreach.tasks.lengths import LengthRange
from longreach.theory.automata.monoid import measure
from longreach.theory.automata.regex import from_expression
from longreach.theory.decide.decisions import decide
from longreach.theory.decide.views import Convention
from longreach.theory.names import STATES, STATES_AFTER

Suite: TypeAlias = Literal["main", "secondary"]
TRAINED_TO: dict[Suite, int] = {"main": 50, "secondary": 200}
"""The longest training length of each suite."""


@dataclass(frozen=True, kw_only=True)
class StateLanguage:
    """One language with what was published about it."""

    suite: Suite
    name: str
    expression: str
    c_rasp: bool
    """The published label, for reading at the end of the sequence."""
    r_trivial: bool
    runs: int
    perfect: int
    """How many runs are right on the whole training range."""
    accuracy: dict[str, float]
    """By range of lengths, of the best run among the perfect ones."""

    @property
    def last(self) -> float:
        """On the longest range."""
        return list(self.accuracy.values())[-1]

    @property
    def ratio(self) -> float:
        """The longest tested length over the longest trained one."""
        longest = list(self.accuracy)[-1].partition("-")[2]
        return int(longest) / TRAINED_TO[self.suite]


@cache
def state_languages() -> tuple[StateLanguage, ...]:
    """All of them, in the order of the file.

    >>> found = state_languages()
    >>> len(found), found[0].expression, found[0].accuracy["451-500"], found[0].ratio
    (175, '(bbac)*', 1.0, 10.0)
    """
    content = json.loads(Path(__file__).with_name("state_languages.json").read_bytes())
    found = []
    for row in content["languages"]:
        fields = dict(zip(content["fields"], row, strict=True))
        ranges = content["ranges"][fields["suite"]]
        fields["accuracy"] = dict(zip(ranges, fields["accuracy"], strict=True))
        found.append(StateLanguage(**fields))
    return tuple(found)


LEVEL = 0.99
"""A published run works if so many words of the longest range are right: the best of many mostly are."""
LEVELS = (0.5, 0.9, LEVEL)
"""Those for which counts are given; a half is the level of all other studies."""


@dataclass(frozen=True, kw_only=True)
class JudgedLanguage:
    """A published language with our verdicts on state prediction."""

    published: StateLanguage
    states: int
    """Of the minimal automaton."""
    at_letter: bool | None
    """Without positions, the state said at each letter: a program exists. None: undecided."""
    after_letter: bool | None
    """The same, said after each letter, which is reading at the end of the sequence."""
    ape: bool | None
    """With positions; where the state is said makes no difference."""
    depth: int | None
    """How deeply a program without positions that is read after letters must nest counts within loops."""
    r_trivial: bool | None

    def agrees(self, level: float = LEVEL) -> bool:
        """Whether the published runs do what the verdict without positions says of reading after letters."""
        return (self.published.last >= level) == self.after_letter

    @property
    def reason(self) -> str:
        """What is known of a disagreement."""
        found = self.published
        first = next((name for name, share in found.accuracy.items() if share < LEVEL), None)
        if self.after_letter:
            return f"counts must nest {self.depth} deep, {self.states} states; below {LEVEL} from {first} on"
        seen = "; the letter itself would tell the state" if self.at_letter else ""
        return (
            f"tested to {found.ratio:g} times the training length {TRAINED_TO[found.suite]} only, where it "
            f"has fallen to {found.last}{seen}"
        )

    def document(self) -> dict[str, Any]:
        found = self.published
        return {
            "suite": found.suite,
            "name": found.name,
            "expression": found.expression,
            "states": self.states,
            "label": {"c_rasp": found.c_rasp, "r_trivial": found.r_trivial},
            "nope_at_letter": self.at_letter,
            "nope_after_letter": self.after_letter,
            "ape": self.ape,
            "r_trivial": self.r_trivial,
            "runs": found.runs,
            "perfect": found.perfect,
            "accuracy": found.accuracy,
            "agrees": self.agrees(),
        }


@cache
def judged_languages() -> tuple[JudgedLanguage, ...]:
    """All languages, decided; a second or two.

    >>> found = judged_languages()
    >>> sum(each.after_letter == each.published.c_rasp for each in found)
    175
    >>> sum(each.agrees() for each in found)
    169
    """
    return tuple(map(_judged, state_languages()))


def _judged(language: StateLanguage) -> JudgedLanguage:
    automaton = from_expression(language.expression)
    found = decide(automaton)
    plain = found.nope.plain
    return JudgedLanguage(
        published=language,
        states=len(automaton),
        at_letter=found.nope.prediction,
        after_letter=found.nope.at_end,
        ape=found.ape.prediction,
        depth=None if plain is None else plain.rounds(Convention.END_OF_SEQUENCE),
        r_trivial=measure(automaton).r_trivial,
    )


def agreements(found: Sequence[JudgedLanguage]) -> dict[str, Any]:
    """How many published runs do what each verdict says, at each level, and how many labels are ours.

    The yes languages are counted by how deeply a program must nest counts within loops of the automaton.
    """
    yes = [each for each in found if each.after_letter]
    differ = [each for each in found if each.at_letter != each.after_letter]
    verdicts = {"nope_after_letter": "after_letter", "nope_at_letter": "at_letter", "ape": "ape"}
    return {
        "languages": len(found),
        "labels": {
            "c_rasp": sum(each.after_letter == each.published.c_rasp for each in found),
            "r_trivial": sum(each.r_trivial == each.published.r_trivial for each in found),
        },
        "levels": {
            str(level): {
                name: sum((each.published.last >= level) == getattr(each, field) for each in found)
                for name, field in verdicts.items()
            }
            for level in LEVELS
        },
        "by_depth": {
            str(depth): {
                "languages": sum(each.depth == depth for each in yes),
                "work": sum(each.depth == depth and each.published.last >= LEVEL for each in yes),
            }
            for depth in sorted({each.depth for each in yes if each.depth is not None})
        },
        "readings_differ": {
            "languages": len(differ),
            "fail": sum(each.published.last < LEVEL for each in differ),
        },
    }


ENCODINGS = ("nope", "ape")
TRAIN_TO = 50
TESTS = (LengthRange(51, 100), LengthRange(101, 150), LengthRange(201, 250), LengthRange(451, 500))
SETTING: dict[str, Any] = {
    "layers": 2, "heads": 4, "width": 64, "lr": 0.003, "batch": 64, "max_steps": 1000, "warmup": 0,
    "evaluate_every": 500, "stop_early": False, "test_size": 100,
}  # fmt: skip
"""At the laptop scale."""
AT_SCALE: dict[Scale, dict[str, Any]] = {
    "smoke": {
        "layers": 1, "heads": 1, "width": 8, "batch": 8, "max_steps": 5, "evaluate_every": 5, "test_size": 4,
    },
    "laptop": {},
    "paper": {"max_steps": 30_000, "evaluate_every": 1000, "test_size": 1000},
}  # fmt: skip
"""What differs: next to nothing for `smoke`, longer training for `paper`."""
SMOKE_TO, SMOKE_TESTS = 8, tuple(LengthRange(9 + 8 * k, 16 + 8 * k) for k in range(len(TESTS)))
SEEDS: dict[Scale, int] = {"smoke": 1, "laptop": 1, "paper": PAPER_SEEDS}


SAMPLE = (
    "1700", "433", "ab_k", "136", "831", "331", "616", "ab_bba", "1539", "1396", "dyck2", "ABplus_BBAA",
    "1531",
)  # fmt: skip
"""The first three of each kind by a hash, and all that contradict the verdict: a test draws them again."""
EASIER = ("136", "831", "331")
"""Those of which the letter tells the state: without positions a program exists if it is read there."""


def sample() -> dict[str, StateLanguage]:
    """The languages of `SAMPLE` by name.

    >>> len(sample()), sum(each.c_rasp for each in sample().values())
    (13, 7)
    """
    known = {each.name: each for each in state_languages() if each.suite == "main"}
    return {name: known[name] for name in SAMPLE}


def state_places() -> tuple[Place, ...]:
    """The cells: each language after letters with both encodings, and without positions at letters where that
    should be easier."""
    after = [
        Place(STATES_AFTER + each.expression, encoding)
        for each in sample().values()
        for encoding in ENCODINGS
    ]
    return (*after, *(Place(STATES + sample()[name].expression, "nope") for name in EASIER))


def state_config(place: Place, scale: Scale) -> RunConfig:
    """The member of a cell with the seed 0.

    >>> config = state_config(state_places()[0], "laptop")
    >>> config.width, config.train_lengths.last, config.test_lengths[-1].name
    (64, 50, '451-500')
    """
    small = scale == "smoke"
    least = load_task(place.task).least_length
    return resolve(
        place.task, place.encoding, scale="laptop",
        **SETTING | AT_SCALE[scale],
        train_lengths=LengthRange(least, max(least, SMOKE_TO if small else TRAIN_TO)),
        test_lengths=SMOKE_TESTS if small else TESTS,
    )  # fmt: skip
