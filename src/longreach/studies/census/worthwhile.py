"""Where a test means something: enough words, answers that vary and are not to be had by guessing."""

from __future__ import annotations

from typing import Literal, TypeAlias

from longreach.config.length_range import LengthRange
from longreach.languages.profile.position_only import label_entropy, position_chance
from longreach.languages.profile.word_measure import WordMeasure
from longreach.languages.regular.automaton import Automaton

Refusal: TypeAlias = Literal["few words", "answers hardly vary", "guessed from the position"]

TRAINED_TO = 20
"""The training length that the rules of the census refer to."""
LEAST_WORDS = 50
"""So many at half the tested lengths at least."""
LEAST_ENTROPY = 0.3
"""Bits, of the set of legal next symbols at a random position beyond training, in the longest range."""
MOST_CHANCE = 0.9
"""Of the best predictor that sees only the position, on the longest range."""


def ranges_tested(trained_to: int) -> tuple[LengthRange, ...]:
    """The training range, then those that end at two, three and five times its end.

    >>> [each.name for each in ranges_tested(20)]
    ['1-20', '21-40', '41-60', '81-100']
    """
    return (
        LengthRange(1, trained_to),
        *(LengthRange((k - 1) * trained_to + 1, k * trained_to) for k in (2, 3, 5)),
    )


def refusal(automaton: Automaton, trained_to: int = TRAINED_TO) -> Refusal | None:
    """Why a test of the language would mean little; None if it means something.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> for expression in ("(ab)*", "((a|b)(a|c))*(a|b)?", "(a|b)*", "(a|b)*a"):
    ...     print(refusal(from_expression(expression)))
    few words
    guessed from the position
    answers hardly vary
    None
    """
    words = WordMeasure(automaton)
    ranges = ranges_tested(trained_to)
    tested = [length for first, last in ranges for length in range(first, last + 1)]
    if 2 * sum(words.count(length) >= LEAST_WORDS for length in tested) < len(tested):
        return "few words"
    longest = range(ranges[-1].first, ranges[-1].last + 1)
    if not any(map(words.count, longest)):
        return "few words"
    if label_entropy(automaton, longest, after=trained_to + 1) < LEAST_ENTROPY:
        return "answers hardly vary"
    return "guessed from the position" if position_chance(automaton, longest) > MOST_CHANCE else None
