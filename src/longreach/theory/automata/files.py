"""Automata in JSON: the format of certificates, which has numbered states; for people also named states.

The fields are those of `AutomatonTable`: `alphabet`, `transitions` (for each state, for each letter, the next
state) and `accepting`. A file may say more, and may leave things out:

- `outputs` in place of `accepting`: the answer class of each state;
- `initial`: where reading begins, state 0 unless it is said;
- `name`: what results and reports call it;
- named states: then `transitions` is an object of objects, and the alphabet may be left out.

A move that is null or left out leads to a state from which nothing is accepted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from longreach.errors import File, InputError, near_names, one_line
from longreach.files import read_json
from longreach.theory.automata.automaton import Automaton, LabelledAutomaton, labelled, minimal
from longreach.theory.budget import DEFAULT_BUDGET, Budget
from longreach.theory.names import SLUG
from longreach.wording import counted

Machine: TypeAlias = Automaton | LabelledAutomaton
WHOLE = File("automaton")
"""The place of what is wrong with a document as a whole."""


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    name: str | None = None


class NamedDocument(_Document):
    """An automaton whose states have names.

    The alphabet may be left out; then it is the tokens of the transitions, sorted.
    """

    alphabet: tuple[str, ...] | None = None
    initial: str
    accepting: tuple[str, ...] | None = None
    outputs: dict[str, str] | None = None
    transitions: dict[str, dict[str, str]]


class NumberedDocument(_Document):
    """An automaton whose states are 0, 1, …, as in certificates."""

    alphabet: tuple[str, ...]
    initial: Annotated[int, Field(strict=True)] = 0
    accepting: tuple[Annotated[int, Field(strict=True)], ...] | None = None
    outputs: tuple[str, ...] | None = None
    transitions: tuple[tuple[Annotated[int, Field(strict=True)] | None, ...], ...]
    """By state, then by place of the letter in the alphabet; null where there is no move."""


@dataclass(frozen=True)
class AutomatonFile:
    machine: Machine
    name: str | None = None

    @property
    def text(self) -> str:
        """The canonical text: equal for all documents of the same automaton and name."""
        return write_automaton(self.machine, self.name)


def read_automaton(
    text: str | bytes, budget: Budget = DEFAULT_BUDGET, *, file: str | None = None
) -> Automaton:
    """The minimal automaton of a JSON document with accepting states.

    Errors begin with the name of the file, if given.

    >>> text = '{"initial": 0, "accepting": [1], "transitions": {"0": {"go": 1}, "1": {}}}'
    >>> read_automaton(text).transitions
    ((1,), (2,), (2,))
    >>> read_automaton('{"alphabet": ["a"], "transitions": [[1], [0]], "accepting": [0]}').accepts("aa")
    True
    """
    machine = read_automaton_file(text, budget, file=file).machine
    if isinstance(machine, LabelledAutomaton):
        reason = "accepting: missing; with outputs it is no single language, but a task: dfa:FILE"
        raise InputError(reason, place=None if file is None else File(file))
    return machine


def read_automaton_file(
    text: str | bytes, budget: Budget = DEFAULT_BUDGET, *, file: str | None = None
) -> AutomatonFile:
    """The automaton of a JSON document, with classes where it has `outputs`.

    >>> text = '{"alphabet": ["a"], "transitions": [[1], [0]], "outputs": ["even", "odd"]}'
    >>> read_automaton_file(text).machine.class_of("aaa")
    'odd'
    """
    content = read_json(text, file or "automaton")
    try:
        return _read(text, content, budget)
    except InputError as error:
        raise error if file is None else error.at(File(file)) from None


def _read(text: str | bytes, content: Any, budget: Budget) -> AutomatonFile:
    document = _parsed(text, content)
    if document.name is not None and not SLUG.fullmatch(document.name):
        raise InputError("name: at most 40 letters, digits, '.', '_' and '-', the first a letter or a digit")
    if (document.accepting is None) == (document.outputs is None):
        raise InputError(
            "accepting: missing; name the accepting states, or the class of every state in outputs"
            if document.accepting is None
            else "outputs: cannot be used with accepting"
        )
    made = _named(document, budget) if isinstance(document, NamedDocument) else _numbered(document, budget)
    return AutomatonFile(made, document.name)


def _parsed(text: str | bytes, content: Any) -> NamedDocument | NumberedDocument:
    if not isinstance(content, dict):
        raise InputError("expected a JSON object with alphabet, transitions and accepting", place=WHOLE)
    kind = NumberedDocument if isinstance(content.get("transitions"), list) else NamedDocument
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise InputError(one_line(error, kind.model_fields)) from None


def _check_alphabet(alphabet: Sequence[str]) -> None:
    if len(set(alphabet)) != len(alphabet):
        raise InputError("alphabet: a token appears twice")
    for token in alphabet:
        if not token:
            raise InputError("alphabet: a token is a non-empty string")
        if ('"' in token and "'" in token) or "\n" in token or "\r" in token:
            raise InputError(
                f"alphabet: no program can name the token {token!r} (both quotes, or a line break)"
            )


def _named(document: NamedDocument, budget: Budget) -> Machine:
    tokens = {token for moves in document.transitions.values() for token in moves}
    alphabet = document.alphabet if document.alphabet is not None else tuple(sorted(tokens))
    _check_alphabet(alphabet)
    for token in sorted(tokens - set(alphabet)):
        raise InputError(f"transitions: token {token!r} is not in the alphabet{near_names(token, alphabet)}")
    # Where a state is only led to, its name may be mistyped: some other field must know it.
    ends = (*(document.accepting or ()), *(document.outputs or ()))
    targets = {target: state for state, moves in document.transitions.items() for target in moves.values()}
    known = {document.initial, *document.transitions, *ends}
    for target, state in targets.items():
        if target not in known:
            hint = near_names(target, document.transitions) or "; a state without moves is written {}"
            raise InputError(f"transitions.{state}: no state named {target!r}{hint}")
    names = list(dict.fromkeys([document.initial, *document.transitions, *targets]))
    number = {name: index for index, name in enumerate(names)}
    for field, given in (("accepting", document.accepting or ()), ("outputs", document.outputs or ())):
        for name in given:
            if name not in number:
                raise InputError(f"{field}: no state named {name!r}{near_names(name, names)}")
    rows = [
        [_target(document.transitions.get(name, {}), token, number) for token in alphabet] for name in names
    ]
    outputs = None if document.outputs is None else [document.outputs.get(name) for name in names]
    accepting = [number[name] for name in document.accepting or ()]
    return _made(alphabet, rows, number[document.initial], accepting, outputs, names, budget)


def _target(moves: Mapping[str, str], token: str, number: Mapping[str, int]) -> int | None:
    return number[moves[token]] if token in moves else None


def _numbered(document: NumberedDocument, budget: Budget) -> Machine:
    _check_alphabet(document.alphabet)
    count, letters = len(document.transitions), len(document.alphabet)
    if not count:
        raise InputError("transitions: there is no state")
    for state, row in enumerate(document.transitions):
        if len(row) != letters:
            raise InputError(
                f"transitions.{state}: {counted(len(row), 'move')} for {counted(letters, 'letter')} "
                "of the alphabet"
            )
        _check_states(f"transitions.{state}", [target for target in row if target is not None], count)
    _check_states("initial", [document.initial], count)
    _check_states("accepting", document.accepting or (), count)
    if document.outputs is not None and len(document.outputs) != count:
        raise InputError(f"outputs: {len(document.outputs)} classes for {count} states")
    return _made(
        document.alphabet,
        document.transitions,
        document.initial,
        document.accepting or (),
        document.outputs,
        [str(state) for state in range(count)],
        budget,
    )


def _check_states(field: str, states: Sequence[int], count: int) -> None:
    for state in states:
        if not 0 <= state < count:
            raise InputError(f"{field}: there is no state {state}, they are 0 to {count - 1}")


def _made(
    alphabet: Sequence[str],
    rows: Sequence[Sequence[int | None]],
    initial: int,
    accepting: Sequence[int],
    outputs: Sequence[str | None] | None,
    names: Sequence[str],
    budget: Budget,
) -> Machine:
    """The least automaton; moves that are missing lead to a sink, which has no class."""
    if len(rows) > budget.states:
        raise InputError(f"transitions: {len(rows)} states are more than the budget of {budget.states}")
    if outputs is None:
        sink = len(rows)
        complete = [[sink if target is None else target for target in row] for row in rows]
        return minimal(alphabet, [*complete, [sink] * len(alphabet)], initial, accepting)
    for name, label in zip(names, outputs, strict=True):
        if not label:
            raise InputError(f"outputs: the state {name!r} has no class")
        if any(character in label for character in "{},\"'\n\r") or label != label.strip():
            raise InputError(f"outputs: the class {label!r} has quotes, commas, braces or blanks at its ends")
    whole: list[list[int]] = []
    for name, row in zip(names, rows, strict=True):
        for token, target in zip(alphabet, row, strict=True):
            if target is None:
                raise InputError(
                    f"transitions: no move leaves the state {name!r} by {token!r}; with outputs all do"
                )
        whole.append([target for target in row if target is not None])
    return labelled(alphabet, whole, initial, [label or "" for label in outputs])


def write_automaton(machine: Machine, name: str | None = None) -> str:
    """The JSON text of an automaton on one line, which `read_automaton_file` reads back.

    >>> write_automaton(read_automaton('{"alphabet": ["a"], "transitions": [[1], [0]], "accepting": [0]}'))
    '{"alphabet":["a"],"transitions":[[1],[0]],"accepting":[0]}'
    """
    document: dict[str, Any] = {} if name is None else {"name": name}
    document |= {"alphabet": machine.alphabet, "transitions": machine.transitions}
    if isinstance(machine, LabelledAutomaton):
        document["outputs"] = machine.outputs
    else:
        document["accepting"] = sorted(machine.accepting)
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
