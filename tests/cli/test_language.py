"""The language command: documents, lists, drawings, and what bad input gets."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from longreach.crasp import parse
from tests.cli.conftest import Outcome

Call = Callable[..., Outcome]


def test_document(longreach: Call) -> None:
    document = json.loads(longreach("language", "(aa)*", "--json").out)
    assert (document["task"], document["alphabet"], document["convention"]) == (
        "regex:(aa)*",
        ["a"],
        "last-letter",
    )
    nope, ape = document["nope"], document["ape"]
    assert (nope["verdict"], nope["class"], nope["certificate"]["kind"]) == ("no", "C-RASP[∅]", "flow")
    assert (ape["verdict"], ape["class"]) == ("yes", "C-RASP[periodic, local]")
    assert (ape["window"], ape["modulus"], ape["certificate"]["kind"]) == (0, 2, "program")
    assert parse(ape["certificate"]["program"]).accepts("aa")
    assert {nope["end_of_sequence"], nope["prediction"], document["local"]["verdict"]} == {"no"}
    assert "window" not in nope
    assert all(isinstance(part["reason"], str) for part in (nope, ape))


def test_conventions_differ(longreach: Call) -> None:
    nope = json.loads(longreach("language", "(a|b)*b", "--json").out)["nope"]
    assert (nope["verdict"], nope["end_of_sequence"]) == ("yes", "no")


def test_the_alphabet_matters(longreach: Call) -> None:
    two = json.loads(longreach("language", "(a|b)*ab(a|b)*", "--json").out)
    three = json.loads(longreach("language", "(a|b|c)*ab(a|b|c)*", "--json").out)
    assert (two["nope"]["verdict"], three["nope"]["verdict"]) == ("yes", "no")
    wider = json.loads(longreach("language", "(a|b)*", "--alphabet", "abc", "--json").out)
    assert wider["alphabet"] == ["a", "b", "c"]


def test_names(longreach: Call) -> None:
    assert json.loads(longreach("language", "--name", "tomita-4", "--json").out)["task"] == "tomita-4"
    done = longreach("language", "--name", "tomita-44")
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith("--name: no language is named 'tomita-44'; did you mean 'tomita-4'")


def test_automaton_from_json(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "dfa.json"
    path.write_text(json.dumps({
        "initial": "even", "accepting": ["even"],
        "transitions": {"even": {"tick": "odd"}, "odd": {"tick": "even"}},
    }))  # fmt: skip
    document = json.loads(longreach("language", "--dfa", path, "--json").out)
    assert (document["alphabet"], document["ape"]["modulus"]) == (["tick"], 2)
    path.write_text("{}")
    done = longreach("language", "--dfa", path)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(f"{path}: ")


def test_for_people(longreach: Call) -> None:
    done = longreach("language", "(a|b)*bb(a|b)*", "--program", "--explain", "--measures")
    assert done.code == 0
    for part in (
        "NoPE  no ",
        "APE   yes",
        "window 1",
        "proved for all lengths",
        "Why not C-RASP[∅]",
        "star-free",
    ):
        assert part in done.out
    assert "does not prove that no limit transformer exists" in done.out


def test_program_document_says_how_it_is_known(longreach: Call) -> None:
    document = json.loads(longreach("language", "(a(ab)*b)*", "--program", "--json").out)
    assert document["nope"]["proof"] == "proved"
    assert parse(document["nope"]["program"]).accepts("aabb")


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_budget_that_ends_the_work_is_named(longreach: Call, form: list[str]) -> None:
    done = longreach("language", "(a{5}|b{7})*", "--program", "--budget", "0.02", *form)
    assert done.code == 0
    assert "the budget of 0.02 s is spent" in " ".join(done.out.split())


def test_predictor(longreach: Call) -> None:
    document = json.loads(longreach("language", "(ab)*", "--predictor", "--json").out)
    assert parse(document["nope"]["predictor"]).predicts(["a", "b"]) == [["b"], ["a", "EOS"]]
    assert 'output "EOS" = ' in longreach("language", "(ab)*", "--predictor").out


def test_prediction_where_it_differs_from_membership(longreach: Call, tmp_path: Path) -> None:
    nope = json.loads(longreach("language", "(a|ba)*b?", "--predictor", "--json").out)["nope"]
    assert (nope["verdict"], nope["prediction_everywhere"], nope["prediction"]) == ("no", "no", "yes")
    assert nope["prediction_certificate"]["program"] == nope["predictor"]
    path = tmp_path / "list.txt"
    path.write_text("(a|ba)*b?\n(aa)*\n")
    easier, same = longreach("language", "--file", path).out.splitlines()
    assert easier.endswith("(NoPE on its words: yes)")
    assert same.endswith("(aa)*")
    shown = longreach("language", "(a|ba)*b?", "--predictor").out
    assert "what may follow, on words of the language only: yes; in every component" in shown
    assert "and EOS for the end; proved for all lengths" in shown


def test_measures(longreach: Call) -> None:
    measures = json.loads(longreach("language", "(aa)*", "--measures", "--json").out)["measures"]
    assert (measures["star_free"], measures["ac0"], measures["states"]) == (False, True, 2)


def test_drawing(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "aa.svg"
    done = longreach("language", "(aa)*", "--draw", path, "--json")
    assert done.code == 0
    assert path.read_text(encoding="utf-8").startswith("<svg")
    assert json.loads(done.out)["task"] == "regex:(aa)*"


def test_list(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("(aa)*\n\n(ab\na*\tabc\n", encoding="utf-8")
    done = longreach("language", "--file", path, "--json")
    assert done.code == 2
    first, second, third = map(json.loads, done.out.splitlines())
    assert first["task"] == "regex:(aa)*"
    assert second["line"] == 3
    assert "column 1" in second["error"]
    assert third["alphabet"] == ["a", "b", "c"]
    path.write_text("(aa)*\na*\n", encoding="utf-8")
    done = longreach("language", "--file", path)
    assert (done.code, len(done.out.splitlines())) == (0, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["language"], "REGEX: give one of"),
        (["language", "a*", "--name", "aa"], "REGEX and --name: give one of"),
        (["language", "(a", "--json"], "REGEX: column 1"),
        (["language", "a*c", "--alphabet", "ab"], "REGEX: column 3"),
        (["language", "--name", "aa", "--alphabet", "ab"], "--alphabet: "),
        (["language", "a{100000000}"], "REGEX: "),
        (["language", "(a|b)*a(a|b){24}"], "REGEX: "),
        (["language", "a*", "--budget", "0"], "--budget: "),
        (["language", "a*", "--budget", "nan"], "--budget: "),
        (["language", "--file", "no-such-list"], "no-such-list: no such file"),
        (["language", "--dfa", "no-such-dfa"], "no-such-dfa: no such file"),
    ],
)
def test_bad_input(longreach: Call, arguments: list[str], message: str) -> None:
    done = longreach(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(message)


def test_a_list_counts_lines_as_editors_do(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes("a\u2028\x0cb\r\na(\r\n".encode())
    done = longreach("language", "--file", path, "--json")
    assert [json.loads(line)["line"] for line in done.out.splitlines()] == [1, 2]
    done = longreach("language", "--file", path, "--predictor")
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith("--predictor: ")


@pytest.mark.parametrize("token", ["", "a\nb", "\"'"])
def test_tokens_that_no_program_can_name(longreach: Call, tmp_path: Path, token: str) -> None:
    path = tmp_path / "dfa.json"
    path.write_text(json.dumps({"initial": 0, "accepting": [0], "transitions": {"0": {token: 0}}}))
    done = longreach("language", "--dfa", path, "--program")
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(f"{path}: alphabet: ")


def test_the_end_of_a_predictor_is_no_letter(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "dfa.json"
    path.write_text(json.dumps({"initial": 0, "accepting": [0], "transitions": {"0": {"EOS": 0}}}))
    done = longreach("language", "--dfa", path, "--predictor")
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith("--predictor: ")
