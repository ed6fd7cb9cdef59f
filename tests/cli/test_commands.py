"""The table of commands is what the commands say of themselves."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
import typer

from longreach.cli.commands import COMMANDS, COMPLETION
from longreach.cli.main import _command_line, readable_help
from tests.cli.conftest import Outcome

Call = Callable[..., Outcome]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_line_of_the_list_is_the_first_sentence_of_the_help(name: str) -> None:
    module = import_module(f"longreach.cli.{COMMANDS[name].module or name}")
    function = COMMANDS[name].function
    said = module.app.info.help if function is None else inspect.getdoc(getattr(module, function))
    assert " ".join(said.split("\n\n")[0].split()) == COMMANDS[name].about


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_own_help(longreach: Call, name: str) -> None:
    done = longreach(name, "--help")
    assert done.code == 0
    assert f"Usage: longreach {name}" in done.out
    assert "Stands in the list only" not in done.out


def _parsed(out: str) -> str:
    """The example of a help text: one line, as it is to be copied."""
    (line,) = [each for each in out.splitlines() if each.startswith("  Example: ")]
    return line.removeprefix("  Example: ")


def _all_commands(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Every command by its words, those of groups as well."""
    monkeypatch.setenv(COMPLETION, "known whole")
    found = {}
    left = {"": readable_help(typer.main.get_command(_command_line([])))}
    while left:
        words, command = left.popitem()
        found[words] = command
        left |= {f"{words} {name}": each for name, each in getattr(command, "commands", {}).items()}
    return found


def test_every_command_has_an_example_of_its_own_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = _all_commands(monkeypatch)
    assert len(commands) > len(COMMANDS) + 15
    for words, command in commands.items():
        example = _parsed(command.get_help(typer.Context(command, terminal_width=50)))
        assert f"longreach{words} " in f"{example} ", words


def test_no_sentence_of_a_list_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    for words, command in _all_commands(monkeypatch).items():
        assert "..." not in command.get_help(typer.Context(command)).partition("Commands:")[2], words


def test_options_have_words_for_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    for words, command in _all_commands(monkeypatch).items():
        options = command.get_help(typer.Context(command)).rpartition("Options:")[2]
        assert not re.search("<(int|float|str|path|bool)( range)?>", options), words


@pytest.mark.skipif(sys.platform == "win32", reason="left out: needs a pseudo-terminal")
@pytest.mark.parametrize("arguments", [["--help"], ["crasp", "--help"], ["train", "--help"]])
def test_help_is_the_same_in_a_terminal(arguments: list[str]) -> None:
    import pty

    command = [sys.executable, "-m", "longreach", *arguments]
    environment = os.environ | {"COLUMNS": "80", "TERM": "xterm-256color"}
    piped = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    leader, follower = pty.openpty()
    with subprocess.Popen(command, stdout=follower, env=environment) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                part = os.read(leader, 1 << 16)
            except OSError:  # how Linux says that the other end is closed
                break
            if not part:
                break
            shown += part
    os.close(leader)
    assert process.returncode == 0
    assert shown.decode().replace("\r\n", "\n") == piped


def test_the_list_has_all_commands_in_order(longreach: Call) -> None:
    lines = longreach("--help").out.splitlines()
    listed = [line.split()[0] for line in lines if line.split() and line.split()[0] in COMMANDS]
    assert listed == list(COMMANDS)
