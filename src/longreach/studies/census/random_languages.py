"""Languages from two sources: random expressions, and random automata that are already minimal.

Both rules were fixed before anything was trained, and are pinned by a test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

from longreach.languages.regular.automaton import Automaton, minimal
from longreach.languages.regular.expression_to_automaton import from_expression

Source: TypeAlias = Literal["expression", "automaton"]

ALPHABETS = ("ab", "abc")
SIZES = range(4, 25)
"""Letters and operators of an expression."""
STATES = range(2, 9)
"""Of a minimal complete automaton, its sink included."""
SINK_SHARES = (0.0, 0.2, 0.4)
"""Moves of a random automaton that lead to a sink: without one, every letter is always legal."""


@dataclass(frozen=True, kw_only=True)
class Draw:
    """One language as it was drawn."""

    source: Source
    expression: str | None
    """Of a language drawn as an expression."""
    automaton: Automaton


def draws(seed: int) -> Iterator[Draw]:
    """Languages without end, from each source in turn; expressions whose automaton has 2 to 8 states.

    >>> first = next(draws(0))
    >>> first.source, len(first.automaton) in STATES
    ('expression', True)
    """
    random = Random(seed)
    while True:
        yield _by_expression(random)
        yield _by_automaton(random)


def _by_expression(random: Random) -> Draw:
    while True:
        alphabet = random.choice(ALPHABETS)
        text = random_expression(random, random.choice(SIZES), alphabet)
        automaton = from_expression(text, alphabet)
        if len(automaton) in STATES:
            return Draw(source="expression", expression=text, automaton=automaton)


def _by_automaton(random: Random) -> Draw:
    while True:
        alphabet, states = random.choice(ALPHABETS), random.choice(STATES)
        automaton = random_automaton(random, states, alphabet, random.choice(SINK_SHARES))
        if len(automaton) == states:
            return Draw(source="automaton", expression=None, automaton=automaton)


def random_expression(random: Random, size: int, alphabet: str) -> str:
    """An expression of so many letters and operators.

    A tree grown from its root, operators of two arguments dividing the rest evenly at random, as in a random
    search tree; trees that are all equally likely are, in the limit, nearly all trivial languages (Koechlin,
    Nicaud and Rotondo, MFCS 2019).

    >>> random_expression(Random(1), 7, "ab")
    '(b|(b|a)*)*'
    """
    return _tree(random, size, alphabet, repeat=True)[0]


def _tree(random: Random, size: int, alphabet: str, *, repeat: bool) -> tuple[str, int]:
    """A text and how tightly it binds: 0 a choice, 1 a product, 2 one letter, bracket or repetition."""
    if size == 1:
        return random.choice(alphabet), 2
    # A star is drawn a third as often as the two of two arguments together, an option a third of that.
    kind = random.choices(["star", "option", "product", "choice"], [3, 1, 4, 4])[0]
    # Of size 3 the only thing to repeat would be a repetition.
    if size == 2 or (kind in ("star", "option") and repeat and size > 3):
        kind = kind if kind in ("star", "option") else "star"
        text, tight = _tree(random, size - 1, alphabet, repeat=False)
        return (text if tight == 2 else f"({text})") + ("*" if kind == "star" else "?"), 2
    kind = kind if kind in ("product", "choice") else random.choice(["product", "choice"])
    first = random.randint(1, size - 2)
    least = 1 if kind == "product" else 0
    parts = [_tree(random, each, alphabet, repeat=True) for each in (first, size - 1 - first)]
    texts = [text if tight >= least else f"({text})" for text, tight in parts]
    return ("" if kind == "product" else "|").join(texts), least


def random_automaton(random: Random, states: int, alphabet: str, sink_share: float) -> Automaton:
    """The minimal automaton of a random table; a share of its moves leads to a sink.

    >>> random_automaton(Random(0), 3, "ab", 0.0).alphabet
    ('a', 'b')
    """
    sink = states - 1 if sink_share else None
    rows = []
    for state in range(states):
        row = [random.randrange(states) for _ in alphabet]
        to_sink = [random.random() < sink_share for _ in alphabet]
        if sink is not None:
            row = [
                sink if gone or state == sink else target for target, gone in zip(row, to_sink, strict=True)
            ]
        rows.append(row)
    accepting = [state for state in range(states) if random.random() < 0.5 and state != sink]
    return minimal(alphabet, rows, 0, accepting)
