"""The communicate command: documents, the table, figures, and what bad input gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.theory.automata.named import NAMED_LANGUAGES
from longreach.theory.communication.problems import PROBLEMS
from tests.cli.conftest import Call


def test_document_of_a_task(longreach: Call) -> None:
    done = longreach("communicate", "binary-majority", "--max-length", 6, "--json")
    document = done.document
    assert (done.code, done.err) == (0, "")
    assert document["task"] == "binary-majority"
    assert document["lengths"] == [1, 2, 3, 4, 5, 6]
    assert document["rows"] == [2, 3, 4, 5, 6, 7]
    assert document["bits"][3] == pytest.approx(2.321928)
    assert document["growth"] == "logarithmic"
    assert document["fits"].keys() == {"constant", "logarithmic", "linear"}
    assert document["rows_at_all_lengths"] is None


def test_document_of_a_regular_expression(longreach: Call) -> None:
    done = longreach("communicate", "regex:(ab)*", "--alphabet", "abc", "--max-length", 4, "--json")
    document = done.document
    assert document["alphabet"] == ["a", "b", "c"]
    assert (document["exhaustive_length"], document["rows_at_all_lengths"]) == (4, 2)
    assert len(document["rows"]) > 4
    assert document["growth"] == "constant"


def test_an_automaton(longreach: Call, tmp_path: Path) -> None:
    file = tmp_path / "even.json"
    file.write_text('{"alphabet": ["a", "b"], "transitions": [[1, 0], [0, 1]], "accepting": [0]}')
    document = longreach("communicate", f"dfa:{file}", "--json").document
    assert (document["rows_at_all_lengths"], document["growth"]) == (2, "constant")
    file.write_text('{"alphabet": ["a"], "transitions": [[0]], "outputs": ["x"]}')
    for name, message in ((f"dfa:{file}", "accepting: missing"), ("dfa:none.json", "no such file")):
        done = longreach("communicate", name)
        assert (done.code, done.out) == (2, "")
        assert message in done.first_error


def test_all_tasks(longreach: Call) -> None:
    document = longreach("communicate", "--max-length", 6, "--json").document
    assert [entry["task"] for entry in document["tasks"]] == [*PROBLEMS, *NAMED_LANGUAGES]
    table = longreach("communicate", "--max-length", 6).out.splitlines()
    assert table[0].split()[:4] == ["task", "N", "rows", "bits"]
    (copying,) = [line.split() for line in table if line.startswith("copy-repeat")]
    assert copying == ["copy-repeat", "6", "64", "6.00", "linear", *copying[5:]]


def test_for_people(longreach: Call) -> None:
    lines = longreach("communicate", "equality", "--max-length", 4).out.splitlines()
    assert lines[0] == "equality   both halves are the same"
    assert lines[4] == "  N = 4   rows 16     bits 4.00"
    assert lines[5].startswith("linear, the best of three fits over N = 2–4")
    assert "any N   rows 2 at most" in longreach("communicate", "parity-language").out


@pytest.mark.parametrize("arguments", [["dyck-1"], []])
@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_figures(longreach: Call, tmp_path: Path, arguments: list[str], suffix: str, start: bytes) -> None:
    path = tmp_path / f"figure{suffix}"
    done = longreach("communicate", *arguments, "--max-length", 4, "--out", path, "--json")
    assert done.code == 0
    assert done.err == f"wrote {path}\n"
    assert done.document
    assert path.read_bytes().startswith(start)


def test_a_figure_that_cannot_be_written(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "taken.png"
    path.mkdir()
    done = longreach("communicate", "parity", "--max-length", 3, "--out", path)
    assert (done.code, done.out) == (2, "")
    assert done.first_error == f"--out: {path}: is a directory"


@pytest.mark.parametrize(("task", "no_yes"), [("parity", True), ("majority", True), ("copy-repeat", False)])
def test_few_bits_are_not_a_yes(longreach: Call, task: str, no_yes: bool) -> None:
    last = longreach("communicate", task, "--max-length", "5").out.splitlines()[-1]
    assert ("not a yes: longreach forecast gives the verdict" in last) == no_yes
    assert ("a no, if it keeps growing like this" in last) != no_yes


def test_the_alphabet_may_be_divided(longreach: Call) -> None:
    arguments = ("communicate", "regex:(ab)*", "--max-length", "4", "--json", "--alphabet")
    first, *others = (longreach(*arguments, text).document for text in ("abc", "a b c", "a,b,c"))
    assert first["alphabet"] == ["a", "b", "c"]
    assert others == [first, first]
