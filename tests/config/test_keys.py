"""Keys name results on disk: a change of the code must not give an old configuration another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from longreach.config.training import TrainConfig
from longreach.experiments.resolve import resolve

RUNS = Path(__file__).parents[2] / "results" / "laptop"


def test_committed_runs_have_the_keys_of_their_directories() -> None:
    files = sorted(RUNS.glob("*/result.json"))
    assert len(files) >= 150
    for file in files:
        document = json.loads(file.read_text(encoding="utf-8"))["config"]
        config = TrainConfig.read(document)
        assert config.key == file.parent.name
        assert config.document() == document


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"task": "sort"}, "90f431fa188ff4c0"),
        ({"task": "addition", "encoding": "rope", "seed": 7}, "9b33438757afd97b"),
        ({"task": "regex:(ab)*", "encoding": "nope", "alphabet": ("a", "b")}, "e98fc9faccb126d8"),
        ({"task": "crasp:lib:tomita-1", "max_steps": 100, "penalty": 1e-4}, "a124162adbbf968f"),
        (
            {"task": "dyck-1", "train_lengths": (2, 8), "test_lengths": ((9, 12), (13, 20))},
            "dbda257ace8f4b5e",
        ),
    ],
)
def test_keys_of_resolved_configurations(given: dict[str, Any], key: str) -> None:
    assert resolve(**given).key == key
