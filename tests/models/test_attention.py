"""Windows, forget gates, sticks, counts and loops, each against its definition token by token."""

from __future__ import annotations

import cmath
import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.config.reach import reach_heads
from longreach.models.attention import ContextualCounts, Window, sticks
from longreach.models.decoder import Memory, forward, initialise
from longreach.models.encodings import Encoding
from longreach.models.parameters import Parameters

ATTENTION = ("nope", "window", "fox", "stick-breaking", "reach", "cope")
VOCABULARY = 5


def shape(**change: Any) -> ModelConfig:
    usual: dict[str, Any] = {
        "layers": 2, "heads": 2, "width": 8, "vocabulary": VOCABULARY, "positions": 60
    }  # fmt: skip
    return ModelConfig(**{**usual, **change})


def lively(config: ModelConfig, seed: int = 0, scale: float = 0.5) -> Parameters:
    rng = torch.Generator().manual_seed(seed)
    return {
        name: value.double() + scale * torch.randn(value.shape, generator=rng, dtype=torch.float64)
        for name, value in initialise(config, seed).items()
    }


def reach_options(heads: int) -> st.SearchStrategy[dict[str, Any]]:
    moduli = st.just("auto") | st.integers(1, 7)
    return st.fixed_dictionaries({"reach_modulus": moduli, "reach_counting": st.integers(0, heads - 1)})


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def softmax(logits: dict[int, float]) -> dict[int, float]:
    total = sum(math.exp(each) for each in logits.values())
    return {j: math.exp(each) / total for j, each in logits.items()}


