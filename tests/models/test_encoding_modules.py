"""Every encoding against a literal implementation of its paper's formula."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from longreach.config.decoder import DecoderConfig
from longreach.config.encoding_table import ENCODINGS
from longreach.models.encoding_lookup import ENCODING_MODULES
from longreach.models.encoding_modules import FunctionalInterpolation, RelativeBuckets, alibi_slopes
from longreach.models.parameters import Parameters
from longreach.models.transformer import initialise


def shape(encoding: str, heads: int = 2, width: int = 8) -> DecoderConfig:
    return DecoderConfig(layers=2, heads=heads, width=width, vocabulary=5, positions=40, encoding=encoding)


def bias_of(
    config: DecoderConfig, parameters: Parameters, queries: Tensor, keys: Tensor, layer: int = 0
) -> Tensor:
    bias = ENCODING_MODULES[config.encoding].bias(parameters, config, layer, queries, keys)
    assert bias is not None
    return bias


@pytest.mark.parametrize("name", ENCODINGS)
def test_what_an_encoding_changes(name: str) -> None:
    """Embeddings, inner products or logits, and nothing twice."""
    config = shape(name)
    parameters = initialise(config, 0)
    vectors, ids = torch.ones(1, 4, 8), torch.tensor([3, 4, 5, 9])
    encoding = ENCODING_MODULES[name]
    embeds = not torch.equal(encoding.embed(parameters, config, vectors, ids), vectors)
    heads = torch.ones(1, 2, 4, 4)
    turns = not torch.equal(encoding.turn(config, heads, ids), heads)
    biased = encoding.bias(parameters, config, 0, ids, ids) is not None
    expected = {
        "sinusoidal": "embed",
        "rope": "turn",
        "alibi": "bias",
        "t5": "bias",
        "fire": "bias",
        "coupled-local": "bias",
        "nope": "",
    }
    found = [word for word, yes in (("embed", embeds), ("turn", turns), ("bias", biased)) if yes]
    assert found == [word for word in (expected.get(name, "embed"),) if word]


@pytest.mark.parametrize("name", ["ape", "randomized", "coupled"])
def test_learned_positions_are_rows_of_the_table(name: str) -> None:
    config = shape(name)
    parameters = initialise(config, 1)
    ids = torch.tensor([[0, 7, 7, 39], [5, 4, 3, 99]])
    embedded = ENCODING_MODULES[name].embed(parameters, config, torch.zeros(2, 4, 8), ids)
    for row in range(2):
        for place in range(4):
            kept = min(int(ids[row, place]), 39)  # padding may lie outside
            assert torch.equal(embedded[row, place], parameters["positions"][kept])


def test_the_sources_of_ids() -> None:
    assert {name: encoding.ids for name, encoding in ENCODINGS.items() if encoding.ids != "offset"} == {
        "randomized": "randomized",
        "coupled": "given",
        "coupled-local": "given",
    }


def test_sinusoids() -> None:
    config = shape("sinusoidal")
    ids = torch.tensor([0, 3, 38])
    token = torch.arange(24.0).reshape(1, 3, 8)
    waves = ENCODING_MODULES["sinusoidal"].embed({}, config, token, ids)[0] - math.sqrt(8) * token[0]
    for place, position in enumerate([0, 3, 38]):
        for i in range(4):
            angle = position / 10000 ** (2 * i / 8)
            assert waves[place, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-5)
            assert waves[place, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-5)


def test_rope_is_a_rotation_of_pairs() -> None:
    config = shape("rope", heads=1, width=6)
    generator = torch.Generator().manual_seed(0)
    vector = torch.randn(6, generator=generator, dtype=torch.float64)
    turned = ENCODING_MODULES["rope"].turn(config, vector.reshape(1, 1, 1, 6), torch.tensor([11]))[0, 0, 0]
    for pair in range(3):
        angle = 11 * 10000 ** (-2 * pair / 6)
        literal = complex(vector[2 * pair], vector[2 * pair + 1]) * complex(math.cos(angle), math.sin(angle))
        assert turned[2 * pair].item() == pytest.approx(literal.real, abs=1e-5)
        assert turned[2 * pair + 1].item() == pytest.approx(literal.imag, abs=1e-5)


def test_rope_sees_distances_only() -> None:
    config = shape("rope", heads=2, width=16)
    generator = torch.Generator().manual_seed(1)
    query, key = torch.randn(2, 1, 2, 1, 8, generator=generator).unbind(0)

    def product(i: int, j: int) -> Tensor:
        turn = ENCODING_MODULES["rope"].turn
        return (turn(config, query, torch.tensor([i])) * turn(config, key, torch.tensor([j]))).sum(-1)

    for distance in (0, 1, 5, 17):
        for j in (1, 10, 300):
            assert torch.allclose(product(j + distance, j), product(distance, 0), atol=1e-4)
    assert not torch.allclose(product(1, 0), product(0, 0), atol=1e-2)


def test_alibi_slopes_and_bias() -> None:
    assert alibi_slopes(8) == pytest.approx([1 / 2**k for k in range(1, 9)])
    # Twelve heads: the eight slopes above, then 2^-0.5, 2^-1.5, … as the authors do it.
    assert alibi_slopes(12)[8:] == pytest.approx([2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5])
    config = shape("alibi", heads=8)
    ids = torch.tensor([4, 5, 9])
    bias = bias_of(config, initialise(config, 0), ids, ids)
    for head in range(8):
        for i, query in enumerate([4, 5, 9]):
            for j, key in enumerate([4, 5, 9]):
                assert bias[head, i, j].item() == pytest.approx(-(2.0 ** -(head + 1)) * abs(query - key))


def literal_bucket(distance: int) -> int:
    """T5's one-sided buckets, distance by distance: the widest bucket start that is not beyond it."""
    if distance < 16:
        return max(distance, 0)
    bucket = 16
    # Bucket 16 + k starts at 16 · 8^(k/16).
    while bucket < 31 and distance >= 16 * 8 ** ((bucket + 1 - 16) / 16):
        bucket += 1
    return bucket


