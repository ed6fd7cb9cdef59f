"""Options change tasks; and each setting is an option of `longreach train`, explained as its field."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from longreach.cli import train
from longreach.cli.options import Changes
from longreach.cli.training_options import given_settings, setting_names
from longreach.config.run import FROM_PYTHON_ONLY, RunConfig, option_name
from longreach.errors import InputError
from tests.cli.conftest import Call

# What people and scripts type must stay.
OPTIONS = [
    "--encoding", "--alphabet", "--layers", "--heads", "--width", "--lr", "--batch", "--max-steps",
    "--warmup", "--schedule", "--train-lengths", "--test-lengths", "--test-size", "--evaluate-every",
    "--stop-early", "--train-on", "--scale", "--layer-norm", "--no-layer-norm", "--log-length",
    "--no-log-length", "--tied", "--untied", "--offsets",
    "--dtype", "--penalty", "--compile", "--no-compile", "--seed", "--seeds", "--search", "--engine",
    "--workers", "--address", "--gpus", "--partition", "--time-limit", "--device", "--stack",
    "--dry-run", "--runs", "--json",
]  # fmt: skip


def test_all_options_are_there(longreach: Call) -> None:
    text = longreach("train", "--help").out
    found = set(re.findall(r"(?<!\S)--[a-z][a-z-]+", text))
    assert found - {"--help"} >= set(OPTIONS)


def test_every_field_is_an_option_with_its_help(longreach: Call) -> None:
    text = " ".join(longreach("train", "--help").out.split())
    for name, field in RunConfig.model_fields.items():
        if name in FROM_PYTHON_ONLY:
            assert option_name(name) not in text
        else:
            assert field.description is not None
            assert field.description in text


def test_what_is_not_given_is_left_to_the_scale(longreach: Call) -> None:
    parameters = inspect.signature(train.train).parameters
    assert given_settings({name: parameters[name].default for name in setting_names()}) == {}
    text = " ".join(longreach("train", "--help").out.split())
    assert "[default: 64]" in text
    assert "[default: linear]" in text


def test_texts_are_read_at_their_option() -> None:
    values = {"train_lengths": "1:9", "test_lengths": "10:18,19:27", "alphabet": "ab", "stop_early": False}
    assert given_settings(values) == {
        "train_lengths": (1, 9), "test_lengths": ((10, 18), (19, 27)), "alphabet": ("a", "b"),
        "stop_early": False,
    }  # fmt: skip
    with pytest.raises(InputError, match=r"^test_lengths: '9' is not a range of lengths, as in 1:50"):
        given_settings({"test_lengths": "9"})


def test_an_alphabet_may_be_divided() -> None:
    for text in ("ab", "a b", "a,b"):
        assert given_settings({"alphabet": text}) == {"alphabet": ("a", "b")}
    with pytest.raises(InputError, match="alphabet: 'ab' is not a letter"):
        given_settings({"alphabet": "ab,c"})


def test_names() -> None:
    assert Changes(scratchpad=True).of("regex:a+") == "regex:a++scratchpad"


def test_options_are_names(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = longreach("forecast", "parity", "--scratchpad", "--json")
    assert done.document["task"] == "parity+scratchpad"
    assert longreach("forecast", "parity+scratchpad", "--json").document["task"] == "parity+scratchpad"
    planned = longreach("train", "addition", "--reversed", "--dry-run", "--json").document
    assert planned["config"]["task"] == "addition+reversed"
    asked = longreach("ask", "parity", "--scratchpad", "--minutes", 0, "--json").document
    assert asked["task"] == "parity+scratchpad"
    wrong = longreach("forecast", "sort", "--scratchpad")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.first_error == "TASK: sort+scratchpad: no steps are known that could be written down"
