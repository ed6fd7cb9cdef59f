"""Certificates about tasks: those of all forecasts pass, changed ones do not."""

from __future__ import annotations

import json
from itertools import permutations, product
from typing import Any

import pytest

from longreach.crasp.library import load
from longreach.errors import InputError
from longreach.forecast import forecast
from longreach.forecast.certificates import TaskCertificate, read_any
from longreach.forecast.checker import check_task_certificate, follows, literal_rows, wrong_prediction
from longreach.languages.checker import check_certificate
from longreach.languages.program_checker import check_program
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.program import ProgramTask
from longreach.tasks.task import EOS, SEP, SOS


def document(name: str, key: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(forecast(name).document()[key]["certificate"]))
    return found


def problem(certificate: dict[str, Any]) -> str | None:
    read: Any = read_any(certificate)
    return check_task_certificate(read, load_task(read.task))[0]


@pytest.mark.parametrize("name", TASKS)
def test_every_certificate_passes(name: str) -> None:
    found = forecast(name)
    for key, side in found.sides.items():
        certificate: Any = read_any(document(name, key))
        assert certificate == side.certificate
        if certificate.kind == "none":
            assert side.verdict.value == "undecided"
        elif isinstance(certificate, TaskCertificate):
            assert check_task_certificate(certificate, load_task(name))[0] is None
        elif certificate.kind == "program":
            assert check_program(certificate, None)[0] is None
        else:
            assert check_certificate(certificate) is None


@pytest.mark.parametrize(
    ("name", "key", "change", "message"),
    [
        ("copy-unique", "ape", {"class": "C-RASP[∅]"}, "uses local relations, which C-RASP[∅] lacks"),
        ("binary-majority", "nope", {"size": 3}, "size, depth, window and modulus"),
        ("binary-majority", "nope", {"program": "L = "}, "program:1:"),
        ("binary-majority-interleave", "ape", {"class": "C-RASP[local]"}, "periodic relations"),
        ("binary-majority", "nope", {"task": "parity"}, "it cannot read"),
        ("addition", "ape", {"problem": "dyck-1"}, "at length 2 there are 3"),
        ("addition", "ape", {"problem": "magic"}, "no task 'magic'"),
        ("addition", "ape", {"rows": [2, 5]}, "the lengths are not"),
        ("addition", "ape", {"lengths": [1, 2], "rows": [2, 5]}, "4 distinct rows, not 5"),
        ("addition", "ape", {"lengths": [1, 2], "rows": [2, 4], "bits": [1, 1]}, "are 2.000 bits"),
        ("copy-repeat", "ape", {"task": "addition", "problem": "parity"}, "at length"),
        ("copy-repeat", "ape", {"growth": "logarithmic"}, "do not grow linearly"),
        ("parity", "nope", {"class": "C-RASP[local]"}, "is about C-RASP[∅]"),
        ("parity", "nope", {"language": "tomita-5"}, "the automaton is not that"),
        ("parity", "nope", {"language": "magic"}, "no language is named"),
        ("parity", "nope", {"task": "binary-majority"}, "'even' does not follow for the word"),
        ("copy-unique", "nope", {"task": "sort"}, "is not what followed before"),
    ],
)
def test_changed_certificates_are_rejected(name: str, key: str, change: dict[str, Any], message: str) -> None:
    found = problem(document(name, key) | change)
    assert found is not None
    assert message in found


def test_a_changed_reduction_is_rejected() -> None:
    certificate = document("parity", "ape")
    for change, message in (
        ({"token": "odd"}, "against the language"),
        ({"letters": {"a": "0", "b": "1"}}, "against the language"),
        ({"letters": {"a": "0"}}, "does not map the letters"),
        ({"after": []}, "no input that it has"),
    ):
        found = problem(certificate | {"reduction": certificate["reduction"] | change})
        assert found is not None
        assert message in found
    flows = certificate["certificate"]
    flows["flows"][0]["weights"][0]["weight"] = "7"
    assert "parity-language: " in str(problem(certificate))


def test_other_documents_are_refused() -> None:
    bad: list[dict[str, Any]] = [{"kind": "reduction"}, {"kind": "communication", "task": "addition"}]
    for document in (*bad, {"kind": "magic"}, {"kind": 3}, {}):
        with pytest.raises(InputError):
            read_any(document)


# The programs of the algorithmic tasks on all short inputs


def inputs(name: str) -> list[tuple[str, ...]]:
    match name:
        case "binary-majority":
            words = [w for n in range(1, 8) for w in product("01", repeat=n)]
            return [w for w in words if 2 * w.count("1") != len(w)]
        case "binary-majority-interleave":
            return [w for n in (3, 9) for w in product("01", repeat=n)]
        case "majority":
            words = [w for n in range(1, 6) for w in product("abc", repeat=n)]
            return [w for w in words if sorted(map(w.count, set(w)))[-2:].count(max(map(w.count, w))) == 1]
        case _:
            return [order for size in range(1, 5) for order in permutations("0123", size)]


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("binary-majority", "binary-majority"),
        ("binary-majority-interleave", "binary-majority-interleave"),
        ("majority", "majority-26"),
        ("sort", "sort-4"),
        ("copy-unique", "copy-unique-4"),
    ],
)
def test_programs_on_all_short_inputs(name: str, program: str) -> None:
    task, tested = load_task(name), load(program)
    for x in inputs(name):
        answer = task.answer(x)
        said = tested.predicts([SOS, *x, SEP, *answer[:-1]])[len(x) + 1 :]
        assert said == [[token] for token in answer]


def test_wrong_programs_are_found() -> None:
    assert wrong_prediction(load_task("dyck-1"), load("dyck-1")) is None
    assert wrong_prediction(load_task("d-3"), load("d-3")) is None
    assert "it predicts" in str(wrong_prediction(load_task("d-3"), load("d-2")))
    assert "it cannot read" in str(wrong_prediction(load_task("d-3"), load("dyck-1")))
    mine = ProgramTask("mine", load("tomita-4"))
    assert wrong_prediction(mine, load("tomita-4")) is None
    assert wrong_prediction(mine, load("tomita-1")) is not None


def test_literal_rows() -> None:
    assert [literal_rows(load_task("copy-repeat"), n) for n in (1, 2, 4)] == [2, 4, 16]
    assert [literal_rows(load_task("addition"), n) for n in (1, 2, 4)] == [2, 4, 16]
    assert literal_rows(load_task("sort"), 2) is None


def test_what_follows() -> None:
    assert follows(load_task("copy-unique"), ["0", "1", "0", "2"], (SEP, "0"), "2") is True
    assert follows(load_task("copy-unique"), ["2", "1", "0"], (SEP, "0"), "1") is False
    assert follows(load_task("parity"), ["1"], (SEP, "odd"), EOS) is True
    assert follows(load_task("parity"), ["1"], (SEP, "even"), EOS) is None
    assert follows(load_task("parity"), ["1"], (), "odd") is None
