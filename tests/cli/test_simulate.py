"""The simulate command: documents, text, figures, and what bad input gets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longreach.models.counting import RegressionShape
from tests.cli.conftest import Call
from tests.helpers.trained_numbers import saved_numbers


def test_document_of_one_model(longreach: Call) -> None:
    done = longreach("simulate", "hand:simple-task", "random:50000", "--error", 0.2, "--json")
    document = done.document
    assert (done.code, done.err) == (0, "")
    assert document["length"] == len(document["z"]) <= document["bound"]
    assert document["errors"]["f"] == document["errors"]["g"] <= 0.2
    assert (document["construction"], document["case"]) == ("one layer, finite precision", "shared")
    assert (document["precision"], document["word_length"]) == (8, 50_000)
    assert document["bound"] == max(document["terms"].values())
    assert document["hard_from"] == 3  # 2^(8/4) positions, $ among them
    numbers = document["quantities"]
    assert numbers["first"] > 8 * (numbers["classes"] + numbers["kept"]) / numbers["tolerance"]


def test_document_of_a_pair(longreach: Call) -> None:
    document = json.loads(
        longreach(
            "simulate", "hand:modp-task:period=2", "random:60000:7", "--error", 0.3,
            "--against", "hand:modp-task:period=3,residue=2", "--precision", 4, "--json",
        ).out
    )  # fmt: skip
    assert max(document["errors"].values()) <= 0.3
    assert (document["word_length"] - document["length"]) % 6 == 0
    assert document["errors"]["f"] != document["errors"]["g"]


def test_document_of_two_layers(longreach: Call) -> None:
    document = json.loads(
        longreach(
            "simulate", "hand:kgram-head:match=8", "random:20000", "--error", 1, "--length", 2000, "--json"
        ).out
    )
    assert document["construction"] == "two layers, infinite precision"
    assert document["length"] == len(document["z"]) <= document["bound"]
    assert document["statistics"]["suffix"] <= document["promised"]["suffix"]
    assert document["rate"] == pytest.approx(2000 ** (-1 / 3))


def test_a_bound_out_of_reach_is_null(longreach: Call) -> None:
    document = json.loads(
        longreach("simulate", "hand:simple-task", "0012", "--error", 1, "--precision", 1000, "--json").out
    )
    assert (document["bound"], document["z"], document["case"]) == (None, list("0012"), "x itself")
    assert document["errors"] == {"f": 0.0, "g": 0.0}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (
            ("hand:simple-task", "0012", "--error", 1, "--precision", 1000),
            "with weights rounded to 1000 bits attention is not hard at any length in reach, and this",
        ),
        (
            ("hand:simple-task", "0012", "--error", 1, "--precision", 40),
            "with weights rounded to 40 bits attention is not hard below 1,023 tokens, and this word has 4",
        ),
        (
            ("hand:induction-head", "random:200", "--error", 1),
            "words of up to 131,925 tokens may be needed for this error, and this one has 200",
        ),
    ],
)
def test_it_says_when_nothing_can_be_shortened(
    longreach: Call, arguments: tuple[object, ...], why: str
) -> None:
    lines = longreach("simulate", *arguments).out.splitlines()
    assert lines[2].startswith(f"  Nothing can be shortened: {why}")
    assert len(lines) == 4  # and its formula


def test_errors_above_the_range_of_outputs_are_refused(longreach: Call) -> None:
    one = longreach("simulate", "hand:simple-task", "random:100", "--error", 2.5)
    two = longreach("simulate", "hand:induction-head", "random:100", "--error", 3)
    assert (one.code, one.err) == (2, "--error: 2.5 is above the range of outputs, which is 1.683\n")
    assert (two.code, two.err) == (
        2,
        "--error: 3 is above the range of the statistics of a word, which is 2\n",
    )


def test_text_counts_runs_and_shows_the_promise(longreach: Call) -> None:
    lines = longreach("simulate", "hand:simple-task", "random:50000", "--error", 0.2).out.splitlines()
    assert lines[0] == "hand:simple-task   one layer, finite precision"
    assert lines[3].split()[0].startswith("0×")
    assert lines[4].endswith("promised ≤ 0.2")
    assert lines[-1].startswith("  bound = max{")


def test_models_and_words_from_files(longreach: Call, tmp_path: Path) -> None:
    assert longreach("limit", "build", "hand:simple-task:omega=2", "--out", tmp_path / "model").code == 0
    (tmp_path / "word").write_text("0 0 1 2\n" * 2000)
    document = json.loads(
        longreach("simulate", tmp_path / "model", f"@{tmp_path / 'word'}", "--error", 1, "--json").out
    )
    assert document["word_length"] == 8000
    assert document["length"] < 8000


@pytest.mark.parametrize(
    "arguments",
    [
        ("hand:simple-task", "random:20000", "--error", 1),
        ("hand:induction-head:tokens=ab", "random:2000", "--error", 1, "--length", 300),
    ],
)
def test_figures(longreach: Call, tmp_path: Path, arguments: tuple[object, ...]) -> None:
    figure = tmp_path / "errors.svg"
    done = longreach("simulate", *arguments, "--plot", figure, "--json")
    assert (done.code, done.err) == (0, f"wrote {figure}\n")
    assert b"<svg" in figure.read_bytes()


def test_models_are_listed_and_bounded(longreach: Call) -> None:
    names = [each["name"] for each in longreach("limit", "models", "--json").document]
    assert names == ["hand:simple-task", "hand:modp-task", "hand:induction-head", "hand:kgram-head"]
    for name in names:
        assert name in longreach("limit", "models").out
        assert longreach("limit", "info", name, "--json").document["kind"] == "limit"
        assert longreach("bound", name, "--error", 0.1, "--precision", 8, "--json").document["bounds"]


def test_a_model_built_by_hand_against_a_trained_one(longreach: Call, tmp_path: Path) -> None:
    shape = RegressionShape(symbols=2, outputs=2, layers=2, width=4, hidden=8, locality=1)
    run = saved_numbers(shape, tmp_path / "kgram")
    done = longreach(
        "simulate", "hand:kgram-head:tokens=01,k=1", "random:20000", "--error", 1, "--length", 1000,
        "--against", run, "--json",
    )  # fmt: skip
    document = done.document
    assert 0 < document["errors"]["g"] < 0.5
    assert document["length"] <= document["bound"]


def test_models_trained_without_the_logarithm_are_refused(longreach: Call, tmp_path: Path) -> None:
    shape = RegressionShape(symbols=3, outputs=1, layers=1, width=4, hidden=8)
    run = saved_numbers(shape, tmp_path / "plain")
    first = longreach("simulate", run, "random:100", "--error", 1)
    second = longreach("simulate", "hand:simple-task", "random:100", "--error", 1, "--against", run)
    assert (first.code, second.code) == (2, 2)
    assert first.err.startswith("MODEL: trained without log|x|")
    assert second.err.startswith("--against: trained without log|x|")
