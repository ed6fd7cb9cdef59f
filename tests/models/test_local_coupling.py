"""Attention under coupled ids that falls with their distance, against a literal reading."""

from __future__ import annotations

import torch

from longreach.config.decoder import DecoderConfig
from longreach.models.encoding_modules import LearnedAbsolute
from longreach.models.local_coupling import SLOPE, LocalCoupling
from longreach.models.transformer import forward, initialise

CONFIG = DecoderConfig(
    layers=1, heads=2, width=8, vocabulary=7, positions=40, encoding="coupled-local", norm_epsilon=1e-5
)


def test_the_bias_is_minus_the_distance() -> None:
    ids = torch.tensor([[0, 1, 2, 0, 1], [5, 9, 7, 5, 9]])
    bias = LocalCoupling().bias(initialise(CONFIG, 0), CONFIG, 0, ids, ids)
    assert bias is not None
    for row in range(2):
        for query in range(5):
            for key in range(5):
                expected = -SLOPE * abs(int(ids[row, query]) - int(ids[row, key]))
                assert bias[row, 0, query, key].item() == expected


def test_tokens_far_away_in_ids_do_not_count() -> None:
    """A token that is far away changes nothing, though it stands beside the one that is asked."""
    parameters = {name: value.double() for name, value in initialise(CONFIG, 1).items()}
    ids = torch.tensor([[0, 39, 0, 1]])
    one = forward(parameters, CONFIG, torch.tensor([[1, 2, 3, 4]]), ids)[0, -1]
    other = forward(parameters, CONFIG, torch.tensor([[1, 5, 3, 4]]), ids)[0, -1]
    assert (one - other).abs().max().item() < 1e-9
    near = forward(parameters, CONFIG, torch.tensor([[1, 5, 3, 4]]), torch.tensor([[0, 2, 0, 1]]))[0, -1]
    assert (one - near).abs().max().item() > 1e-6


def test_vectors_are_those_of_learned_positions() -> None:
    assert LocalCoupling.embed is LearnedAbsolute.embed
    assert LocalCoupling.table is LearnedAbsolute.table
