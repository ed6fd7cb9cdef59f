"""Every architecture behind the one interface, and the token-only baseline."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import cross_entropy

from longreach.config.model import BaselineConfig, Model, ModelConfig
from longreach.models.decoder import forward
from longreach.models.network import ARCHITECTURES, Inputs, network, read_model
from tests.helpers.stacked import member, stack

BASELINE = BaselineConfig(width=16, vocabulary=6, outputs=4)
MODELS: list[Model] = [ModelConfig(layers=1, heads=1, width=8, vocabulary=6, positions=9), BASELINE]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.architecture)
def test_a_network_is_functions_of_named_parameters_or_of_one_vector(model: Model) -> None:
    made = network(model)
    assert model.architecture in ARCHITECTURES
    parameters = made.initial(3)
    assert {name: tuple(value.shape) for name, value in parameters.items()} == made.table
    vector = made.vector(parameters)
    assert vector.shape == (made.size,)
    again = made.named(torch.stack([vector, vector]))
    assert all(torch.equal(again[name][1], value) for name, value in parameters.items())
    assert read_model(model.model_dump()) == model


def test_the_decoder_is_itself() -> None:
    model, tokens, places = MODELS[0], torch.tensor([[1, 4, 2], [1, 3, 3]]), torch.tensor([[2], [1]])
    assert isinstance(model, ModelConfig)
    parameters = network(model).initial(3)
    found = network(model).outputs(parameters, Inputs(tokens, None, places))
    assert found.ids is None
    assert torch.equal(found.tokens, forward(parameters, model, tokens, None, places))


def test_the_baseline_sees_the_current_token_only() -> None:
    made = network(BASELINE)
    tokens = torch.tensor([[0, 1, 2, 3], [5, 1, 4, 3]])
    first, second = made.outputs(made.initial(3), Inputs(tokens)).tokens
    assert torch.equal(first[[1, 3]], second[[1, 3]])
    assert not torch.allclose(first[0], second[0])


def test_chosen_places_runs_side_by_side_and_the_formula_of_the_baseline() -> None:
    tokens, places = torch.tensor([[0, 1, 2], [3, 4, 5]]), torch.tensor([[2, 0], [1, 1]])
    made = network(BASELINE)
    runs = stack([made.initial(seed) for seed in range(3)])
    together = torch.func.vmap(lambda own: made.outputs(own, Inputs(tokens, None, places)).tokens)(runs)
    for number in range(3):
        own = member(runs, number)
        hidden = torch.relu(own["embedding"][tokens] @ own["in.weight"].T + own["in.bias"])
        full = hidden @ own["out.weight"].T + own["out.bias"]
        picked = torch.stack([full[row, places[row]] for row in range(2)])
        assert torch.allclose(together[number], picked, atol=1e-6)


def test_the_baseline_learns_a_function_of_the_token() -> None:
    made = network(BASELINE)
    parameters = {name: value.requires_grad_() for name, value in made.initial(0).items()}
    optimizer = torch.optim.AdamW(parameters.values(), 1e-2)
    tokens = torch.arange(6)[None]
    targets = tokens % 4
    for _ in range(100):
        optimizer.zero_grad()
        logits = made.outputs(parameters, Inputs(tokens)).tokens
        cross_entropy(logits.flatten(0, 1), targets.flatten()).backward()
        optimizer.step()
    assert torch.equal(made.outputs(parameters, Inputs(tokens)).tokens.argmax(-1), targets)
