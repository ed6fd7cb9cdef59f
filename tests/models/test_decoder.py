"""The decoder: one function for one model, many members, all places or the supervised ones."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from longreach.config.encodings import ENCODINGS
from longreach.config.model import ModelConfig
from longreach.errors import InputError
from longreach.models.decoder import Memory, forward, initialise, parameter_table
from longreach.models.parameters import Parameters
from tests.helpers.stacked import forward_members, stack

SHAPES: list[dict[str, Any]] = [
    *({"encoding": name} for name in ENCODINGS),
    {"layer_norm": False},
    {"log_length": True, "encoding": "alibi"},
    {"log_length": True, "encoding": "t5", "scaled_bias": False},
    {"tied": False, "outputs": 3},
    {"layers": 1, "heads": 1},
    {"loops": 3},
    {"loops": "log", "layers": 1},
    {"loops": 2, "encoding": "fox", "log_length": True},
    {"loops": "log", "encoding": "stick-breaking", "log_length": True},
]


def shape(**change: Any) -> ModelConfig:
    return ModelConfig(**{"layers": 2, "heads": 2, "width": 8, "vocabulary": 6, "positions": 24, **change})


def lively(config: ModelConfig, seed: int = 0, dtype: torch.dtype = torch.float64) -> Parameters:
    """Initial values plus noise: attention that is far from uniform, no biases at zero."""
    generator = torch.Generator().manual_seed(seed + 1000)
    return {
        name: (value + 0.4 * torch.randn(value.shape, generator=generator)).to(dtype)
        for name, value in initialise(config, seed).items()
    }


def random_tokens(*size: int, seed: int = 0) -> Tensor:
    return torch.randint(0, 6, size, generator=torch.Generator().manual_seed(seed))


def shifted(offsets: list[int], time: int) -> Tensor:
    return torch.tensor(offsets)[:, None] + torch.arange(time)


every_shape = pytest.mark.parametrize(
    "change", SHAPES, ids=lambda change: " ".join(map(str, change.values()))
)


@every_shape
def test_later_tokens_change_nothing_before(change: dict[str, Any]) -> None:
    config = shape(**change)
    parameters, tokens = lively(config), random_tokens(2, 9)
    other = tokens.clone()
    other[:, 5:] = (other[:, 5:] + 1) % 6
    first, second = forward(parameters, config, tokens), forward(parameters, config, other)
    assert torch.equal(first[:, :5], second[:, :5])
    assert not torch.allclose(first[:, 5:], second[:, 5:])


@every_shape
def test_padding_on_the_right_changes_nothing(change: dict[str, Any]) -> None:
    """Whatever its tokens and ids are, also beyond the table."""
    config = shape(**change)
    parameters, tokens = lively(config), random_tokens(2, 6)
    lengths = torch.tensor([6, 6])
    ids = shifted([0, 18], 6)
    padded = torch.cat([tokens, random_tokens(2, 4, seed=1)], dim=1)
    padded_ids = torch.cat([ids, shifted([0, 24], 4)], dim=1)
    alone = forward(parameters, config, tokens, ids, lengths=lengths)
    together = forward(parameters, config, padded, padded_ids, lengths=lengths)
    assert torch.allclose(together[:, :6], alone, atol=1e-12)


@every_shape
def test_supervised_places_only_is_the_full_computation_there(change: dict[str, Any]) -> None:
    config = shape(**change)
    parameters, tokens, ids = lively(config), random_tokens(3, 9), shifted([0, 4, 15], 9)
    places = torch.tensor([[8, 0, 3], [7, 7, 1], [2, 5, 8]])
    lengths = torch.tensor([9, 4, 7])
    full = forward(parameters, config, tokens, ids, lengths=lengths)
    some = forward(parameters, config, tokens, ids, places, lengths)
    for row in range(3):
        assert torch.allclose(some[row], full[row, places[row]], atol=1e-12)


@every_shape
def test_gradients_at_supervised_places_are_those_of_the_full_computation(change: dict[str, Any]) -> None:
    config = shape(**change)
    tokens, ids = random_tokens(3, 9), shifted([0, 4, 15], 9)
    places, targets = torch.tensor([[8, 3], [7, 1], [2, 5]]), torch.tensor([[0, 1], [2, 0], [1, 1]])

    def gradients(only: bool) -> Parameters:
        parameters = {name: value.requires_grad_() for name, value in lively(config).items()}
        made = forward(parameters, config, tokens, ids, places if only else None)
        if not only:
            made = torch.stack([made[row, places[row]] for row in range(3)])
        cross_entropy(made.flatten(0, 1), targets.flatten()).backward()
        return {name: value.grad for name, value in parameters.items() if value.grad is not None}

    full, some = gradients(only=False), gradients(only=True)
    assert set(full) == set(some) == set(parameter_table(config))
    for name, gradient in full.items():
        assert torch.isfinite(gradient).all()
        assert torch.allclose(some[name], gradient, atol=1e-12), name


@every_shape
@pytest.mark.parametrize("only", [False, True])
def test_members_together_are_members_alone(change: dict[str, Any], only: bool) -> None:
    """Values and gradients, each member with its own tokens, ids, lengths and places."""
    config = shape(**change)
    members = [lively(config, seed) for seed in range(3)]
    stacked = {name: value.requires_grad_() for name, value in stack(members).items()}
    tokens = random_tokens(3, 2, 7)
    ids = torch.stack([shifted([seed, 2 * seed], 7) for seed in range(3)])
    places = torch.tensor([[[6, 0], [1, 2]], [[3, 3], [5, 4]], [[0, 1], [6, 6]]]) if only else None
    lengths = torch.tensor([[7, 3], [5, 6], [2, 7]])
    together = forward_members(stacked, config, tokens, ids, places, lengths)
    together.square().sum().backward()
    for seed, parameters in enumerate(members):
        own = {name: value.requires_grad_() for name, value in parameters.items()}
        own_places = None if places is None else places[seed]
        alone = forward(own, config, tokens[seed], ids[seed], own_places, lengths[seed])
        assert torch.allclose(together[seed], alone, atol=1e-12)
        alone.square().sum().backward()
        for name, value in own.items():
            gradient = stacked[name].grad
            assert value.grad is not None
            assert gradient is not None
            assert torch.allclose(gradient[seed], value.grad, atol=1e-10), name


@pytest.mark.slow
@every_shape
def test_one_graph_without_breaks(change: dict[str, Any]) -> None:
    """Traced whole, forward and backward, with a backend that needs no C++ compiler."""
    config = shape(**change)
    parameters = {name: value.requires_grad_() for name, value in lively(config).items()}
    tokens, ids, places = random_tokens(2, 7), shifted([0, 3], 7), torch.tensor([[6, 1], [2, 2]])

    def loss(parameters: Parameters, tokens: Tensor, ids: Tensor, places: Tensor) -> Tensor:
        return forward(parameters, config, tokens, ids, places).square().mean()

    torch._dynamo.reset()
    traced = torch.compile(loss, backend="aot_eager", fullgraph=True)(parameters, tokens, ids, places)
    traced.backward()
    assert torch.allclose(traced, loss(parameters, tokens, ids, places), atol=1e-12)
    assert all(value.grad is not None and torch.isfinite(value.grad).all() for value in parameters.values())


@pytest.mark.slow
def test_members_are_traced_whole() -> None:
    config = shape()
    stacked, tokens = stack([lively(config, seed) for seed in range(2)]), random_tokens(2, 2, 5)
    torch._dynamo.reset()
    compiled = torch.compile(lambda p, t: forward_members(p, config, t), backend="aot_eager", fullgraph=True)
    assert torch.allclose(compiled(stacked, tokens), forward_members(stacked, config, tokens), atol=1e-12)


def test_offsets_move_along_the_table_of_positions() -> None:
    config = shape()
    parameters, tokens = lively(config), random_tokens(1, 6)
    moved = {**parameters, "positions": parameters["positions"].roll(-5, 0)}
    at_offset = forward(parameters, config, tokens, shifted([5], 6))
    assert torch.equal(at_offset, forward(moved, config, tokens))
    assert not torch.allclose(at_offset, forward(parameters, config, tokens))


@pytest.mark.parametrize("encoding", ["nope", "rope", "alibi", "t5"])
def test_relative_encodings_do_not_see_offsets(encoding: str) -> None:
    config = shape(encoding=encoding)
    parameters, tokens = lively(config), random_tokens(1, 6)
    here, there = (forward(parameters, config, tokens, shifted([offset], 6)) for offset in (0, 18))
    assert torch.allclose(here, there, atol=1e-5)  # angles are in single precision


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_ids_for_all_rows_or_each_row(encoding: str) -> None:
    config = shape(encoding=encoding)
    parameters, tokens, places = lively(config), random_tokens(2, 6), torch.tensor([[1, 4], [5, 0]])
    for only in (None, places):
        shared = forward(parameters, config, tokens, torch.arange(6), only)
        assert torch.equal(shared, forward(parameters, config, tokens, None, only))
        assert torch.allclose(
            shared, forward(parameters, config, tokens, shifted([0, 0], 6), only), atol=1e-12
        )


def test_without_positions_order_matters_only_through_prefixes() -> None:
    """One layer of NoPE: the last output does not see the order of the tokens before it."""
    config = shape(layers=1, encoding="nope")
    parameters, tokens = lively(config), torch.tensor([[1, 2, 3, 4, 5], [3, 1, 4, 2, 5]])
    first, second = forward(parameters, config, tokens)
    assert torch.allclose(first[-1], second[-1], atol=1e-12)


def test_log_length_multiplies_the_logits_of_attention() -> None:
    """The same as plain attention with queries, biases of positions included, multiplied by log |x|."""
    plain, scaled = shape(layers=1, encoding="t5"), shape(layers=1, encoding="t5", log_length=True)
    parameters, tokens = lively(plain), random_tokens(2, 7)
    for lengths in (torch.tensor([7, 7]), torch.tensor([5, 11])):
        for row in range(2):
            factor = math.log(int(lengths[row]))
            grown = dict(parameters)
            for name in (
                "layers.0.attention.query.weight",
                "layers.0.attention.query.bias",
                "relative.weight",
            ):
                grown[name] = parameters[name] * factor
            found = forward(parameters, scaled, tokens, lengths=lengths)[row]
            assert torch.allclose(found, forward(grown, plain, tokens)[row], atol=1e-6)


@pytest.mark.parametrize("encoding", ["alibi", "t5", "fire"])
def test_biases_are_scaled_only_where_asked(encoding: str) -> None:
    """With |x| = e everywhere the factor is 1; queries and keys of 0 leave nothing but the bias."""
    config = shape(encoding=encoding, layers=1, log_length=True, scaled_bias=False)
    parameters = lively(config)
    for name in parameters:
        if "query" in name or "key" in name or "qkv" in name:
            parameters[name] = torch.zeros_like(parameters[name])
    tokens, ids = random_tokens(2, 9), torch.arange(9)
    short, long = (torch.full((2,), size) for size in (9, 900))
    kept = [forward(parameters, config, tokens, ids, lengths=each) for each in (short, long)]
    assert torch.equal(*kept)
    plain = config.model_copy(update={"log_length": False})
    assert torch.allclose(kept[0], forward(parameters, plain, tokens, ids))
    scaled = config.model_copy(update={"scaled_bias": True})
    assert not torch.allclose(kept[0], forward(parameters, scaled, tokens, ids, lengths=long))


def test_log_length_of_prefixes_is_causal() -> None:
    config = shape(log_length=True, encoding="alibi")
    parameters, tokens = lively(config), random_tokens(2, 8)
    prefixes = torch.arange(1, 9).expand(2, 8)
    full = forward(parameters, config, tokens, lengths=prefixes)
    assert torch.equal(full, forward(parameters, config, tokens))
    short = forward(parameters, config, tokens[:, :5])
    assert torch.allclose(full[:, :5], short, atol=1e-12)
    places = torch.tensor([[7, 2], [0, 4]])
    some = forward(parameters, config, tokens, mask_positions=places)
    assert torch.allclose(some, torch.stack([full[row, places[row]] for row in range(2)]), atol=1e-12)


def test_tied_embeddings_get_both_gradients() -> None:
    config = shape()
    assert "unembedding" not in parameter_table(config)
    parameters = {name: value.requires_grad_() for name, value in lively(config).items()}
    forward(parameters, config, torch.zeros(1, 3, dtype=torch.long)).square().sum().backward()
    gradient = parameters["embedding"].grad
    assert gradient is not None
    assert (gradient.abs().sum(dim=1) > 0).all()  # as outputs, tokens that never were inputs
    assert parameter_table(shape(tied=False, outputs=3))["unembedding"].shape == (3, 8)


def test_without_layer_norm_there_are_no_norms() -> None:
    assert not [name for name in parameter_table(shape(layer_norm=False)) if "norm" in name]


def test_initial_values_are_gpt2s() -> None:
    config = shape(layers=8, width=64, vocabulary=50, positions=300)
    drawn = initialise(config, 0)
    for name, std in (
        ("embedding", 0.02),
        ("positions", 0.02),
        ("layers.3.attention.key.weight", 0.02),
        ("layers.3.mlp.in.weight", 0.02),
        ("layers.3.attention.out.weight", 0.02 / 4),
        ("layers.7.mlp.out.weight", 0.02 / 4),
    ):
        assert drawn[name].std().item() == pytest.approx(std, rel=0.05), name
    assert all((value == 0).all() for name, value in drawn.items() if name.endswith("bias"))
    assert all((value == 1).all() for name, value in drawn.items() if name.endswith("norm.weight"))


def test_a_seed_is_a_member() -> None:
    config = shape()
    first, again, other = initialise(config, 3), initialise(config, 3), initialise(config, 4)
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["embedding"], other["embedding"])
    bare = initialise(shape(encoding="nope"), 3)
    assert all(torch.equal(bare[name], first[name]) for name in bare)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_half_precision_stays_half(encoding: str) -> None:
    config = shape(encoding=encoding, log_length=True)
    parameters, tokens = lively(config, dtype=torch.float32), random_tokens(2, 6)
    half = {name: value.bfloat16() for name, value in parameters.items()}
    made = forward(half, config, tokens)
    assert made.dtype == torch.bfloat16
    exact = forward(parameters, config, tokens)
    assert (made.float() - exact).abs().mean() < 0.1 * exact.abs().mean()


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_learns(encoding: str) -> None:
    """Each output is the previous token, so that order must reach attention."""
    config = shape(encoding=encoding, layers=2, width=32, heads=2, positions=8)
    parameters = {name: value.requires_grad_() for name, value in initialise(config, 0).items()}
    optimizer = torch.optim.AdamW(parameters.values(), 3e-3)
    losses = []
    for step in range(150):
        tokens = random_tokens(64, 6, seed=step)
        optimizer.zero_grad()
        logits = forward(parameters, config, tokens)[:, 1:]
        loss = cross_entropy(logits.flatten(0, 1), tokens[:, :-1].flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    # Knowing nothing costs log 6 = 1.79.
    assert losses[-1] < 1.6


def test_gelu_is_the_same_with_and_without_gradients() -> None:
    config = shape()
    tokens, parameters = random_tokens(4, 6), lively(config, dtype=torch.float32)
    wanted = forward(parameters, config, tokens)
    with torch.inference_mode():
        found = forward(parameters, config, tokens)
    assert torch.allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("encoding", list(ENCODINGS))
@pytest.mark.parametrize(
    "change",
    [{}, {"log_length": True}, {"layer_norm": False}, {"layers": 1}, {"loops": 2}, {"loops": "log"}],
    ids=str,
)
def test_a_memory_gives_the_outputs_of_the_whole_prefix(encoding: str, change: dict[str, Any]) -> None:
    """Rows of different sizes, read in pieces of different sizes, with ids of any kind."""
    config = shape(encoding=encoding, **change)
    parameters, rng = lively(config), torch.Generator().manual_seed(0)
    rows, columns = 3, 12
    tokens = torch.randint(0, config.vocabulary, (rows, columns), generator=rng)
    ids = torch.randint(0, config.positions, (rows, columns), generator=rng)
    memory = Memory(parameters, config, rows=rows, columns=columns)
    done = [0] * rows
    with torch.no_grad():
        wanted = forward(parameters, config, tokens, ids)
        for counts in ([2, 5, 1], [1, 1, 1], [3, 1, 2], [1, 1, 1]):
            most = max(counts)
            read, numbers = (torch.zeros((rows, most), dtype=torch.long) for _ in range(2))
            for row, count in enumerate(counts):
                read[row, :count] = tokens[row, done[row] : done[row] + count]
                numbers[row, :count] = ids[row, done[row] : done[row] + count]
                done[row] += count
            found = memory.read(read, numbers, torch.tensor(counts)).tokens
            for row in range(rows):
                assert torch.allclose(found[row], wanted[row, done[row] - 1], atol=1e-10)
        memory.keep(torch.tensor([2, 0]))
        found = memory.read(
            *(torch.stack([each[2, done[2]], each[0, done[0]]])[:, None] for each in (tokens, ids)),
            torch.tensor([1, 1]),
        ).tokens
        assert torch.allclose(found[0], wanted[2, done[2]], atol=1e-10)
        assert torch.allclose(found[1], wanted[0, done[0]], atol=1e-10)


def test_a_memory_holds_no_more_than_there_is_room_for() -> None:
    config = shape()
    memory = Memory(lively(config), config, rows=1, columns=2)
    three = torch.zeros((1, 3), dtype=torch.long)
    with pytest.raises(InputError, match="3 tokens in a memory with room for 2"):
        memory.read(three, three, torch.tensor([3]))
