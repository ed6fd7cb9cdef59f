"""Tests of `tasks.catalog`."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from longreach.config.scales import Hyperparameters, hyperparameters
from longreach.tasks.catalog import TASKS, load_task, name_of, name_of_task, self_contained, stored_as
from longreach.tasks.copying import Sort
from longreach.tasks.regular import RegularLanguage
from longreach.tasks.task import Task
from longreach.theory.automata.regex import from_expression
from longreach.theory.communication.complexity import measure
from longreach.theory.communication.problems import PROBLEMS
from longreach.theory.crasp.library import load
from longreach.theory.names import TaskName
from longreach.theory.verdicts.judge import judge

# The names of the command line.
ALGORITHMIC = [
    "binary-majority", "binary-majority-interleave", "majority", "sort", "copy-unique", "copy-repeat",
    "parity", "addition",
]  # fmt: skip
REGULAR = [
    "tomita-1", "tomita-2", "tomita-3", "tomita-4", "tomita-5", "tomita-6", "tomita-7", "d-2", "d-3", "d-4",
    "d-12", "aa", "aaaa", "abab", "aa-bb-cc-dd-ee", "ab-d-bc", "012-0-2", "parity-language",
]  # fmt: skip
OTHERS = [
    "sigma-be", "l-bb", "dyck-1", "anbncn", "repeated-copy", "repeated-sort", "addition-no-leading-zeros",
    "parity-with-empty", "count", "mode", "reverse", "duplicate-string", "bucket-sort", "even-pairs",
    "cycle-navigation", "multiplication", "modular-arithmetic", "boolean-expressions", "shuffle-dyck", "anbn",
    "sparse-parity", "parity-scratchpad", "variable-assignment", "kgram-retrieval", "word-problem",
    "flip-flop", "mqar", "selective-copy", "recall-then-fold",
]  # fmt: skip
# Measured as these are: the whole word must be told.
LIKE = {
    "addition-no-leading-zeros": "addition", "reverse": "copy-repeat", "duplicate-string": "copy-repeat",
    "parity-scratchpad": "copy-repeat",
}  # fmt: skip


def test_the_names() -> None:
    assert set(TASKS) == {*ALGORITHMIC, *REGULAR, *OTHERS}
    for name in TASKS:
        assert load_task(name).name == name
        assert load_task(name).about
    assert load_task("d-31").about == "brackets a, b nested at most 31 deep"


def test_least_lengths_of_the_paper() -> None:
    assert [load_task(name).least_length for name in ALGORITHMIC] == [1, 3, 1, 1, 1, 1, 1, 4]


def test_the_alphabet_of_an_expression() -> None:
    assert load_task("regex:a*", ["a", "b"]).tokens[2:4] == ("a", "b")


def _evidence(kind: str) -> list[tuple[str, str, str]]:
    found = []
    for name in TASKS:
        task = load_task(name)
        for encoding, evidence in (("nope", task.nope), ("ape", task.ape)):
            if evidence.kind == kind:
                found.append((name, encoding, evidence.name or ""))
    return found


@pytest.mark.parametrize(("name", "encoding", "program"), _evidence("program"))
def test_a_program_exists_in_the_class_of_the_encoding(name: str, encoding: str, program: str) -> None:
    assert encoding == "ape" or load(program).core.class_name == "C-RASP[∅]"


@pytest.mark.parametrize(("name", "encoding", "language"), _evidence("reduction"))
def test_a_reduction_leads_to_a_language_without_a_program(name: str, encoding: str, language: str) -> None:
    automaton = load_task(language).automaton
    side = judge(automaton).sides[encoding]
    reduction = getattr(load_task(name), encoding).reduction
    assert side.answer.value == "no" or (reduction.after and side.at_end.answer.value == "no")


@pytest.mark.parametrize("name", sorted({name for name, _, _ in _evidence("communication")}))
def test_communication_grows_linearly(name: str) -> None:
    found = measure(PROBLEMS[LIKE.get(name, name)], 6)
    assert found.growth.name == "linear"
    task = load_task(name)
    assert task.nope.split == task.ape.split
    for length, rows in enumerate(found.rows, 1):
        # Of addition Bob may hold zero only: it tells as many of Alice's numbers apart as all numbers do.
        assert len({tuple(map(task.answer, inputs)) for inputs in task.ape.split.inputs(length)}) == rows


def test_the_other_kinds() -> None:
    assert {name for name, _, _ in _evidence("language")} == {*REGULAR, "sigma-be", "l-bb", "flip-flop"}
    assert {name for name, _, _ in _evidence("classes")} == {"word-problem"}
    without = ["binary-majority-interleave", "repeated-copy", "sparse-parity", "variable-assignment"]
    assert _evidence("none") == [
        *((name, "nope", "") for name in without),
        ("kgram-retrieval", "nope", ""),
        ("kgram-retrieval", "ape", ""),
        ("mqar", "nope", ""),
    ]


def test_hyperparameters_of_the_paper() -> None:
    assert hyperparameters("addition", "ape") == Hyperparameters(12, 12, 768, 1e-4, 60_000, 3000)
    assert hyperparameters("parity-language", "nope") == Hyperparameters(6, 4, 256, 1e-4, 60_000)
    assert hyperparameters("parity", "nope").lr == 3e-5
    for encoding in ("nope", "ape"):
        for name in (*ALGORITHMIC, *REGULAR):
            assert hyperparameters(name, encoding) != Hyperparameters()
        for name in OTHERS:
            assert hyperparameters(name, encoding) == Hyperparameters()
    assert hyperparameters("sort", "rope") == Hyperparameters(2, 2, 64, 1e-3, 30_000)


def test_names_in_results(tmp_path: Path) -> None:
    file = tmp_path / "even.json"
    file.write_text('{"alphabet": ["a"], "transitions": [[1], [0]], "accepting": [0]}')
    stored = self_contained(f"dfa:{file}")
    assert stored_as(f"dfa:{file}", []) == stored
    assert stored_as(TaskName(stored).short, ["sort", stored]) == stored
    assert stored_as("sort", ["sort"]) == "sort"
    assert self_contained("parity-scratchpad:k=1") == "parity-scratchpad"
    file.unlink()
    assert stored_as(f"dfa:{file}", []) == f"dfa:{file}"


def test_names_of_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "sort",
        "d-5",
        "tomita-4",
        "even-pairs",
        "regex:(aa)*b",
        "variable-assignment:3,variables=9",
    ):
        assert name_of(load_task(name)) == name
    over = load_task("regex:a*", ["a", "b"])
    name = name_of(over)
    assert name is not None
    assert load_task(name).tokens == over.tokens
    mine = Task.from_function(lambda n, rng: ["a"] * n, lambda x: x[-1], name="sort")
    assert name_of(mine) is None
    assert name_of(Sort(9)) is None
    module = ModuleType("named_tasks")
    monkeypatch.setattr(module, "mine", mine, raising=False)
    monkeypatch.setitem(sys.modules, "named_tasks", module)
    assert name_of(mine) == "named_tasks:mine"
    assert load_task("named_tasks:mine") is mine


@pytest.mark.parametrize("name", [*TASKS, "d-5"])
def test_built_in_tasks_keep_their_names(name: str) -> None:
    assert name_of_task(load_task(name)) == (name, None)


def test_a_regular_expression_keeps_its_alphabet() -> None:
    task = load_task("regex:(ab)*", "abc")
    name, alphabet = name_of_task(task)
    assert (name, alphabet) == ("regex:(ab)*", ("a", "b", "c"))
    assert load_task(name, alphabet) == task


def test_a_program_is_named_by_its_text() -> None:
    name, alphabet = name_of_task(load_task("crasp:lib:tomita-1"))
    assert (name, alphabet) == ('crasp:#alphabet 0 1\nD = # "0" == 0', None)


@pytest.mark.parametrize(
    "task",
    [
        RegularLanguage("aa", from_expression("(ab)*")),
        RegularLanguage("mine", from_expression("(aa)*")),
        RegularLanguage("regex:(aa)*", from_expression("(ab)*")),
        RegularLanguage("os:path", from_expression("(ab)*")),
    ],
    ids=lambda task: task.name,
)
def test_languages_are_named_by_their_automaton(task: RegularLanguage) -> None:
    name, alphabet = name_of_task(task)
    assert (name[:4], alphabet) == ("dfa:", None)
    found = load_task(name)
    assert isinstance(found, RegularLanguage)
    assert found.automaton == task.automaton


def test_other_objects_belong_to_the_session() -> None:
    def word(length: int, rng: np.random.Generator) -> list[str]:
        return ["ab"[k] for k in rng.integers(0, 2, length)]

    first = Task.from_function(word, lambda x: x[0], name="end")
    last = Task.from_function(word, lambda x: x[-1], name="end")
    names = [name_of_task(task)[0] for task in (first, last, Sort(9))]
    assert [name.split("@")[0] for name in names] == ["object:end", "object:end", "object:sort"]
    assert len(set(names)) == 3
    assert [load_task(name) for name in names] == [first, last, Sort(9)]


def test_an_object_of_a_module_is_named_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("my_session_tasks")
    module.mine = Sort(10)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "my_session_tasks", module)
    assert name_of_task(module.mine) == ("my_session_tasks:mine", None)
    assert name_of_task(Sort(10))[0].startswith("object:")


def test_names_pass_as_they_are() -> None:
    assert name_of_task("no-such-task") == ("no-such-task", None)
    assert name_of_task("regex:a*", ["a", "b"]) == ("regex:a*", ("a", "b"))
