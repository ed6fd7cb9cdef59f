"""Tests of `config.model`."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from longreach.config.architectures import ARCHITECTURES
from longreach.config.encodings import ENCODINGS, EncodingRow, unknown_encoding
from longreach.config.model import CellLabel, ModelConfig
from longreach.errors import InputError
from longreach.theory.architectures.classes import ARCHITECTURES as WITH_THEORY
from tests.helpers.refusals import refusal

ENCODING = st.text(st.characters(exclude_characters="+"), min_size=1) | st.sampled_from([*ENCODINGS])


@given(
    ENCODING.filter(lambda name: name != "mlp"),
    st.sampled_from([None, "coupled", "pose", "randomized"]),
    st.sampled_from([0.0, 1e-4, 0.001, 2.0]),
)
def test_labels_read_back(encoding: str, ids: str | None, penalty: float) -> None:
    for predicted in (False, True) if ids or encoding in ENCODINGS else (False,):
        label = CellLabel(encoding, ids, predicted, penalty)
        assert CellLabel.read(label.text) == label


def test_the_baseline_is_an_architecture() -> None:
    label = CellLabel(architecture="mlp", penalty=0.5)
    assert (label.text, label.side) == ("mlp + 0.5", None)
    assert label == CellLabel.read("mlp + 0.5") == CellLabel.of({"encoding": "mlp", "penalty": 0.5})


@pytest.mark.parametrize(
    ("document", "text", "side"),
    [
        ({"encoding": "nope"}, "nope", "nope"),
        ({"encoding": "ape", "penalty": 1e-4}, "ape + 0.0001", "ape"),
        ({"encoding": "ape", "position_ids": "shift"}, "ape", "ape"),
        ({"encoding": "rope", "position_ids": "pose"}, "rope+pose", None),
        ({"encoding": "coupled", "predict_ids": True}, "coupled+predicted", None),
        ({"encoding": "ape", "predict_ids": True}, "ape+coupled+predicted", None),
        ({"encoding": "ape", "penalty": 10**400}, "ape", "ape"),
        ({"encoding": "ape", "penalty": "much"}, "ape", "ape"),
    ],
)
def test_labels_of_documents(document: dict[str, Any], text: str, side: str | None) -> None:
    label = CellLabel.of(document)
    assert (label.text, label.side) == (text, side)
    assert CellLabel.read(text) == label


@pytest.mark.parametrize("architecture", ["decoder", "looped"])
@given(
    modulus=st.just("auto") | st.integers(1, 10_000),
    counting=st.integers(0, 9),
    ids=st.sampled_from([None, "coupled"]),
    options=st.sampled_from([{}, {"loops": 8}]),
)
def test_labels_tell_the_options_of_reach(
    architecture: str, modulus: str | int, counting: int, ids: str | None, options: dict[str, int]
) -> None:
    document = {
        "encoding": "reach", "reach_modulus": modulus, "reach_counting": counting, "position_ids": ids,
        "architecture": architecture, "model_options": options if architecture == "looped" else {},
    }  # fmt: skip
    label = CellLabel.of(document)
    assert CellLabel.read(label.text) == label
    assert CellLabel.read(f"{label.text} + 0.5") == dataclasses.replace(label, penalty=0.5)
    if ids is not None:
        return
    assert label.problem is None
    told = modulus != "auto"
    assert (f"modulus={modulus}" in label.title) == (f"modulus={modulus}" in label.words) == told
    usual = {"reach_modulus": "auto", "reach_counting": 0, "model_options": {}, "position_ids": None}
    assert {**usual, "architecture": "decoder", **label.settings} == document


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"encoding": "ape", "reach_modulus": 3}, "reach_modulus: only for 'reach', not for 'ape'"),
        ({"encoding": "ape", "reach_counting": 1}, "reach_counting: only for 'reach', not for 'ape'"),
        ({"encoding": "reach", "reach_counting": 2}, "reach_counting: 2 of 2 heads leave none to find"),
        ({"encoding": "reach", "reach_modulus": 0}, "reach_modulus"),
        ({"encoding": "reach(modulus=auto)"}, "unknown encoding 'reach(modulus=auto)'"),
        ({"encoding": "reach", "width": 7}, "7 is not a multiple"),
    ],
)
def test_options_of_reach_that_do_not_fit(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        ModelConfig.read({**FIELDS, **given})


def test_reach_always_scales_by_the_length() -> None:
    plain = ModelConfig(**FIELDS, encoding="reach", log_length=False, scaled_bias=False)
    assert plain == ModelConfig(**FIELDS, encoding="reach", log_length=True)
    assert (plain.log_length, plain.scaled_bias) == (True, True)
    assert ModelConfig(**FIELDS, encoding="reach(modulus=3)").reach_modulus == 3
    assert not {"reach_modulus", "reach_counting"} & plain.model_dump().keys()


@pytest.mark.parametrize("text", ["a + b", "ape + ", " + 1", "ape + nan", "ape + inf", "ape + 0", ""])
def test_what_is_no_label_is_an_encoding_whatever_it_is(text: str) -> None:
    assert CellLabel.read(text) == CellLabel(text)


FIELDS: dict[str, Any] = {"layers": 2, "heads": 2, "width": 8, "vocabulary": 5, "positions": 20}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"heads": 3}, "model: width 8 is not a multiple of 3 heads"),
        ({"encoding": "alibl"}, "encoding: unknown encoding 'alibl'; did you mean 'alibi'?"),
        ({"encoding": "qqqq"}, "encoding: unknown encoding 'qqqq'; known are nope, ape, sinusoidal, rope"),
        ({"layer": 3}, "layer: no such option; did you mean 'layers'?"),
        ({"layers": 0}, "layers: must be at least 1, not 0"),
        ({"layers": "2"}, "layers: expected a whole number, not '2'"),
        ({"dropout": 1.0}, "dropout: must be less than 1, not 1.0"),
        ({"outputs": 7}, "model: tied embeddings need as many outputs as input tokens, not 7 outputs for 5"),
        ({"encoding": "rope", "heads": 8}, "model: rope needs an even width per head, not 1"),
        ({"encoding": "sinusoidal", "heads": 1, "width": 7}, "model: sinusoidal needs an even width, not 7"),
    ],
)
def test_errors_have_one_line(change: dict[str, Any], message: str) -> None:
    assert refusal(ModelConfig.read, {**FIELDS, **change}).startswith(message)


def test_missing_fields_are_named() -> None:
    with pytest.raises(InputError, match=r"^layers: missing$"):
        ModelConfig.read({"heads": 1, "width": 8, "vocabulary": 5, "positions": 20})
    with pytest.raises(InputError, match="JSON"):
        ModelConfig.read("{")


def test_a_configuration_survives_json() -> None:
    config = ModelConfig(**FIELDS, outputs=3, tied=False, encoding="t5", dropout=0.1, log_length=True)
    assert ModelConfig.read(config.model_dump_json()) == config
    assert ModelConfig.read(config.model_dump()) == config


def test_outputs_default_to_the_vocabulary() -> None:
    config = ModelConfig(**FIELDS)
    assert config.outputs == 5
    assert config == ModelConfig(**FIELDS, outputs=5)


def test_a_configuration_is_frozen() -> None:
    config = ModelConfig(**FIELDS)
    with pytest.raises(ValidationError):
        config.layers = 3


def test_names_are_those_of_their_rows() -> None:
    assert all(name == row.name for name, row in ENCODINGS.items())
    assert list(ENCODINGS)[:2] == ["nope", "ape"]


@pytest.mark.parametrize("row", ENCODINGS.values(), ids=lambda row: row.name)
def test_a_row_says_what_it_is(row: EncodingRow) -> None:
    assert row.about.endswith(".")
    assert row.source
    assert row.title.lower() == row.name


@pytest.mark.parametrize(("name", "width", "heads"), [("sinusoidal", 7, 1), ("rope", 6, 2)])
def test_shapes_that_do_not_fit(name: str, width: int, heads: int) -> None:
    refusal = ENCODINGS[name].refusal(width=width, heads=heads)
    assert refusal is not None
    assert refusal.startswith(f"{name} needs an even width")
    assert ENCODINGS[name].refusal(width=2 * width, heads=heads) is None
    assert ENCODINGS["ape"].refusal(width=width, heads=heads) is None


def test_unknown_names() -> None:
    assert unknown_encoding("ape") is None
    assert unknown_encoding("qqqq") == f"unknown encoding 'qqqq'; known are {', '.join(ENCODINGS)}"


def test_theory_knows_every_architecture_of_the_table_and_no_other() -> None:
    assert set(WITH_THEORY) == set(ARCHITECTURES)
