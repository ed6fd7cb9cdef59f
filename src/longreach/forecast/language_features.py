"""The exact numbers of a language on which odds may rest: verdicts, programs, determinacy, chance.

Nothing here is fitted, and nothing is trained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from longreach.config.length_range import LengthRange
from longreach.languages.budget import DEFAULT_BUDGET, Budget
from longreach.languages.profile.determinacy import determinacy
from longreach.languages.profile.position_only import label_entropy, position_chance
from longreach.languages.profile.prefix_summary import Summary
from longreach.languages.profile.summary_graph import MOST_NODES
from longreach.languages.profile.word_measure import word_measure
from longreach.languages.program_class import ENCODING_SIDES
from longreach.languages.regular.automaton import Automaton
from longreach.verdicts.automaton_to_verdicts import judge
from longreach.verdicts.verdict import Verdict

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
    """How deeply counts are nested."""
    size: int | None
    """Operations of the program that is written."""


@dataclass(frozen=True, kw_only=True)
class Determined:
    """How often a summary is enough on words of a range."""

    summary: Summary
    at_length: float | None
    """Some function of the summary is right on so many words; None over the budget, or not asked for."""
    from_training: float | None
    """The function that words of training lengths show is right on so many."""


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

    def document(self) -> dict[str, Any]:
        """As JSON has it; summaries by what they keep."""
        found = asdict(self)
        for each, made in zip(self.ranges, found["ranges"], strict=True):
            made["lengths"] = each.lengths.name
            for one, entry in zip(each.determined, made["determined"], strict=True):
                entry["name"] = str(one.summary)
        return found


def language_features(
    automaton: Automaton,
    trained_to: int,
    ranges: Sequence[LengthRange],
    *,
    summaries: Sequence[Summary] = SUMMARIES,
    budget: Budget = DEFAULT_BUDGET,
    at_length: Sequence[Summary] | None = None,
    most_nodes: int = MOST_NODES,
) -> LanguageFeatures:
    """The numbers of a language for training up to a length and tests on some ranges; those without words are
    left out. Where summaries `at_length` are given, only theirs is computed at the length.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> found = language_features(
    ...     from_expression("(a|ba)*b?"), 20, [LengthRange(41, 60)], summaries=[Summary(window=1)]
    ... )
    >>> found.sides["nope"]
    SideFeatures(verdict='yes', window=0, modulus=1, depth=0, size=12)
    >>> [(each.determined[0].at_length, each.determined[0].from_training) for each in found.ranges]
    [(1.0, 1.0)]
    """
    verdicts = judge(automaton, budget)
    return LanguageFeatures(
        states=len(automaton),
        letters=len(automaton.alphabet),
        trained_to=trained_to,
        sides={side: side_features(verdicts.sides[side]) for side in ENCODING_SIDES},
        ranges=range_features(
            automaton,
            trained_to,
            ranges,
            summaries=summaries,
            at_length=at_length,
            most_nodes=most_nodes,
        ),
    )


def side_features(verdict: Verdict) -> SideFeatures:
    """What a verdict says of the task that is trained, in numbers."""
    proof, program = verdict.prediction_proof, verdict.predictor
    return SideFeatures(
        verdict=verdict.prediction.value,
        window=proof.window,
        modulus=proof.modulus,
        depth=proof.depth,
        size=None if program is None else program.core.size,
    )


def range_features(
    automaton: Automaton,
    trained_to: int,
    ranges: Sequence[LengthRange],
    *,
    summaries: Sequence[Summary] = SUMMARIES,
    at_length: Sequence[Summary] | None = None,
    most_nodes: int = MOST_NODES,
) -> tuple[RangeFeatures, ...]:
    """What is true of the words of each range; those without words are left out."""
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
    return tuple(
        RangeFeatures(
            lengths=each,
            chance=position_chance(automaton, found),
            entropy=label_entropy(automaton, found),
            determined=tuple(
                Determined(
                    summary=summary,
                    at_length=determinacy(automaton, summary, found, most_nodes=most_nodes).mean
                    if at_length is None or summary in at_length
                    else None,
                    from_training=seen[summary].mean_over(found),
                )
                for summary in summaries
            ),
        )
        for each, found in known.items()
    )
