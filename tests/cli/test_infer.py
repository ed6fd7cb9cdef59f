"""`longreach crasp infer` and `limit infer`: documents and what people see."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Outcome

Call = Callable[..., Outcome]


def test_document(longreach: Call) -> None:
    done = longreach("crasp", "infer", "lib:majority", "--to", 6, "--json")
    document = json.loads(done.out)
    assert done.code == 0
    assert (document["target"], document["n0"], document["errors"]) == ("lib:majority", 3, 5)
    assert [step["complexity"] for step in document["steps"]] == [1, 2, 2, 5, 5, 5]
    assert document["class"] == "C-RASP[∅]"


def test_for_people(longreach: Call) -> None:
    done = longreach("crasp", "infer", "regex:(aa)*", "--class", "periodic", "--to", 4)
    lines = [line.rstrip() for line in done.out.splitlines()]
    assert lines[1].split() == ["1", "0", "1", "1", "2"]
    assert "N₀ = 1: right from n = 2 on, as far as n = 4 (1 whichever smallest program is taken)" in lines
    assert "T_4 is right, proved for all lengths:" in lines
    assert lines[-1] == "P1 = i % 2 == 0"


def test_a_slow_training_length(longreach: Call) -> None:
    done = longreach("crasp", "infer", "parity-language", "--schedule", "log", "--to", 5, "--json")
    document = json.loads(done.out)
    assert [step["trained_to"] for step in document["steps"]] == [0, 1, 1, 2, 2]
    assert document["n0"] is None
    assert all(step["errors"] for step in document["steps"])


def test_bad_input(longreach: Call) -> None:
    done = longreach("crasp", "infer", "lib:majority", "--schedule", "quick")
    assert done.code == 2
    assert "--schedule" in done.first_error
    done = longreach("crasp", "infer", "nothing-like-it")
    assert done.code == 2
    assert "no task is named" in done.first_error


def test_examples_are_no_target(longreach: Call, tmp_path: Path) -> None:
    file = tmp_path / "words.jsonl"
    file.write_text('{"input": "ab", "output": "1"}\n', encoding="utf-8")
    for group in ("crasp", "limit"):
        done = longreach(group, "infer", f"data:{file}", "--to", 3)
        assert (done.code, done.out) == (2, "")
        assert done.first_error.startswith("TARGET: examples leave most words open; ")


def test_limit_transformers(longreach: Call) -> None:
    done = longreach("limit", "infer", "lib:majority", "--to", 8, "--json")
    document = json.loads(done.out)
    assert done.code == 0
    assert (document["n0"], document["stopped"]) == (5, None)
    assert [step["complexity"] for step in document["steps"]] == [8] * 8
    assert document["model"]["values"] == [1, -1, 1]
    shown = longreach("limit", "infer", "aa", "--to", 10).out.splitlines()
    assert "N₀ = 9: right from n = 10 on, as far as n = 10" in shown
    assert shown[-1].startswith("places ")
    outside = longreach("limit", "infer", "parity-language", "--max-complexity", 9, "--to", 6)
    assert outside.code == 0
    assert "the search ended: none up to R_∞ = 9" in outside.out.splitlines()
    assert longreach("limit", "infer", "lib:majority", "--to", 0).code == 2
    assert longreach("limit", "infer", "lib:majority", "--max-complexity", 1000).code == 2


def test_too_many_words(longreach: Call) -> None:
    for group in ("crasp", "limit"):
        done = longreach(group, "infer", "lib:majority", "--to", 30)
        assert done.code == 2
        assert done.first_error.startswith("--to: 2,147,483,647 words up to length 30 are more than")
