from __future__ import annotations

import json
from collections.abc import Callable

from longreach.tasks.catalog import TASKS, load_task
from tests.cli.conftest import Outcome

Call = Callable[..., Outcome]


def test_document(longreach: Call) -> None:
    done = longreach("tasks", "--json")
    assert (done.code, done.err) == (0, "")
    documents = json.loads(done.out)["tasks"]
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


def test_help_and_bad_input(longreach: Call) -> None:
    assert "Example: longreach tasks" in longreach("tasks", "--help").out
    done = longreach("tasks", "--jsn")
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith("--jsn: no such option")
