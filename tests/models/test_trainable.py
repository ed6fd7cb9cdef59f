"""A decoder and the baseline behind one interface."""

from __future__ import annotations

import pytest
import torch

from longreach.config.decoder import DecoderConfig
from longreach.models.token_mlp import BaselineConfig, baseline_forward
from longreach.models.trainable import Model, initial, logits, model_table, read_model
from longreach.models.transformer import forward

MODELS: list[Model] = [
    DecoderConfig(layers=1, heads=1, width=8, vocabulary=6, positions=9),
    BaselineConfig(width=8, vocabulary=6, outputs=6),
]


@pytest.mark.parametrize("model", MODELS, ids=["decoder", "baseline"])
def test_each_is_itself(model: Model) -> None:
    tokens, places = torch.tensor([[1, 4, 2], [1, 3, 3]]), torch.tensor([[2], [1]])
    parameters = initial(model, 3)
    assert list(parameters) == list(model_table(model))
    found = logits(parameters, model, tokens, None, places)
    if isinstance(model, DecoderConfig):
        assert torch.equal(found, forward(parameters, model, tokens, None, places))
    else:
        assert torch.equal(found, baseline_forward(parameters, tokens, places))
    assert read_model(model.model_dump()) == model
