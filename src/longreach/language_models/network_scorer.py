"""Losses of our own language models."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional

from longreach.language_models.language_network import LanguageNetwork
from longreach.language_models.scorer import Losses, Visible
from longreach.language_models.token_file import Tokens


class NetworkScorer:
    """A trained network, asked without gradients."""

    longest = None

    def __init__(self, network: LanguageNetwork) -> None:
        self._network = network.eval()
        self._device = network.embedding.weight.device
        self.vocabulary = network.shape.vocabulary

    @torch.no_grad()
    def losses(self, windows: Tokens) -> Losses:
        """−log p of every token but the first."""
        tokens = torch.from_numpy(windows).to(self._device)
        logits = self._network(tokens[:, :-1])
        found = functional.cross_entropy(logits.transpose(1, 2).float(), tokens[:, 1:], reduction="none")
        return found.cpu().numpy().astype(np.float64)

    @torch.no_grad()
    def last_losses(self, windows: Tokens, visible: Visible) -> Losses:
        """−log p of the last token, with hidden tokens."""
        tokens = torch.from_numpy(windows).to(self._device)
        shown = torch.from_numpy(visible).to(self._device)
        logits = self._network(tokens[:, :-1], visible=shown)[:, -1]
        found = functional.cross_entropy(logits.float(), tokens[:, -1], reduction="none")
        return found.cpu().numpy().astype(np.float64)
