"""Files of examples as tasks."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.catalog import load_argument, load_task, name_of, self_contained
from longreach.tasks.data import DataTask, read_examples
from longreach.tasks.outside import ProgramTask
from longreach.tasks.task import PAD, SOS
from longreach.theory.crasp.library import load
from longreach.theory.crasp.program import parse
from longreach.theory.names import TaskName
from tests.helpers.refusals import refusal

SUMS = [("1+1", "2"), ("2+3", "5"), ("12+3", "15"), ("12+13", "2 5"), ("9+9+9+9", "3 6")]


def _write(path: Path, pairs: list[tuple[str, str]]) -> None:
    lines = [json.dumps({"input": x, "output": y, "by": "hand"}) for x, y in pairs]
    path.write_text("\n".join(lines) + "\n\n")


def test_ids_of_the_file_and_of_a_function(here: Path) -> None:
    lines = [{"input": "ab", "output": "b", "position_ids": [0, 2, 1, 0, 1, 0]}]
    Path("last.jsonl").write_text("\n".join(map(json.dumps, lines)))
    task, rng = _loaded("data:last.jsonl"), np.random.default_rng(0)
    ids = task.coupled_ids(task.sample([2], rng))
    assert ids is not None
    assert ids.tolist() == [[0, 2, 1, 0, 1, 0]]
    assert name_of(task) == task.self_contained
    own = read_examples("data:sums.jsonl", ids=lambda x, y: [0, *range(len(x) + len(y)), 0, 7])
    ids = own.coupled_ids(own.sample([3, 4], rng))
    assert ids is not None
    assert ids.tolist() == [[0, 0, 1, 2, 3, 0, 7, 0, 0], [0, 0, 1, 2, 3, 4, 5, 0, 7]]
    assert name_of(own) is None  # no name says the function
    assert _loaded("data:sums.jsonl").coupled_ids(own.sample([3], rng)) is None


def _loaded(name: str) -> DataTask:
    task = load_task(name)
    assert isinstance(task, DataTask)
    return task


def test_examples(here: Path) -> None:
    task = _loaded("data:sums.jsonl")
    assert task.known_lengths.tolist() == [3, 4, 5, 7]
    assert replace(task, examples=task.examples[:1]).about == "1 example from a file, inputs of length 3"
    assert task.about == "5 examples from a file, inputs of length 3–7"
    assert task.answer(list("12+13")) == ("2", "5", "EOS")
    batch = task.sample([3] * 30 + [7, 4, 5], np.random.default_rng(0))
    known = {tuple(x): tuple(y.replace(" ", "")) for x, y in SUMS}
    seen = set()
    for row, length in enumerate([3] * 30 + [7, 4, 5]):
        read = task.decode(batch.tokens[row, : batch.sizes[row]].tolist())
        x = tuple(read[1 : 1 + length])
        seen.add(x)
        assert read == ["SOS", *x, "SEP", *known[x]]
        assert task.decode(batch.targets[row][batch.mask[row]].tolist()) == [*known[x], "EOS"]
        assert task.input_size(length) >= batch.sizes[row]
    assert seen == set(known)


def test_lists_and_strings_are_tokens(here: Path) -> None:
    (here / "x.jsonl").write_text(
        '{"input": ["north", "east", 3], "output": "go on"}\n{"input": " ab ", "output": ""}\n'
        '{"input": "", "output": 12}\n'
    )
    assert _loaded("data:x.jsonl").examples == (
        (("north", "east", "3"), ("go", "on")), (("a", "b"), ()), ((), ("1", "2")),
    )  # fmt: skip
    batch = _loaded("data:x.jsonl").sample([2, 2], np.random.default_rng(0))
    assert batch.sizes.tolist() == [4, 4]


def test_training_and_tests_have_different_lengths(here: Path) -> None:
    task = _loaded("data:sums.jsonl")
    assert task.train_range(50) == (3, 4)
    assert task.train_range(5) == (3, 5)
    assert task.train_range(1) == (3, 4)
    assert task.test_ranges(4) == ((5, 5), (7, 7))
    assert task.test_ranges(5) == ((7, 7),)
    with pytest.raises(InputError, match=r"sums.jsonl: no input is longer than 7; tests need"):
        task.test_ranges(7)
    with pytest.raises(InputError, match="no input has a length in 8:20"):
        task.lengths(8, 20)
    with pytest.raises(InputError, match="no example has the input 1"):
        task.answer("1")


def test_the_name_says_what_the_file_holds(here: Path) -> None:
    name = self_contained("data:sums.jsonl")
    assert name.startswith("data:sums.jsonl#")
    assert self_contained(name) == name
    assert load_task(name).tokens == load_task("data:sums.jsonl").tokens
    (here / "copy.jsonl").write_bytes((here / "sums.jsonl").read_bytes())
    assert self_contained("data:copy.jsonl").split("#")[1] == name.split("#")[1]
    _write(here / "sums.jsonl", SUMS[:4])
    assert refusal(load_argument, name).startswith("sums.jsonl: the file has changed: its hash is ")
    assert self_contained("data:sums.jsonl") != name


def test_guessing_counts_the_most_frequent_output_of_long_inputs(here: Path) -> None:
    _write(here / "same.jsonl", [("a" * n, "yes" if n % 4 else "no") for n in range(1, 41)])
    assert _loaded("data:same.jsonl").chance == 15 / 20
    _write(here / "other.jsonl", [("a" * n, str(n)) for n in range(1, 101)])
    assert _loaded("data:other.jsonl").chance == 0.0


MODULE = """
from longreach.tasks.copying import Sort
small = Sort(9)
def made():
    return Sort(7)
class Box:
    inside = small
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "outside_tasks", raising=False)
    (tmp_path / "outside_tasks.py").write_text(MODULE)
    _write(tmp_path / "sums.jsonl", SUMS)
    return tmp_path


def test_python_objects(here: Path) -> None:
    assert len(load_task("outside_tasks:small").tokens) == 4 + 9
    assert len(load_task("outside_tasks:made").tokens) == 4 + 7
    assert load_task("outside_tasks:Box.inside").name == "sort"
    assert load_task("longreach.tasks.counting:Parity").name == "parity"
    assert self_contained("outside_tasks:small") == "outside_tasks:small"


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


def test_names_of_other_kinds() -> None:
    assert not any(
        TaskName(name).is_attribute for name in ["sort", "regex:ab", "crasp:ab", "a:b:c", "1a:b", ":b", "a:"]
    )


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
