from __future__ import annotations

import shlex
from typing import Any

import pytest
from hypothesis import given, strategies

from longreach.cli.main import run
from longreach.report.train_command import command, train_command
from longreach.results.cells import without_seed
from tests.helpers.report_samples import config


@pytest.mark.parametrize(
    ("task", "encoding", "given"),
    [
        ("parity", "ape", {}),
        ("aa", "nope", {"batch": 16, "lr": 3e-05, "stop_early": False, "compile": True, "max_steps": 77}),
        ("tomita-4", "ape", {"penalty": 1e-4, "offsets": "none", "tied": False, "layer_norm": False}),
        ("regex:(a|'b')*", "rope", {"alphabet": ("a", "b", "'"), "log_length": True, "dtype": "bfloat16"}),
        ("reverse", "ape", {"predict_ids": True, "max_position": 99}),
        ("sort", "rope", {"position_ids": "pose"}),
        (
            "sort",
            "nope",
            {"train_lengths": (2, 7), "test_lengths": ((9, 9), (11, 12)), "schedule": "constant"},
        ),
    ],
)
def test_the_command_makes_the_same_configuration(task: str, encoding: str, given: dict[str, Any]) -> None:
    pytest.importorskip("torch", reason="left out: needs PyTorch")
    from longreach.experiments.resolve import resolve

    member = resolve(task, encoding, **given)
    for seeds in ([0, 1, 2], [5]):
        command = train_command(without_seed(member.document()), seeds)
        assert command is not None
        program, *words = shlex.split(command)
        assert program == "longreach"
        assert _keys(words) == {member.model_copy(update={"seed": seed}).key for seed in seeds}


def _keys(words: list[str]) -> set[str]:
    """The keys of the members that a command line asks for, caught where they would be trained."""
    from longreach.cli import train

    caught: set[str] = set()

    def plan(configs: Any, *_: object) -> None:
        caught.update(one.key for one in configs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train, "_plan", plan)
        assert run([*words, "--dry-run"]) == 0
    return caught


def test_a_configuration_from_elsewhere_has_no_command() -> None:
    assert train_command(without_seed(config("aa", "ape", 0)), [0]) is None


@given(strategies.text())
def test_whatever_a_task_is_called_a_shell_reads_one_word(name: str) -> None:
    found = command("longreach", "forecast", name, "--json")
    if found is None:
        assert name.startswith("-") or not name.isprintable()
    else:
        assert shlex.split(found) == ["longreach", "forecast", name, "--json"]
        assert "\n" not in found


def test_no_command_finds_an_object_of_a_python_session() -> None:
    assert command("longreach", "train", "object:mine@0123456789ab", "--seeds", "3") is None
    assert command("longreach", "results", "list", "--task=object:mine@0123456789ab") is not None
