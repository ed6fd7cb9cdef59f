"""Cascades as decoders, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longreach.training.checkpoint import load_model
from tests.cli.conftest import Call

COMPILE = ("crasp", "compile")


def test_a_task(longreach: Call, tmp_path: Path) -> None:
    out = tmp_path / "model"
    done = longreach(*COMPILE, "regex:(a|bb)*", "--encoding", "reach", "--out", out, "--verify", 4, "--json")
    document = done.document
    assert done.code == 0
    assert (document["kind"], document["modulus"], document["levels"], document["layers"]) == (
        "decoder", 2, 1, 1,
    )  # fmt: skip
    assert document["verified"]["agrees"] is True
    assert document["verified"]["longest"] == 1000
    _, shape = load_model(out / "model.safetensors")
    assert (getattr(shape, "encoding", ""), getattr(shape, "reach_modulus", 0)) == ("reach", 2)
    # Its certificate compiles to the same.
    written = json.loads((out / "config.json").read_text())
    (tmp_path / "cascade.json").write_text(json.dumps(written["certificate"]))
    again = longreach(*COMPILE, tmp_path / "cascade.json", "--encoding", "reach", "--json").document
    assert {key: again[key] for key in ("layers", "heads", "units", "error")} == {
        key: document[key] for key in ("layers", "heads", "units", "error")
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["regex:(a|ba*b)*"], 'regex:(a|ba*b)*: no cascade answers it: "b" cycles through 2 states'),
        (["majority"], "majority: the task is not given by an automaton"),
        (["regex:a*", "--context", "4"], "--context: cannot be used with --encoding"),
        (["regex:a*", "--dtype", "bfloat16"], "--dtype: decoders are stored in float32"),
        (["no-such-task"], "no task named 'no-such-task'"),
    ],
)
def test_refusals(longreach: Call, arguments: list[str], message: str) -> None:
    done = longreach(*COMPILE, *arguments, "--encoding", "reach")
    assert done.code == 2
    assert message in done.err


def test_a_file_that_is_no_cascade(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    wrong = {
        "kind": "cascade", "modulus": 1, "levels": [], "states": [[0]], "answers": ["x"], "layers": 0,
        "machine": {"alphabet": ["a"], "transitions": [[1], [0]], "outputs": ["x", "y"]},
    }  # fmt: skip
    for content, message in (
        ("[]", "a certificate is a JSON object"),
        ('{"kind": "none", "reason": "undecided"}', "expected a cascade, not 'none'"),
        ("{", "it.json"),
        (json.dumps(wrong), "one state of the cascade stands for two answers"),
    ):
        path.write_text(content)
        done = longreach(*COMPILE, path, "--encoding", "reach")
        assert done.code == 2
        assert message in done.err


def test_other_encodings_are_not_compiled_for(longreach: Call) -> None:
    done = longreach(*COMPILE, "regex:a*", "--encoding", "rope")
    assert done.code == 2
    assert "--encoding: 'rope' cannot be compiled for; reach can" in done.err
