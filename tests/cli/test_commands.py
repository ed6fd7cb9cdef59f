"""The table of commands: every name, its help, and what is loaded for it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from longreach.cli.commands import ALIASES, COMMANDS, GROUPS, load_command
from longreach.cli.main import command_line
from tests.cli.conftest import Call


@pytest.mark.parametrize("name", [*COMMANDS, *ALIASES])
def test_every_command_has_its_own_help(longreach: Call, name: str) -> None:
    done = longreach(*name.split(), "--help")
    assert done.code == 0
    assert f"Usage: longreach {name} " in done.out
    options = done.out.rpartition("Options:")[2]
    assert not re.search("<(int|float|str|path|bool)( range)?>", options)
    assert "..." not in options
    (example,) = [each for each in done.out.splitlines() if each.startswith("  Example: ")]  # to be copied
    assert f"longreach {ALIASES.get(name, name)} " in f"{example} " or f"longreach {name} " in f"{example} "


@pytest.mark.parametrize("name", COMMANDS)
def test_a_line_of_the_list_is_the_first_sentence_of_the_help(name: str) -> None:
    assert load_command(name).short_help == COMMANDS[name].about


def test_the_list_fits_a_screen_and_has_all_commands_in_order(longreach: Call) -> None:
    lines = longreach("--help").out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    listed = [found[1] for line in lines if (found := re.match(r"  ([a-z]+)  +\S", line))]
    assert listed == [name for name in COMMANDS if " " not in name]
    assert not set(listed) & set(ALIASES)


@pytest.mark.parametrize("group", GROUPS)
def test_groups_list_their_commands_and_know_their_earlier_names(longreach: Call, group: str) -> None:
    below = [name.removeprefix(f"{group} ") for name in COMMANDS if name.startswith(f"{group} ")]
    found: Any = load_command(group)
    names = [name for name in below if " " not in name]
    assert found.list_commands(None) == names
    shown = longreach(*group.split()).out
    assert all(re.search(rf"^  {name}  +\S", shown, re.MULTILINE) for name in names)
    wrong = longreach(*group.split(), "nothing")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err == f"No such command 'nothing'; the commands are {', '.join(names)}\n"


def test_near_names_include_earlier_ones(longreach: Call) -> None:
    assert "did you mean 'language'" in longreach("langauge").err
    assert "did you mean 'train'" in longreach("trian").err


def test_a_command_loads_its_own_module_alone() -> None:
    code = "import sys; from longreach.cli.main import run; run(['doctor', '--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith("longreach.cli.")}
    assert loaded == {f"longreach.cli.{name}" for name in ("commands", "doctor", "main", "options", "output")}


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


def test_the_whole_command_has_a_version_and_completion() -> None:
    assert {"--version", "--install-completion"} <= {
        name for each in command_line().params for name in each.opts
    }


@pytest.mark.parametrize(
    ("now", "earlier"),
    [
        ("ask parity --try --minutes 0", "advise parity --minutes 0"),
        ("ask regex:(aa)* --try --minutes 0 --json", "advise regex:(aa)* --minutes 0 --json"),
        ("ask regex:(aa)* --to 30 --minutes 0 --json", "threshold regex:(aa)* --to 30 --minutes 0 --json"),
        ("ask parity --lengths 5,x", "threshold parity --lengths 5,x"),
        ("ask regex:(aa)* --lengths 4,8 --minutes 0", "threshold regex:(aa)* --lengths 4,8 --minutes 0"),
        ("crasp show", "crasp list"),
        ("crasp show --json", "crasp list --json"),
        ("crasp show lib:dyck-1 --notation paper", "crasp lower lib:dyck-1 --notation paper"),
        ("crasp compare lib:aa regex:(aa)* --prove --json", "crasp check lib:aa (aa)* --prove --json"),
        ("crasp compare lib:tomita-2 regex:1* --json", "crasp check lib:tomita-2 1* --json"),
        ("crasp compare lib:aa lib:aaaa", "crasp equal lib:aa lib:aaaa"),
        ("crasp compare lib:aa --empty --json", "crasp empty lib:aa --json"),
        ("theory bound regex:(aa)* --json", "bound regex:(aa)* --json"),
        ("theory limit models", "limit models"),
        ("theory communicate copy-repeat --max-length 4", "communicate copy-repeat --max-length 4"),
        ("inspect none --automaton --seconds -1", "extract none --seconds -1"),
        ("inspect none --text none --lengths x", "perplexity none none --lengths x"),
        ("inspect none --text none --out x.txt", "perplexity none none --out x.txt"),
        ("report --serve --minutes 0", "serve --minutes 0"),
    ],
)
def test_what_commands_have_absorbed_says_what_it_said(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, now: str, earlier: str
) -> None:
    monkeypatch.chdir(tmp_path)
    said, before = (longreach(*command.split()) for command in (now, earlier))
    assert (said.code, said.err) == (before.code, before.err)
    timed = re.compile(r'"seconds": [\d.]+')
    assert timed.sub("", said.out) == timed.sub("", before.out)


def test_compiling_draws_attention(longreach: Call, tmp_path: Path) -> None:
    figure = tmp_path / "attention.svg"
    done = longreach("crasp", "compile", "lib:dyck-1", "--attend", "(())", "--figure", figure, "--json")
    document = done.document
    assert (document["word"], document["figure"]) == (list("(())"), str(figure))
    assert "<svg" in figure.read_text(encoding="utf-8")
