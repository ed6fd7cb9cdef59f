"""The language command: documents, lists, drawings, and what bad input gets."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from longreach.theory.crasp.program import parse
from tests.cli.conftest import Call


def test_document(longreach: Call) -> None:
    document = longreach("language", "(aa)*", "--json").document
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
    nope = longreach("language", "(a|b)*b", "--json").document["nope"]
    assert (nope["verdict"], nope["end_of_sequence"]) == ("yes", "no")


def test_the_alphabet_matters(longreach: Call) -> None:
    two = longreach("language", "(a|b)*ab(a|b)*", "--json").document
    three = longreach("language", "(a|b|c)*ab(a|b|c)*", "--json").document
    assert (two["nope"]["verdict"], three["nope"]["verdict"]) == ("yes", "no")
    wider = longreach("language", "(a|b)*", "--alphabet", "abc", "--json").document
    assert wider["alphabet"] == ["a", "b", "c"]


def test_names(longreach: Call) -> None:
    assert longreach("language", "--name", "tomita-4", "--json").document["task"] == "tomita-4"


def test_automaton_from_json(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "dfa.json"
    path.write_text(json.dumps({
        "initial": "even", "accepting": ["even"],
        "transitions": {"even": {"tick": "odd"}, "odd": {"tick": "even"}},
    }))  # fmt: skip
    document = longreach("language", "--dfa", path, "--json").document
    assert (document["alphabet"], document["ape"]["modulus"]) == (["tick"], 2)
    path.write_text("{}")
    done = longreach("language", "--dfa", path)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(f"{path}: ")


def test_for_people(longreach: Call) -> None:
    done = longreach("language", "(a|b)*bb(a|b)*", "--program", "--explain", "--measures")
    assert done.code == 0
    for part in (
        "without positions (NoPE)      expected to fail",
        'counts alone cannot tell whether a long word ends in "b" or "bb" · proved',
        "with learned positions (APE)  expected to work",
        "Why not C-RASP[∅]",
        "star-free",
    ):
        assert part in done.out
    assert done.out.count("proved for all lengths") == 2
    assert "window" not in done.out
    why = longreach("language", "(a|b)*bb(a|b)*", "--why").out
    for part in ("NoPE  no  C-RASP[∅]", "window 1", "does not prove that no limit transformer exists"):
        assert part in why


def test_reading_at_the_end(longreach: Call, tmp_path: Path) -> None:
    document = longreach("language", "(a|b)*b", "--convention", "eos", "--json").document
    nope, ape = document["nope"], document["ape"]
    assert document["convention"] == "end-of-sequence"
    assert (nope["verdict"], nope["end_of_sequence"], nope["last_letter"]) == ("no", "no", "yes")
    assert nope["certificate"]["convention"] == "end-of-sequence"
    assert (ape["verdict"], ape["last_letter"], "window" in ape) == ("yes", "yes", False)
    path = tmp_path / "document.json"
    path.write_text(json.dumps(document))
    assert longreach("verify", path).code == 0
    document["convention"] = "last-letter"  # a certificate for one convention is none for the other
    path.write_text(json.dumps(document))
    assert longreach("verify", path).code == 1
    shown = longreach("language", "(a|b)*b", "--convention", "eos").out
    assert "read at the last letter: expected to work" in shown
    assert 'cannot tell whether a long word ends in one more "a" · proved' in shown
    assert "read at EOS, after the last letter: expected to fail" in longreach("language", "(a|b)*b").out


@pytest.mark.parametrize("expression", ["(aa)*", "(a|b)*b", "a*b*", "(a|ba)*b?", "(a|b|e)*be*"])
def test_documents_at_the_end_are_verified(longreach: Call, tmp_path: Path, expression: str) -> None:
    done = longreach("language", expression, "--convention", "eos", "--json")
    (tmp_path / "document.json").write_text(done.out)
    found = longreach("verify", tmp_path / "document.json", "--json").document["certificates"]
    statuses = {each["place"]: each["status"] for each in found}
    assert set(statuses.values()) == {"valid"}
    assert {each["convention"] for each in found if each["place"] == "nope"} == {"end-of-sequence"}


def test_verdicts_alone(longreach: Call, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("(aa)*\n(a|ba)*b?\n")
    whole, short = (
        [
            json.loads(line)
            for line in longreach("language", "--file", tmp_path / "list", "--json", *more).out.splitlines()
        ]
        for more in ([], ["--verdicts"])
    )
    for document in whole:
        for side in ("nope", "ape", "local", "reach"):
            del document[side]["certificate"]
            document[side].pop("prediction_certificate", None)
        # A cascade alone knows what it needs.
        for name in ("modulus", "levels", "prediction_modulus", "prediction_levels"):
            del document["reach"][name]
    assert short == whole


def test_lists_from_standard_input(longreach: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "(a|b)*b\r\n\n(a\na*\ta,b\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    done = longreach("language", "--file", "-")
    assert done.code == 2
    assert [line.split() for line in done.out.splitlines()] == [
        ["NoPE", "yes,", "at", "EOS", "no", "APE", "yes", "reach", "yes", "(a|b)*b"],
        ["NoPE", "yes", "APE", "yes", "reach", "yes", "a*"],
    ]
    assert done.err == "standard input:3:1: this bracket is never closed\n"


def test_finite_and_empty_languages_are_said_to_be_so(longreach: Call) -> None:
    assert "finite: its longest word has 3 letters" in longreach("language", "ab?c").out
    assert "empty: no word is in the language" in longreach("language", "a&b").out
    assert "finite" not in longreach("language", "ab?c*").out


def test_program_document_says_how_it_is_known(longreach: Call) -> None:
    document = longreach("language", "(a(ab)*b)*", "--program", "--json").document
    assert document["nope"]["proof"] == "proved"
    assert parse(document["nope"]["program"]).accepts("aabb")


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_budget_that_ends_the_work_is_named(longreach: Call, form: list[str]) -> None:
    done = longreach("language", "(a{5}|b{7})*", "--program", "--budget", "0.02", *form)
    assert done.code == 0
    assert "the budget of 0.02 s is spent" in " ".join(done.out.split())


def test_predictor(longreach: Call) -> None:
    document = longreach("language", "(ab)*", "--predictor", "--json").document
    assert parse(document["nope"]["predictor"]).predicts(["a", "b"]) == [["b"], ["a", "EOS"]]
    assert 'output "EOS" = ' in longreach("language", "(ab)*", "--predictor").out


def test_prediction_where_it_differs_from_membership(longreach: Call, tmp_path: Path) -> None:
    nope = longreach("language", "(a|ba)*b?", "--predictor", "--json").document["nope"]
    assert (nope["verdict"], nope["prediction_everywhere"], nope["prediction"]) == ("no", "no", "yes")
    assert nope["prediction_certificate"]["program"] == nope["predictor"]
    path = tmp_path / "list.txt"
    path.write_text("(a|ba)*b?\n(aa)*\n")
    easier, same = longreach("language", "--file", path).out.splitlines()
    assert easier.endswith("(NoPE on its words: yes)")
    assert same.endswith("(aa)*")
    shown = longreach("language", "(a|ba)*b?", "--predictor").out
    assert "predicting what may follow, on its words: expected to work" in shown
    assert "and EOS for the end; proved for all lengths" in shown


def test_measures(longreach: Call) -> None:
    measures = longreach("language", "(aa)*", "--measures", "--json").document["measures"]
    assert (measures["star_free"], measures["ac0"], measures["states"]) == (False, True, 2)


def test_drawing(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "aa.svg"
    done = longreach("language", "(aa)*", "--draw", path, "--json")
    assert done.code == 0
    assert path.read_text(encoding="utf-8").startswith("<svg")
    assert done.document["task"] == "regex:(aa)*"


@pytest.mark.parametrize(("name", "begins"), [("aa.pdf", b"%PDF"), ("aa.PNG", b"\x89PNG"), ("aa", b"<svg")])
def test_drawings_of_other_kinds(longreach: Call, tmp_path: Path, name: str, begins: bytes) -> None:
    done = longreach("language", "(a|b)*$b", "--alphabet", "ab$", "--draw", tmp_path / name)
    assert (done.code, done.err) == (0, f"wrote {tmp_path / name}\n")
    assert (tmp_path / name).read_bytes().startswith(begins)


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


@pytest.mark.parametrize(
    ("regex", "warning"),
    [
        ("regex:(aa)*", "warning: 'regex:' is read as letters of the expression; leave it out"),
        ("tomita-4", "warning: 'tomita-4' is read as an expression; --name tomita-4 is the language"),
        ("(aa)*", ""),
    ],
)
def test_what_is_meant_as_a_name_is_read_as_an_expression_with_a_warning(
    longreach: Call, regex: str, warning: str
) -> None:
    done = longreach("language", regex, "--json", "--verdicts")
    assert done.code == 0
    assert done.document["task"] == f"regex:{regex}"
    assert done.err.startswith(warning)
    assert bool(done.err) == bool(warning)


@pytest.mark.parametrize(
    "options",
    ["", "--json", "--why --explain --measures", "--program --predictor --json", "--verdicts --json"],
)
def test_forecast_with_a_convention_says_the_same(longreach: Call, options: str) -> None:
    for expression, convention in (("(a|b)*b", "last-letter"), ("a*b*", "eos")):
        if convention == "eos" and "--program" in options:
            continue
        asked = ["--convention", convention, *options.split()]
        assert longreach("forecast", f"regex:{expression}", *asked) == longreach(
            "language", expression, *asked
        )


def test_forecast_shows_of_a_language_what_language_does(longreach: Call, tmp_path: Path) -> None:
    drawing = tmp_path / "automaton.svg"
    options = ["--measures", "--predictor", "--explain", "--draw", drawing]
    shown = longreach("forecast", "tomita-4", *options)
    assert shown.err == f"wrote {drawing}\n"
    assert drawing.read_text(encoding="utf-8").startswith("<svg")
    assert "Why not C-RASP[∅] (NoPE)" in shown.out
    assert "star-free" in shown.out
    document = longreach("forecast", "tomita-4", "--measures", "--predictor", "--json").document
    told = longreach("language", "--name", "tomita-4", "--measures", "--predictor", "--json").document
    assert document["measures"] == told["measures"]
    assert document["ape"]["predictor"] == told["ape"]["predictor"]
    assert "certificate" not in longreach("forecast", "tomita-4", "--verdicts", "--json").document["ape"]
    (tmp_path / "list").write_text("(aa)*\n(ab\n")
    listed = longreach("forecast", "--file", tmp_path / "list", "--json")
    assert listed == longreach("language", "--file", tmp_path / "list", "--json")
    assert listed.code == 2
