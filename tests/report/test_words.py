"""Tests of `report.words`."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
from hypothesis import given, strategies
from hypothesis import strategies as st

from longreach.cli.main import run
from longreach.config.encodings import ENCODINGS
from longreach.report.forecast_view import BENCHMARK
from longreach.report.words import (
    command,
    encoding_note,
    encoding_title,
    percent,
    sentence_case,
    slugs,
    task_title,
    train_command,
)
from longreach.runs.cells import without_seed
from longreach.theory.automata.named import NAMED_LANGUAGES
from tests.helpers.report_samples import config


def test_a_language_named_after_its_letters_is_called_by_its_expression() -> None:
    for name, language in NAMED_LANGUAGES.items():
        if not name.startswith(("tomita-", "d-")):
            assert task_title(name) == language.expression


def test_titles_of_the_benchmark_are_different() -> None:
    assert len({task_title(name) for name in BENCHMARK}) == len(BENCHMARK)


@pytest.mark.parametrize("name", ["regex:", "", "os:system", "data:sums.jsonl", "dfa:x.json", "$(x)"])
def test_other_names_stay_what_they_are(name: str) -> None:
    assert task_title(name) == name


@given(st.lists(st.text(max_size=60), unique=True, max_size=8))
def test_links_are_plain_and_different(names: list[str]) -> None:
    found = slugs(names)
    assert len(set(found.values())) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", slug) for slug in found.values())


@given(st.floats(0, 1))
def test_only_all_is_a_hundred_per_cent(share: float) -> None:
    assert (percent(share) == "100\u00a0%") == (share == 1)
    assert (percent(share) == "0\u00a0%") == (share == 0)
    assert not percent(share).startswith(("100.0", "0.0"))


def test_every_encoding_has_words() -> None:
    for name in ENCODINGS:
        assert encoding_title(name) != name
        assert encoding_note(name) in encoding_title(name)
    assert encoding_note("mine") == ""


@given(st.text())
def test_a_sentence_keeps_all_but_its_first_letter(text: str) -> None:
    assert sentence_case(text).endswith(text[1:])


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
    from longreach.runs.resolve import resolve

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
