"""Perplexity of language models by context length and position, and the far tokens that matter.

A window is X_1 … X_L̄, and X_L̄ is predicted. Near are the L tokens before it, far the L̄ − L − 1 before
those. Each far token is hidden alone; influential are the k of them that then cost the prediction most. The
losses of the prediction with the near tokens, with all, and with the near and the influential ones are
L_short, L_long and L_short,sparse there.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from longreach.errors import Field, InputError
from longreach.files import read_bytes, read_json
from longreach.inspection.texts import Tokens
from longreach.models import huggingface

Losses = NDArray[np.float64]
Visible = NDArray[np.bool_]
MEMORY = 1 << 28
"""Bytes that the logits of one batch may take."""


class Scorer(Protocol):
    @property
    def longest(self) -> int | None:
        """The longest input that it has positions for; None if unlimited."""

    @property
    def vocabulary(self) -> int:
        """Its tokens."""

    def losses(self, windows: Tokens) -> Losses:
        """−log p of every token of each window but the first, given those before it."""

    def last_losses(self, windows: Tokens, visible: Visible) -> Losses:
        """−log p of the last token of each window, where of those before only the visible ones count.

        Hidden tokens keep their positions.
        """


class TorchScorer:
    """A model that runs in PyTorch, asked without gradients."""

    device: torch.device
    longest: int | None = None

    def logits(self, tokens: Tensor, visible: Tensor | None, *, last: bool) -> Tensor:
        """Of the next token after each, (rows, time, vocabulary); where `last`, the last row may do."""
        raise NotImplementedError

    @torch.no_grad()
    def losses(self, windows: Tokens) -> Losses:
        """−log p of every token but the first."""
        tokens = torch.from_numpy(windows).to(self.device)
        logits = self.logits(tokens[:, :-1], None, last=False)
        found = functional.cross_entropy(logits.transpose(1, 2).float(), tokens[:, 1:], reduction="none")
        return found.cpu().numpy().astype(np.float64)

    @torch.no_grad()
    def last_losses(self, windows: Tokens, visible: Visible) -> Losses:
        """−log p of the last token, with hidden tokens."""
        tokens = torch.from_numpy(windows).to(self.device)
        logits = self.logits(tokens[:, :-1], torch.from_numpy(visible).to(self.device), last=True)[:, -1]
        found = functional.cross_entropy(logits.float(), tokens[:, -1], reduction="none")
        return found.cpu().numpy().astype(np.float64)


def rows_at_once(length: int, vocabulary: int) -> int:
    """Windows of which all logits fit into memory.

    >>> rows_at_once(128, 50_000), rows_at_once(16, 257)
    (10, 16320)
    """
    return max(1, MEMORY // (4 * length * vocabulary))


Advance = Callable[[int], None]
"""Called with the number of windows just finished."""


@dataclass(frozen=True)
class AtLength:
    """Losses on inputs of one length."""

    length: int
    """Tokens of an input; each is predicted from those before it."""
    by_position: tuple[float, ...]
    """Mean loss of the prediction after 1, 2, … tokens."""
    windows: int

    @property
    def loss(self) -> float:
        return sum(self.by_position) / self.length

    @property
    def perplexity(self) -> float:
        return math.exp(self.loss)

    @property
    def last(self) -> float:
        """The perplexity of the token after the whole input."""
        return math.exp(self.by_position[-1])

    def document(self) -> dict[str, Any]:
        return {
            "length": self.length,
            "perplexity": self.perplexity,
            "last_position": self.last,
            "windows": self.windows,
            "loss_by_position": list(self.by_position),
        }


def perplexity_at(scorer: Scorer, windows: Tokens, advance: Advance | None = None) -> AtLength:
    """The losses on windows, each one token longer than the inputs."""
    length = windows.shape[1] - 1
    if scorer.longest is not None and length > scorer.longest:
        raise InputError(
            f"{length} is more than the {scorer.longest} positions of the model", place=Field("lengths")
        )
    if windows.max() >= scorer.vocabulary:
        raise InputError(f"token {windows.max()} is outside the model's vocabulary of {scorer.vocabulary}")
    total = np.zeros(length)
    rows = rows_at_once(length, scorer.vocabulary)
    for start in range(0, len(windows), rows):
        found: Losses = scorer.losses(windows[start : start + rows])
        total += found.sum(axis=0)
        if advance is not None:
            advance(len(found))
    return AtLength(length, tuple((total / len(windows)).tolist()), len(windows))


# Influential tokens: which few far tokens a prediction rests on (Golowich et al., arXiv 2502.16792, 5.3).


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
        raise InputError("the number of influential tokens must be at least 1")
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


CONFIG, WEIGHTS = huggingface.CONFIG, "*.safetensors"
# Of these kinds of models the table of learned positions ends there; others go on, if less well.
_LEARNED = ("gpt2", "gpt_bigcode", "gpt_neo", "opt", "openai-gpt", "biogpt", "xglm", "codegen")


class HuggingFaceScorer(TorchScorer):
    """A model of the library `transformers`."""

    def __init__(self, directory: Path, device: torch.device) -> None:
        check_directory(directory)
        self._model = huggingface.live_model(directory, "a Hugging Face model").to(device)
        self.device = device
        settings = self._model.config
        self.vocabulary = int(settings.get_text_config().vocab_size)
        positions = getattr(settings.get_text_config(), "max_position_embeddings", None)
        self.longest = int(positions) if positions and settings.model_type in _LEARNED else None
        accepted = inspect.signature(self._model.forward).parameters
        self._last_alone = {"logits_to_keep": 1} if "logits_to_keep" in accepted else {}
        self._takes_ids = "position_ids" in accepted

    def logits(self, tokens: Tensor, visible: Tensor | None, *, last: bool) -> Tensor:
        shown = torch.ones_like(tokens) if visible is None else visible.long()
        more: dict[str, Any] = dict(self._last_alone) if last else {}
        if self._takes_ids:  # else some models count visible tokens alone
            more["position_ids"] = torch.arange(tokens.shape[1], device=tokens.device).expand(tokens.shape)
        answer = self._model(input_ids=tokens, attention_mask=shown, use_cache=False, **more)
        logits: Tensor = answer.logits
        return logits


def check_directory(directory: Path) -> None:
    """Refuse what is not a directory with a configuration and safetensors, before anything is loaded."""
    if not directory.is_dir():
        raise InputError(f"{directory}: no such directory; models are read from a local directory")
    if not (directory / CONFIG).is_file():
        raise InputError(f"{directory}: has no {CONFIG}")
    if not any(directory.glob(WEIGHTS)):
        raise InputError(f"{directory}: has no {WEIGHTS}; other files with weights are not read")
    document = read_json(read_bytes(directory / CONFIG), str(directory / CONFIG))
    if not isinstance(document, dict):
        raise InputError(f"{directory / CONFIG}: is not a JSON object")
    if document.get("auto_map"):
        raise InputError(f"{directory}: needs code of its own (auto_map), which is not run")


TOKENIZERS = ("tokenizer*", "vocab*", "*.model", "*.tiktoken", "tekken.json")
"""Files of which a tokenizer has at least one."""


def directory_tokens(directory: Path, text: str) -> list[int]:
    """Tokenize a text with the directory's own tokenizer, without special tokens."""
    missing = InputError(f"{directory}: has no tokenizer (tokenizer.json); save that of the model there")
    if not any(any(directory.glob(name)) for name in TOKENIZERS):
        raise missing  # the library makes one that knows no token
    found = huggingface.library("the tokenizer of a Hugging Face model").AutoTokenizer
    safe = {"local_files_only": True, "trust_remote_code": False}
    tokenizer = huggingface.quietly(directory, lambda: found.from_pretrained(str(directory), **safe))
    made = huggingface.quietly(directory, lambda: tokenizer(text, add_special_tokens=False))
    if text.strip() and not made["input_ids"]:
        raise missing
    return list(made["input_ids"])
