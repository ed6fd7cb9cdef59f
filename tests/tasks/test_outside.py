"""Files of examples as tasks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.catalog import load_argument, load_task, name_of, self_contained
from longreach.tasks.data import DataTask, read_examples

SUMS = [("1+1", "2"), ("2+3", "5"), ("12+3", "15"), ("12+13", "2 5"), ("9+9+9+9", "3 6")]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    _write(tmp_path / "sums.jsonl", SUMS)
    return tmp_path


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


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({}, "a.jsonl: position_ids: missing for the input b; all lines have them, or none"),
        ({"position_ids": 3}, "a.jsonl:2: position_ids: expected a list of 5 ids, for SOS x SEP y EOS"),
        ({"position_ids": [0]}, "a.jsonl:2: position_ids: expected a list of 5 ids, for SOS x SEP y EOS"),
        ({"position_ids": [0, 0, 0, 0, -1]}, "a.jsonl:2: position_ids: ids are whole numbers from 0 on"),
        ({"position_ids": [0, 0, 0, 0, True]}, "a.jsonl:2: position_ids: ids are whole numbers from 0 on"),
        (
            {"input": "a", "position_ids": [0] * 5},
            "a.jsonl:2: position_ids: an earlier line has the same input with others",
        ),
    ],
)
def test_bad_ids_of_a_file(here: Path, second: dict[str, object], message: str) -> None:
    lines = [
        {"input": "a", "output": "c", "position_ids": [0, 1, 0, 1, 0]},
        {"input": "b", "output": "c", **second},
    ]
    Path("a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(InputError) as caught:
        load_task("data:a.jsonl")
    assert caught.value.message == message


def _loaded(name: str) -> DataTask:
    task = load_task(name)
    assert isinstance(task, DataTask)
    return task


def test_examples(here: Path) -> None:
    task = _loaded("data:sums.jsonl")
    assert task.known_lengths.tolist() == [3, 4, 5, 7]
    assert task.about == "5 examples of a file, inputs of length 3-7"
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
    with pytest.raises(InputError) as caught:
        load_argument(name)
    assert caught.value.message.startswith("sums.jsonl: the file has changed: its hash is ")
    assert self_contained("data:sums.jsonl") != name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.jsonl: no examples; expected lines such as"),
        ("\n \n", "x.jsonl: no examples"),
        ('{"input": "a", "output": "b"}\n{"input": ', "x.jsonl:2:11: not JSON: Expecting value"),
        ("[1]", "x.jsonl:1: expected an object"),
        ('{"input": "a"}', "x.jsonl:1: output: missing"),
        ('{"input": "a", "output": true}', "x.jsonl:1: output: expected a string or a list of tokens"),
        ('{"input": [["a"]], "output": ""}', "x.jsonl:1: input: a token is a string or a whole number"),
        ('{"input": ["a b"], "output": ""}', "x.jsonl:1: input: the token 'a b' is empty or has a blank"),
        ('{"input": ["SEP"], "output": ""}', "x.jsonl:1: input: the token SEP is one that the task needs"),
        (
            '{"input": "a", "output": "b"}\n\n{"input": "a", "output": "c"}',
            "x.jsonl:3: output: the input of line 1 again, with another output",
        ),
    ],
)
def test_bad_files(here: Path, text: str, message: str) -> None:
    (here / "x.jsonl").write_text(text)
    with pytest.raises(InputError) as caught:
        load_argument("data:x.jsonl")
    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("data:nothing.jsonl", "nothing.jsonl: no such file"),
        ("data:.", ".: is a directory, not a file"),
        ("data:", "the name of the file is empty; expected data:FILE"),
        ("data:bytes", "bytes: is not a text file (byte 0 is not UTF-8)"),
    ],
)
def test_files_that_cannot_be_read(here: Path, name: str, message: str) -> None:
    (here / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError) as caught:
        load_argument(name)
    assert caught.value.message.removeprefix("task: ") == message


def test_guessing_counts_the_most_frequent_output_of_long_inputs(here: Path) -> None:
    _write(here / "same.jsonl", [("a" * n, "yes" if n % 4 else "no") for n in range(1, 41)])
    assert _loaded("data:same.jsonl").chance == 15 / 20
    _write(here / "other.jsonl", [("a" * n, str(n)) for n in range(1, 101)])
    assert _loaded("data:other.jsonl").chance == 0.0
