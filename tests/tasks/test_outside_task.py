"""Tests of `tasks.outside`."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.catalog import load_argument, load_task, self_contained
from longreach.tasks.outside import ProgramTask
from longreach.tasks.task import PAD, SOS
from longreach.theory.crasp.library import load
from longreach.theory.crasp.program import parse
from longreach.theory.names import TaskName

MODULE = """
from longreach.tasks.copying import Sort
small = Sort(9)
def made():
    return Sort(7)
def asks(size):
    return Sort(size)
def fails():
    raise KeyError("x")
class Box:
    inside = small
number = 3
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("outside_tasks", "outside_broken", "outside_needs", "outside_ends"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "outside_tasks.py").write_text(MODULE)
    (tmp_path / "outside_broken.py").write_text("1 / 0")
    (tmp_path / "outside_ends.py").write_text("import sys; sys.exit('usage: ends FILE')")
    (tmp_path / "outside_needs.py").write_text("import no_such_package")
    return tmp_path


def test_python_objects(here: Path) -> None:
    assert len(load_task("outside_tasks:small").tokens) == 4 + 9
    assert len(load_task("outside_tasks:made").tokens) == 4 + 7
    assert load_task("outside_tasks:Box.inside").name == "sort"
    assert load_task("longreach.tasks.counting:Parity").name == "parity"
    assert self_contained("outside_tasks:small") == "outside_tasks:small"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("outside_tasks:smal", "task: module 'outside_tasks' has no attribute 'smal'; did you mean 'small'"),
        ("outside_tasks:number", "task: outside_tasks:number: is a int, not a Task"),
        ("outside_tasks:Box", "task: outside_tasks:Box: is a Box, not a Task"),
        ("outside_tasks:asks", "task: outside_tasks:asks: calling it without arguments fails: TypeError"),
        ("outside_tasks:fails", "task: outside_tasks:fails: calling it without arguments fails: KeyError"),
        ("outside_broken:x", "task: module 'outside_broken' cannot be imported: ZeroDivisionError"),
        ("outside_ends:x", "task: module 'outside_ends' cannot be imported: SystemExit: usage: ends FILE"),
        ("outside_needs:x", "task: module 'outside_needs' cannot be imported: ModuleNotFoundError"),
        ("no_such_module:x", "task: no module is named 'no_such_module'"),
        ("longreach.nothing:x", "task: no module is named 'longreach.nothing'"),
        ("no such module:x", "task: no task is named 'no such module:x'"),
    ],
)
def test_bad_python_objects(here: Path, name: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load_argument(name)
    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message


def test_files_of_the_current_directory_hide_nothing(here: Path) -> None:
    (here / "json.py").write_text("raise RuntimeError('the wrong module')")
    monkey = sys.modules.pop("json")
    try:
        load_task("outside_tasks:small")
        import json

        assert json.loads("1") == 1
    finally:
        sys.modules["json"] = monkey


def test_programs(here: Path) -> None:
    file = here / "mine.cr"
    file.write_text('// mine\nL = # "a" >= # "b"')
    task = load_task("crasp:mine.cr")
    assert (task.name, task.tokens[2:4]) == ("crasp:mine.cr", ("a", "b"))
    name = self_contained("crasp:mine.cr")
    file.unlink()
    assert load_task(name).tokens == task.tokens
    assert self_contained(name) == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("L = ", "mine.cr:1:"),
        ("L = i % 2 == 0", "mine.cr: the program names no token; declare its letters"),
        ("", "mine.cr:1:1: the file holds no statement"),
    ],
)
def test_bad_programs(here: Path, text: str, message: str) -> None:
    (here / "mine.cr").write_text(text)
    with pytest.raises(InputError) as caught:
        load_argument("crasp:mine.cr")
    assert caught.value.message.startswith(message)


EVEN = '{"initial": "e", "accepting": ["e"], "transitions": {"e": {"a": "o"}, "o": {"a": "e"}}}'
MOD3 = '{"alphabet": ["a", "b"], "transitions": [[1, 0], [2, 1], [0, 2]], "outputs": ["0", "1", "2"]}'


def test_automata(here: Path) -> None:
    (here / "even.json").write_text(EVEN)
    (here / "mod3.json").write_text(MOD3)
    assert load_task("dfa:even.json").answer("aa") == load_task("regex:(aa)*").answer("aa")
    assert load_task("dfa:mod3.json").answer("ab") == ("{0}", "{1}", "{1}")
    assert load_task("dfa:mod3.json").about == "which of 3 classes, by an automaton with 3 states"
    for name in ("dfa:even.json", "dfa:mod3.json"):
        whole = self_contained(name)
        assert self_contained(whole) == whole
        assert load_task(whole).tokens == load_task(name).tokens
        # The file's name is no part of it.
        (here / "other.json").write_bytes((here / name.removeprefix("dfa:")).read_bytes())
        assert self_contained("dfa:other.json") == whole


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "mine.json:1:1: not JSON: Expecting value"),
        ("[]", "mine.json: automaton: expected a JSON object"),
        (
            '{"initial": 0, "accepting": [1], "transitions": {"0": {"a": 0}}}',
            "mine.json: accepting: no state",
        ),
        (
            '{"alphabet": ["EOS"], "transitions": [[0]], "accepting": [0]}',
            "mine.json: alphabet: EOS cannot be",
        ),
        (
            '{"alphabet": ["a"], "transitions": [[0]], "accepting": []}',
            "dfa:mine.json: the language is empty",
        ),
        (
            '{"alphabet": ["a", "b"], "transitions": [[0]], "accepting": [0]}',
            "mine.json: transitions.0: 1 move for 2 letters of the alphabet",
        ),
    ],
)
def test_bad_automata(here: Path, text: str, message: str) -> None:
    (here / "mine.json").write_text(text)
    with pytest.raises(InputError) as caught:
        load_argument("dfa:mine.json")
    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message


