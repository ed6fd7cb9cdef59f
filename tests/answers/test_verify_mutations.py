"""Every field of one document of each kind is changed by its type: nothing false is called valid."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from longreach.answers import derive
from longreach.answers.derive import check_statement
from longreach.answers.documents import (
    CONTEXT,
    DOCUMENT_FIELDS,
    MODEL_FIELDS,
    SIDE_FIELDS,
    ModelDocument,
    SideDocument,
    VerdictDocument,
)
from longreach.answers.forecast import forecast
from longreach.answers.reach import language_reach
from longreach.answers.verify import check_certificate, own_subject, read_statements
from longreach.errors import InputError
from longreach.theory.architectures.classes import model_class
from longreach.theory.automata.regex import from_expression
from longreach.theory.decide.views import Convention
from longreach.theory.names import TaskName
from longreach.theory.program_class import CLASSES
from longreach.theory.verdicts.judge import judge
from tests.helpers.examples import is_thorough

ANSWERS = '{"alphabet":["a","b"],"transitions":[[1,0],[1,2],[1,0]],"outputs":["no","yes","no"]}'


def with_reach(expression: str, convention: Convention = Convention.LAST_LETTER) -> dict[str, Any]:
    """As `longreach language --json` has it."""
    automaton = from_expression(expression)
    beside = {"reach": language_reach(automaton)}
    return judge(automaton).document(f"regex:{expression}", convention=convention, beside=beside)


DOCUMENTS = {
    "language": lambda: judge(from_expression("(a|b)*b")).document("regex:(a|b)*b"),
    "language, no": lambda: judge(from_expression("(aa)*b")).document("regex:(aa)*b"),
    "language, easier prediction": lambda: judge(from_expression("(a|ba)*b?")).document("regex:(a|ba)*b?"),
    "language with all sides": lambda: with_reach("(a|bb)*"),
    "language without a cascade": lambda: with_reach("(a|b(ab*a)*b)*"),
    "language with all sides at the end": lambda: with_reach("a(ba)*", Convention.END_OF_SEQUENCE),
    "language at the end": lambda: judge(from_expression("(a|b)*b")).document(
        "regex:(a|b)*b", convention=Convention.END_OF_SEQUENCE
    ),
    "language at the end, yes": lambda: judge(from_expression("a*b*")).document(
        "regex:a*b*", convention=Convention.END_OF_SEQUENCE
    ),
    "named language": lambda: forecast("tomita-3").document(),
    "counting language": lambda: forecast("d-2").document(),
    "states": lambda: forecast("states:(a|b)*ab").document(),
    "states after": lambda: forecast("states-after:(a|b)*b").document(),
    "program": lambda: forecast('crasp:#alphabet a b\nL = "b"').document(),
    "program with relations": lambda: forecast("crasp:lib:aa").document(),
    "classes": lambda: forecast(f"dfa:{ANSWERS}").document(),
    "reduction": lambda: forecast("parity").document(),
    "communication": lambda: forecast("copy-repeat").document(),
    "model, a cascade": lambda: forecast(
        "tomita-3", model="decoder", model_options={"encoding": "reach"}
    ).document(),
    "model, no by a cycle": lambda: forecast("regex:(aa)*b", model="ssm").document(),
    "model, no by an odd cycle": lambda: forecast("parity", model="ssm").document(),
    "model, yes by periods": lambda: forecast("tomita-3", model="ssm-signed").document(),
    "model, solvable groups": lambda: forecast("regex:(aaa)*", model="ssm-complex").document(),
    "model, automaton": lambda: forecast("states:(a|b)*ab", model="lstm").document(),
    "model, reflections": lambda: forecast(
        f"dfa:{ANSWERS}", model="deltanet", model_options={"signed": True, "reflections": 3}
    ).document(),
    "model, current token": lambda: forecast("regex:(a|b)*b", model="mlp").document(),
    "model, same token": lambda: forecast("regex:(ab)*", model="mlp").document(),
    "model, by a side": lambda: forecast(
        "tomita-4", model="decoder", model_options={"encoding": "window"}
    ).document(),
    "model, state of a fixed size": lambda: forecast("copy-repeat", model="gru").document(),
    "model, named theory": lambda: forecast(
        "regex:(a|b)*bb(a|b)*", model="mine:make", model_options={"theory": "ssm"}
    ).document(),
}
"""One of each kind, all of which are valid as they are."""
WORDS = (
    "yes",
    "no",
    "undecided",
    "Yes",
    "yеs",
    "nо",
    "",
    "last-letter",
    "end-of-sequence",
    *CLASSES.values(),
)
OTHERS: tuple[Any, ...] = (None, True, False, 0, 1, 2, -1, 1e30, 10**30, 0.5, "1", [], {}, ["a"])


@cache
def genuine(kind: str) -> str:
    return json.dumps(DOCUMENTS[kind]())


@pytest.fixture(autouse=True)
def remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Certificates that are not changed are checked once."""
    known: dict[Any, Any] = {}

    def once(certificate: Any, subject: Any) -> Any:
        about = subject if not hasattr(subject, "name") else (subject.name, subject.alphabet)
        key = (certificate.model_dump_json(), str(about))
        if key not in known:
            known[key] = check_certificate(certificate, subject)
        return known[key]

    monkeypatch.setattr(derive, "check_certificate", once)
    monkeypatch.setattr(derive, "judge", cache(judge))


