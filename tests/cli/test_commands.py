"""The table of commands is what the commands say of themselves."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module

import pytest

from longreach.cli.commands import COMMANDS
from tests.cli.conftest import Outcome

Call = Callable[..., Outcome]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_line_of_the_list_is_the_first_sentence_of_the_help(name: str) -> None:
    module = import_module(f"longreach.cli.{name}")
    function = COMMANDS[name].function
    said = module.app.info.help if function is None else inspect.getdoc(getattr(module, function))
    assert " ".join(said.split("\n\n")[0].split()) == COMMANDS[name].about


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_own_help(longreach: Call, name: str) -> None:
    done = longreach(name, "--help")
    assert done.code == 0
    assert f"Usage: longreach {name}" in done.out
    assert "Stands in the list only" not in done.out


def test_the_list_has_all_commands_in_order(longreach: Call) -> None:
    lines = longreach("--help").out.splitlines()
    listed = [line.split()[0] for line in lines if line.split() and line.split()[0] in COMMANDS]
    assert listed == list(COMMANDS)
