from __future__ import annotations

import pytest
import torch

from longreach.limit.translate.product_functions import term_8, term_67
from longreach.models.compiled_transformer import CompiledTransformer
from longreach.models.penalty import position_penalty
from tests.models.test_compiled_transformer import random_model


@pytest.mark.parametrize("seed", range(5))
def test_the_penalty_is_the_regularizers_term(seed: int) -> None:
    model = random_model(seed, period=5)
    module = CompiledTransformer(model)
    kqs = [layer.kq for layer in module.layers]
    assert position_penalty(module.positions, kqs, "first-key").item() == pytest.approx(term_8(model))
    assert position_penalty(module.positions, kqs, "all-pairs").item() == pytest.approx(term_67(model))


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
        lambda p, k: position_penalty(p, [k], "all-pairs"),
        (
            torch.randn(3, 2, dtype=torch.float64, requires_grad=True),
            torch.randn(1, 2, 2, dtype=torch.float64),
        ),
    )
