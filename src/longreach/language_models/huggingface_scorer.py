"""Losses of any causal language model in a Hugging Face directory (extra `hf`).

Only what lies in the directory is used: nothing is downloaded, no code of the directory runs, and weights are
safetensors, which hold numbers alone.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import logging
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from longreach.errors import InputError, MissingExtra
from longreach.language_models.scorer import Losses, Visible
from longreach.language_models.token_file import Tokens

CONFIG, WEIGHTS = "config.json", "*.safetensors"
# Of these kinds of models the table of learned positions ends there; others go on, if less well.
_LEARNED = ("gpt2", "gpt_bigcode", "gpt_neo", "opt", "openai-gpt", "biogpt", "xglm", "codegen")


class HuggingFaceScorer:
    """A model of the library `transformers`, asked without gradients."""

    def __init__(self, directory: Path, device: torch.device) -> None:
        self._model = _load(directory).to(device).float().eval()
        self._device = device
        settings = self._model.config
        self.vocabulary = int(settings.get_text_config().vocab_size)
        positions = getattr(settings.get_text_config(), "max_position_embeddings", None)
        self.longest = int(positions) if positions and settings.model_type in _LEARNED else None
        accepted = inspect.signature(self._model.forward).parameters
        self._last_alone = {"logits_to_keep": 1} if "logits_to_keep" in accepted else {}
        self._takes_ids = "position_ids" in accepted

    @torch.no_grad()
    def losses(self, windows: Tokens) -> Losses:
        """−log p of every token but the first."""
        tokens = torch.from_numpy(windows).to(self._device)
        logits = self._logits(tokens[:, :-1], torch.ones_like(tokens[:, :-1]), {})
        found = functional.cross_entropy(logits.transpose(1, 2).float(), tokens[:, 1:], reduction="none")
        return found.cpu().numpy().astype(np.float64)

    @torch.no_grad()
    def last_losses(self, windows: Tokens, visible: Visible) -> Losses:
        """−log p of the last token, with hidden tokens."""
        tokens = torch.from_numpy(windows).to(self._device)
        shown = torch.from_numpy(visible).to(self._device)
        logits = self._logits(tokens[:, :-1], shown.long(), self._last_alone)[:, -1]
        found = functional.cross_entropy(logits.float(), tokens[:, -1], reduction="none")
        return found.cpu().numpy().astype(np.float64)

    def _logits(self, tokens: Tensor, shown: Tensor, more: dict[str, int]) -> Tensor:
        ids: dict[str, Tensor] = {}
        if self._takes_ids:  # else some models count visible tokens alone
            ids["position_ids"] = torch.arange(tokens.shape[1], device=tokens.device).expand(tokens.shape)
        answer = self._model(input_ids=tokens, attention_mask=shown, use_cache=False, **ids, **more)
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
    try:
        document = json.loads((directory / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{directory / CONFIG}: is not JSON ({error})") from None
    if not isinstance(document, dict):
        raise InputError(f"{directory / CONFIG}: is not a JSON object")
    if document.get("auto_map"):
        raise InputError(f"{directory}: needs code of its own (auto_map), which is not run")


def _load(directory: Path) -> Any:
    check_directory(directory)
    library = _library("a Hugging Face model")
    return _quietly(
        directory,
        lambda: library.AutoModelForCausalLM.from_pretrained(
            str(directory), local_files_only=True, trust_remote_code=False, use_safetensors=True
        ),
    )  # fmt: skip


def directory_tokens(directory: Path, text: str) -> list[int]:
    """A text as the tokens of the directory's own tokenizer, without special ones."""
    library = _library("the tokenizer of a Hugging Face model")
    tokenizer = _quietly(
        directory,
        lambda: library.AutoTokenizer.from_pretrained(
            str(directory), local_files_only=True, trust_remote_code=False
        ),
    )
    return list(_quietly(directory, lambda: tokenizer(text, add_special_tokens=False)["input_ids"]))


def _library(what: str) -> Any:
    if importlib.util.find_spec("transformers") is None:
        raise MissingExtra(what, "hf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import transformers
    return transformers


def _quietly(directory: Path, load: Any) -> Any:
    """Loads without the library's remarks and bars; whatever goes wrong in there is one line."""
    # By name: typed or not, and installed or not, it is checked the same.
    remarks: Any = importlib.import_module("transformers.utils.logging")
    logger = logging.getLogger("transformers")
    level, bars = logger.level, remarks.is_progress_bar_enabled()
    logger.setLevel(logging.ERROR)
    remarks.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load()
    except Exception as error:
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise InputError(f"{directory}: cannot be loaded: {reason}") from None
    finally:
        logger.setLevel(level)
        if bars:
            remarks.enable_progress_bar()
