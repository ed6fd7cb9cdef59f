"""From an automaton to a regular expression, by eliminating one state after the other.

At each step that state goes without which expressions grow least (Delgado and Morais, CIAA 2004).
"""

from __future__ import annotations

from collections.abc import Mapping

from longreach.errors import InputError
from longreach.languages.regular.automaton import Automaton, live_states

_NOTHING = ""  # the expression of the empty word
_START, _END = -1, -2
Edges = dict[tuple[int, int], str]


def to_expression(automaton: Automaton) -> str:
    """An expression of the language; letters must be single characters without a meaning of their own.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> to_expression(from_expression("(a|ba)*b?"))
    '(a|ba)*b?'
    """
    for letter in automaton.alphabet:
        if not (len(letter) == 1 and letter.isalnum()):
            raise InputError(f"letter {letter!r}: an expression needs letters or digits")
    if not automaton.accepting:
        raise InputError("the language is empty: it has no expression here")
    live = live_states(automaton)
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
    return "".join(f"({each})" if _top_level_choice(each) else each for each in (one, other))


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
    if len(body) == 1:
        return True
    if not (body.startswith("(") and body.endswith(")")):
        return False
    depth = 0
    for place, char in enumerate(body):
        depth += (char == "(") - (char == ")")
        if depth == 0 and place < len(body) - 1:
            return False
    return True


def _top_level_choice(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            return True
    return False
