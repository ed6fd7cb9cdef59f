"""The PyTorch module gives the outputs of the evaluators."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from longreach.errors import InputError
from longreach.models.compiled import CompiledTransformer
from longreach.theory.limit.finite import to_finite
from longreach.theory.limit.model import Head, Layer, Transformer
from longreach.theory.limit.run import run


def random_model(seed: int, period: int = 2, layers: int = 2, heads: int = 2, width: int = 4) -> Transformer:
    rng = np.random.default_rng(seed)

    def numbers(*shape: int) -> np.ndarray:
        return rng.integers(-2, 3, shape) / 2.0

    made = []
    for _ in range(layers):
        attention = tuple(
            Head(
                numbers(width, width),
                numbers(width, width),
                rng.integers(0, 3, 3).astype(float) if h else None,
            )
            for h in range(heads)
        )
        units = 3
        made.append(
            Layer(
                attention,
                numbers(units, width),
                numbers(units),
                numbers(width, units),
                rng.random(units) < 0.5,
            )
        )
    return Transformer(
        "limit",
        ("$", "a", "b"),
        numbers(3, width),
        numbers(period, width),
        tuple(made),
        numbers(2, width),
        ("a", "b"),
    )


def words() -> list[str]:
    return ["", "a", "ab", "bba", "abbabaab"]


@pytest.mark.parametrize("seed", range(6))
def test_limit_transformers(seed: int) -> None:
    model = random_model(seed)
    module = CompiledTransformer(model)
    for word in words():
        outputs = module(torch.from_numpy(model.encode(tuple(word)))[None])
        assert torch.allclose(outputs[0], torch.from_numpy(run(model, [word])[0]), atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_finite_transformers_at_offsets(seed: int) -> None:
    limit = random_model(seed)
    model = to_finite(limit, 12)
    module = CompiledTransformer(model)
    for offset in (0, 1, 3):
        tokens = torch.from_numpy(model.encode(tuple("abbabaab")))[None]
        outputs = module(tokens, offset)
        assert torch.allclose(outputs[0], torch.from_numpy(run(limit, ["abbabaab"])[0]), atol=1e-6)
    with pytest.raises(InputError, match="context"):
        module(tokens, 4)


def test_state_dict_reloads() -> None:
    model = random_model(1)
    first, second = CompiledTransformer(model), CompiledTransformer(random_model(2))
    second.load_state_dict(first.state_dict())
    tokens = torch.from_numpy(model.encode(tuple("abba")))[None]
    assert torch.equal(first(tokens), second(tokens))


def test_gradients_reach_every_parameter() -> None:
    module = CompiledTransformer(random_model(3), torch.float32)
    module(torch.tensor([[0, 1, 2, 1]])).sum().backward()
    assert all(parameter.grad is not None for parameter in module.parameters())


def test_what_is_not_supported_is_refused() -> None:
    model = random_model(0)
    rounded = Transformer(**{**vars(model), "precision": 4})
    with pytest.raises(InputError, match="round"):
        CompiledTransformer(rounded)
