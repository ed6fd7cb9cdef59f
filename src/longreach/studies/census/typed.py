"""Expressions as people type them: short, with classes, optional parts and counts, shaped as in papers.

Random expressions and automata have equally many languages of each verdict and size. What people ask about
is another mixture, mostly easy and mostly small, so that scores on it are scores of their own. The frames
are those of lists that papers test on (Tomita 1982; Bhattamishra et al., arXiv 2009.11264; Delétang et al.,
arXiv 2207.02098): blocks that are repeated, chains, words that are contained, begin or end a word, lists with
a separator, and counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from longreach.studies.census.sources import ALPHABETS, STATES, Draw
from longreach.theory.automata.regex import from_expression

FRAMES = (
    "(P)*", "(P)+", "(P|P)*", "(P|P|P)*", "P(P)*", "(P)*P", "P(P|P)*", "(P|P)*P",
    "F*F*", "F*F*F*", "F+F*F?", "(F*F)*", "(FF*F?)*",
    "S*WS*", "WS*", "S*W", "WS*W", "S*WS*WS*", "(S*W)?F*",
    "P(LP)*", "F+(LF+)*", "(F+L)*F?",
    "(S{N})*", "(F{N}P)*", "(P){N}(P)*", "F{N,}P?", "(S{N}W)*", "(F{N,M}L)*",
)  # fmt: skip
"""P: up to three factors; F: a factor; S: any letter; W: up to three letters; L: a letter; N < M: counts."""


def typed_draws(seed: int) -> Iterator[Draw]:
    """Expressions without end whose automaton has 2 to 8 states.

    >>> drawn = typed_draws(0)
    >>> [next(drawn).expression for _ in range(4)]
    ['([bc]+[bc]?)+', 'a?a(bba{2})*', '(a{2,3}c)*', '([ab]{2}b?a)*']
    """
    random = Random(seed)
    while True:
        letters = random.choice(ALPHABETS)
        text = typed_expression(random, letters)
        automaton = from_expression(text)
        if len(automaton) in STATES:
            yield Draw(source="typed", expression=text, automaton=automaton)


def typed_expression(random: Random, letters: str) -> str:
    """A frame, filled in from left to right."""
    least = random.choice((2, 2, 3))
    counts = {"N": str(least), "M": str(least + 1)}
    return "".join(counts.get(slot) or _filled(random, letters, slot) for slot in random.choice(FRAMES))


def _filled(random: Random, letters: str, slot: str) -> str:
    match slot:
        case "L":
            return random.choice(letters)
        case "S":
            return f"[{letters}]"
        case "W":
            return "".join(random.choice(letters) for _ in range(random.randint(1, 3)))
        case "F":
            return _atom(random, letters)
        case "P":
            return "".join(
                _atom(random, letters) + random.choices(("", "?", "*", "+", "{2}"), (10, 3, 2, 2, 1))[0]
                for _ in range(random.randint(1, 3))
            )
    return slot


def _atom(random: Random, letters: str) -> str:
    """A letter, now and then a class of two."""
    if random.random() < 0.75:
        return random.choice(letters)
    return f"[{''.join(sorted(random.sample(letters, 2)))}]"
