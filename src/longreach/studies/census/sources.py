"""Where the languages of the census come from: random expressions, and random automata as expressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Literal, TypeAlias

from longreach.errors import InputError
from longreach.theory.automata.automaton import Automaton, minimal
from longreach.theory.automata.regex import from_expression

_NOTHING = ""  # the expression of the empty word
_START, _END = -1, -2
Edges = dict[tuple[int, int], str]


def to_expression(automaton: Automaton) -> str:
    """An expression of the language; letters must be single characters without a meaning of their own.

    States are eliminated one by one, first the one whose removal costs least (Delgado and Morais, CIAA 2004).

    >>> to_expression(from_expression("(a|ba)*b?"))
    '(a|ba)*b?'
    """
    for letter in automaton.alphabet:
        if not (len(letter) == 1 and letter.isalnum()):
            raise InputError(f"letter {letter!r}: an expression needs letters or digits")
    if not automaton.accepting:
        raise InputError("the language is empty: it has no expression here")
    live = automaton.live
    edges: Edges = {(_START, 0): _NOTHING}
    for state in live:
        for token, target in zip(automaton.alphabet, automaton.transitions[state], strict=True):
            if target in live:
                edges[state, target] = _either(edges.get((state, target)), token)
        if state in automaton.accepting:
            edges[state, _END] = _NOTHING
    left = set(live)
    while left:
        gone = min(left, key=lambda state: (_growth(edges, state), state))
        left.remove(gone)
        edges = _without(edges, gone)
    return edges[_START, _END] or "()"


def _growth(edges: Mapping[tuple[int, int], str], state: int) -> int:
    """How many letters are written more often without the state."""
    into = [len(text) for (source, target), text in edges.items() if target == state != source]
    out = [len(text) for (source, target), text in edges.items() if source == state != target]
    loop = len(edges.get((state, state), ""))
    pairs = len(into) * len(out)
    return sum(into) * (len(out) - 1) + sum(out) * (len(into) - 1) + loop * (pairs - 1)


def _without(edges: Edges, gone: int) -> Edges:
    loop = edges.get((gone, gone))
    found = {edge: text for edge, text in edges.items() if gone not in edge}
    for (source, one), into in edges.items():
        for (other, target), out in edges.items():
            if one == gone == other and gone not in (source, target):
                way = _joined(_joined(into, _NOTHING if loop is None else _repeated(loop)), out)
                found[source, target] = _either(found.get((source, target)), way)
    return found


def _either(one: str | None, other: str) -> str:
    if one is None or one == other:
        return other
    if _NOTHING in (one, other):
        text = one or other
        half = text[: len(text) // 2]
        if text == f"{half}{half}*" and _is_factor(half):  # at least once, or not at all
            return f"{half}*"
        return text if text.endswith("*") and _is_factor(text) else f"{_factor(text)}?"
    return f"{one}|{other}"


def _joined(one: str, other: str) -> str:
    return "".join(
        f"({each})" if ("|", 0) in zip(each, _depths(each), strict=True) else each for each in (one, other)
    )


def _repeated(text: str) -> str:
    if text == _NOTHING:
        return _NOTHING
    if _is_factor(text) and text[-1] in "*?":
        text = text[:-1]
    return f"{_factor(text)}*"


def _factor(text: str) -> str:
    """The text so that a repetition after it is about all of it."""
    return text if _is_factor(text) and text[-1] not in "*?" else f"({text})"


def _is_factor(text: str) -> bool:
    """Whether it is one letter or one bracket, with at most one repetition behind it."""
    body = text[:-1] if text[-1] in "*?" else text
    return len(body) == 1 or (body[0] == "(" and 0 not in _depths(body)[:-1])


def _depths(text: str) -> list[int]:
    """After each character, how many brackets are open."""
    return list(accumulate((char == "(") - (char == ")") for char in text))


Source: TypeAlias = Literal["expression", "automaton", "typed"]

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
