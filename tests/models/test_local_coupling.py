"""A bias per distance in coupled ids within a window, against a literal reading."""

from __future__ import annotations

import torch

from longreach.config.decoder import DecoderConfig
from longreach.models.local_coupling import OUTSIDE, WINDOW, LocalCoupling
from longreach.models.transformer import forward, initialise

CONFIG = DecoderConfig(
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