def test_t5_buckets() -> None:
    distances = list(range(-3, 400))
    found = RelativeBuckets().bucket(torch.tensor(distances)).tolist()
    assert found == [literal_bucket(distance) for distance in distances]


def test_t5_bias_reads_the_table() -> None:
    config = shape("t5")
    parameters = initialise(config, 2)
    queries, keys = torch.tensor([[30, 31], [5, 6]]), torch.tensor([[0, 30, 31], [4, 5, 6]])
    bias = bias_of(config, parameters, queries, keys)
    assert bias.shape == (2, 2, 2, 3)
    for row in range(2):
        for i in range(2):
            for j in range(3):
                bucket = literal_bucket(int(queries[row, i] - keys[row, j]))
                assert torch.equal(bias[row, :, i, j], parameters["relative.weight"][bucket])


@pytest.mark.parametrize("layer", [0, 1])
def test_fire_is_its_formula(layer: int) -> None:
    config = shape("fire")
    parameters = initialise(config, 3)
    name = f"layers.{layer}.fire"
    parameters[f"{name}.threshold"] = torch.tensor(20 / 512)  # so that both sides of max(L, i) are met
    ids = torch.tensor([0, 3, 19, 35])
    bias = bias_of(config, parameters, ids, ids, layer)
    values = {
        key: parameters[f"{name}.{key}"].tolist()
        for key in ("in.weight", "in.bias", "out.weight", "out.bias")
    }

    def psi(x: float) -> float:
        return math.log(0.1 * x + 1)

    for a, i in enumerate(ids.tolist()):
        for b, j in enumerate(ids.tolist()[: a + 1]):
            x = psi(i - j) / psi(max(20, i))
            hidden = [
                max(0.0, weight[0] * x + bias)
                for weight, bias in zip(values["in.weight"], values["in.bias"], strict=True)
            ]
            for head in range(2):
                literal = values["out.bias"][head] + sum(
                    weight * unit for weight, unit in zip(values["out.weight"][head], hidden, strict=True)
                )
                assert bias[head, a, b].item() == pytest.approx(literal, abs=1e-5)


def test_fire_starts_from_the_papers_values() -> None:
    table = FunctionalInterpolation().table(shape("fire"))
    assert table["layers.0.fire.c"].scale == 0.1
    assert table["layers.1.fire.in.weight"].shape == (32, 1)


@pytest.mark.parametrize("name", ["alibi", "t5"])
def test_relative_biases_ignore_offsets(name: str) -> None:
    config = shape(name)
    parameters, ids = initialise(config, 0), torch.arange(9)
    assert torch.equal(bias_of(config, parameters, ids, ids), bias_of(config, parameters, ids + 13, ids + 13))
