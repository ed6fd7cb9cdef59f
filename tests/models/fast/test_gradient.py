""""""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from longreach.config.encodings import ENCODINGS
from longreach.config.model import BaselineConfig, ModelConfig
from longreach.models.decoder import forward, initialise, last_states
from longreach.models.fast.gradient import DecoderGradient, first_kinds, has_gradient_by_hand
from longreach.models.fast.packed import Packed, PackedRows
from longreach.models.parameters import Parameters


def shape(**given: Any) -> ModelConfig:
    fields = {"layers": 2, "heads": 2, "width": 8, "vocabulary": 7, "positions": 15}
    return ModelConfig(**{**fields, **given})


def parameters_of(config: ModelConfig, scale: float = 0.3) -> Parameters:
    """Far from the initial ones, where biases are 0 and attention is even."""
    generator = torch.Generator().manual_seed(0)
    return {
        name: value + scale * torch.randn(value.shape, generator=generator, dtype=torch.float64)
        for name, value in initialise(config, 0).items()
    }


class Drawn:
    """A batch with rows of these sizes, padded with tokens that would change everything if they were seen."""

    def __init__(
        self, config: ModelConfig, sizes: list[int], share: float, seed: int = 0, any_ids: bool = False
    ) -> None:
        """Ids are consecutive, or any at all, as the schemes of tasks may have them."""
        rng = np.random.default_rng(seed)
        self.sizes = np.sort(np.array(sizes, dtype=np.int64))
        extent = len(sizes), int(self.sizes.max())
        self.tokens = rng.integers(0, config.vocabulary, extent)
        self.targets = rng.integers(0, config.outputs, extent)
        present = np.arange(extent[1]) < self.sizes[:, None]
        self.mask = present & (rng.random(extent) < share)
        self.mask[-1, -1] = True
        offsets = rng.integers(0, config.positions - self.sizes + 1)[:, None]
        self.ids = np.minimum(offsets + np.arange(extent[1]), config.positions - 1)
        self.next_ids = rng.integers(0, config.positions, extent)
        if any_ids:
            self.ids = rng.integers(0, config.positions, extent)

    def packed(self, config: ModelConfig, borders: list[int], shared: bool = False) -> Packed:
        arrays = self.tokens, self.ids, self.targets, self.mask, self.sizes
        kinds = first_kinds(config, self.tokens, self.ids) if shared else None
        rows = PackedRows(*arrays, kinds, self.next_ids if config.predict_ids else None)
        return rows.batch(slice(0, len(self.sizes)), heads=config.heads, borders=borders)

    def plain(self, config: ModelConfig, parameters: Parameters) -> tuple[Tensor, Parameters]:
        """The loss, and its gradient as automatic differentiation has it."""
        leaves = {name: value.clone().requires_grad_() for name, value in parameters.items()}
        tokens, ids, targets, mask = map(torch.from_numpy, (self.tokens, self.ids, self.targets, self.mask))
        lengths = torch.arange(1, tokens.shape[1] + 1)[None] if config.log_length else None
        logits = forward(leaves, config, tokens, ids, lengths=lengths)
        loss = F.cross_entropy(logits[mask], targets[mask])
        if config.predict_ids:
            y = last_states(leaves, config, tokens, ids, lengths=lengths)
            guessed = y @ leaves["id_unembedding"].T
            loss = loss + F.cross_entropy(guessed[mask], torch.from_numpy(self.next_ids)[mask])
        found = torch.autograd.grad(loss, list(leaves.values()))
        return loss.detach(), dict(zip(leaves, found, strict=True))


def by_hand(config: ModelConfig, parameters: Parameters, packed: Packed) -> tuple[Tensor, Parameters]:
    gradients = {name: torch.full_like(value, torch.nan) for name, value in parameters.items()}
    run = DecoderGradient(config, parameters, gradients)
    first = run(packed).clone()
    # Again, in memory that was used before.
    assert torch.equal(run(packed), first)
    return first, gradients


def check(config: ModelConfig, drawn: Drawn, borders: list[int], parameters: Parameters) -> None:
    wanted_loss, wanted = drawn.plain(config, parameters)
    for shared in (False, True):
        loss, gradients = by_hand(config, parameters, drawn.packed(config, borders, shared))
        assert loss.item() == pytest.approx(wanted_loss.item(), rel=1e-12)
        for name, gradient in wanted.items():
            assert torch.allclose(gradients[name], gradient, rtol=1e-9, atol=1e-12), name


