from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from longreach.config.encoding_table import ENCODINGS
from longreach.config.hyperparameters import BASELINE, BASELINE_SHAPE
from longreach.models.packed_rows import Packed
from longreach.models.trainable import initial
from longreach.models.transformer import forward, initialise
from longreach.tasks.task import draw_lengths
from longreach.training import accuracy as bins
from longreach.training.accuracy import PackedPart, Part, accuracy, draw_bins, packed_parts
from longreach.training.batches import Chunk, chunks
from longreach.training.engine import train
from longreach.training.placing import placed
from longreach.training.shape import decoder_of, model_of, task_of
from longreach.training.step import Layout
from tests.training.test_engine import tiny


@pytest.mark.parametrize("task", ["parity", "addition", "tomita-1"])
def test_a_sequence_is_right_when_all_its_supervised_tokens_are(task: str) -> None:
    config = tiny(task=task, train_lengths=(4, 6), test_lengths=((7, 9),), test_size=400)
    layout = Layout(decoder_of(config))
    rng = np.random.default_rng(0)
    known = task_of(config)
    batch = placed(known.sample(draw_lengths(known, 4, 6, 400, rng), rng), config, "shifted", rng)
    # Half trained, so that some are right; and with large parameters, so that answers differ.
    half = layout.vector(train(config.model_copy(update={"max_steps": 40})).parameters)
    for vector in (half, *(layout.vector(initialise(decoder_of(config), seed)) * 20 for seed in range(3))):
        named = layout.named(vector)
        logits = forward(
            named, decoder_of(config), torch.from_numpy(batch.tokens), torch.from_numpy(batch.position_ids)
        )
        guess = logits.argmax(dim=-1).numpy()
        right = sum(
            all(guess[row, place] == batch.targets[row, place] for place in np.flatnonzero(batch.mask[row]))
            for row in range(len(batch))
        )
        for parts in (chunks(batch, 7), packed_parts(batch, config)):
            found = accuracy(vector, layout, parts)
            assert found == right / len(batch)
        assert vector is not half or task == "addition" or found > 0


def test_bins_are_fixed_by_the_seed_and_have_both_kinds_of_positions() -> None:
    config = tiny(task="sort")
    one, other = (list(draw_bins(config, np.random.default_rng(3))) for _ in range(2))
    assert [each.name for each in one] == ["1-10", "11-20"]
    for mine, yours in zip(one, other, strict=True):
        for a, b in zip((*mine.first, *mine.shifted), (*yours.first, *yours.shifted), strict=True):
            assert torch.equal(batch_of(a).tokens, batch_of(b).tokens)
            assert torch.equal(batch_of(a).ids, batch_of(b).ids)
        assert all(bool((ids_of_firsts(part) == 0).all()) for part in mine.first)
        assert any(bool((ids_of_firsts(part) > 0).any()) for part in mine.shifted)
        assert sum(len(ids_of_firsts(part)) for part in mine.first) == config.test_size
    longest = max(int(batch_of(part).ids.max()) for each in one for part in each.shifted)
    assert longest < decoder_of(config).positions


def batch_of(part: Part) -> Packed:
    assert isinstance(part, PackedPart)
    return part.packed


def ids_of_firsts(part: Part) -> torch.Tensor:
    """The position ids of the first token of each row."""
    batch = batch_of(part)
    return batch.ids[batch.places == 0]


OPTIONS: list[dict[str, Any]] = [{}, {"log_length": True}, {"layer_norm": False}, {"tied": False}]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "encoding", "options"),
    [
        *(("parity", encoding, {}) for encoding in (*ENCODINGS, BASELINE)),
        *(("copy-repeat", "ape", {"predict_ids": True, **options}) for options in OPTIONS),
        *(("parity", encoding, {"position_ids": "pose"}) for encoding in ("ape", "rope", "t5")),
        *((task, "ape", options) for task in ("tomita-1", "sort") for options in OPTIONS),
        *((task, "alibi", {"log_length": True}) for task in ("tomita-1", "sort")),
    ],
)
def test_bins_without_padding_have_the_same_accuracy(
    task: str, encoding: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = BASELINE_SHAPE if encoding == BASELINE else {"heads": 2}
    config = tiny(task=task, encoding=encoding, test_size=120, test_lengths=((11, 30),), **given, **options)
    layout = Layout(model_of(config))
    monkeypatch.setattr(bins, "PACKED_AT_ONCE", 300)
    packed = list(draw_bins(config, np.random.default_rng(3)))
    monkeypatch.setattr(bins, "has_gradient_by_hand", lambda model: False)
    monkeypatch.setattr(bins, "_ignores_offsets", lambda config: False)
    padded = list(draw_bins(config, np.random.default_rng(3)))
    assert isinstance(packed[0].first[0], Chunk if encoding == BASELINE else PackedPart)
    assert isinstance(padded[0].first[0], Chunk)
    same = encoding in ("nope", "alibi", "t5", "coupled-local", BASELINE)
    trained = train(config.model_copy(update={"max_steps": 30})).parameters
    for vector in (layout.vector(trained), layout.vector(initial(layout.model, 0)) * 20):
        for mine, yours in zip(packed, padded, strict=True):
            assert (mine.shifted is mine.first) == same
            for kind in ("first", "shifted"):
                found, wanted = (accuracy(vector, layout, getattr(each, kind)) for each in (mine, yours))
                # One sequence may hang on the rounding of a tie.
                assert found == pytest.approx(wanted, abs=1 / 120 + 1e-9)


def test_a_row_without_supervised_tokens_is_right() -> None:
    config = tiny(task="parity")
    rng = np.random.default_rng(0)
    batch = task_of(config).sample([3] * 50, rng)
    unasked = replace(batch, mask=batch.mask & (np.arange(50) < 20)[:, None])
    layout = Layout(decoder_of(config))
    vector = layout.vector(initialise(decoder_of(config), 0)) * 20
    found, wanted = (
        accuracy(vector, layout, parts) for parts in (packed_parts(unasked, config), chunks(unasked, 1))
    )
    assert found == wanted >= 0.6
    nothing = replace(batch, mask=np.zeros_like(batch.mask))
    assert accuracy(vector, layout, packed_parts(nothing, config)) == 1.0
