"""Keys of the results in the repository: configurations may gain fields, their documents must not change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from longreach.config.run import RunConfig

RESULTS = Path(__file__).parents[2] / "results" / "laptop"


def _kept() -> dict[str, dict[str, Any]]:
    found = (json.loads(path.read_text(encoding="utf-8")) for path in RESULTS.glob("*/result.json"))
    return {document["key"]: document["config"] for document in found}


def test_every_kept_result_has_its_key() -> None:
    kept = _kept()
    assert len(kept) > 500
    for key, document in kept.items():
        config = RunConfig.read(document)
        assert config.key == key, document
        assert config.document() == document
        assert list(config.document()) == list(document)  # the order of the file as well


LENGTHS: dict[str, Any] = {"train_lengths": [3, 20], "test_lengths": [[40, 40]]}
TOKENS = {"layers": 2, "heads": 1, "width": 8, "lr": 0.1, "max_steps": 10, "evaluate_every": 5, **LENGTHS}


@pytest.mark.parametrize(
    ("document", "key"),
    [
        ({"task": "sort", **TOKENS}, "5ddc80e2d7c9ab3a"),
        ({"task": "sort", "encoding": "mlp", **TOKENS}, "83f9350ab9e1901b"),
        ({"task": "sort", "position_ids": "pose", "max_position": 99, **TOKENS}, "fc8ac17782a75134"),
        ({"task": "modp-task:k=1,p=3", **LENGTHS}, "a168d9ade3599c0a"),
        ({"task": "in-context-kgram", "batch": 8, "hidden": 4, **LENGTHS}, "61da70a2a183a05c"),
    ],
)
def test_keys_of_each_kind(document: dict[str, Any], key: str) -> None:
    assert RunConfig.read(document).key == key