class Literal:
    """The decoder on one row, with loops over heads, queries and keys: what the papers define."""

    def __init__(
        self, parameters: Parameters, config: ModelConfig, tokens: list[int], ids: list[int]
    ) -> None:
        self.p, self.config, self.tokens, self.ids = parameters, config, tokens, ids

    def norm(self, name: str, x: Tensor) -> Tensor:
        if not self.config.layer_norm:
            return x
        spread = ((x - x.mean()) ** 2).mean() + self.config.norm_epsilon
        return (x - x.mean()) / spread.sqrt() * self.p[f"{name}.weight"] + self.p[f"{name}.bias"]

    def linear(self, name: str, x: Tensor) -> Tensor:
        return self.p[f"{name}.weight"] @ x + self.p[f"{name}.bias"]

    def head(self, layer: int, part: str, head: int, x: Tensor, position: int) -> Tensor:
        """A query, key or value, turned where the layer turns."""
        size = self.config.head_width
        found = self.linear(f"layers.{layer}.attention.{part}", x)[head * size : (head + 1) * size]
        if self.config.encoding != "window" or layer % 2 or part == "value":
            return found
        turned = found.clone()
        for pair in range(size // 2):
            angle = position * 10000 ** (-2 * pair / size)
            value = complex(found[2 * pair], found[2 * pair + 1])
            value *= complex(math.cos(angle), math.sin(angle))
            turned[2 * pair], turned[2 * pair + 1] = value.real, value.imag
        return turned

    def weights(self, layer: int, head: int, i: int, inputs: list[Tensor]) -> dict[int, float]:
        """By key, what a query gives it."""
        config, name = self.config, self.config.encoding
        factor = math.log(i + 1) if config.log_length else 1.0
        added_factor = factor if config.scaled_bias else 1.0
        query = self.head(layer, "query", head, inputs[i], self.ids[i]) / math.sqrt(config.head_width)
        seen = [j for j in range(i + 1) if not self.is_far(layer, i, j)]
        product = {j: float(query @ self.head(layer, "key", head, inputs[j], self.ids[j])) for j in seen}
        if name == "reach":
            does = reach_heads(layer, config.heads, config.reach_modulus, config.reach_counting)[head]
            if does.counting:
                return softmax({j: math.log(i + 1) * product[j] for j in seen})
            seen, near = list(range(i if does.strict else i + 1)), self.p[f"layers.{layer}.reach.bias"][head]
            share = {
                j: sigmoid(math.log(i + 1) * (product[j] + float(near[min(self.ids[i] - self.ids[j], 9)])))
                for j in seen
            }
            return {j: share[j] * math.prod(1 - share[k] for k in share if k > j) for j in seen}
        if name == "stick-breaking":
            share = {j: sigmoid(factor * product[j]) for j in seen}
            return {j: share[j] * math.prod(1 - share[k] for k in range(j + 1, i + 1)) for j in seen}
        added = dict.fromkeys(seen, 0.0)
        if name == "fox":
            for j in seen:
                for k in range(j + 1, i + 1):
                    gate = self.p[f"layers.{layer}.forget.weight"][head] @ inputs[k]
                    added[j] += math.log(sigmoid(float(gate + self.p[f"layers.{layer}.forget.bias"][head])))
        if name == "cope":
            table = self.p[f"layers.{layer}.counts"]
            for j in seen:
                count = min(sum(sigmoid(product[k]) for k in range(j, i + 1)), ContextualCounts.most)
                low, high = math.floor(count), math.ceil(count)
                vector = (
                    table[low] if low == high else (high - count) * table[low] + (count - low) * table[high]
                )
                added[j] = float(query @ vector)
        return softmax({j: factor * product[j] + added_factor * added[j] for j in seen})

    def told(self, layer: int, head: int, value: Tensor, distance: int) -> Tensor:
        """A value with its distance."""
        config = self.config
        if config.encoding != "reach":
            return value
        m = reach_heads(layer, config.heads, config.reach_modulus, config.reach_counting)[head].modulus
        found = value.clone()
        for pair in range(config.head_width // 2):
            frequency = pair % (m // 2 + 1) / m
            turned = complex(value[2 * pair], value[2 * pair + 1]) * cmath.exp(
                2j * math.pi * frequency * distance
            )
            found[2 * pair], found[2 * pair + 1] = turned.real, turned.imag
        return found

    def is_far(self, layer: int, i: int, j: int) -> bool:
        local = self.config.encoding == "window" and layer % 2 == 0
        return local and abs(self.ids[i] - self.ids[j]) >= Window.size

    def layer(self, layer: int, stream: list[Tensor]) -> list[Tensor]:
        name, size = f"layers.{layer}", self.config.head_width
        inputs = [self.norm(f"{name}.attention_norm", y) for y in stream]
        found = []
        for i, y in enumerate(stream):
            heads = []
            for head in range(self.config.heads):
                mixed = torch.zeros(size, dtype=torch.float64)
                for j, weight in self.weights(layer, head, i, inputs).items():
                    value = self.head(layer, "value", head, inputs[j], self.ids[j])
                    mixed = mixed + weight * self.told(layer, head, value, self.ids[i] - self.ids[j])
                heads.append(mixed)
            y = y + self.linear(f"{name}.attention.out", torch.cat(heads))
            units = self.linear(f"{name}.mlp.in", self.norm(f"{name}.mlp_norm", y))
            cubic = math.sqrt(2 / math.pi) * (units + 0.044715 * units**3)
            found.append(y + self.linear(f"{name}.mlp.out", units * (1 + cubic.tanh()) / 2))
        return found

    def logits(self) -> Tensor:
        first = [self.p["embedding"][token] for token in self.tokens]
        if "positions" in self.p:
            first = [y + self.p["positions"][position] for y, position in zip(first, self.ids, strict=True)]
        after = [first]
        longest = math.ceil(math.log2(len(first) + 1))
        for loop in range(longest if self.config.loops == "log" else self.config.loops):
            stream = [y + x for y, x in zip(after[-1], first, strict=True)] if loop else first
            for layer in range(self.config.layers):
                stream = self.layer(layer, stream)
            after.append(stream)
        found = []
        for t in range(len(first)):
            loops = math.ceil(math.log2(t + 2)) if self.config.loops == "log" else self.config.loops
            found.append(self.p["embedding"] @ self.norm("norm", after[loops][t]))
        return torch.stack(found)


@settings(max_examples=12, deadline=None)
@given(st.data())
@pytest.mark.parametrize("encoding", ATTENTION)
def test_attention_is_its_definition(encoding: str, data: st.DataObject) -> None:
    """Rows with offsets, padded on the right, at all places and at some."""
    heads = data.draw(st.sampled_from([1, 2]))
    config = shape(
        encoding=encoding,
        layers=data.draw(st.integers(1, 3)),
        heads=heads,
        **(data.draw(reach_options(heads)) if encoding == "reach" else {}),
        log_length=data.draw(st.booleans()),
        scaled_bias=data.draw(st.booleans()),
        layer_norm=data.draw(st.booleans()),
    )
    parameters = lively(config, data.draw(st.integers(0, 99)), 0.5 if config.layer_norm else 0.2)
    rows = data.draw(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=12), min_size=1, max_size=3))
    width = max(map(len, rows))
    tokens = torch.tensor([row + [3] * (width - len(row)) for row in rows])
    offsets = [data.draw(st.integers(0, 20)) for _ in rows]
    ids = torch.tensor(offsets)[:, None] + torch.arange(width)
    found = forward(parameters, config, tokens, ids)
    places = torch.tensor([[data.draw(st.integers(0, len(row) - 1)) for _ in range(2)] for row in rows])
    some = forward(parameters, config, tokens, ids, places)
    for number, row in enumerate(rows):
        wanted = Literal(parameters, config, row, ids[number].tolist()).logits()
        # Angles and the factor log |x| are in single precision.
        rough = 1e-4 if encoding == "window" else 1e-6 if config.log_length else 1e-9
        close = {"rtol": rough, "atol": rough}
        torch.testing.assert_close(found[number, : len(row)], wanted, **close)
        torch.testing.assert_close(some[number], wanted[places[number]], **close)


def test_windows_have_an_end() -> None:
    """One layer: what is eight tokens back is out of sight; with a second one it comes through."""
    one = torch.tensor([[0, *[1, 2, 3] * 3]])
    other = torch.tensor([[4, *[1, 2, 3] * 3]])
    for layers in (1, 2):
        config = shape(encoding="window", layers=layers)
        parameters = lively(config)
        moved = (forward(parameters, config, one) - forward(parameters, config, other)).abs().amax(-1)[0]
        assert (moved[: Window.size] > 1e-6).all()
        assert bool((moved[Window.size :] > 1e-6).all()) == (layers == 2)


def test_counts_reach_their_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ContextualCounts, "most", 2)
    config = shape(encoding="cope")
    parameters, tokens = lively(config), [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]
    wanted = Literal(parameters, config, tokens, list(range(10))).logits()
    assert torch.allclose(forward(parameters, config, torch.tensor([tokens]))[0], wanted, atol=1e-9)


