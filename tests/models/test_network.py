"""Every architecture behind the one interface, and the token-only baseline."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import cross_entropy

from longreach.config.model import BaselineConfig, Model, ModelConfig
from longreach.errors import InputError
from longreach.models.compiled import CompiledTransformer
from longreach.models.decoder import forward
from longreach.models.network import NETWORKS, Inputs, network, read_model
from longreach.models.parameters import Initial, check, draw, position_penalty
from tests.helpers.product_functions import term_67
from tests.helpers.stacked import member, stack
from tests.models.test_compiled import random_model

BASELINE = BaselineConfig(width=16, vocabulary=6, outputs=4)
MODELS: list[Model] = [ModelConfig(layers=1, heads=1, width=8, vocabulary=6, positions=9), BASELINE]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.architecture)
def test_a_network_is_functions_of_named_parameters_or_of_one_vector(model: Model) -> None:
    made = network(model)
    assert type(model).__name__ in NETWORKS
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


TABLE = {
    "wide.weight": Initial((200, 200), "normal", 0.02),
    "bound": Initial((5000,), "uniform", 0.5),
    "value": Initial((3,), "constant", 1.5),
}


def test_values_follow_the_table() -> None:
    drawn = draw(TABLE, 0)
    assert drawn["wide.weight"].std().item() == pytest.approx(0.02, rel=0.03)
    assert abs(drawn["wide.weight"].mean().item()) < 5e-4
    assert 0.49 < drawn["bound"].abs().max().item() <= 0.5
    assert drawn["value"].tolist() == [1.5] * 3


def test_a_member_does_not_depend_on_its_neighbours_or_on_global_state() -> None:
    torch.manual_seed(1)
    alone = draw(TABLE, 5)
    torch.manual_seed(2)
    together = stack([draw(TABLE, seed) for seed in (4, 5, 6)])
    assert all(torch.equal(member(together, 1)[name], alone[name]) for name in TABLE)
    assert not torch.equal(together["bound"][0], together["bound"][1])


def test_what_does_not_fit_is_named() -> None:
    drawn = draw(TABLE, 0)
    with pytest.raises(InputError, match=r"'wide.weigth': not of this model; did you mean 'wide.weight'"):
        check(TABLE, {**drawn, "wide.weigth": drawn["value"]})
    with pytest.raises(InputError, match="'bound': missing"):
        check(TABLE, {name: value for name, value in drawn.items() if name != "bound"})


@pytest.mark.parametrize("seed", range(5))
def test_the_penalty_is_the_regularizers_term_over_pairs(seed: int) -> None:
    """Term (67) divides by the number of positions, the penalty by that of pairs."""
    model = random_model(seed, period=5)
    module = CompiledTransformer(model)
    found = position_penalty(module.positions, [layer.kq for layer in module.layers])
    assert found.item() == pytest.approx(term_67(model) * 5 / 15)


def test_the_mean_is_over_causal_pairs() -> None:
    positions = torch.tensor([[1.0], [2.0]])
    kq = torch.tensor([[[3.0]]])
    # Pairs (0,0), (0,1), (1,1): products 3, 6, 12.
    assert position_penalty(positions, [kq]).item() == pytest.approx((9 + 36 + 144) / 3)


def test_gradients() -> None:
    module = CompiledTransformer(random_model(0, period=4))
    loss = position_penalty(module.positions, [layer.kq for layer in module.layers])
    loss.backward()
    assert module.positions.grad is not None
    assert torch.autograd.gradcheck(
        lambda p, k: position_penalty(p, [k]),
        (
            torch.randn(3, 2, dtype=torch.float64, requires_grad=True),
            torch.randn(1, 2, 2, dtype=torch.float64),
        ),
    )
