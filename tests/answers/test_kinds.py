"""Certificates about tasks: those of all forecasts pass, changed ones do not."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
from collections.abc import Sequence
from itertools import permutations, product
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from longreach.answers.architecture import accepting_question, question_of
from longreach.answers.checkers import count_rows, try_program, wrong_prediction
from longreach.answers.derive import check_statement
from longreach.answers.forecast import forecast
from longreach.answers.kinds import KINDS, ArchitectureKind, TaskKind, kind_of, read_any
from longreach.answers.oracle import follows
from longreach.answers.verify import own_subject, read_statements
from longreach.errors import InputError
from longreach.report.forecast_view import certificate_view
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.copying import CopyRepeat, Sort
from longreach.tasks.outside import ProgramTask
from longreach.tasks.regular import RegularLanguage
from longreach.tasks.task import EOS, SEP, SOS, Evidence, Split, Task
from longreach.theory.architectures.check import check_architecture
from longreach.theory.certificates.check_no import Finding, check_certificate
from longreach.theory.certificates.check_yes import check_program
from longreach.theory.crasp.library import load
from longreach.theory.crasp.program import parse
from longreach.theory.program_class import ENCODING_SIDES, SIDES
from longreach.theory.verdicts.verdict import Answer, Proof, Verdict, same_answers


def document(name: str, key: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(forecast(name).document()[key]["certificate"]))
    return found


def check(certificate: Any, task: Task) -> Finding:
    kind = kind_of(certificate)
    assert isinstance(kind, TaskKind)
    return kind.check(certificate, task, True)


def problem(certificate: dict[str, Any]) -> str | None:
    read: Any = read_any(certificate)
    return check(read, load_task(read.task)).problem


@pytest.mark.parametrize("name", TASKS)
def test_every_certificate_passes(name: str) -> None:
    found = forecast(name)
    assert set(ENCODING_SIDES) <= set(found.sides)
    for key, side in found.sides.items():
        certificate: Any = read_any(document(name, key))
        assert certificate == side.certificate
        if certificate.kind == "none":
            assert side.answer.value == "undecided"
        elif isinstance(kind_of(certificate), TaskKind):
            status = check(certificate, load_task(name)).status
            assert status.value == ("not proved" if certificate.kind == "program" else "valid")
        elif isinstance(kind_of(certificate), ArchitectureKind):
            assert key == "reach"
            assert certificate.kind == {"yes": "cascade", "no": "stable-group"}[side.answer.value]
            task = load_task(name)
            question = question_of(task)
            if type(task) is RegularLanguage and side.answer is Answer.YES:  # a no is about both
                question = accepting_question(task.automaton)
            assert question is not None
            assert check_architecture(certificate, question.table).valid
        elif certificate.kind == "program":
            assert check_program(certificate, None).valid
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
        ("addition", "ape", {"task": "binary-majority"}, "'+' is not a symbol of the task"),
        ("addition", "ape", {"rows": [2, 4]}, "not as many rows and bits as lengths"),
        ("addition", "ape", {"bits": [1.0, 2.0]}, "not as many rows and bits as lengths"),
        ("addition", "ape", {"lengths": [1], "rows": [2], "bits": [1.0]}, "the lengths are not"),
        ("addition", "ape", {"lengths": [1, 2], "rows": [2, 4], "bits": [1.0, 2.0]}, "the lengths are not"),
        (
            "addition",
            "ape",
            {"lengths": [1, 2, 3, 5], "rows": [2, 4, 8, 32], "bits": [1, 2, 3, 5]},
            "lengths",
        ),
        ("addition", "ape", {"rows": [2, 5, *(2**n for n in range(3, 11))]}, "4 distinct rows, not 5"),
        ("addition", "ape", {"bits": [1, 1, *range(3, 11)]}, "are 2.000 bits"),
        ("addition", "ape", {"fits": {}}, "the fits are not those of the bits"),
        ("copy-repeat", "ape", {"task": "copy-unique"}, "'a' is not a symbol of the task"),
        ("copy-repeat", "ape", {"task": "dyck-1"}, "read an input and then write an answer"),
        ("copy-repeat", "ape", {"growth": "logarithmic"}, "do not grow linearly"),
        ("parity", "nope", {"class": "C-RASP[local]"}, "is about C-RASP[∅]"),
        ("parity", "nope", {"language": "tomita-5"}, "the alphabet is not that of the language"),
        ("parity", "nope", {"language": "d-2"}, "the automaton is not that"),
        ("parity", "nope", {"language": "magic"}, "no language named"),
        ("parity", "nope", {"alphabet": ["a"]}, "the alphabet is not that of the language"),
        ("parity", "nope", {"task": "binary-majority"}, "'even' does not follow for the word"),
        ("copy-unique", "nope", {"task": "sort"}, "asks the task nothing for the word b"),
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
        ({"after": []}, "asks the task nothing"),
        ({"after": ["SEP", "even"], "token": "EOS"}, "asks the task nothing for the word a"),
        ({"after": ["SEP", "even", "EOS"]}, "asks the task nothing"),
        ({"after": ["SEP"] * 3}, "asks the task nothing"),
        ({"letters": {"a": "1", "b": "2"}}, "asks the task nothing for the word b"),
    ):
        found = problem(certificate | {"reduction": certificate["reduction"] | change})
        assert found is not None
        assert message in found
    flows = certificate["certificate"]
    flows["flows"][0]["weights"][0]["weight"] = "7"
    assert "parity-language: " in str(problem(certificate))


def test_other_documents_are_refused() -> None:
    bad: list[dict[str, Any]] = [{"kind": "reduction"}, {"kind": "communication", "task": "addition"}]
    for document in (*bad, {"kind": "flow"}, {"kind": "none"}, {"kind": "magic"}, {"kind": 3}, {}):
        with pytest.raises(InputError) as caught:
            read_any(document)
        assert "\n" not in caught.value.message


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


def rows_by_definition(task: Any, split: Split, length: int) -> int:
    """Every question to Bob with its answer, row by row."""
    rows = set()
    for inputs in split.inputs(length):
        answers = [(x[length:], task.answer(x)) for x in inputs]
        rows.add(frozenset((rest, a[:k], a[k]) for rest, a in answers for k in range(len(a))))
    return len(rows)


@pytest.mark.parametrize(
    ("name", "split", "expected"),
    [
        ("copy-repeat", Split(("a", "b")), [2, 4, 8, 16]),
        ("addition", Split(("0", "1"), ("+",), ("0",), ("=",)), [2, 4, 8, 16]),
        ("addition", Split(("0", "1"), ("+",), ("0", "1"), ("=",)), [2, 4, 8, 16]),
        ("parity", Split(("0", "1")), [2, 2, 2, 2]),
        ("parity", Split(("0", "1"), (), ("0", "1")), [2, 2, 2, 2]),
        ("binary-majority", Split(("0", "1"), (), ("0", "1")), [2, 3, 4, 5]),
        ("sort", Split(("0", "1")), [2, 3, 4, 5]),
    ],
)
def test_rows_are_those_of_the_definition(name: str, split: Split, expected: list[int]) -> None:
    task = load_task(name)
    assert [count_rows(task, split, n) for n in range(1, 5)] == expected
    assert [rows_by_definition(task, split, n) for n in range(1, 5)] == expected


class Shortened(CopyRepeat):
    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return tuple("".join(x).rstrip("b"))


class Broken(CopyRepeat):
    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (x[7],)


def test_rows_that_cannot_be_counted() -> None:
    for task, split, message in (
        (load_task("dyck-1"), Split(("(",)), "read an input and then write an answer"),
        (load_task("addition"), Split(("0", "1"), (), (), ("?",)), "'?' is not a symbol"),
        (load_task("addition"), Split(()), "Alice holds nothing"),
        (load_task("addition"), Split(("0", "1")), "no input has length 3"),
        (load_task("majority"), Split(tuple("abcdefghijklmnopqrstuvwxyz")), "more than 4096 inputs"),
        (Shortened(), Split(("a", "b")), "one answer continues another"),
        (Broken(), Split(("a", "b")), "its answer to a a a fails: IndexError: "),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            count_rows(task, split, 3)


def test_how_far_programs_are_tried() -> None:
    assert try_program(load_task("binary-majority"), load("binary-majority"), 2000)[1:] == (148, 2000)
    assert try_program(load_task("sort"), load("sort"), 2000)[2] == 150  # there are no longer inputs
    late = parse('#alphabet SOS SEP EOS 0 1\n'
                 'done = "0" && exists "SEP" || "1" && exists "SEP"\n'
                 'output "EOS" = done\n'
                 'output "1" = !done && (# "1" > # "0" || # true > 900)\n'
                 'output "0" = !done && # "1" < # "0" && # true <= 900')  # fmt: skip
    assert wrong_prediction(load_task("binary-majority"), late) is None
    assert try_program(load_task("binary-majority"), late, 2000)[0] is not None


def test_what_follows() -> None:
    assert follows(load_task("copy-unique"), ["0", "1", "0", "2"], (SEP, "0"), "2") is True
    assert follows(load_task("copy-unique"), ["2", "1", "0"], (SEP, "0"), "1") is False
    assert follows(load_task("parity"), ["1"], (SEP, "odd"), EOS) is True
    assert follows(load_task("parity"), ["1"], (SEP, "even"), EOS) is None
    assert follows(load_task("parity"), ["1"], (), "odd") is None
    assert follows(load_task("parity"), ["1"], (SEP, "odd", EOS), EOS) is None
    assert follows(load_task("copy-unique"), ["0", "0"], (SEP, "0", "0"), "0") is None
    assert follows(load_task("addition"), list("1+1="), ("1",), "0") is True
    assert follows(load_task("d-2"), "ab", ("a",), "b") is True
    assert follows(load_task("d-2"), "ab", (), EOS) is True


def words(letters: str, longest: int) -> list[tuple[str, ...]]:
    return [w for n in range(1, longest + 1) for w in product(letters, repeat=n)]


@pytest.mark.parametrize(
    ("name", "letters", "after", "token"),
    [
        ("parity", {"a": "1", "b": "0"}, ("SEP",), "even"),
        ("parity", {"x": "1", "y": "1", "z": "0"}, ("SEP",), "odd"),
        ("copy-unique", {"a": "0", "b": "1", "c": "2"}, ("SEP", "0"), "1"),
        ("copy-unique", {"a": "0", "b": "1", "c": "1"}, ("SEP", "0"), "0"),
        ("copy-unique", {"a": "5", "b": "6"}, ("SEP", "7"), "5"),
        ("regex:(a|b)*b", {"x": "a", "y": "b"}, (), EOS),
        ("regex:(a|b)*b(a|b)", {"x": "a", "y": "b"}, ("b",), EOS),
        ("tomita-4", {"a": "1"}, ("0", "0"), "0"),
    ],
)
def test_what_may_come_next_for_all_lengths(
    name: str, letters: dict[str, str], after: tuple[str, ...], token: str
) -> None:
    task = load_task(name)
    automaton = task.continuation(letters, after, token)
    assert automaton is not None
    for word in words("".join(letters), 6):
        x = [letters[letter] for letter in word]
        assert automaton.accepts(word) == follows(task, x, after, token)


def test_what_may_come_next_is_not_always_known() -> None:
    for name, letters, after, token in (
        ("parity", {"a": "1"}, ("SEP", "odd"), "EOS"),
        ("parity", {"a": "even"}, ("SEP",), "even"),
        ("copy-unique", {"a": "0"}, ("SEP",), "0"),
        ("copy-unique", {"a": "0"}, ("SEP", "0"), "EOS"),
        ("sort", {"a": "0"}, ("SEP",), "0"),
        ("d-2", {"a": "a", "b": "b"}, (), "a"),  # aaa is the beginning of no word
        ("d-2", {"a": "c"}, (), "a"),
    ):
        assert load_task(name).continuation(letters, after, token) is None


# The table


def imported(module: str, seen: set[str] | None = None) -> set[str]:
    """The modules of the package that a module loads, by way of others too."""
    seen = set() if seen is None else seen
    file = importlib.util.find_spec(module)
    assert file is not None
    assert file.origin is not None
    seen.add(module)
    for node in ast.walk(ast.parse(Path(file.origin).read_text(encoding="utf-8"))):
        name = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        if name.startswith("longreach.") and name not in seen:
            imported(name, seen)
    return seen


FINDS = {
    *(f"longreach.theory.{room}" for room in ("decide", "write", "verdicts")),
    "longreach.theory.certificates.from_proofs",
    *(f"longreach.answers.{each}" for each in ("finders", "verdicts", "structured", "black_box", "learned")),
    *(f"longreach.answers.{each}" for each in ("kinds", "task_kinds", "forecast")),
}


@pytest.mark.parametrize("place", [place for _, place in KINDS])
def test_checkers_load_nothing_of_what_finds(place: str) -> None:
    assert all(importlib.util.find_spec(module) for module in FINDS)
    kind = resolve_name(place)
    if isinstance(kind, TaskKind):
        assert {kind.find.__module__} & FINDS
    for module in imported(kind.check.__module__):
        assert not any(module == each or module.startswith(f"{each}.") for each in FINDS), module


def test_the_table_names_each_kind_as_its_documents_do() -> None:
    for name, place in KINDS:
        assert resolve_name(place).document.model_fields["kind"].default == name


def test_explaining_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    certificates = [
        forecast("parity").sides["nope"].certificate,
        forecast("tomita-5").sides["ape"].certificate,
    ]

    def refuse(*_: object) -> None:
        raise AssertionError("decided again")

    for name in ("plain_analysis", "decide_positional"):
        monkeypatch.setattr(f"longreach.theory.decide.decisions.{name}", refuse)
    for certificate in certificates:
        assert certificate_view(certificate).lines


class Oracle(BaseModel):
    """A new kind: somebody says so."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["oracle"] = "oracle"
    program_class: str = Field(alias="class")
    task: str
    who: str


def by_oracle(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    certificate = Oracle.model_validate({"class": SIDES[key], "task": name, "who": evidence.name})
    return same_answers(SIDES[key], Answer.NO, Proof(reason=evidence.reason, certify=lambda: certificate))


ORACLE = TaskKind(
    document=Oracle,
    proves="no",
    find=by_oracle,
    check=lambda certificate, task, trusted: Finding.claimed(f"only {certificate.who} says so"),
    explain=lambda certificate: (f"{certificate.who} says so.",),
)


def test_a_new_kind_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.answers.kinds.KINDS", (*KINDS, ("oracle", f"{__name__}:ORACLE")))
    monkeypatch.setattr(Sort, "nope", Evidence("oracle", "Delphi", "the oracle was asked"))
    found = forecast("sort")
    assert (found.sides["nope"].answer, found.sides["nope"].reason) == ("no", "the oracle was asked")
    written = found.document()
    statement = read_statements(json.dumps(written), "mine.json")[0]
    findings = {each.place: each.finding for each in check_statement(statement, own_subject(statement))}
    assert findings["nope"] == Finding.claimed("only Delphi says so")
    assert certificate_view(found.sides["nope"].certificate).lines == ("Delphi says so.",)
