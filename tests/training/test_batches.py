"""Position ids of every scheme in training and in tests, and the numbers that come of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from longreach.config.encodings import ENCODINGS
from longreach.config.run import ID_SCHEMES, RunConfig
from longreach.errors import InputError
from longreach.models.decoder import forward, last_states
from longreach.models.network import Network
from longreach.tasks.task import Batch
from longreach.training.batches import Batches, Chunk, Occasion, Streams, chunks, placed
from longreach.training.loop import train
from longreach.training.setup import decoder_of, network_of, positions_of, task_of
from longreach.training.stepping import side_by_side
from longreach.training.steps import (
    Gradient,
    GradientByHand,
    chunk_loss,
    compiler,
    fixed_shape,
)
from tests.helpers.examples import slow
from tests.training.test_loop import tiny

SOME_ENCODINGS = ("nope", "ape", "sinusoidal", "rope", "t5", "fire")


def scheme(name: str, encoding: str = "ape", task: str = "reverse", **given: Any) -> RunConfig:
    fields = {"layers": 2, "heads": 2, "train_lengths": (1, 7), "test_lengths": ((8, 11),), "batch": 12}
    return tiny(task=task, encoding=encoding, position_ids=name, **{**fields, **given})


def _ids(config: RunConfig, occasion: Occasion, lengths: list[int]) -> Batch:
    rng = np.random.default_rng(1)
    return placed(task_of(config).sample(lengths, rng), config, occasion, rng)


# reverse at length 3: SOS x x x SEP x x x, 8 tokens, and 14 ids.
WORKED: dict[tuple[str, Occasion], set[tuple[int, ...]] | None] = {
    ("true", "training"): {tuple(range(8))},
    ("true", "first"): {tuple(range(8))},
    ("true", "shifted"): {tuple(range(s, s + 8)) for s in range(7)},
    ("shift", "training"): {tuple(range(s, s + 8)) for s in range(7)},
    ("shift", "first"): {tuple(range(8))},
    ("coupled", "training"): {tuple(s + i for i in (0, 1, 2, 3, 0, 3, 2, 1)) for s in range(11)},
    ("coupled", "first"): {(0, 1, 2, 3, 0, 3, 2, 1)},
    ("coupled", "shifted"): {tuple(s + i for i in (0, 1, 2, 3, 0, 3, 2, 1)) for s in range(11)},
    ("pose", "training"): {
        (*range(low, low + split), *range(high + split, high + 8))
        for split in range(1, 8)
        for high in range(6)
        for low in range(high + 1)
    },
    ("pose", "first"): {tuple(range(8))},
    ("pose", "shifted"): {tuple(range(s, s + 8)) for s in range(7)},
}


@pytest.mark.parametrize(("name", "occasion"), WORKED)
def test_worked_examples(name: str, occasion: Occasion) -> None:
    config = scheme(name, test_lengths=((6, 6),), train_lengths=(1, 5))
    assert positions_of(config) == 14
    found = _ids(config, occasion, [3] * 2000)
    assert set(map(tuple, found.position_ids.tolist())) == WORKED[name, occasion]
    assert found.next_ids is None


@pytest.mark.parametrize("occasion", ["training", "first", "shifted"])
def test_randomized_ids_are_drawn_always(occasion: Occasion) -> None:
    ids = _ids(scheme("randomized", "rope"), occasion, [3] * 50).position_ids
    assert (np.diff(ids, axis=1) > 0).all()
    assert len(set(map(tuple, ids.tolist()))) > 40


def test_coupled_ids_can_stay_where_they_are_in_training() -> None:
    ids = _ids(scheme("coupled", offsets="none"), "training", [2] * 9).position_ids
    assert ids.tolist() == [[0, 1, 2, 0, 2, 1]] * 9


@pytest.mark.parametrize("name", ID_SCHEMES)
def test_l_max_is_how_many_ids_there_are(name: str) -> None:
    config = scheme(name, max_position=100)
    assert decoder_of(config).positions == 100
    reached = int(_ids(config, "training", [1, 5, 7] * 500).position_ids.max())
    if name == "true":  # only padding stands there
        assert reached < 20
    else:
        assert 95 <= reached <= 99


def test_ids_to_be_predicted_are_those_of_the_next_tokens() -> None:
    config = scheme("coupled", predict_ids=True)
    batch = _ids(config, "shifted", [1, 4, 7])
    assert batch.next_ids is not None
    for row, size in enumerate(batch.sizes.tolist()):
        shift = int(batch.position_ids[row, 0])
        assert (batch.next_ids[row, : size - 1] == batch.position_ids[row, 1:size]).all()
        assert batch.next_ids[row, size - 1] == shift  # EOS has the id of SOS and SEP


def _plain(
    vector: torch.Tensor, network: Network, config: RunConfig, batch: Batch
) -> tuple[float, torch.Tensor]:
    """Loss and gradient over the whole padded batch by automatic differentiation."""
    leaf = vector.clone().requires_grad_()
    named, model = network.named(leaf), decoder_of(config)
    tokens, ids, targets, mask = map(
        torch.from_numpy, (batch.tokens, batch.position_ids, batch.targets, batch.mask)
    )
    loss = F.cross_entropy(forward(named, model, tokens, ids)[mask], targets[mask])
    if config.predict_ids:
        assert batch.next_ids is not None
        guessed = last_states(named, model, tokens, ids) @ named["id_unembedding"].T
        loss = loss + F.cross_entropy(guessed[mask], torch.from_numpy(batch.next_ids)[mask])
    return loss.item(), torch.autograd.grad(loss, leaf)[0]


@pytest.mark.parametrize(
    ("name", "encoding", "given"),
    [
        *(
            (name, encoding, {})
            for name in ID_SCHEMES
            for encoding in SOME_ENCODINGS
            if encoding != "nope" or name in ("true", "shift")  # others would change nothing, and are refused
        ),
        *(("coupled", encoding, {"predict_ids": True}) for encoding in ("ape", "sinusoidal", "coupled")),
        ("coupled", "coupled", {}),
        *(
            (name, encoding, {"task": task, "train_lengths": (4, 15), "test_lengths": ((16, 20),)})
            for task in ("parity", "copy-unique", "addition", "tomita-5")
            for name, encoding in (("shift", "ape"), ("shift", "rope"), ("randomized", "randomized"))
        ),
        ("coupled", "ape", {"predict_ids": True, "tied": False, "task": "addition", "train_lengths": (4, 9)}),
        ("coupled", "ape", {"predict_ids": True, "task": "repeated-copy", "train_lengths": (2, 9)}),
    ],
)
def test_all_ways_to_the_gradient_are_one(name: str, encoding: str, given: dict[str, Any]) -> None:
    config = scheme(name, encoding, **given)
    network, shape = network_of(config), fixed_shape(config)
    batches, fixed = (Batches(config, Streams(0).data, each) for each in (None, shape))
    initial = network.vector(network.initial(1))
    for step, scale, tolerance in ((0, 1, 1e-6), (1, 1, 1e-6), (2, 5, 1e-4), (3, 5, 1e-4)):
        vector, whole, padded = initial * scale, batches.whole(step), fixed.fixed(step)
        assert (padded.tokens.shape, padded.targets.shape) == (
            (config.batch, shape[0]),
            (config.batch, shape[1]),
        )
        wanted_loss, wanted = _plain(vector, network, config, whole)
        (stacked,) = side_by_side([whole, whole], 1)
        cut = (chunks(whole, 1), chunks(whole, 8), batches.chunks(step, 3), [padded], [_of(stacked, 1)])
        ways = [Gradient(network, config)(vector, parts) for parts in cut]
        for loss, gradient in [*ways, GradientByHand(network, config)(vector, batches.packed(step))]:
            assert loss.item() == pytest.approx(wanted_loss, rel=tolerance, abs=tolerance)
            assert torch.allclose(gradient, wanted, rtol=10 * tolerance, atol=tolerance)


def _of(chunk: Chunk, run: int) -> Chunk:
    """What one of the runs has of chunks side by side."""
    return Chunk._make(None if value is None else value[run] for value in chunk)


def test_chunks_side_by_side_have_the_same_losses_under_vmap() -> None:
    config = scheme("coupled", predict_ids=True)
    network = network_of(config)
    vectors = torch.stack([network.vector(network.initial(seed)) for seed in (1, 2)])
    batches = [Batches(config, Streams(seed).data).whole(0) for seed in (1, 2)]
    (chunk,) = side_by_side(batches, 1)
    for member, batch in enumerate(batches):
        alone = chunk_loss(network.named(vectors[member]), network, config, chunks(batch, 1)[0])
        mine = _of(chunk, member)
        assert chunk_loss(network.named(vectors[member]), network, config, mine).item() == pytest.approx(
            alone.item(), rel=1e-5
        )


@slow("compiling takes half a minute")
@pytest.mark.skipif(compiler() is None, reason="left out: needs a C++ compiler")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("given", [{"predict_ids": True}, {"position_ids": "pose"}], ids=str)
def test_a_compiled_step_takes_ids_of_any_kind(given: dict[str, Any]) -> None:
    fields = {"task": "reverse", "max_steps": 12, "evaluate_every": 6, "max_position": 50, **given}
    compiled, plain = (train(tiny(compile=compile, stop_early=False, **fields)) for compile in (True, False))
    assert compiled.compiled
    for mine, yours in zip(compiled.rows, plain.rows, strict=True):
        assert mine.loss == pytest.approx(yours.loss, abs=1e-4)


def test_every_encoding_has_its_ids() -> None:
    for name in ENCODINGS:
        config = scheme_of_encoding(name)
        batch = _ids(config, "training", [1, 4, 7])
        assert batch.position_ids.shape == batch.tokens.shape
        assert int(batch.position_ids.max()) < positions_of(config)


def scheme_of_encoding(name: str) -> RunConfig:
    return tiny(task="reverse", encoding=name, heads=2, train_lengths=(1, 7), test_lengths=((8, 11),))


def test_a_task_without_ids_of_its_own() -> None:
    with pytest.raises(InputError, match="position_ids: sort has no position ids of its own"):
        scheme("coupled", task="sort")