def answers(document: dict[str, Any]) -> dict[tuple[Any, ...], Any]:
    """What a document claims: all fields that are neither context nor certificates."""
    found: dict[tuple[Any, ...], Any] = {}
    for name, value in document.items():
        if name in CLASSES and isinstance(value, dict):
            for field, said in value.items():
                if SIDE_FIELDS[field] != CONTEXT and not field.endswith("certificate") and said is not None:
                    found[name, field] = said
        elif name == "model" and isinstance(value, dict):
            checked = {field: said for field, said in value.items() if MODEL_FIELDS[field] != CONTEXT}
            found |= {(name, field): said for field, said in checked.items() if field not in OF_CLAIM}
            found[name, "answer"] = answer_of_model(value)
        elif name == "trained" and isinstance(value, dict):
            found |= {(name, key): said for key, said in value.items()}
        elif name == "task" and (TaskName(value).is_file or "." in value):
            pass  # the name of a file, which nobody reads: statements are about what certificates carry
        elif DOCUMENT_FIELDS[name] != CONTEXT and value is not None:
            found[name,] = sorted(value) if name == "alphabet" else value.strip() if name == "task" else value
    return found


OF_CLAIM = ("name", "options", "class", "certificate")
"""Which architecture a document is about; another one may be claimed, if that is right."""


def answer_of_model(said: dict[str, Any]) -> str:
    """The verdict, and the class where it is not that of the architecture."""
    title = model_class(said["name"], said.get("options", {})).title
    return said["verdict"] if said.get("class") in (None, title) else f"{said['verdict']} of {said['class']}"


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        fields = DOCUMENT_FIELDS if not path else MODEL_FIELDS if path[0] == "model" else SIDE_FIELDS
        context = fields.get(key) == CONTEXT
        if not (context and len(path) < 2):
            yield (*path, key)
            yield from places(value, (*path, key))


def changes(value: Any) -> Iterator[Any]:
    """Other values by the type: flipped, of another type, look-alikes, neighbouring numbers."""
    yield from OTHERS
    if isinstance(value, str):
        yield from (*WORDS, value + " ", value.upper(), value.replace("a", "а"), value.replace("1", "2"))
        yield from (value.replace('"b"', '"a"'), value.replace("<=", ">="), value.replace("% 2", "% 3"))
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1, -value, float(value), str(value), value + 0.5)
    elif isinstance(value, list):
        yield from (value[1:], value[:-1], value[::-1], value * 2, [*value, 0])
    elif isinstance(value, dict):
        yield from ({**value, "extra": 1}, {"kind": "none", "reason": ""})


def mutations(kind: str) -> list[tuple[tuple[Any, ...], Any]]:
    """Places and values; a place without a value is left out of the document."""
    document = json.loads(genuine(kind))
    found: list[tuple[tuple[Any, ...], Any]] = []
    for path in places(document):
        node = document
        for key in path:
            node = node[key]
        found.append((path, ...))
        found += [(path, other) for other in changes(node) if repr(other) != repr(node)]
    sides = [key for key in CLASSES if key in document]
    found += [((key, field), document[other].get(field)) for key in sides for other in sides
              for field in document[key] if other != key and field in document[other]]  # fmt: skip
    return found


def changed(kind: str, path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(genuine(kind))
    node: Any = document
    for key in path[:-1]:
        node = node[key]
    if value is ...:
        node.pop(path[-1])
    else:
        node[path[-1]] = value
    return document


def is_valid(document: dict[str, Any]) -> bool:
    try:
        (statement,) = read_statements(json.dumps(document), "file")
    except InputError:
        return False
    return all(checked.finding.valid for checked in check_statement(statement, own_subject(statement)))


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_mutations(kind: str) -> None:
    original = answers(json.loads(genuine(kind)))
    assert is_valid(json.loads(genuine(kind)))
    tried = mutations(kind)
    if not is_thorough():
        tried = random.Random(0).sample(tried, min(len(tried), 300))
    for path, value in tried:
        document = changed(kind, path, value)
        if is_valid(document):
            said = answers(document)
            wrong = {place: each for place, each in said.items() if repr(original.get(place)) != repr(each)}
            assert not wrong, (path, value)


def test_there_are_enough_mutations() -> None:
    assert sum(len(mutations(kind)) for kind in DOCUMENTS) >= 20_000


def test_every_field_is_in_the_table() -> None:
    fields = {field.alias or name for name, field in SideDocument.model_fields.items()}
    assert fields == SIDE_FIELDS.keys()
    assert VerdictDocument.model_fields.keys() == DOCUMENT_FIELDS.keys()
    of_models = {field.alias or name for name, field in ModelDocument.model_fields.items()}
    assert of_models == MODEL_FIELDS.keys()


def test_a_document_chooses_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a file was opened")

    documents = [json.loads(genuine("language")), json.loads(genuine("program"))]
    monkeypatch.setattr("builtins.open", refuse)
    for document in documents:
        for name in (
            "crasp:/dev/zero",
            "dfa:/dev/stdin",
            "data:/etc/passwd",
            "/dev/zero",
            "../x.json",
            "os:path",
        ):
            (statement,) = read_statements(json.dumps(document | {"task": name}), "file")
            found = check_statement(statement, own_subject(statement))
            # What is said is about what the certificates carry, whatever the document calls it.
            assert all(each.subject is None or name not in each.subject.name for each in found)


def test_the_table_of_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs/forecast.md").read_text(encoding="utf-8")
    for table in (SIDE_FIELDS, DOCUMENT_FIELDS, MODEL_FIELDS):
        for name, source in table.items():
            assert (f"| `{name}` | {source} |" in text) == (source != CONTEXT)


@pytest.mark.parametrize("said", [{"window": 3}, {"prediction_depth": 0}, {"program": "L = true"}])
def test_an_undecided_side_says_nothing_of_programs(said: dict[str, Any]) -> None:
    document = json.loads(genuine("reduction"))
    document["ape"] = {"verdict": "undecided"}
    document["trained"].pop("ape")
    assert is_valid(document)
    document["ape"] |= said
    assert not is_valid(document)