@pytest.mark.parametrize("encoding", list(ENCODINGS))
@pytest.mark.parametrize("share", [1.0, 0.3])
@pytest.mark.parametrize(
    "change",
    [
        {},
        {"layers": 1},
        {"layer_norm": False},
        {"log_length": True},
        {"tied": False, "outputs": 3},
        {"heads": 1},
    ],
    ids=str,
)
def test_the_gradient_is_that_of_automatic_differentiation(
    encoding: str, share: float, change: dict[str, Any]
) -> None:
    config = shape(encoding=encoding, **change)
    assert has_gradient_by_hand(config)
    drawn = Drawn(config, [3, 1, 9, 4, 9, 2], share)
    check(config, drawn, [0, 2, 5, 6], parameters_of(config))


@pytest.mark.parametrize("encoding", list(ENCODINGS))
@pytest.mark.parametrize(
    "change", [{}, {"layers": 1}, {"log_length": True}, {"tied": False}, {"layer_norm": False}], ids=str
)
@pytest.mark.parametrize("predict", [False, True])
@pytest.mark.parametrize("share", [0.3, pytest.param(1.0, marks=pytest.mark.slow)])
def test_the_gradient_under_ids_of_any_kind(
    encoding: str, change: dict[str, Any], predict: bool, share: float
) -> None:
    config = shape(encoding=encoding, predict_ids=predict, **change)
    drawn = Drawn(config, [3, 1, 9, 4, 9, 2], share, any_ids=True)
    check(config, drawn, [0, 2, 5, 6], parameters_of(config))


@settings(max_examples=25)
@given(st.data())
def test_random_shapes_and_rows(data: st.DataObject) -> None:
    heads = data.draw(st.integers(1, 3))
    config = shape(
        layers=data.draw(st.integers(1, 3)),
        heads=heads,
        width=heads * data.draw(st.sampled_from([2, 4])),
        encoding=data.draw(st.sampled_from(list(ENCODINGS))),
        log_length=data.draw(st.booleans()),
    )
    sizes = data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=8))
    inner = {border for border in data.draw(st.sets(st.integers(1, 7))) if border < len(sizes)}
    drawn = Drawn(config, sizes, data.draw(st.sampled_from([1.0, 0.5, 0.0])), data.draw(st.integers(0, 99)))
    check(config, drawn, [0, *sorted(inner), len(sizes)], parameters_of(config))


def test_logits_of_any_size() -> None:
    """Far beyond what exponentials can hold, as the softmax of the plain path takes them."""
    config = shape(encoding="ape")
    drawn = Drawn(config, [3, 7, 9], 1.0)
    check(config, drawn, [0, 3], parameters_of(config, scale=12.0))


def test_what_is_not_a_number_stays_so() -> None:
    config = shape()
    parameters = parameters_of(config)
    parameters["layers.0.attention.key.weight"][0, 0] = torch.nan
    loss, gradients = by_hand_once(config, parameters, Drawn(config, [3, 4], 1.0).packed(config, [0, 2]))
    assert torch.isnan(loss)
    assert torch.isnan(gradients["embedding"]).any()


def by_hand_once(config: ModelConfig, parameters: Parameters, packed: Packed) -> tuple[Tensor, Parameters]:
    gradients = {name: torch.zeros_like(value) for name, value in parameters.items()}
    return DecoderGradient(config, parameters, gradients)(packed), gradients


def test_what_is_left_to_automatic_differentiation() -> None:
    assert not has_gradient_by_hand(shape(dropout=0.1))
    assert not has_gradient_by_hand(BaselineConfig(width=4, vocabulary=3, outputs=3))


@pytest.mark.parametrize(
    ("encoding", "placed"), [("nope", False), ("ape", True), ("alibi", False), ("sinusoidal", True)]
)
def test_what_enters_alike_is_computed_once(encoding: str, placed: bool) -> None:
    config = shape(encoding=encoding, vocabulary=4, positions=5)
    drawn = Drawn(config, [3] * 12, 1.0)
    distinct = drawn.packed(config, [0, 12], shared=True).distinct
    assert distinct is not None
    pairs = set(zip(drawn.tokens.ravel().tolist(), drawn.ids.ravel().tolist(), strict=True))
    assert len(distinct.tokens) == (len(pairs) if placed else 4)
    check(config, drawn, [0, 12], parameters_of(config))


def test_where_queries_differ_all_the_same_nothing_is_shared() -> None:
    for change in ({"encoding": "rope"}, {"log_length": True}, {"layers": 1}):
        assert first_kinds(shape(**change), np.array([1]), np.array([1])) is None
