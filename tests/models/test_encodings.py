"""Tests of `models.encodings`."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import torch
from torch import Tensor

from longreach.config.encodings import ENCODINGS
from longreach.config.model import ModelConfig
from longreach.errors import InputError
from longreach.models.decoder import ENCODING_MODULES, forward, initialise
from longreach.models.encodings import (
    OUTSIDE,
    WINDOW,
    Encoding,
    FunctionalInterpolation,
    LocalCoupling,
    Reading,
    RelativeBuckets,
    alibi_slopes,
    pose_ids,
    randomized_ids,
)
from longreach.models.parameters import Parameters


def shape(encoding: str, heads: int = 2, width: int = 8) -> ModelConfig:
    return ModelConfig(layers=2, heads=heads, width=width, vocabulary=5, positions=40, encoding=encoding)


def bias_of(
    config: ModelConfig, parameters: Parameters, queries: Tensor, keys: Tensor, layer: int = 0
) -> Tensor:
    bias = ENCODING_MODULES[config.encoding].bias(parameters, config, layer, queries, keys)
    assert bias is not None
    return bias


def test_which_ignore_offsets() -> None:
    found = [name for name, encoding in ENCODING_MODULES.items() if encoding.ignores_offsets]
    assert found == ["nope", "alibi", "t5", "coupled-local", "fox", "stick-breaking", "reach", "cope"]


def test_an_own_encoding_must_say_that_it_ignores_offsets() -> None:
    class Own(Encoding):
        def hide(self, config: ModelConfig, layer: int, reading: Reading) -> Tensor:
            return reading.hidden | (reading.key_ids == 3)

    assert Own().changes_attention
    assert not Own().ignores_offsets
    Own.relative = True
    assert Own().ignores_offsets


@pytest.mark.parametrize("name", ENCODINGS)
def test_what_an_encoding_changes(name: str) -> None:
    """Embeddings, inner products, logits, or how these become weights."""
    config = shape(name)
    parameters = initialise(config, 0)
    vectors, ids = torch.ones(1, 4, 8), torch.tensor([3, 4, 5, 9])
    encoding = ENCODING_MODULES[name]
    embeds = not torch.equal(encoding.embed(parameters, config, vectors, ids), vectors)
    heads = torch.ones(1, 2, 4, 4)
    turns = not torch.equal(encoding.turn(config, 0, heads, ids), heads)
    biased = encoding.bias(parameters, config, 0, ids, ids) is not None
    expected = {
        "window": "turn attention",
        "fox": "attention",
        "stick-breaking": "attention",
        "reach": "bias attention",
        "cope": "attention",
        "sinusoidal": "embed",
        "rope": "turn",
        "alibi": "bias",
        "t5": "bias",
        "fire": "bias",
        "coupled-local": "bias",
        "nope": "",
    }
    parts = {"embed": embeds, "turn": turns, "bias": biased, "attention": encoding.changes_attention}
    assert " ".join(word for word, yes in parts.items() if yes) == expected.get(name, "embed")


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
    turned = ENCODING_MODULES["rope"].turn(config, 0, vector.reshape(1, 1, 1, 6), torch.tensor([11]))[0, 0, 0]
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
        return (turn(config, 0, query, torch.tensor([i])) * turn(config, 0, key, torch.tensor([j]))).sum(-1)

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


CONFIG = ModelConfig(
    layers=1, heads=2, width=8, vocabulary=7, positions=40, encoding="coupled-local", norm_epsilon=1e-5
)


def test_a_number_per_distance_and_head_and_one_for_marks() -> None:
    ids = torch.tensor([[0, 1, 2, 0, 1], [5, 39, 7, 5, 9]])
    parameters = initialise(CONFIG, 0)
    bias = LocalCoupling().bias(parameters, CONFIG, 0, ids, ids)
    assert bias is not None
    assert bias.shape == (2, 2, 5, 5)
    for row in range(2):
        for query in range(5):
            for key in range(5):
                distance = int(ids[row, query]) - int(ids[row, key])
                for head in range(2):
                    expected = OUTSIDE
                    if ids[row, key] == ids[row, 0]:
                        expected = parameters["relative.weight"][2 * WINDOW + 1, head].item()
                    elif abs(distance) <= WINDOW:
                        expected = parameters["relative.weight"][distance + WINDOW, head].item()
                    assert bias[row, head, query, key].item() == expected


def test_shifts_and_tokens_far_away_change_nothing() -> None:
    parameters = {name: value.double() for name, value in initialise(CONFIG, 1).items()}
    tokens, other = torch.tensor([[1, 2, 3, 4, 5]]), torch.tensor([[1, 2, 6, 4, 5]])
    first = forward(parameters, CONFIG, tokens, torch.tensor([[0, 1, 2, 0, 1]]))
    assert torch.equal(first, forward(parameters, CONFIG, tokens, torch.tensor([[9, 10, 11, 9, 10]])))
    changed = forward(parameters, CONFIG, other, torch.tensor([[0, 1, 2, 0, 1]]))
    assert (first - changed)[0, -1].abs().max() > 1e-6
    far = torch.tensor([[0, 1, 20, 0, 1]])
    one, two = (forward(parameters, CONFIG, each, far)[0, -1] for each in (tokens, other))
    assert (one - two).abs().max() < 1e-9


def test_marks_are_seen_from_everywhere() -> None:
    parameters = {name: value.double() for name, value in initialise(CONFIG, 1).items()}
    ids = torch.tensor([[0, 1, 2, 0, 30]])
    one = forward(parameters, CONFIG, torch.tensor([[1, 2, 3, 4, 5]]), ids)[0, -1]
    two = forward(parameters, CONFIG, torch.tensor([[1, 2, 3, 6, 5]]), ids)[0, -1]
    assert (one - two).abs().max() > 1e-6


def test_ids_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="7 position ids are needed, the model has 6"):
        randomized_ids(np.array([7]), 7, 6, np.random.default_rng(0))


def test_randomized_ids_are_uniform_increasing_choices() -> None:
    """Also for a row that is shorter than its array: no id is favoured."""
    rng = np.random.default_rng(0)
    ids = randomized_ids(np.full(6000, 2), 4, 5, rng)
    assert ids.shape == (6000, 4)
    found = Counter(map(tuple, ids[:, :2].tolist()))
    assert set(found) == {(i, j) for j in range(5) for i in range(j)}
    assert all(abs(count - 600) < 100 for count in found.values())
    assert (ids[:, 2:] == 4).all()


def test_arrays_longer_than_the_table() -> None:
    """Padding may go beyond what the model has positions for."""
    ids = randomized_ids(np.array([3, 1]), 9, 4, np.random.default_rng(0))
    assert ids.shape == (2, 9)
    assert ids.max() <= 3
    assert (np.diff(ids[0, :3]) > 0).all()


def test_pose_has_every_split_and_every_pair_of_starts_as_often_as_it_should() -> None:
    """Against the definition: all pairs J₀, J₁ and all split points, counted."""
    size, positions, rows = 4, 9, 30_000
    ids = pose_ids(np.full(rows, size), size, positions, np.random.default_rng(0))
    wanted: Counter[tuple[int, ...]] = Counter()
    for split in range(1, size):
        for one in range(1, positions - size + 1):  # ids from 1 on, as in the paper
            for other in range(1, positions - size + 1):
                low, high = min(one, other), max(one, other)
                first = [low + place for place in range(split)]
                second = [high + split + place for place in range(size - split)]
                wanted[tuple(each - 1 for each in first + second)] += 1
    found = Counter(map(tuple, ids.tolist()))
    assert found.keys() == wanted.keys()
    total = sum(wanted.values())
    for row, count in found.items():
        mean = rows * wanted[row] / total
        assert abs(count - mean) < 5 * mean**0.5, row


def test_pose_never_goes_beyond_the_last_id() -> None:
    rng = np.random.default_rng(1)
    for positions in (1, 2, 5, 30):
        sizes = rng.integers(1, positions + 1, 500)
        ids = pose_ids(sizes, positions + 2, positions, rng)
        inside = np.arange(ids.shape[1]) < sizes[:, None]
        assert ids.min() >= 0
        assert ids.max() <= positions - 1
        assert (ids[~inside] == positions - 1).all()
        steps = np.diff(ids, axis=1)[inside[:, 1:]]
        assert (steps >= 1).all()
        # Two chunks: at most one step of a row is longer than 1.
        assert ((np.diff(ids, axis=1) > 1) & inside[:, 1:]).sum(axis=1).max() <= 1
        full = ids[sizes == positions, :positions]
        assert (full == np.arange(positions)).all()
    with pytest.raises(InputError, match="7 position ids are needed, the model has 6"):
        pose_ids(np.array([7]), 7, 6, rng)
