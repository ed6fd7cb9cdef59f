"""Losses of our networks, recomputed."""

from __future__ import annotations

import numpy as np

from longreach.language_models.language_network import LanguageNetwork
from longreach.language_models.language_settings import NetworkShape
from longreach.language_models.network_scorer import NetworkScorer
from tests.helpers.literal_language_model import next_losses

SHAPE = NetworkShape(layers=1, heads=2, width=8, vocabulary=9)
WINDOWS = np.array([[3, 1, 4, 1, 5], [8, 0, 2, 2, 6]])


def test_losses_against_a_literal_reading() -> None:
    network = LanguageNetwork(SHAPE, seed=1)
    scorer = NetworkScorer(network)
    state = {name: value.double().numpy() for name, value in network.state_dict().items()}
    found = scorer.losses(WINDOWS)
    for row, window in zip(found, WINDOWS.tolist(), strict=True):
        assert np.allclose(row, next_losses(state, 1, 2, window, [0, 1, 2, 3]), atol=1e-5)
    visible = np.array([[True, False, True, True], [False, False, True, True]])
    last = scorer.last_losses(WINDOWS, visible)
    for loss, window, seen in zip(last, WINDOWS.tolist(), visible, strict=True):
        kept = np.flatnonzero(seen).tolist()
        removed = next_losses(state, 1, 2, [*(window[k] for k in kept), window[-1]], kept)
        assert abs(loss - removed[-1]) < 1e-5
    assert (scorer.longest, scorer.vocabulary) == (None, 9)
