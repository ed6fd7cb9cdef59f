"""Influential tokens: found one by one, and where they are known."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.language_models import scorer as scorer_module
from longreach.language_models.influence import influential_tokens, three_losses
from longreach.language_models.language_network import LanguageNetwork
from longreach.language_models.language_settings import NetworkShape
from longreach.language_models.network_scorer import NetworkScorer
from longreach.language_models.scorer import Losses, Visible
from longreach.language_models.token_file import Tokens
from tests.helpers.literal_language_model import next_losses


class Adding:
    """The loss of the last token is 100 less the sum of all visible tokens."""

    longest = None
    vocabulary = 50

    def losses(self, windows: Tokens) -> Losses:
        raise AssertionError("not asked for")

    def last_losses(self, windows: Tokens, visible: Visible) -> Losses:
        return 100.0 - (windows[:, :-1] * visible).sum(axis=1)


WINDOWS = np.array([[7, 1, 9, 2, 3, 4, 0], [0, 0, 5, 6, 1, 1, 0]])  # L̄ = 7, L = 2: far are the first four


@pytest.mark.parametrize("memory", [1, 10**9])
def test_the_tokens_that_gain_most(memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorer_module, "MEMORY", memory)
    told: list[int] = []
    chosen = influential_tokens(Adding(), WINDOWS, 2, count=2, advance=told.append)
    assert (chosen.tolist(), told) == ([[0, 2], [2, 3]], [1, 1])
    losses = three_losses(Adding(), WINDOWS, 2, chosen)
    assert losses.short.tolist() == [93, 98]
    assert losses.long.tolist() == [74, 87]
    assert losses.sparse.tolist() == [77, 87]
    assert [gain.tolist() for gain in losses.gains] == [[19, 11], [16, 11]]
    assert losses.correlation == 1.0
    document = losses.document()
    assert (document["points"], document["loss_short"]) == ([[19, 16], [11, 11]], 95.5)


def test_one_by_one_with_tokens_removed() -> None:
    """The definition on a real network: each far token removed, the others at their positions."""
    network = LanguageNetwork(NetworkShape(layers=2, heads=2, width=8, vocabulary=9), seed=4)
    for parameter in network.parameters():
        parameter.data.mul_(10.0 if parameter.dim() > 1 else 1.0)
    state = {name: value.double().numpy() for name, value in network.state_dict().items()}
    windows = np.random.default_rng(0).integers(0, 9, (3, 8))
    scorer = NetworkScorer(network)
    chosen = influential_tokens(scorer, windows, 3, count=2)
    losses = three_losses(scorer, windows, 3, chosen)

    def literal(window: list[int], kept: list[int]) -> float:
        return next_losses(state, 2, 2, [*(window[k] for k in kept), window[-1]], kept)[-1]

    for row, window in enumerate(windows.tolist()):
        without = [literal(window, [k for k in range(7) if k != hidden]) for hidden in range(4)]
        assert set(chosen[row]) == set(np.argsort(without)[-2:])
        near = [4, 5, 6]
        assert losses.short[row] == pytest.approx(literal(window, near), abs=1e-4)
        assert losses.long[row] == pytest.approx(literal(window, list(range(7))), abs=1e-4)
        assert losses.sparse[row] == pytest.approx(literal(window, [*sorted(chosen[row]), *near]), abs=1e-4)


def test_no_correlation_where_nothing_varies() -> None:
    same = three_losses(Adding(), WINDOWS[[0, 0]], 2, np.array([[0], [0]]))
    assert same.correlation is None


@pytest.mark.parametrize(("context", "count"), [(2, 5), (6, 1), (2, 0)])
def test_lengths_that_leave_too_little(context: int, count: int) -> None:
    with pytest.raises(InputError):
        influential_tokens(Adding(), WINDOWS, context, count=count)