@settings(max_examples=50)
@given(st.lists(st.floats(-60, 60) | st.just(-math.inf), min_size=1, max_size=9))
def test_sticks_are_broken_from_the_last_on(logits: list[float]) -> None:
    left, wanted = 1.0, []
    for z in reversed(logits):
        share = 0.0 if z == -math.inf else sigmoid(z)
        wanted.insert(0, left * share)
        left *= 1 / (1 + math.exp(z)) if z > -math.inf else 1.0
    found = sticks(torch.tensor(logits, dtype=torch.float64))
    assert found.tolist() == pytest.approx(wanted, rel=1e-9, abs=1e-300)
    assert float(found.sum()) <= 1 + 1e-12


def test_the_gradient_of_sticks() -> None:
    rng = torch.Generator().manual_seed(0)
    logits = 3 * torch.randn(3, 4, 7, generator=rng, dtype=torch.float64)
    assert torch.autograd.gradcheck(sticks, logits.requires_grad_())
    hidden = torch.ones(4, 7, dtype=torch.bool).triu(2)

    def masked(logits: Tensor) -> Tensor:
        return sticks(logits.masked_fill(hidden, -math.inf))

    assert torch.autograd.gradcheck(masked, logits)
    # Over runs side by side, which PyTorch derives.
    (wanted,) = torch.autograd.grad(masked(logits).square().sum(), logits)
    each = torch.func.vmap(torch.func.grad(lambda z: masked(z).square().sum()))(logits.detach())
    assert torch.allclose(each, wanted, atol=1e-12)


@pytest.mark.parametrize("size", [100, 10_000])
def test_sticks_are_precise_in_single_precision(size: int) -> None:
    rng = torch.Generator().manual_seed(1)
    for mean in (-9.0, 0.0, 9.0):
        logits = mean + 4 * torch.randn(4, size, generator=rng, dtype=torch.float64)
        found, wanted = sticks(logits.float()).double(), sticks(logits.float().double())
        assert torch.isfinite(found).all()
        assert (found - wanted).abs().max() < 1e-5
        assert found.sum(-1).max() < 1 + 1e-4
    # One match far back among tokens that do not match is found.
    alone = torch.full((size,), -30.0)
    alone[3] = 30.0
    assert float(sticks(alone)[3]) > 1 - 1e-6


def test_gates_and_counts_are_finite_far_out() -> None:
    for encoding in ("fox", "cope", "stick-breaking"):
        config = shape(encoding=encoding, layers=1)
        parameters = {name: value.float() for name, value in lively(config).items()}
        exact = {name: value.double() for name, value in parameters.items()}
        tokens = torch.randint(0, VOCABULARY, (1, 3000), generator=torch.Generator().manual_seed(2))
        places = torch.tensor([[0, 1500, 2999]])
        found = forward(parameters, config, tokens, mask_positions=places)
        wanted = forward(exact, config, tokens, mask_positions=places)
        assert torch.allclose(found.double(), wanted, atol=2e-2, rtol=1e-2), encoding


