"""Tests of `models.network`."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import cross_entropy

from longreach.config.model import BaselineConfig, Model, ModelConfig
from longreach.errors import InputError
from longreach.models.decoder import forward
from longreach.models.network import (
    Baseline,
    baseline_forward,
    initial,
    initialise_baseline,
    logits,
    model_table,
    read_model,
)
from tests.helpers.stacked import member, stack

# The token-only baseline.


CONFIG = BaselineConfig(width=16, vocabulary=6, outputs=4)


def test_it_sees_the_current_token_only() -> None:
    model = Baseline(CONFIG, seed=3)
    first, second = model(torch.tensor([[0, 1, 2, 3], [5, 1, 4, 3]]))
    assert torch.equal(first[[1, 3]], second[[1, 3]])
    assert not torch.allclose(first[0], second[0])


def test_chosen_places_members_and_the_formula() -> None:
    tokens, places = torch.tensor([[0, 1, 2], [3, 4, 5]]), torch.tensor([[2, 0], [1, 1]])
    members = stack([initialise_baseline(CONFIG, seed) for seed in range(3)])
    together = torch.func.vmap(baseline_forward, in_dims=(0, None, None))(members, tokens, places)
    for number in range(3):
        own = member(members, number)
        hidden = torch.relu(own["embedding"][tokens] @ own["in.weight"].T + own["in.bias"])
        full = hidden @ own["out.weight"].T + own["out.bias"]
        picked = torch.stack([full[row, places[row]] for row in range(2)])
        assert torch.allclose(together[number], picked, atol=1e-6)


def test_it_learns_a_function_of_the_token() -> None:
    model = Baseline(CONFIG)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    tokens = torch.arange(6)[None]
    targets = tokens % 4
    for _ in range(100):
        optimizer.zero_grad()
        cross_entropy(model(tokens).flatten(0, 1), targets.flatten()).backward()
        optimizer.step()
    assert torch.equal(model(tokens).argmax(-1), targets)


def test_parameters_of_another_shape_are_refused() -> None:
    other = initialise_baseline(BaselineConfig(width=8, vocabulary=6, outputs=4), 0)
    with pytest.raises(InputError, match="'embedding': shape"):
        Baseline(CONFIG, parameters=other)


# A decoder and the baseline behind one interface.


MODELS: list[Model] = [
    ModelConfig(layers=1, heads=1, width=8, vocabulary=6, positions=9),
    BaselineConfig(width=8, vocabulary=6, outputs=6),
]


@pytest.mark.parametrize("model", MODELS, ids=["decoder", "baseline"])
def test_each_is_itself(model: Model) -> None:
    tokens, places = torch.tensor([[1, 4, 2], [1, 3, 3]]), torch.tensor([[2], [1]])
    parameters = initial(model, 3)
    assert list(parameters) == list(model_table(model))
    found = logits(parameters, model, tokens, None, places)
    if isinstance(model, ModelConfig):
        assert torch.equal(found, forward(parameters, model, tokens, None, places))
    else:
        assert torch.equal(found, baseline_forward(parameters, tokens, places))
    assert read_model(model.model_dump()) == model
