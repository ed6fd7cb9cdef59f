"""Every fast path, with each configuration value that it declares, against the plain decoder."""

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
from longreach.models.attention import SUMS_AS_PRODUCTS
from longreach.models.decoder import ENCODING_MODULES, initialise
from longreach.models.fast.attention import LARGEST, Attender
from longreach.models.fast.forward import PackedForward
from longreach.models.fast.gradient import DecoderGradient
from longreach.models.fast.packed import Packed, PackedRows, Workspace
from longreach.models.fast.paths import (
    ANY,
    PACKED_GRADIENT,
    PACKED_OUTPUTS,
    PATHS,
    SHARED_TOKENS,
    FastPath,
    applies,
    token_kinds,
)
from longreach.models.network import Inputs, Outputs, network
from longreach.models.parameters import Parameters

CHANGES: dict[str, list[dict[str, Any]]] = {
    "encoding": [{"encoding": name} for name in ENCODINGS],
    "outputs": [{"outputs": 3, "tied": False}],
    "layer_norm": [{"layer_norm": False}],
    "norm_epsilon": [{"norm_epsilon": 0.1}],
    "tied": [{"tied": False}],
    "mlp_ratio": [{"mlp_ratio": 2}],
    "log_length": [{"log_length": True}],
    "scaled_bias": [{"scaled_bias": False}],
    "predict_ids": [{"predict_ids": True}],
    "dropout": [{"dropout": 0.5}],
    "reach_modulus": [{"encoding": "reach", "reach_modulus": 3}],
    "reach_counting": [{"encoding": "reach", "reach_counting": 1}],
}
"""By field of a configuration, values that are not its default."""
DECLARED = [name for name in ENCODINGS if name in PACKED_GRADIENT.implements["encoding"]]
OTHERS = [change for changes in CHANGES.values() for change in changes if "encoding" not in change]


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
        kinds = token_kinds(config, self.tokens, self.ids) if shared else None
        rows = PackedRows(*arrays, kinds, self.next_ids if config.predict_ids else None)
        return rows.batch(slice(0, len(self.sizes)), heads=config.heads, borders=borders)

    def outputs(self, config: ModelConfig, parameters: Parameters) -> Outputs:
        """Those of the plain decoder at the supervised places, with padding and outputs everywhere."""
        tokens, ids, mask = map(torch.from_numpy, (self.tokens, self.ids, self.mask))
        found = network(config).outputs(parameters, Inputs(tokens, ids))
        return Outputs(found.tokens[mask], None if found.ids is None else found.ids[mask])

    def gradient(self, config: ModelConfig, parameters: Parameters) -> tuple[Tensor, Parameters]:
        """The loss, and its gradient by automatic differentiation."""
        leaves = {name: value.clone().requires_grad_() for name, value in parameters.items()}
        targets, next_ids, mask = map(torch.from_numpy, (self.targets, self.next_ids, self.mask))
        found = self.outputs(config, leaves)
        loss = F.cross_entropy(found.tokens, targets[mask])
        if found.ids is not None:
            loss = loss + F.cross_entropy(found.ids, next_ids[mask])
        slopes = torch.autograd.grad(loss, list(leaves.values()))
        return loss.detach(), dict(zip(leaves, slopes, strict=True))


def by_hand(config: ModelConfig, parameters: Parameters, packed: Packed) -> tuple[Tensor, Parameters]:
    gradients = {name: torch.full_like(value, torch.nan) for name, value in parameters.items()}
    run = DecoderGradient(config, parameters, gradients)
    first = run(packed).clone()
    # Again, in memory that was used before.
    assert torch.equal(run(packed), first) or torch.isnan(first)
    return first, gradients