class _Reaching(Encoding):
    """What mechanisms to come need at once: half of the heads strict, ids in logits, values and weights."""

    bias_per_layer = True

    def hide(self, config: ModelConfig, layer: int, reading: Any) -> Tensor:
        keys = torch.arange(reading.key_ids.shape[-1], device=reading.key_ids.device)
        itself = (reading.query_places.unsqueeze(-1) == keys).unsqueeze(-3)
        strict = (torch.arange(config.heads, device=keys.device) % 2 == 1)[:, None, None]
        hidden: Tensor = reading.hidden | (itself & strict)
        return hidden

    def weigh(self, attending: Any, logits: Tensor) -> Tensor:
        return sticks(logits.masked_fill(attending.reading.hidden, -math.inf))

    def mix(self, attending: Any, weights: Tensor, value: Tensor) -> Tensor:
        reading = attending.reading
        distance = reading.query_ids.unsqueeze(-1) - reading.key_ids.unsqueeze(-2)
        angle = (2 * math.pi / 3 * distance).to(weights.dtype).unsqueeze(-3)
        even, odd = value[..., 0::2], value[..., 1::2]
        cos, sin = weights * angle.cos(), weights * angle.sin()
        return torch.stack([cos @ even - sin @ odd, sin @ even + cos @ odd], dim=-1).flatten(-2)


@pytest.mark.parametrize("log_length", [False, True])
def test_masks_by_head_and_turned_values_go_through_every_way(
    monkeypatch: pytest.MonkeyPatch, log_length: bool
) -> None:
    """All places, some places, and token by token give the same; heads that see nothing give nothing."""
    monkeypatch.setattr("longreach.models.decoder.encoding_module", lambda name: _Reaching())
    config = shape(encoding="nope", log_length=log_length)
    parameters, rng = lively(config), torch.Generator().manual_seed(0)
    tokens = torch.randint(0, VOCABULARY, (2, 9), generator=rng)
    ids = torch.tensor([4, 11])[:, None] + torch.arange(9)
    found = forward(parameters, config, tokens, ids)
    assert torch.isfinite(found).all()
    places = torch.tensor([[8, 0], [3, 4]])
    some = forward(parameters, config, tokens, ids, places)
    assert torch.allclose(some, torch.stack([found[row, places[row]] for row in range(2)]), atol=1e-12)
    memory = Memory(parameters, config, rows=2, columns=9)
    for place in range(9):
        one = torch.tensor([1, 1])
        read = memory.read(tokens[:, place : place + 1], ids[:, place : place + 1], one).tokens
        assert torch.allclose(read, found[:, place], atol=1e-12)
    assert torch.allclose(found, forward(parameters, config, tokens, ids + 3), atol=1e-12)


@pytest.mark.parametrize("encoding", ["nope", "ape", "stick-breaking"])
@pytest.mark.parametrize("loops", [1, 2, 3, "log"])
@pytest.mark.parametrize("layers", [1, 2])
def test_loops_are_their_definition(encoding: str, loops: Any, layers: int) -> None:
    config = shape(encoding=encoding, loops=loops, layers=layers)
    parameters, rng = lively(config), torch.Generator().manual_seed(3)
    for size in (1, 2, 3, 4, 7, 8, 9):
        tokens = torch.randint(0, VOCABULARY, (1, size), generator=rng)
        wanted = Literal(parameters, config, tokens[0].tolist(), list(range(size))).logits()
        assert torch.allclose(forward(parameters, config, tokens)[0], wanted, atol=1e-9)
        places = torch.tensor([[size - 1, 0]])
        some = forward(parameters, config, tokens, mask_positions=places)
        assert torch.allclose(some[0], wanted[places[0]], atol=1e-9)


def test_documents_without_loops_stay_as_they_were() -> None:
    plain = shape()
    assert "loops" not in plain.model_dump()
    assert "loops" not in plain.model_dump_json()
    assert ModelConfig.read(plain.model_dump_json()) == plain
    for loops in (4, "log"):
        made = shape(loops=loops)
        assert ModelConfig.read(made.model_dump_json()) == made != plain
    for wrong in (0, -1, 10**9, "lot", 1.5, True, None):
        with pytest.raises(ValueError, match="loops"):
            shape(loops=wrong)
