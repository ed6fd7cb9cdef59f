from __future__ import annotations

import numpy as np
import pytest
import torch

from longreach.models.transformer import forward, initialise
from longreach.tasks.task import draw_lengths
from longreach.training.accuracy import accuracy, draw_bins
from longreach.training.batches import chunks, placed
from longreach.training.engine import train
from longreach.training.shape import decoder_of, task_of
from longreach.training.step import Layout
from tests.training.test_engine import tiny


@pytest.mark.parametrize("task", ["parity", "addition", "tomita-1"])
def test_a_sequence_is_right_when_all_its_supervised_tokens_are(task: str) -> None:
    config = tiny(task=task, train_lengths=(4, 6), test_lengths=((7, 9),), test_size=400)
    layout = Layout(decoder_of(config))
    rng = np.random.default_rng(0)
    known = task_of(config)
    batch = placed(known.sample(draw_lengths(known, 4, 6, 400, rng), rng), config, "random", rng)
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
        found = accuracy(vector, layout, tuple(chunks(batch, 7)))
        assert found == right / len(batch)
        assert vector is not half or task == "addition" or found > 0


def test_bins_are_fixed_by_the_seed_and_have_both_kinds_of_positions() -> None:
    config = tiny(task="sort")
    one, other = (list(draw_bins(config, np.random.default_rng(3))) for _ in range(2))
    assert [each.name for each in one] == ["1-10", "11-20"]
    for mine, yours in zip(one, other, strict=True):
        for a, b in zip((*mine.first, *mine.shifted), (*yours.first, *yours.shifted), strict=True):
            assert torch.equal(a.tokens, b.tokens)
            assert torch.equal(a.position_ids, b.position_ids)
        assert all(bool((chunk.position_ids[:, 0] == 0).all()) for chunk in mine.first)
        assert any(bool((chunk.position_ids[:, 0] > 0).any()) for chunk in mine.shifted)
        assert sum(len(chunk.tokens) for chunk in mine.first) == config.test_size
    longest = max(int(chunk.position_ids.max()) for each in one for chunk in each.shifted)
    assert longest < decoder_of(config).positions
