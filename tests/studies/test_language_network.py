"""Tests of `studies.language_network`."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from longreach.errors import InputError
from longreach.studies.language_network import SETTINGS, LanguageNetwork, NetworkScorer, NetworkShape
from tests.helpers.literal_language_model import next_losses

# The network and its losses, against a literal reading in numpy; hiding a token is removing it.


SHAPE = NetworkShape(layers=2, heads=2, width=8, vocabulary=11)


def network() -> LanguageNetwork:
    made = LanguageNetwork(SHAPE, seed=3).double()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(12.0 if parameter.dim() > 1 else 1.3)  # attention that is far from uniform
    return made


def literal(made: LanguageNetwork, tokens: list[int], ids: list[int]) -> list[float]:
    state = {name: value.numpy() for name, value in made.state_dict().items()}
    return next_losses(state, SHAPE.layers, SHAPE.heads, tokens, ids)


def losses(logits: torch.Tensor, following: list[int]) -> list[float]:
    return [-float(row.log_softmax(-1)[token].detach()) for row, token in zip(logits, following, strict=True)]


def test_losses_are_those_of_the_definition() -> None:
    made = network()
    tokens, ids = [3, 1, 4, 1, 5, 9, 2], [0, 1, 4, 5, 6, 11]
    found = losses(made(torch.tensor([tokens[:-1]]), torch.tensor([ids]))[0], tokens[1:])
    assert np.allclose(found, literal(made, tokens, ids), atol=1e-6)
    plain = losses(made(torch.tensor([tokens[:-1]]))[0], tokens[1:])
    assert np.allclose(plain, literal(made, tokens, list(range(6))), atol=1e-6)
    assert not np.allclose(plain, found, atol=1e-3)


@pytest.mark.parametrize("hidden", [[0], [2], [0, 1, 3]])
def test_hiding_a_token_is_removing_it_from_all_attention(hidden: list[int]) -> None:
    made = network()
    tokens = [3, 1, 4, 1, 5, 9]
    visible = torch.ones(1, 6, dtype=torch.bool)
    visible[0, hidden] = False
    seen = made(torch.tensor([tokens]), visible=visible)[0]
    kept = [k for k in range(6) if k not in hidden]
    removed = literal(made, [*(tokens[k] for k in kept), 7], kept)
    assert abs(losses(seen[-1:], [7])[0] - removed[-1]) < 1e-6
    without = made(torch.tensor([[tokens[k] for k in kept]]), torch.tensor([kept]))[0]
    assert torch.allclose(seen[kept], without, atol=1e-6)


def test_only_differences_of_ids_count() -> None:
    made = network()
    tokens = torch.tensor([[3, 1, 4, 1]])
    assert torch.allclose(made(tokens), made(tokens, torch.tensor([[5, 6, 7, 8]])), atol=1e-5)


def test_shapes_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="width 6"):
        LanguageNetwork(NetworkShape(layers=1, heads=2, width=6, vocabulary=5))


# The settings of the study.


def test_the_published_setting() -> None:
    """Golowich et al., arXiv 2502.16792, Table 5 and appendix F."""
    paper = SETTINGS["paper"]
    short, long = paper.training("short"), paper.training("long")
    found = (short.context, short.batch, short.steps, short.warmup, short.rate)
    assert found == (64, 8192, 49000, 5000, 1e-3)
    assert (long.context, long.batch, long.steps, long.pose_steps) == (128, 4096, 48000, 0)
    assert 1.2e9 < paper.shape(32000).parameters < 1.4e9
    # 34000 steps without PoSE and 15000 with it, "roughly 70 %".
    assert abs(short.pose_steps - 15000) < 500


def test_both_models_see_as_many_tokens() -> None:
    for settings in SETTINGS.values():
        short, long = settings.training("short"), settings.training("long")
        assert short.batch * short.context == long.batch * long.context
        assert short.longest == long.longest == long.context == 2 * short.context


def test_sizes_are_those_of_the_network() -> None:
    assert SHAPE.parameters == sum(p.numel() for p in LanguageNetwork(SHAPE).parameters())


# Losses of our networks, recomputed.


WINDOWS = np.array([[3, 1, 4, 1, 5], [8, 0, 2, 2, 6]])


def test_losses_of_a_scorer_are_those_of_the_definition() -> None:
    made = network()
    scorer = NetworkScorer(made)
    for row, window in zip(scorer.losses(WINDOWS), WINDOWS.tolist(), strict=True):
        assert np.allclose(row, literal(made, window, [0, 1, 2, 3]), atol=1e-5)
    visible = np.array([[True, False, True, True], [False, False, True, True]])
    for loss, window, seen in zip(
        scorer.last_losses(WINDOWS, visible), WINDOWS.tolist(), visible, strict=True
    ):
        kept = np.flatnonzero(seen).tolist()
        assert abs(loss - literal(made, [*(window[k] for k in kept), window[-1]], kept)[-1]) < 1e-5
    assert (scorer.longest, scorer.vocabulary) == (None, SHAPE.vocabulary)
