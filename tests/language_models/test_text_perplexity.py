"""Perplexity by position and length, of a model whose losses are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.language_models import scorer as scorer_module
from longreach.language_models.scorer import Losses, Visible
from longreach.language_models.text_perplexity import cut_windows, perplexity_at
from longreach.language_models.token_file import Tokens


class Known:
    """The loss of a token is its number divided by its place."""

    longest: int | None = 6
    vocabulary = 100

    def losses(self, windows: Tokens) -> Losses:
        return windows[:, 1:] / np.arange(1, windows.shape[1])

    def last_losses(self, windows: Tokens, visible: Visible) -> Losses:
        return self.losses(windows)[:, -1]


@pytest.mark.parametrize("memory", [1, 10**9])
def test_means_by_position(memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorer_module, "MEMORY", memory)
    windows = np.array([[0, 1, 2, 3], [5, 3, 4, 9]])
    told: list[int] = []
    found = perplexity_at(Known(), windows, told.append)
    assert found.by_position == pytest.approx((2.0, 1.5, 2.0))
    assert found.perplexity == pytest.approx(math.exp(5.5 / 3))
    assert found.last == pytest.approx(math.exp(2))
    assert (found.length, found.windows, sum(told)) == (3, 2, 2)
    assert found.document()["perplexity"] == found.perplexity


def test_windows_and_what_does_not_fit() -> None:
    assert cut_windows(range(10), 3).tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert cut_windows(range(10), 3, 2).tolist() == [[0, 1, 2], [6, 7, 8]]
    with pytest.raises(InputError, match="the text has 10 tokens, and a window needs 11"):
        cut_windows(range(10), 11)
    with pytest.raises(InputError, match="lengths: 7 is more than the 6 positions"):
        perplexity_at(Known(), np.zeros((1, 8), dtype=np.int64))
    with pytest.raises(InputError, match="token 100 is outside"):
        perplexity_at(Known(), np.array([[1, 100]]))