def test_automata_that_are_not_there(here: Path) -> None:
    for name, message in (
        ("dfa:none.json", "none.json: no such file"), ("dfa:", "task: the name of the file is empty"),
        ("dfa:{", "dfa:automaton-"),
    ):  # fmt: skip
        with pytest.raises(InputError) as caught:
            load_argument(name)
        assert caught.value.message.startswith(message)


def test_names_of_other_kinds() -> None:
    assert not any(
        TaskName(name).is_attribute for name in ["sort", "regex:ab", "crasp:ab", "a:b:c", "1a:b", ":b", "a:"]
    )
    with pytest.raises(InputError, match="an alphabet goes with regex:"):
        load_task("crasp:lib:dyck-1", ["a"])


MAJORITY = '#alphabet a b\nL = # "a" >= # "b"'


@pytest.mark.parametrize("name", ["majority", "dyck-1", "tomita-4", "aa"])
def test_answers_of_acceptors(name: str) -> None:
    program = load(name)
    task = ProgramTask(name, program)
    assert task.tokens == (PAD, SOS, *program.core.alphabet, "{reject}", "{accept}")
    for word in product(program.core.alphabet, repeat=5):
        expected = ["{accept}" if program.accepts(list(word[:end])) else "{reject}" for end in range(6)]
        assert task.answer(word) == tuple(expected)


def test_answers_of_predictors() -> None:
    program = load("induction-all")
    task = ProgramTask("mine", program)
    assert len(task.labels) == 8
    assert task.answer("abab") == ("{}", "{}", "{}", "{b}", "{a}")


@pytest.mark.parametrize("name", ["majority", "dyck-1", "tomita-4", "dyck-1-next", "induction-all"])
def test_samples_are_answered_rightly(name: str) -> None:
    task = ProgramTask(name, load(name))
    lengths = [1, 2, 5, 9, 30] * 8
    batch = task.sample(lengths, np.random.default_rng(3))
    for row, length in enumerate(lengths):
        read = task.decode(batch.tokens[row, : batch.sizes[row]].tolist())
        assert (len(read), read[0]) == (length + 1, SOS)
        targets = task.decode(batch.targets[row][batch.mask[row]].tolist())
        assert tuple(targets) == task.answer(read[1:])
    again = task.sample(lengths, np.random.default_rng(3))
    assert (again.tokens == batch.tokens).all()


def test_half_of_the_words_stay_accepted_where_they_can() -> None:
    task = ProgramTask("mine", load("tomita-4"))  # no 000: uniform words of length 60 nearly all have one
    batch = task.sample([60] * 400, np.random.default_rng(0))
    accepted = (batch.targets[:, -1] == task.tokens.index("{accept}")).sum()
    assert 200 <= accepted < 220
    letters = batch.tokens[:, 1:]
    assert 0.3 < (letters == 2).mean() < 0.5


def test_half_of_the_words_follow_a_predictor() -> None:
    task = ProgramTask("mine", load("dyck-1-next"))
    batch = task.sample([40] * 400, np.random.default_rng(0))
    words = [task.decode(row[1:].tolist()) for row in batch.tokens]
    followed = [
        all(letter in said[1:-1].split(",") for letter, said in zip(word, task.answer(word), strict=False))
        for word in words
    ]
    assert sum(followed) == 200


def test_the_name_is_the_text_without_comments() -> None:
    first = ProgramTask("one", parse(f"// a comment\n{MAJORITY}"))
    second = ProgramTask("two", parse('L   = # "a" >= (# "b")  // another'))
    assert first.self_contained == second.self_contained == f"crasp:{MAJORITY}"
    assert TaskName(first.self_contained).is_text
    assert not TaskName("crasp:mine.cr").is_text
    assert TaskName(first.self_contained).short == TaskName(second.self_contained).short
    assert len(TaskName(first.self_contained).short) == 16
    assert parse(first.text).core == first.program.core


def test_programs_that_cannot_be_trained_on() -> None:
    with pytest.raises(InputError, match="mine: 151 outputs make too many labels to train on"):
        _ = ProgramTask("mine", load("sort")).tokens
    with pytest.raises(InputError, match="mine: 'SOS' cannot be a symbol"):
        _ = ProgramTask("mine", load("binary-majority")).tokens
