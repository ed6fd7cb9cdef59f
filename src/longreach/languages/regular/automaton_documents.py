"""Automata in JSON: any tokens, any names of states, missing moves lead to a sink."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError

from longreach.errors import InputError, near_names
from longreach.languages.budget import DEFAULT_BUDGET, Budget
from longreach.languages.prove.language_certificates import AutomatonTable
from longreach.languages.regular.automaton import Automaton, minimal


class AutomatonDocument(BaseModel):
    """A deterministic automaton as people write it.

    The alphabet may be left out; then it is the tokens of the transitions, sorted.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    alphabet: tuple[str, ...] | None = None
    initial: str
    accepting: tuple[str, ...]
    transitions: dict[str, dict[str, str]]
    """From a state, by a token, to a state."""


def read_automaton(text: str | bytes, budget: Budget = DEFAULT_BUDGET) -> Automaton:
    """The minimal automaton of a JSON document.

    >>> text = '{"initial": 0, "accepting": [1], "transitions": {"0": {"go": 1}, "1": {}}}'
    >>> read_automaton(text).transitions
    ((1,), (2,), (2,))
    """
    try:
        document = AutomatonDocument.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "automaton"
        raise InputError(f"{place}: {first['msg']}") from None
    return from_document(document, budget)


def from_document(document: AutomatonDocument, budget: Budget = DEFAULT_BUDGET) -> Automaton:
    """The minimal automaton of a document."""
    tokens = {token for moves in document.transitions.values() for token in moves}
    alphabet = document.alphabet if document.alphabet is not None else tuple(sorted(tokens))
    if len(set(alphabet)) != len(alphabet):
        raise InputError("alphabet: a token stands there twice")
    for token in alphabet:
        if not token:
            raise InputError("alphabet: a token is a non-empty string")
        if ('"' in token and "'" in token) or "\n" in token or "\r" in token:
            raise InputError(
                f"alphabet: no program can name the token {token!r} (both quotes, or a line break)"
            )
    for token in sorted(tokens - set(alphabet)):
        raise InputError(f"transitions: token {token!r} is not in the alphabet{near_names(token, alphabet)}")
    names = list(
        dict.fromkeys(
            [
                document.initial,
                *document.transitions,
                *(t for m in document.transitions.values() for t in m.values()),
            ]
        )
    )
    if len(names) > budget.states:
        raise InputError(f"transitions: {len(names)} states are more than the budget of {budget.states}")
    for name in document.accepting:
        if name not in names:
            raise InputError(f"accepting: no state is named {name!r}{near_names(name, names)}")
    number = {name: index for index, name in enumerate(names)}
    sink = len(names)
    rows = [
        [
            number[document.transitions[name][token]] if token in document.transitions.get(name, {}) else sink
            for token in alphabet
        ]
        for name in names
    ]
    accepting = (number[name] for name in document.accepting)
    return minimal(alphabet, [*rows, [sink] * len(alphabet)], number[document.initial], accepting)


def automaton_table(automaton: Automaton) -> AutomatonTable:
    """The automaton as certificates carry it."""
    return AutomatonTable(
        alphabet=automaton.alphabet,
        transitions=automaton.transitions,
        accepting=tuple(sorted(automaton.accepting)),
    )


def table_automaton(table: AutomatonTable) -> Automaton:
    """The automaton that a certificate carries, with its numbers of states."""
    return Automaton(table.alphabet, table.transitions, frozenset(table.accepting))