def check(config: ModelConfig, drawn: Drawn, borders: list[int], parameters: Parameters) -> None:
    """Outputs, loss and gradient of packed rows, with and without shared tokens, are the plain ones."""
    assert applies(PACKED_OUTPUTS, config)
    assert applies(PACKED_GRADIENT, config)
    plain = drawn.outputs(config, parameters)
    wanted_loss, wanted = drawn.gradient(config, parameters)
    run = PackedForward(config, parameters)
    for shared in (False, True):
        packed = drawn.packed(config, borders, shared)
        found = run.outputs(packed)
        assert not found[0].requires_grad
        assert torch.allclose(found[0], plain.tokens, rtol=1e-9, atol=1e-11)
        if plain.ids is not None:
            assert found[1] is not None
            assert torch.allclose(found[1], plain.ids, rtol=1e-9, atol=1e-11)
        loss, gradients = by_hand(config, parameters, packed)
        assert loss.item() == pytest.approx(wanted_loss.item(), rel=1e-12)
        for name, gradient in wanted.items():
            assert torch.allclose(gradients[name], gradient, rtol=1e-9, atol=1e-12), name


SIZES, BORDERS = [3, 1, 9, 4, 9, 2], [0, 2, 5, 6]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_every_declared_field_is_tried(path: FastPath) -> None:
    assert path.implements.keys() - {"layers"} <= CHANGES.keys()
    assert all(name in ENCODINGS for name in path.implements["encoding"])  # type: ignore[attr-defined]
    for name, allowed in path.implements.items():
        for change in CHANGES.get(name, ()):
            assert applies(path, shape(layers=2, **change)) == (change[name] in allowed)
            assert allowed is not ANY or applies(path, shape(layers=2, **change))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_a_field_that_is_not_declared_switches_it_off(path: FastPath) -> None:
    class Wider(ModelConfig):
        window: int | None = None

    fields = shape(layers=2).model_dump()
    assert applies(path, Wider(**fields))
    assert not applies(path, Wider(**fields, window=3))
    assert not applies(path, BaselineConfig(width=4, vocabulary=3, outputs=3))
    assert not applies(path, Wider(**fields), device="cuda")
    assert not applies(PACKED_GRADIENT, shape(), dtype="bfloat16")
    assert not applies(path, shape(loops=2))
    assert not applies(path, shape(loops="log"))
    assert not applies(path, shape(encoding="mine:Slope"))


def test_attention_that_has_no_path() -> None:
    without = [name for name in ENCODINGS if name not in DECLARED]
    assert without == ["window", "fox", "cope"]
    assert all(ENCODING_MODULES[name].changes_attention for name in without)


@pytest.mark.parametrize("log_length", [False, True])
def test_sticks_longer_than_products_pay(log_length: bool) -> None:
    """Sums are taken in another way there."""
    longer = SUMS_AS_PRODUCTS + 5
    config = shape(encoding="stick-breaking", positions=longer + 1, log_length=log_length)
    drawn = Drawn(config, [3, longer, 20, longer - 6], 0.2)
    check(config, drawn, [0, 2, 4], parameters_of(config))


@pytest.mark.parametrize("encoding", DECLARED)
@pytest.mark.parametrize(
    "change",
    [
        {},
        {"layers": 1},
        {"heads": 1},
        {"log_length": True, "scaled_bias": False},
        *OTHERS,
    ],
    ids=str,
)
@pytest.mark.parametrize("any_ids", [False, True])
def test_paths_compute_what_the_decoder_computes(
    encoding: str, change: dict[str, Any], any_ids: bool
) -> None:
    config = shape(encoding=encoding, **change)
    parameters = parameters_of(config)
    for share in (1.0, 0.3):
        check(config, Drawn(config, SIZES, share, any_ids=any_ids), BORDERS, parameters)


@pytest.mark.parametrize("modulus", ["auto", 1, 3])
@pytest.mark.parametrize("counting", [0, 1, 2])
@pytest.mark.parametrize("change", [{}, {"layers": 1}, {"predict_ids": True}], ids=str)
def test_heads_of_reach(modulus: int | str, counting: int, change: dict[str, Any]) -> None:
    heads = {"heads": 3, "width": 12, "reach_modulus": modulus, "reach_counting": counting}
    config = shape(**{"encoding": "reach", **heads, **change})
    for share, any_ids in ((1.0, False), (0.3, False), (0.3, True)):
        check(config, Drawn(config, SIZES, share, any_ids=any_ids), BORDERS, parameters_of(config))


