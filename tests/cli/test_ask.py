"""Tests of `cli.ask`."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from longreach.cli import ask as command
from longreach.cli.screen import Screen
from longreach.runs import timed as timed_training
from tests.cli.conftest import Call
from tests.helpers.asked_results import asked
from tests.helpers.made_up_training import replace_training


def test_theory_alone_writes_nothing(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = longreach("advise", "parity", "--minutes", 0)
    assert done.code == 0
    assert "What would help, by theory" in done.out
    assert "longreach train parity+scratchpad --encoding coupled-local --seeds 3" in done.out
    document = longreach("advise", "parity", "--minutes", 0, "--json").document
    assert (document["page"], document["original"]) == (None, None)
    assert list(tmp_path.iterdir()) == []


def test_what_was_tried(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: member.encoding == "coupled-local")
    done = longreach("advise", "copy-repeat", "--runs", tmp_path)
    assert done.code == 0
    row = next(line for line in done.out.splitlines() if line.startswith("copy-repeat with coupled-local"))
    assert row.split()[3:] == ["100.0", "%", "100.0", "%", "100.0", "%", "2", "of", "2", "runs", "work"]
    assert "copy-repeat with coupled-local works" in (tmp_path / "advise-copy-repeat.html").read_text("utf-8")
    out = tmp_path / "mine.html"
    document = longreach("advise", "copy-repeat", "--runs", tmp_path, "--out", out, "--json").document
    assert document["page"] == str(out)
    assert document["advice"][0]["works"] is True
    assert out.is_file()


def test_an_interruption_shows_what_there_is(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_training(monkeypatch, lambda member: None, interrupt=True)
    done = longreach("advise", "parity", "--runs", tmp_path)
    assert done.code == 130
    assert "no run has finished" in done.out
    assert "run the same command again to resume" in done.err


BOTH = ("--encoding", "nope", "--encoding", "ape")


def test_one_screen(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked("aa", tmp_path, {"nope": 0, "ape": 3})
    for columns, most in ((60, 35), (80, 26), (140, 26)):
        monkeypatch.setattr(command, "console", partial(Screen, width=columns, highlight=False))
        done = longreach("ask", "aa", *BOTH, "--runs", tmp_path)
        assert done.code == 0
        lines = done.out.splitlines()
        assert max(map(len, lines)) <= columns
        assert len(lines) <= most
        assert lines[0].startswith("(aa)*")
        assert "Will it work on inputs longer than it was trained on?" in lines
        assert "The measured runs agree with the forecast." in lines
    page = tmp_path / "ask-aa.html"
    assert "Will it work on inputs longer" in page.read_text(encoding="utf-8")


TRAILING = "lambda w: (len(w) - len(w.rstrip('a'))) % 2 == 0"


@pytest.mark.parametrize(
    "task",
    [
        ["aa"], ["regex:(a|b)*bb(a|b)*"], ["addition"], ["parity"], ["majority"], ["tomita-5"],
        ["--python", TRAILING, "--alphabet", "ab"],
    ],
)  # fmt: skip
def test_a_forecast_alone_is_a_few_lines_and_why_says_the_rest(
    longreach: Call, monkeypatch: pytest.MonkeyPatch, task: list[str]
) -> None:
    monkeypatch.setattr(command, "console", partial(Screen, width=80, highlight=False))
    done = longreach("ask", *task, "--minutes", 0)
    lines = done.out.splitlines()
    assert len(lines) <= 15
    assert max(map(len, lines)) <= 80
    assert "Forecast only: nothing was trained. --why says more" in lines[-1]
    assert len(longreach("ask", *task, "--minutes", 0, "--why").out.splitlines()) > len(lines)


def test_the_command_repeats_a_function_that_was_typed(longreach: Call) -> None:
    done = longreach("ask", "--python", "lambda w: len(w) > 3", "--alphabet", "ab", "--minutes", 0)
    assert "longreach ask --python 'lambda w: len(w) > 3' --alphabet ab measures it" in done.out


def test_the_document(longreach: Call, tmp_path: Path) -> None:
    asked("aa", tmp_path, {"nope": 0, "ape": 3})
    done = longreach("ask", "aa", *BOTH, "--runs", tmp_path, "--json", "--out", tmp_path / "mine.html")
    assert done.code == 0
    document = done.document
    assert document["page"] == str(tmp_path / "mine.html")
    assert (tmp_path / "mine.html").is_file()
    assert document["judgement"] == "agrees"


def test_the_forecast_alone_writes_nothing(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = longreach("ask", "regex:(ab)*", "--minutes", 0, "--json")
    assert (done.code, done.document["page"]) == (0, None)
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_shows_what_there_is_ask(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(timed_training, "train_pending", interrupted)
    done = longreach("ask", "binary-majority", "--runs", tmp_path)
    assert done.code == 130
    assert "no run has finished" in done.out
    assert "run the same command again to resume" in done.err
    assert done.err.count("interrupted") == 1


def test_it_measures(longreach: Call, tmp_path: Path) -> None:
    """A few seconds of real training, and again without any."""
    command = (
        "ask",
        "binary-majority",
        "--minutes",
        0.3,
        "--seeds",
        1,
        "--encoding",
        "nope",
        "--runs",
        tmp_path,
    )
    first = longreach(*command, "--json")
    assert first.code == 0
    document = first.document
    assert document["measured"][0]["runs"] == 1
    again = longreach(*command, "--json").document
    assert again["measured"][0] == document["measured"][0]


def test_models_with_wrong_options_are_refused(longreach: Call) -> None:
    wrong = {
        "deltanet(signed=tru)": "'signed=tru' is not KEY=VALUE with a JSON value",
        "lstm(signed=true)": "lstm has no option 'signed'; it has state_passing",
        "decoder,lsmt": "unknown model 'lsmt'; did you mean 'lstm' or 'ssm'?",
    }
    for models, reason in wrong.items():
        done = longreach("ask", "parity", "--models", models, "--minutes", 0)
        assert (done.code, done.err) == (2, f"--models: {reason}\n"), models


def test_other_questions_do_not_compare_models(longreach: Call) -> None:
    for other in (["--try"], ["--to", 30], ["--lengths", "5,6"]):
        done = longreach("ask", "parity", "--models", "lstm", *other)
        assert done.code == 2
        assert done.err.startswith(f"--models: cannot be used with {other[0]}")


def test_a_misspelled_name_of_a_model_is_refused_without_training(longreach: Call) -> None:
    wrong = {
        ("--models", "hf:missing.json"): "missing.json: no such file or directory",
        (
            "--models",
            "longreach.models.module:factori",
        ): "no attribute 'factori'; did you mean 'Factory' or 'factory'?",
        ("--encoding", "longreach.models.encodings:Encodin"): "did you mean 'Encoding'",
    }
    for (option, name), reason in wrong.items():
        done = longreach("ask", "parity", option, name, "--minutes", 0)
        assert done.code == 2
        assert done.err.startswith(f"{option}: ")
        assert reason in done.err


def test_a_function_without_an_answer_is_refused_before_the_first_line(longreach: Call) -> None:
    done = longreach("ask", "--python", "lambda w: None", "--alphabet", "ab", "--minutes", 0)
    assert (done.code, done.out) == (2, "")
    assert "gives None; expected a list of tokens" in done.first_error


def test_an_encoding_of_ones_own_has_no_theory(longreach: Call) -> None:
    own = ("--encoding", "longreach.models.encodings:Encoding")
    done = longreach("ask", "parity", *own, "--minutes", 0)
    assert "no theory for an encoding of your own" in done.out


def test_what_a_function_prints_is_not_shown(longreach: Call) -> None:
    talks = "lambda w: print('called') or len(w) > 3"
    done = longreach("ask", "--python", talks, "--alphabet", "ab", "--minutes", 0)
    assert "\ncalled" not in done.out
    assert done.err == "warning: output printed by python is not shown\n"
