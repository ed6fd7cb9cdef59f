"""Influential tokens: which few far tokens a prediction rests on (Golowich et al., arXiv 2502.16792, 5.3).

A window is X_1 … X_L̄, and X_L̄ is predicted. Near are the L tokens before it, far the L̄ − L − 1 before
those. Each far token is hidden alone; influential are the k of them that then cost the prediction most. The
losses of the prediction with the near tokens, with all, and with the near and the influential ones are
L_short, L_long and L_short,sparse there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.language_models.scorer import Losses, Scorer, Visible, rows_at_once
from longreach.language_models.text_perplexity import Advance
from longreach.language_models.token_file import Tokens

Places = NDArray[np.int64]


@dataclass(frozen=True)
class ThreeLosses:
    """Per window the loss with the near tokens, with all, and with the near and the influential ones."""

    short: Losses
    long: Losses
    sparse: Losses

    @property
    def gains(self) -> tuple[Losses, Losses]:
        """What all far tokens gain, and what the influential ones gain: the axes of Figures 4 and 6."""
        return self.short - self.long, self.short - self.sparse

    @property
    def correlation(self) -> float | None:
        """Pearson's, of both gains; None where one of them does not vary.

        >>> ThreeLosses(np.array([1.0, 2, 3]), np.zeros(3), np.array([0.5, 1, 1.5])).correlation
        1.0
        """
        everything, few = self.gains
        if len(everything) < 2 or not everything.std() or not few.std():
            return None
        return round(float(np.corrcoef(everything, few)[0, 1]), 12)

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        everything, few = self.gains
        return {
            "examples": len(self.short),
            "loss_short": float(self.short.mean()),
            "loss_long": float(self.long.mean()),
            "loss_short_sparse": float(self.sparse.mean()),
            "correlation": self.correlation,
            "points": [[float(x), float(y)] for x, y in zip(everything, few, strict=True)],
        }


def check_lengths(context: int, full: int, count: int) -> None:
    """Refuse lengths that leave fewer far tokens than are to be found."""
    if count < 1:
        raise InputError("at least one influential token is looked for")
    if full - context - 1 < count:
        raise InputError(
            f"of {full} tokens, {context} near ones leave {max(0, full - context - 1)} far ones, "
            f"fewer than the {count} to be found"
        )


def influential_tokens(
    scorer: Scorer, windows: Tokens, context: int, *, count: int, advance: Advance | None = None
) -> Places:
    """Per window the places (from 0) of the far tokens whose hiding costs most, in order of their place."""
    full = windows.shape[1]
    check_lengths(context, full, count)
    far = full - context - 1
    chosen = np.empty((len(windows), count), dtype=np.int64)
    one_hidden = np.ones((far, full - 1), dtype=np.bool_)
    one_hidden[np.arange(far), np.arange(far)] = False
    for row, window in enumerate(windows):
        losses = _last(scorer, np.broadcast_to(window, (far, full)), one_hidden)
        # The least probability is the greatest loss; of equal ones the first.
        chosen[row] = np.sort(np.argsort(-losses, kind="stable")[:count])
        if advance is not None:
            advance(1)
    return chosen


def three_losses(scorer: Scorer, windows: Tokens, context: int, chosen: Places) -> ThreeLosses:
    """The losses of the last token of each window."""
    rows, full = windows.shape
    near = np.zeros((rows, full - 1), dtype=np.bool_)
    near[:, full - 1 - context :] = True
    sparse = near.copy()
    np.put_along_axis(sparse, chosen, True, axis=1)
    return ThreeLosses(
        short=_last(scorer, windows, near),
        long=_last(scorer, windows, np.ones_like(near)),
        sparse=_last(scorer, windows, sparse),
    )


def _last(scorer: Scorer, windows: Tokens, visible: Visible) -> Losses:
    size = rows_at_once(windows.shape[1], scorer.vocabulary)
    parts = [
        scorer.last_losses(np.ascontiguousarray(windows[at : at + size]), visible[at : at + size])
        for at in range(0, len(windows), size)
    ]
    return np.concatenate(parts)
