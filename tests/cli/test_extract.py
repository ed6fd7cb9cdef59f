"""The command `longreach extract`: one document, and one line for what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longreach.experiments import resolve
from longreach.models.trainable import initial
from longreach.results.files import write_result
from longreach.training.checkpoint import save_model
from longreach.training.shape import model_of
from tests.cli.conftest import Outcome
from tests.helpers.result_samples import sample

Call = Callable[..., Outcome]


ONLY = "of each answer only the first token is asked for"


def _run(runs: Path, task: str, **given: Any) -> Path:
    """Of a model that has learned nothing."""
    few = {"train_lengths": (1, 6), "test_lengths": [(7, 9)], "test_size": 10, "max_steps": 2}
    config = resolve(task, layers=1, heads=1, width=8, **few, **given)
    save_model(runs / config.key, initial(model_of(config), 0), model_of(config))
    write_result(runs, sample().model_copy(update={"key": config.key, "config": config.document()}))
    return runs / config.key


def test_document_and_words(longreach: Call, tmp_path: Path) -> None:
    run = _run(tmp_path, "regex:(a|b)*b", alphabet=("a", "b"))
    done = longreach("extract", run, "--json")
    assert done.code == 0
    document = json.loads(done.out)
    assert [each["lengths"] for each in document["agreement"]] == ["1-6", "7-9"]
    assert document["automaton"] is not None or document["reason"] is not None
    assert bool(document["programs"]) == (document["no_programs"] is None)
    shown = longreach("extract", run)
    assert shown.code == 0
    assert "1–6: of 100 inputs the model is right on " in shown.out
    assert ("where this program accepts (" in shown.out) == any(
        each["program"] for each in document["programs"]
    )
    assert ("  no program: it says " in shown.out) == (document["programs"] == [])


@pytest.mark.parametrize(
    ("task", "asked"), [("parity", "all"), ("regex:(aa)*", "all"), ("copy-repeat", "first token")]
)
def test_says_where_only_the_first_token_is_asked_for(
    longreach: Call, tmp_path: Path, task: str, asked: str
) -> None:
    run = _run(tmp_path, task)
    few = ("--seconds", 0.5)
    assert json.loads(longreach("extract", run, *few, "--json").out)["asked"] == asked
    assert (ONLY in longreach("extract", run, *few).out) == (asked == "first token")


def test_no_run(longreach: Call, tmp_path: Path) -> None:
    done = longreach("extract", tmp_path / "none")
    assert done.code == 2
    assert done.out == ""
    assert done.err.splitlines()[0].endswith("no model.safetensors and result.json there")
    assert longreach("extract", tmp_path, "--seconds", "-1").code == 2
