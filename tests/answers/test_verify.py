"""Changed documents: always a status or one clear error, and nothing false is ever called valid."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longreach.answers.derive import check_statement
from longreach.answers.forecast import forecast
from longreach.answers.published import FIGURE_1_TASKS
from longreach.answers.verify import Subject, own_subject, read_statements
from longreach.errors import InputError
from longreach.theory.automata.named import NAMED_LANGUAGES
from longreach.theory.automata.regex import from_expression
from longreach.theory.program_class import CLASSES, ENCODING_SIDES, IN_AC0
from longreach.theory.verdicts.judge import judge
from tests.helpers.examples import examples

ALL_VALID = dict.fromkeys(CLASSES, "valid")
PROVED = {
    name: ALL_VALID if name in NAMED_LANGUAGES else {"nope": "valid", "ape": "valid"}
    for name in FIGURE_1_TASKS
} | {
    "binary-majority": {"nope": "not proved", "ape": "not proved"},
    "binary-majority-interleave": {"ape": "not proved"},
    "majority": {"nope": "not proved", "ape": "not proved"},
    "sort": {"nope": "not proved", "ape": "not proved"},
    "copy-unique": {"nope": "valid", "ape": "not proved"},
    "parity": {"nope": "valid", "ape": "valid", "reach": "valid"},
}


def statuses(document: dict[str, Any]) -> dict[str, str]:
    (statement,) = read_statements(json.dumps(document), "file")
    return {
        checked.place: checked.finding.status.value
        for checked in check_statement(statement, own_subject(statement))
    }


@cache
def genuine(name: str) -> str:
    return json.dumps(forecast(name).document())


@pytest.mark.parametrize("name", [*FIGURE_1_TASKS, *sorted(set(NAMED_LANGUAGES) - set(FIGURE_1_TASKS))])
def test_genuine_documents(name: str) -> None:
    assert statuses(json.loads(genuine(name))) == PROVED.get(name, ALL_VALID)


def expressions() -> st.SearchStrategy[str]:
    def larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pairs = st.tuples(smaller, smaller)
        return st.one_of(
            pairs.map("".join), pairs.map("({0[0]}|{0[1]})".format), smaller.map("({0})*".format)
        )

    return st.recursive(st.sampled_from("ab"), larger, max_leaves=6)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(expressions())
def test_genuine_documents_of_random_expressions(expression: str) -> None:
    automaton = from_expression(expression, "ab")
    document = judge(automaton).document(f"regex:{expression}")
    expected = dict.fromkeys(("nope", "ape", "local"), "valid") | {
        f"{key}.prediction": "valid"
        for key in ("nope", "ape", "local")
        if document[key]["prediction"] != document[key]["verdict"]
    }
    assert statuses(json.loads(json.dumps(document))) == expected


@pytest.mark.parametrize(
    ("key", "field", "said"),
    [
        ("nope", "end_of_sequence", "yes"),
        ("ape", "end_of_sequence", "no"),
        ("local", "end_of_sequence", "yes"),
        ("reach", "end_of_sequence", "no"),
        ("trained", "nope", "yes"),
        ("trained", "ape", "no"),
        ("trained", "reach", "no"),
    ],
)
def test_answers_that_the_verdict_excludes(key: str, field: str, said: str) -> None:
    document = json.loads(genuine("aa"))
    side = field if key == "trained" else key
    assert document[key][field] != said
    document[key][field] = said
    assert statuses(document) == ALL_VALID | {side: "invalid"}


def test_no_part_of_a_document_goes_unread() -> None:
    right = json.loads(genuine("aa"))
    wrong = json.loads(genuine("aa"))
    wrong["nope"]["verdict"] = "yes"
    for text in (
        json.dumps(wrong | {"forecasts": [right]}),
        json.dumps(wrong | {"forecast": right}),
        json.dumps(right) + "\n" + json.dumps(wrong | {"line": 2, "error": ""}),
        json.dumps({"forecasts": [right], "forecast": right}),
    ):
        with pytest.raises(InputError, match="no such field"):
            read_statements(text, "file")
    with pytest.raises(InputError, match="about another task"):
        read_statements(json.dumps({"task": "parity", "forecast": right}), "file")
    assert len(read_statements(json.dumps({"task": "aa", "forecast": right}), "file")) == 1


# Mutations

SOURCES = ("aa", "tomita-3", "d-2", "parity", "copy-repeat", "addition", "crasp:lib:aa", "regex:(a|b)*b")
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 10**30, -(10**30), 0.5, float("nan"), float("inf"), 1e308, "", "a",
    "b", "0", "1", "-1/2", "1e9", "SEP", "EOS", "yes", "no", "undecided", "flow", "program", "none",
    "end-of-sequence", "C-RASP[∅]", "C-RASP[local]", "C-RASP[periodic, local]", "aa", "parity",
    "cascade", "stable-group", IN_AC0,
    "addition", "copy-repeat", "sort", "crasp:", "regex:(", "regex:a*", "os:path", "d-0", "d-99999999",
    "\ud800", "\x00", [], {}, [[]], [0], ["a"], [1, 2], ["SEP", "SEP", "SEP"], {"kind": "none", "reason": ""},
    {"a": "1", "b": "0"},
]  # fmt: skip


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        found += places(value, (*path, key))
    return found


@st.composite
def changed(draw: st.DrawFn) -> dict[str, Any]:
    """A genuine document with up to three changes: fields dropped, replaced, repeated, or moved elsewhere."""
    document = json.loads(genuine(draw(st.sampled_from(SOURCES))))
    document = {key: document[key] for key in document if key not in ("encodings", "paper", "measured")}
    for _ in range(draw(st.integers(1, 3))):
        every = places(document)
        path = draw(st.sampled_from(every))
        node = document
        for key in path[:-1]:
            node = node[key]
        match draw(st.sampled_from(("drop", "replace", "nudge", "repeat", "move"))):
            case "drop":
                node.pop(path[-1])
            case "replace":
                node[path[-1]] = draw(st.sampled_from(VALUES))
            case "nudge" if isinstance(node[path[-1]], int | float):
                node[path[-1]] += draw(st.sampled_from([-1, 1]))
            case "repeat" if isinstance(node[path[-1]], list) and node[path[-1]]:
                node[path[-1]] *= 2
            case _:
                other: Any = document
                for key in draw(st.sampled_from(every)):
                    other = other[key]
                node[path[-1]] = json.loads(json.dumps(other))
        if not places(document):
            break
    return document


@cache
def truth(name: str, alphabet: tuple[str, ...] | None) -> dict[str, tuple[str, str]]:
    """At the last letter, and after it."""
    letters = alphabet if name.startswith("regex:") else None
    sides = forecast(name, letters).sides
    return {key: (side.answer.value, side.at_end.answer.value) for key, side in sides.items()}


@settings(deadline=None, max_examples=examples(250), suppress_health_check=list(HealthCheck))
@given(changed())
def test_changed_documents(document: dict[str, Any]) -> None:
    try:
        found = read_statements(json.dumps(document), "file")
    except InputError:
        return
    for statement in found:
        subject = own_subject(statement)
        for checked in check_statement(statement, subject):
            finding = checked.finding
            assert (finding.problem is None) == finding.valid
            assert "\n" not in (finding.problem or "")
            if finding.valid and checked.place in CLASSES:
                assert isinstance(subject, Subject)
                assert statement.document is not None
                said = statement.document.sides[checked.place]
                right = truth(statement.document.task, tuple(statement.document.alphabet or ()) or None)
                at_end = statement.document.convention != "last-letter"
                assert said.verdict == right[checked.place][int(at_end)]
            if finding.valid:
                assert checked.certificate is not None


@settings(deadline=None, max_examples=100, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_changed_certificates_alone(data: st.DataObject) -> None:
    document = data.draw(changed())
    side = document.get(data.draw(st.sampled_from(ENCODING_SIDES)))
    certificate = side.get("certificate") if isinstance(side, dict) else None
    try:
        (statement,) = read_statements(
            json.dumps({"kind": "flow"} if certificate is None else certificate), "file"
        )
    except InputError:
        return
    (checked,) = check_statement(statement, own_subject(statement))
    assert (checked.finding.problem is None) == checked.finding.valid