@pytest.mark.parametrize("encoding", DECLARED)
@pytest.mark.parametrize(
    "change", [{"layers": 1}, {"log_length": True}, {"tied": False}, {"layer_norm": False}], ids=str
)
def test_declared_values_together_with_predicted_ids(encoding: str, change: dict[str, Any]) -> None:
    config = shape(**{"encoding": encoding, "predict_ids": True, **change})
    for share in (1.0, 0.3):
        check(config, Drawn(config, SIZES, share, any_ids=True), BORDERS, parameters_of(config))


def test_memory_is_used_again_for_other_batches() -> None:
    config = shape()
    parameters = parameters_of(config)
    run = PackedForward(config, parameters)
    for seed, sizes in enumerate((SIZES, [5, 5, 5, 12, 1, 1], [2, 2, 2, 2, 2, 2])):
        drawn = Drawn(config, sizes, 1.0, seed)
        found = run.logits(drawn.packed(config, BORDERS))
        assert torch.allclose(found, drawn.outputs(config, parameters).tokens, rtol=1e-9, atol=1e-12)


@settings(max_examples=40)
@given(st.data())
def test_random_shapes_and_rows(data: st.DataObject) -> None:
    heads = data.draw(st.integers(1, 3))
    config = shape(
        layers=data.draw(st.integers(1, 3)),
        heads=heads,
        width=heads * data.draw(st.sampled_from([2, 4])),
        encoding=data.draw(st.sampled_from(DECLARED)),
        log_length=data.draw(st.booleans()),
    )
    sizes = data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=8))
    inner = {border for border in data.draw(st.sets(st.integers(1, 7))) if border < len(sizes)}
    drawn = Drawn(config, sizes, data.draw(st.sampled_from([1.0, 0.5, 0.0])), data.draw(st.integers(0, 99)))
    check(config, drawn, [0, *sorted(inner), len(sizes)], parameters_of(config))


@pytest.mark.parametrize("scale", [5.0, 12.0])
def test_logits_of_any_size(scale: float) -> None:
    """Far beyond what exponentials can hold, as the softmax of the plain path takes them."""
    config = shape(encoding="ape")
    check(config, Drawn(config, [3, 7, 9], 1.0), [0, 3], parameters_of(config, scale=scale))


def test_what_is_not_a_number_stays_so() -> None:
    config = shape()
    parameters = parameters_of(config)
    parameters["layers.0.attention.key.weight"][0, 0] = torch.nan
    loss, gradients = by_hand(config, parameters, Drawn(config, [3, 4], 1.0).packed(config, [0, 2]))
    assert torch.isnan(loss)
    assert torch.isnan(gradients["embedding"]).any()


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
        assert not applies(SHARED_TOKENS, shape(**change))
        assert token_kinds(shape(**change), np.array([1]), np.array([1])) is None


@pytest.mark.parametrize("factor", [1.0, 10 * LARGEST])
def test_attention_is_a_softmax_over_what_came_before(factor: float) -> None:
    sizes, heads, width = np.array([2, 5]), 2, 3
    tokens = np.zeros((2, 5), dtype=np.int64)
    rows = PackedRows(tokens, tokens, tokens, np.arange(5) < sizes[:, None], sizes)
    packed = rows.batch(slice(0, 2), heads=heads, borders=[0, 2])
    space = Workspace(torch.float64)
    space.start()
    query, key, value = torch.randn(3, 8, heads * width, dtype=torch.float64) * torch.tensor(
        [[[factor]], [[1]], [[1]]]
    )
    out = torch.empty(7, heads * width, dtype=torch.float64)
    Attender(heads, width, space, torch.float64).forward(
        packed, packed.everywhere, query, key, value, None, out
    )
    for first, size in ((0, 2), (2, 5)):
        for token in range(first, first + size):
            for head in range(heads):
                own = slice(head * width, (head + 1) * width)
                logits = key[first : token + 1, own] @ query[token, own] / width**0.5
                wanted = logits.softmax(0) @ value[first : token + 1, own]
                assert torch.allclose(out[token, own], wanted, rtol=1e-9, atol=1e-12)
