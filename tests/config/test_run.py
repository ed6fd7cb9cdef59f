"""What a run is: reading, refusing, and what follows from the settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from longreach.config.run import RESOLVED, RunConfig
from longreach.errors import Field, InputError
from longreach.tasks.lengths import LengthRange

FIELDS: dict[str, Any] = {
    "task": "anything", "layers": 1, "heads": 2, "width": 8, "lr": 0.1, "max_steps": 10,
    "train_lengths": [1, 5], "test_lengths": [[6, 9]], "evaluate_every": 5,
}  # fmt: skip


def test_a_document_is_read_without_its_task() -> None:
    config = RunConfig.read(FIELDS)
    assert config.document() == {**config.document(), **FIELDS}
    assert RunConfig.read(config.document()) == config
    assert isinstance(config.train_lengths, LengthRange)
    assert all(isinstance(lengths, LengthRange) for lengths in config.ranges)


def test_another_seed_is_another_member() -> None:
    config = RunConfig.read(FIELDS)
    other = config.with_seed(3)
    assert (other.seed, other.with_seed(0)) == (3, config)
    assert other.key != config.key
    with pytest.raises(InputError, match=r"^seed: "):
        config.with_seed(-1)


@pytest.mark.parametrize(
    ("change", "place", "message"),
    [
        ({"width": 9}, "width", "width: 9 is not a multiple of 2 heads"),
        ({"encoding": "rop"}, "encoding", "encoding: unknown encoding 'rop'; did you mean 'rope'"),
        ({"encoding": "rope", "width": 6}, "encoding", "encoding: rope needs an even width per head, not 3"),
        ({"position_ids": "odd"}, "position_ids", "position_ids: expected 'true', 'shift', 'coupled'"),
        ({"max_position": 0}, "max_position", "max_position: must be at least 1, not 0"),
        (
            {"encoding": "coupled", "position_ids": "pose"},
            "position_ids",
            "position_ids: 'coupled' has coupled ids, not 'pose'",
        ),
        (
            {"encoding": "nope", "position_ids": "pose"},
            "position_ids",
            "position_ids: 'nope' sees no ids, so 'pose' would change nothing",
        ),
        (
            {"encoding": "randomized", "position_ids": "true"},
            "position_ids",
            "position_ids: 'randomized' has randomized ids, not 'true'",
        ),
        (
            {"position_ids": "pose", "offsets": "none"},
            "offsets",
            "offsets: 'pose' draws its position ids; 'none' is not possible",
        ),
        (
            {"predict_ids": True, "position_ids": "shift"},
            "predict_ids",
            "predict_ids: only for the task's own ids ('coupled'), not for 'shift'",
        ),
        (
            {"predict_ids": True, "encoding": "rope"},
            "predict_ids",
            "predict_ids: 'rope' does not see ids, only their differences; try ape, sinusoidal",
        ),
        (
            {"encoding": "mlp", "layers": 2, "heads": 1, "max_position": 50},
            "max_position",
            "max_position: only for a transformer, not for 'mlp'",
        ),
        ({"architecture": "lstn"}, "architecture", "architecture: unknown model 'lstn'; did you mean 'lstm'"),
        (
            {"architecture": "mlp", "layers": 2, "heads": 1, "encoding": "rope"},
            "encoding",
            "encoding: 'mlp' has no positional encoding",
        ),
        ({"hidden": 4}, "hidden", "hidden: only for tasks whose answers are numbers"),
        ({"target_loss": 0.1}, "target_loss", "target_loss: only for tasks whose answers are numbers"),
        ({"train_lengths": [5]}, "train_lengths", "train_lengths: missing"),
        ({"train_lengths": [-1, 5]}, "train_lengths", "train_lengths: must be at least 0, not -1"),
        ({"test_lengths": []}, "test_lengths", "test_lengths: Tuple should have at least 1 item"),
        ({"test_lengths": [[1, 5]]}, "test_lengths", "test_lengths: the range 1:5 appears twice"),
        ({"widht": 4}, "widht", "widht: no such option; did you mean 'width'"),
    ],
)
def test_errors_are_one_line_at_their_field(change: dict[str, Any], place: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        RunConfig.read({**FIELDS, **change})
    assert caught.value.place == Field(place)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_the_baseline_is_an_architecture_that_documents_name_as_an_encoding() -> None:
    shape = {"layers": 2, "heads": 1}
    named, short = (RunConfig.read({**FIELDS, **shape, name: "mlp"}) for name in ("architecture", "encoding"))
    assert named == short
    assert (named.architecture, named.encoding, named.label.text) == ("mlp", "nope", "mlp")
    assert named.document()["encoding"] == "mlp"
    assert "architecture" not in named.document()


@pytest.mark.parametrize(
    ("change", "scheme"),
    [
        ({}, "shift"),
        ({"offsets": "none"}, "true"),
        ({"encoding": "randomized"}, "randomized"),
        ({"encoding": "coupled"}, "coupled"),
        ({"encoding": "coupled", "offsets": "none"}, "coupled"),
        ({"encoding": "mlp", "layers": 2, "heads": 1}, "shift"),
        ({"predict_ids": True}, "coupled"),
        ({"encoding": "rope", "position_ids": "pose"}, "pose"),
        ({"encoding": "rope", "position_ids": "randomized"}, "randomized"),
    ],
)
def test_which_ids_a_configuration_asks_for(change: dict[str, Any], scheme: str) -> None:
    config = RunConfig.read({**FIELDS, **change})
    assert config.id_scheme == scheme
    # What came later is told only if it says something.
    told = {name for name in RunConfig.later if name in config.document()}
    assert told == {name for name in RunConfig.later if name in change}
    assert RunConfig.read(config.document()) == config


def test_what_reach_implies_stands_in_its_document() -> None:
    fields = {**FIELDS, "encoding": "reach"}
    config = RunConfig.read({**fields, "log_length": False, "scaled_bias": False})
    assert config == RunConfig.read({**fields, "log_length": True})
    other = RunConfig.read({**fields, "reach_modulus": 3, "reach_counting": 0})
    assert other == RunConfig.read({**fields, "encoding": "reach(modulus=3)"})
    assert (other.document()["reach_modulus"], other.key == config.key) == (3, False)
    assert other.label.text == "reach(modulus=3)"


def test_a_configuration_is_frozen() -> None:
    with pytest.raises(ValidationError):
        RunConfig.read(FIELDS).seed = 1


def test_every_field_says_what_it_is() -> None:
    for name, field in RunConfig.model_fields.items():
        assert field.description, name
    assert set(RESOLVED) <= RunConfig.model_fields.keys()


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
