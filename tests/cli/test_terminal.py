"""What files and arguments hold is shown in a terminal, never obeyed by it."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest

from longreach.cli.output import print_json
from longreach.cli.screen import Screen
from longreach.training.result import write_result
from tests.cli.conftest import Call, Outcome
from tests.helpers.result_samples import sample, sample_failure

CLEAR, TITLE, C1, BIDI = "\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "\u202e\u2066"
EVIL = f"a{CLEAR}{TITLE}{C1}{BIDI}\r\x08\x7f"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def _clean(done: Outcome, *codes: int) -> None:
    assert done.code in codes, done.err
    assert done.out + done.err != ""
    assert not OBEYED.search(done.out + done.err), repr(done.out + done.err)
    assert "internal error" not in done.err


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "token.cr").write_text(f'#alphabet "{EVIL[:-3]}" b\nP = # "{EVIL[:-3]}" >= 1\n', "utf-8")
    (tmp_path / "error.cr").write_text(f'P = # "a" {EVIL[1:-3]} >= 1\n', "utf-8")
    (tmp_path / "predictor.cr").write_text(f'output "{EVIL[:-3]}" = "b"\n', "utf-8")
    automaton = {"initial": EVIL, "accepting": [EVIL], "transitions": {EVIL: {EVIL[:-3]: EVIL, "b": EVIL}}}
    (tmp_path / "dfa.json").write_text(json.dumps(automaton))
    (tmp_path / "list").write_text(f"(a{CLEAR}\nab\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["crasp", "run", "token.cr", EVIL],
        ["crasp", "run", "token.cr", "b"],
        ["crasp", "run", "predictor.cr", f"b {EVIL}"],
        ["crasp", "run", "error.cr", "b"],
        ["crasp", "run", f"no{EVIL}.cr", "b"],
        ["crasp", "trace", "token.cr", f"b {EVIL[:-3]}"],
        ["crasp", "lower", "token.cr"],
        ["crasp", "lower", "token.cr", "--notation", "latex"],
        ["crasp", "lower", "token.cr", "--notation", "paper"],
        ["crasp", "check", "token.cr", "b*"],
        ["crasp", "check", "lib:aa", f"a*{EVIL}"],
        ["crasp", "equal", "token.cr", "lib:aa"],
        ["crasp", "equal", "token.cr", "token.cr"],
        ["crasp", "compile", "token.cr", "--verify", "2"],
        ["crasp", f"ru{EVIL}"],
        ["language", "--dfa", "dfa.json", "--program", "--explain"],
        ["language", f"(a{CLEAR})*"],
        ["language", "--file", "list", "--json"],
        ["forecast", f"regex:a{CLEAR}*"],
        ["forecast", f"dfa{EVIL}"],
        ["forecast", "crasp:token.cr"],
        ["tasks", EVIL],
        ["train", f"regex:a{CLEAR}(", "--dry-run"],
        ["train", f"crasp:no{EVIL}.cr"],
        ["limit", "info", f"no{EVIL}"],
        ["results", "list", "--runs", f"no{EVIL}"],
    ],
)
def test_commands_show_what_they_read(longreach: Call, directory: Path, arguments: list[str]) -> None:
    _clean(longreach(*arguments), 0, 1, 2)


@pytest.mark.parametrize(
    "arguments",
    [
        ["crasp", "run", "predictor.cr", "b"],
        ["crasp", "trace", "token.cr", "b"],
        ["crasp", "lower", "token.cr"],
        ["language", "--dfa", "dfa.json"],
        ["forecast", "crasp:token.cr"],
    ],
)
def test_documents_escape_what_they_hold(longreach: Call, directory: Path, arguments: list[str]) -> None:
    done = longreach(*arguments, "--json")
    _clean(done, 0)
    assert CLEAR in json.dumps(done.document, ensure_ascii=False).replace("\\u001b", "\x1b")


def test_certificates(longreach: Call, directory: Path) -> None:
    document = longreach("language", "(a|b)*b", "--json").document
    document["task"] = f"regex:{EVIL}"
    (directory / "certificate.json").write_text(json.dumps(document))
    _clean(longreach("verify", "certificate.json"), 0, 1, 2)
    document["nope"]["certificate"]["kind"] = EVIL
    document["nope"]["class"] = EVIL
    (directory / "certificate.json").write_text(json.dumps(document))
    _clean(longreach("verify", "certificate.json"), 0, 1, 2)
    _clean(longreach("verify", "certificate.json", "--json"), 0, 1, 2)


@pytest.mark.parametrize("command", [["list"], ["show"], ["export"]])
def test_results(
    longreach: Call, tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if command == ["export"]:  # a table goes to a pipe as it is, and to a terminal so that it shows
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    result = sample(config={"task": EVIL, "encoding": EVIL})
    for each in (result, sample_failure(1, error=EVIL)):
        write_result(tmp_path, each)
    chosen = [result.key] if command == ["show"] else []
    _clean(longreach("results", *command, *chosen, "--runs", tmp_path), 0, 1, 2)
    _clean(longreach("results", *command, *chosen, "--runs", tmp_path, "--json"), 0, 1, 2)


def test_json_reads_back(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({EVIL: [EVIL, float("nan"), {"x": float("-inf")}]})
    text = capsys.readouterr().out
    assert not OBEYED.search(text)
    assert json.loads(text, parse_constant=pytest.fail) == {EVIL: [EVIL, None, {"x": None}]}


def test_colours_of_ones_own_stay() -> None:
    stream = io.StringIO()
    shown = Screen(file=stream, force_terminal=True, color_system="standard", highlight=False)
    shown.print("[red]no[/red]", end=" ")
    shown.print(CLEAR, markup=False)
    assert stream.getvalue() == "\x1b[31mno\x1b[0m \\x1b[2J\n"
