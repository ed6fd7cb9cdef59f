"""Tests of `config.model`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from longreach.config.model import CellLabel, DecoderConfig
from longreach.errors import InputError


@given(st.text(st.characters(exclude_characters="+"), min_size=1), st.sampled_from([0.0, 1e-4, 0.001, 2.0]))
def test_labels_read_back(encoding: str, penalty: float) -> None:
    assert CellLabel.read(CellLabel(encoding, penalty).text) == CellLabel(encoding, penalty)


@pytest.mark.parametrize("text", ["a + b", "ape + ", " + 1", "ape + nan", "ape + inf", "ape + 0", ""])
def test_what_is_no_label_is_an_encoding_whatever_it_is(text: str) -> None:
    assert CellLabel.read(text) == CellLabel(text)


# Configurations: what is refused, and how it is said.


FIELDS: dict[str, Any] = {"layers": 2, "heads": 2, "width": 8, "vocabulary": 5, "positions": 20}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"heads": 3}, "model: width 8 is not a multiple of 3 heads"),
        ({"encoding": "alibl"}, "encoding: unknown encoding 'alibl'; did you mean 'alibi'?"),
        ({"encoding": "qqqq"}, "encoding: unknown encoding 'qqqq'; known are nope, ape, sinusoidal, rope"),
        ({"layer": 3}, "layer: no such option; did you mean 'layers'?"),
        ({"layers": 0}, "layers: 0 is less than 1"),
        ({"layers": "2"}, "layers: expected a whole number, not '2'"),
        ({"dropout": 1.0}, "dropout: 1.0 is not less than 1"),
        ({"outputs": 7}, "model: tied embeddings need as many outputs as input tokens, not 7 outputs for 5"),
        ({"encoding": "rope", "heads": 8}, "model: rope needs an even width per head, not 1"),
        ({"encoding": "sinusoidal", "heads": 1, "width": 7}, "model: sinusoidal needs an even width, not 7"),
    ],
)
def test_errors_have_one_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        DecoderConfig.read({**FIELDS, **change})
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_missing_fields_are_named() -> None:
    with pytest.raises(InputError, match=r"^layers: missing$"):
        DecoderConfig.read({"heads": 1, "width": 8, "vocabulary": 5, "positions": 20})
    with pytest.raises(InputError, match="JSON"):
        DecoderConfig.read("{")


def test_a_configuration_survives_json() -> None:
    config = DecoderConfig(**FIELDS, outputs=3, tied=False, encoding="t5", dropout=0.1, log_length=True)
    assert DecoderConfig.read(config.model_dump_json()) == config
    assert DecoderConfig.read(config.model_dump()) == config


def test_outputs_default_to_the_vocabulary() -> None:
    config = DecoderConfig(**FIELDS)
    assert config.outputs == 5
    assert config == DecoderConfig(**FIELDS, outputs=5)


def test_a_configuration_is_frozen() -> None:
    config = DecoderConfig(**FIELDS)
    with pytest.raises(ValidationError):
        config.layers = 3
