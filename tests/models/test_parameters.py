"""Tests of `models.parameters`."""

from __future__ import annotations

import pytest
import torch

from longreach.errors import InputError
from longreach.models.compiled import CompiledTransformer
from longreach.models.parameters import Initial, check, draw, position_penalty
from tests.helpers.product_functions import term_67
from tests.helpers.stacked import member, stack
from tests.models.test_compiled import random_model

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
