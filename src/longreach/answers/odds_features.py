"""The exact numbers of a language on which odds may rest.

Nothing here is fitted or trained. The same function serves where odds are fitted and where they are shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from longreach.tasks.lengths import LengthRange
from longreach.theory.automata.automaton import Automaton
from longreach.theory.budget import Budget, OverBudget
from longreach.theory.program_class import PROGRAM_SIDES
from longreach.theory.shares.determinacy import determinacy
from longreach.theory.shares.summaries import MOST_NODES, Summary
from longreach.theory.shares.words import label_entropy, position_chance, word_measure
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Verdict

SUMMARIES = (
    *(Summary(window=k) for k in (1, 2, 4, 8, 12, 16)),
    *(Summary(modulus=m) for m in (2, 3, 4)),
    *(Summary(clip=c) for c in (1, 2, 4)),
    *(Summary(window=k, modulus=m) for m in (2, 3, 4) for k in (1, 2, 4, 8)),
)
"""Those of the family that are looked at unless others are asked for."""


@dataclass(frozen=True, kw_only=True)
class SideFeatures:
    """What the theory says for one class of programs, of the task that is trained."""

    verdict: str
    window: int | None
    """Letters that a program needs to see before the present one; None unless it is a yes, and known."""
    modulus: int | None
    depth: int | None
    size: int | None
    """Operations of the program that is written."""
    levels: int | None = None
    """Layers that the cascade needs, of attention that finds the last occurrence."""


@dataclass(frozen=True, kw_only=True)
class Determined:
    """How often a summary is enough on words of a range."""

    summary: Summary
    at_length: float | None
    """The share of words on which some function of it is right; None: over the budget, or not asked for."""
    from_training: float | None
    """The same for the function that words of training lengths show."""


@dataclass(frozen=True, kw_only=True)
class RangeFeatures:
    """What is true of the words of a range, each length that has words counting the same."""

    lengths: LengthRange
    chance: float
    entropy: float
    determined: tuple[Determined, ...]


@dataclass(frozen=True, kw_only=True)
class LanguageFeatures:
    """All numbers of a language."""

    states: int
    letters: int
    trained_to: int
    sides: dict[str, SideFeatures]
    ranges: tuple[RangeFeatures, ...]


def language_features(
    automaton: Automaton,
    trained_to: int,
    ranges: Sequence[LengthRange],
    *,
    sides: Mapping[str, Verdict] | None = None,
    summaries: Sequence[Summary] = SUMMARIES,
    at_length: Sequence[Summary] | None = None,
    most_nodes: int = MOST_NODES,
) -> LanguageFeatures:
    """The numbers of a language for training up to a length and tests on some ranges; those without words are
    left out. Where summaries `at_length` are given, only theirs is computed at the length.

    >>> found = language_features(
    ...     from_expression("(a|ba)*b?"), 20, [LengthRange(41, 60)], summaries=[Summary(window=1)]
    ... )
    >>> found.sides["nope"]
    SideFeatures(verdict='yes', window=0, modulus=1, depth=0, size=12, levels=None)
    >>> [(each.determined[0].at_length, each.determined[0].from_training) for each in found.ranges]
    [(1.0, 1.0)]
    """
    verdicts = judge(automaton).sides if sides is None else sides
    words = word_measure(automaton)
    lengths = {each: [n for n in range(each.first, each.last + 1) if words.count(n)] for each in ranges}
    known = {each: found for each, found in lengths.items() if found}
    # What training shows is one walk for all lengths; what is true up to each length is one for each range.
    asked = sorted({n for found in known.values() for n in found})
    seen = {
        each: determinacy(automaton, each, asked, within=trained_to, most_nodes=most_nodes)
        for each in summaries
        if asked
    }

    def determined(summary: Summary, found: list[int]) -> Determined:
        here = at_length is None or summary in at_length
        return Determined(
            summary=summary,
            at_length=determinacy(automaton, summary, found, most_nodes=most_nodes).mean if here else None,
            from_training=seen[summary].mean_over(found),
        )

    return LanguageFeatures(
        states=len(automaton),
        letters=len(automaton.alphabet),
        trained_to=trained_to,
        sides={
            **{side: _side_features(verdicts[side]) for side in PROGRAM_SIDES},
            REACH: reach_features(automaton),
        },
        ranges=tuple(
            RangeFeatures(
                lengths=each,
                chance=position_chance(automaton, found),
                entropy=label_entropy(automaton, found),
                determined=tuple(determined(summary, found) for summary in summaries),
            )
            for each, found in known.items()
        ),
    )


def _side_features(verdict: Verdict) -> SideFeatures:
    """What a verdict says of the task that is trained, in numbers."""
    proof, program = verdict.prediction.proof, verdict.prediction.proof.program
    return SideFeatures(
        verdict=verdict.prediction.answer.value,
        window=proof.window,
        modulus=proof.modulus,
        depth=proof.depth,
        size=None if program is None else program.core.size,
    )


REACH = "reach"
REACH_SECONDS = 2.0
"""For the decision, and for the cascade."""
_TRIED_LENGTHS, _TRIED_WORDS = range(2, 13), 3000


def reach_features(automaton: Automaton) -> SideFeatures:
    """Whether what may follow is in AC⁰, and the modulus and levels of the cascade that is found.

    >>> found = [reach_features(from_expression(each)) for each in ("(a|bb)*", "(a|ba*b)*")]
    >>> [(each.verdict, each.modulus, each.levels) for each in found]
    [('yes', 2, 1), ('no', None, None)]
    """
    # Only odds of regular languages need them, and they are many.
    from longreach.answers.architecture import question_of_language
    from longreach.theory.architectures.groups import Groups

    question = question_of_language(automaton)
    groups = Groups(question, Budget(seconds=REACH_SECONDS).running())
    verdict, cascade = "undecided", None
    try:
        if groups.stable_group() is not None or (groups.monoid is None and _holds_a_group(automaton)):
            verdict = "no"
        elif groups.monoid is not None:
            verdict = "yes"
    except OverBudget:
        verdict = "no" if _holds_a_group(automaton) else "undecided"
    if verdict != "no":
        with suppress(OverBudget):
            cascade = Groups(question, Budget(seconds=REACH_SECONDS).running()).cascade()
    return SideFeatures(
        verdict="yes" if cascade is not None else verdict,
        window=None,
        modulus=None if cascade is None else cascade.modulus,
        depth=None,
        size=None,
        levels=None if cascade is None else cascade.layers,
    )


def _holds_a_group(automaton: Automaton) -> bool:
    """Whether two words of one length are found that act differently in one group; a "no" says nothing.

    Their powers of one length hold the whole group, so that the stable semigroup does: a proof where the maps
    of words are too many to be listed.
    """
    random, table = np.random.default_rng(0), automaton.table
    for length in _TRIED_LENGTHS:
        maps = np.tile(np.arange(len(automaton)), (_TRIED_WORDS, 1))
        for letters in random.integers(0, table.shape[1], (length, _TRIED_WORDS)):
            maps = table[maps, letters[:, None]]
        kinds: dict[tuple[bytes, bytes], bytes] = {}
        for each in np.unique(maps, axis=0):
            image, first, place = np.unique(each, return_index=True, return_inverse=True)
            # The H-class is a group exactly if the image meets each class of the kernel once.
            if len(image) > 1 and len(np.unique(each[image])) == len(image):
                kind = image.tobytes(), first[place].tobytes()
                if kinds.setdefault(kind, each.tobytes()) != each.tobytes():
                    return True
    return False


# What odds may rest on: a few numbers of a language, an encoding, a training length and a test ratio.


ODDS_ENCODINGS = (*PROGRAM_SIDES, REACH)
Group: TypeAlias = Literal["yes/yes", "no/yes", "no/no, in AC⁰", "no/no, outside AC⁰", "not known"]
GROUPS: tuple[Group, ...] = get_args(Group)


def group_of_verdicts(nope: str, ape: str, reach: str) -> Group:
    """The stratum: the verdicts of programs, and of languages that are a no for both whether AC⁰ has them.

    >>> group_of_verdicts("no", "yes", "yes"), group_of_verdicts("no", "no", "no")
    ('no/yes', 'no/no, outside AC⁰')
    """
    match nope, ape, reach:
        case "yes", "yes", _:
            return "yes/yes"
        case "no", "yes", _:
            return "no/yes"
        case "no", "no", "yes":
            return "no/no, in AC⁰"
        case "no", "no", "no":
            return "no/no, outside AC⁰"
    return "not known"


"""Encodings for which there are verdicts, and so odds."""
WINDOW = Summary(window=8)
SUMMARIES_OF_ODDS = (
    *(Summary(window=k) for k in (1, 2, 4, 8, 12, 16)),
    *(Summary(window=k, modulus=m) for m in (2, 3, 4) for k in (1, 2, 4, 8)),
)
"""What training may show whole; each is quick."""
ODDS_NODES = 10_000
"""The budget of each summary, the same where odds are fitted and where they are shown."""


def range_at(trained_to: int, ratio: int) -> LengthRange:
    """The lengths that are tested at a ratio: those of the last training length up to it.

    >>> range_at(20, 3), range_at(20, 1)
    (LengthRange(first=41, last=60), LengthRange(first=1, last=20))
    """
    return LengthRange((ratio - 1) * trained_to + 1, ratio * trained_to)


@dataclass(frozen=True, kw_only=True)
class OddsCase:
    """One language at one ratio under one encoding, with the exact numbers that belong there."""

    features: LanguageFeatures
    encoding: str
    ratio: int

    @property
    def side(self) -> SideFeatures:
        return self.features.sides[self.encoding]

    @property
    def says_yes(self) -> float:
        """1 for the verdict yes, else 0."""
        return float(self.side.verdict == "yes")

    @property
    def tested(self) -> RangeFeatures | None:
        """The numbers of the tested range; None without words."""
        lengths = range_at(self.features.trained_to, self.ratio)
        return next((each for each in self.features.ranges if each.lengths == lengths), None)

    def seen(self, most_letters: int) -> float | None:
        """How often the best summary that training shows whole is enough; without positions no residue."""
        if self.tested is None:
            return None
        found = [
            each.from_training
            for each in self.tested.determined
            if each.summary in SUMMARIES_OF_ODDS
            and each.summary.window <= most_letters
            and (each.summary.modulus == 1 or self.encoding != "nope")
            and each.from_training is not None
        ]
        return max(found, default=None)

    @property
    def by_window(self) -> float | None:
        """How often the last eight letters are enough at the tested lengths, however they are learned."""
        determined = () if self.tested is None else self.tested.determined
        return next((each.at_length for each in determined if each.summary == WINDOW), None)

    def of_program(self, number: int | None) -> float:
        """A number of the program where there is one."""
        return 0.0 if number is None or not self.says_yes else float(number)

    @property
    def group(self) -> Group:
        """The stratum of the language."""
        sides = self.features.sides
        return group_of_verdicts(*(sides[name].verdict for name in ODDS_ENCODINGS))


def _ape(case: OddsCase) -> float:
    return float(case.encoding == "ape")


def _reach(case: OddsCase) -> float:
    return float(case.encoding == REACH)


def _of_cascade(case: OddsCase, number: int | None) -> float | None:
    """A number of the cascade, for runs with `reach` whose verdict is a yes."""
    return 0.0 if not _reach(case) * case.says_yes else None if number is None else float(number)


def _log_ratio(case: OddsCase) -> float:
    return math.log2(case.ratio)


def _with(condition: Callable[[OddsCase], float], value: Callable[[OddsCase], float | None]) -> _Feature:
    def product(case: OddsCase) -> float | None:
        found = value(case)
        return None if found is None else condition(case) * found

    return product


_Feature = Callable[[OddsCase], float | None]

CONTEXT: dict[str, _Feature] = {
    "learned positions": _ape,
    "last occurrences": _reach,
    "log2 of training length": lambda case: math.log2(case.features.trained_to),
    "log2 of ratio": _log_ratio,
}
"""What is asked: always part of a model."""
CANDIDATES: dict[str, _Feature] = {
    "verdict yes": lambda case: case.says_yes,
    "verdict yes, learned positions": _with(_ape, lambda case: case.says_yes),
    "verdict yes, last occurrences": _with(_reach, lambda case: case.says_yes),
    "log2 of ratio, verdict yes": _with(lambda case: case.says_yes, _log_ratio),
    "log2 of ratio, learned positions": _with(_ape, _log_ratio),
    "log2 of ratio, last occurrences": _with(_reach, _log_ratio),
    "in AC⁰": lambda case: float(case.features.sides[REACH].verdict == "yes"),
    "verdict yes without positions": lambda case: float(case.features.sides["nope"].verdict == "yes"),
    "levels, last occurrences": lambda case: _of_cascade(case, case.side.levels),
    "modulus, last occurrences": lambda case: _of_cascade(case, (case.side.modulus or 1) - 1),
    "states": lambda case: float(case.features.states),
    "states, learned positions": _with(_ape, lambda case: float(case.features.states)),
    "log2 of program size": lambda case: case.of_program(case.side.size) and math.log2(case.side.size or 1),
    "program depth": lambda case: case.of_program(case.side.depth),
    "program window": lambda case: case.of_program(case.side.window),
    "program modulus": lambda case: max(0.0, case.of_program(case.side.modulus) - 1),
    "window enough at the test length": lambda case: case.by_window,
    "seen whole in training": lambda case: case.seen(16),
    "seen whole in training, 4 letters": lambda case: case.seen(4),
    "seen whole in training, learned positions": _with(_ape, lambda case: case.seen(16)),
    "entropy of answers": lambda case: None if case.tested is None else case.tested.entropy,
}
"""From which a few are chosen."""
KNOWN = {**CONTEXT, **CANDIDATES}


def odds_features(case: OddsCase, names: tuple[str, ...] = tuple(KNOWN)) -> list[float | None]:
    """The numbers by their names; None where one is over the budget or there are no words.

    >>> from longreach.answers.odds_features import language_features
    >>> found = language_features(from_expression("(a|ba)*b?"), 20, [range_at(20, 3)], summaries=[WINDOW])
    >>> odds_features(OddsCase(features=found, encoding="nope", ratio=3), ("verdict yes", "states"))
    [1.0, 3.0]
    """
    return [KNOWN[name](case) for name in names]


def summaries_needed(names: Sequence[str]) -> tuple[tuple[Summary, ...], tuple[Summary, ...]]:
    """The summaries that features with these names look at, and those of them at the tested lengths.

    >>> summaries_needed(["verdict yes", "window enough at the test length"])
    ((Summary(window=8, modulus=1, clip=0),), (Summary(window=8, modulus=1, clip=0),))
    """
    at_length = (WINDOW,) if any(name.startswith("window enough") for name in names) else ()
    seen = SUMMARIES_OF_ODDS if any(name.startswith("seen whole") for name in names) else at_length
    return seen, at_length
