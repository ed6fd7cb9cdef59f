""""""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from longreach.answers.profile_suite import PARTS, suite, tasks_of
from longreach.tasks.catalog import TASKS, load_task
from tests.cli.conftest import Call


def test_document(longreach: Call) -> None:
    done = longreach("tasks", "--json")
    assert (done.code, done.err) == (0, "")
    documents = done.document["tasks"]
    assert [document["task"] for document in documents] == list(TASKS)
    for document in documents:
        task = load_task(document["task"])
        assert document["vocabulary"] == len(document["tokens"]) == len(task.tokens)
        assert document["least_length"] == task.least_length
        assert document["kind"] == task.kind
        example = document["example"]
        x = example["input"][1 : 1 + example["length"]]
        assert tuple(example["targets"]) == task.answer(x)
    (copying,) = [document for document in documents if document["task"] == "copy-unique"]
    assert copying["evidence"]["ape"]["name"] == "copy-unique"
    assert copying["evidence"]["nope"]["kind"] == "reduction"


def test_the_example_is_always_the_same(longreach: Call) -> None:
    assert longreach("tasks", "--json").out == longreach("tasks", "--json").out


def test_for_people(longreach: Call) -> None:
    lines = longreach("tasks").out.splitlines()
    assert lines[0].split()[:3] == ["task", "kind", "tokens"]
    assert [line.split()[0] for line in lines[1:]] == list(TASKS)
    (dyck,) = [line for line in lines if line.startswith("dyck-1")]
    assert "balanced brackets" in dyck
    assert "→ {(,EOS}" in dyck
    (addition,) = [line for line in lines if line.split()[0] == "addition"]
    assert "= → " in addition


def test_examples_of_one_task(longreach: Call) -> None:
    done = longreach("tasks", "even-pairs", "--examples", "3")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "even-pairs   whether the number of ab and ba is even"
    assert sum(" SEP → " in line for line in lines) == 3
    document = longreach("tasks", "show", "regex:a*", "--alphabet", "ab", "--json").document
    assert document["tokens"][2:4] == ["a", "b"]
    assert len(document["examples"]) == 5


def test_check(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = longreach("tasks", "check", "cycle-navigation")
    assert done.code == 0
    assert {line.split()[0] for line in done.out.splitlines()} == {"passed"}
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "wrong_task", raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("wrong_task.py").write_text(
        "from longreach.tasks.task import Task\n"
        "mine = Task.from_function(lambda n, rng: ['a'] * (n + 1), lambda x: x[0], name='mine')\n"
    )
    done = longreach("tasks", "check", "wrong_task:mine", "--json")
    assert done.code == 1
    document = done.document
    assert document["passed"] is False
    assert document["checks"] == [
        {"check": "vocabulary", "status": "failed", "detail": "mine: draw(1, rng) gives 2 tokens, not 1: a a"}
    ]


def test_one_example_says_nothing_of_guessing(longreach: Call, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"input": "1+1", "output": "2"}\n', encoding="utf-8")
    shown = longreach("tasks", f"data:{tmp_path / 'one.jsonl'}").out
    assert "lengths from 3 on; what guessing gets right is not known: there is one example" in shown


def test_export(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call = (
        "tasks",
        "export",
        "parity",
        "--train-lengths",
        "1:6",
        "--test-lengths",
        "7:9,10:12",
        "--size",
        "3",
    )
    done = longreach(*call)
    assert done.code == 0
    assert done.err == "9 files in parity-jsonl\n"
    assert done.out.splitlines()[1].split() == ["parity/train-1-6.jsonl", "train", "1–6", "30"]
    document = longreach(*call, "--json", "--format", "datasets", "--out", "mine", "--seed", "5").document
    assert (document["out"], document["format"], document["seed"]) == ("mine", "datasets", 5)
    assert [each["path"] for each in document["sets"]] == [
        line.split()[0] for line in done.out.splitlines()[1:]
    ]
    assert longreach(*call).code == 0  # the same again
    assert longreach("tasks", "export", "regex:a*", "--alphabet", "ab", "--size", "2").code == 0
    assert longreach("tasks", "export", "mqar", "--size", "2", "--format", "lm-eval").code == 0


def test_export_of_a_suite(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = ("--size", "1", "--test-lengths", "21:28", "--json")
    parts = [longreach("tasks", "export", name, *given).document for name in ("suite-1", "suite-1:held-out")]
    assert [each["out"] for each in parts] == ["suite-1-jsonl", "suite-1-held-out-jsonl"]
    for found, part in zip(parts, PARTS, strict=True):
        wanted = {(each.task, need.need) for need, each in tasks_of(suite(), part)}
        assert {(each["task"], each["need"]) for each in found["sets"]} == wanted
        trained = {each["task"]: each["lengths"] for each in found["sets"] if each["kind"] == "train"}
        assert all(last == suite().trained_to for _, last in trained.values())
    names = [{each["task"] for each in found["sets"]} for found in parts]
    assert len(names[0] & names[1]) < len(names[0])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (["export", "suite-9"], "TASK: unknown suite 'suite-9'; there are suite-1, suite-1:development,"),
        (["export", "suite-1", "--train-lengths", "1:5"], "--train-lengths: suite-1 has its own"),
        (["export", "suite-1", "--alphabet", "ab"], "--alphabet: suite-1 has its own"),
        (["parity", "--size", "3"], "--size: only for `tasks export TASK`"),
        (["--format", "jsonl"], "--format: only for `tasks export TASK`"),
        (["check", "parity", "--test-lengths", "1:2"], "--test-lengths: only for `tasks export TASK`"),
        (["export"], "TASK: missing, as in longreach tasks export sort"),
        (["export", "sort", "parity"], "TASK: one at a time, not 2: sort parity"),
        (["export", "srt"], "TASK: no task named 'srt'; did you mean 'sort'"),
        (
            ["export", "sort", "--format", "csv"],
            "--format: 'csv' is not one of 'jsonl', 'datasets', 'lm-eval'",
        ),
        (
            ["export", "sort", "--train-lengths", "9"],
            "--train-lengths: '9' is not a range of lengths, as in 1:50",
        ),
        (["export", "sort", "--train-lengths", "1:2,3:4"], "--train-lengths: one range, as in 1:50"),
        (["export", "dyck-1", "--test-lengths", "3:3"], "dyck-1: no input has a length in 3:3"),
        (["export", "simple-task:a=1,b=2", "--size", "1"], "TASK: "),
        (["export", "sort", "--size", "0"], "--size: "),
        (["export", "sort", "--out", "no/such"], "--out: no/such: no such directory"),
    ],
)
def test_export_refuses(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: list[str], error: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = longreach("tasks", *call)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(error)
    assert list(tmp_path.iterdir()) == []
