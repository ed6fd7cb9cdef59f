"""Causal language models of Transformers, from a configuration or from a directory with weights.

A configuration gets random weights and the task's vocabulary. A directory keeps its weights; the task's
symbols become new tokens behind its own, and all of it is fine-tuned. Nothing in a directory is executed, and
only safetensors are read. What a run's document carries (`carried`) does not depend on where the files are.
"""

from __future__ import annotations

import hashlib
import inspect
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from longreach.errors import Field, InputError, near_names
from longreach.files import MODEL_BYTES, read_bytes, read_json
from longreach.models.huggingface import CONFIG, library, live_model, quietly

CONFIG_BYTES = 1 << 20
WHAT = "a model of Transformers"
_NOT_OF_THE_MODEL = (
    "_name_or_path", "architectures", "auto_map", "dtype", "quantization_config", "torch_dtype",
    "transformers_version", "use_cache",
)  # fmt: skip
"""Fields of a configuration that say where it comes from, or how weights are stored."""
_LONGEST = ("max_position_embeddings", "n_positions", "max_seq_len")
"""How models call the number of positions that they have room for."""


def carried(path: str) -> dict[str, Any]:
    """What stands in a run's options for the files: the whole configuration, or a digest of the weights."""
    where = Path(path)
    if where.is_dir():
        digest = hashlib.sha256(_bytes(where / CONFIG, CONFIG_BYTES))
        for file in sorted(where.glob("*.safetensors")):
            digest.update(hashlib.sha256(_bytes(file, MODEL_BYTES)).digest())
        return {"weights": digest.hexdigest()[:16]}
    if not where.exists():
        raise _refused(f"{path}: no such file or directory; nothing is downloaded")
    content = _bytes(where, CONFIG_BYTES)
    try:
        found = read_json(content, path)
    except InputError as error:
        raise _refused(error.message) from None
    if not isinstance(found, dict) or not isinstance(found.get("model_type"), str):
        raise _refused(f'{path}: not a configuration of Transformers, which has a "model_type"')
    return {"config": {name: value for name, value in found.items() if name not in _NOT_OF_THE_MODEL}}


def _refused(reason: str) -> InputError:
    return InputError(reason, place=Field("architecture"))


def _bytes(path: Path, most: int) -> bytes:
    try:
        return read_bytes(path, most=most)
    except InputError as error:
        raise _refused(error.message) from None


def causal_model(path: str) -> Callable[..., nn.Module]:
    """The factory of models of a configuration file or a directory."""

    def make(
        *,
        vocabulary: int,
        positions: int,
        config: Mapping[str, Any] | None = None,
        weights: str | None = None,
        **changes: Any,
    ) -> nn.Module:
        if weights is None:
            fields = carried(path)["config"] if config is None else config
            _check_names(changes, fields)
            fields = {**fields, **changes}
            return _wrapped(_from_config(path, fields, vocabulary, positions), 0, vocabulary)
        if changes:
            raise _refused(
                f"{path}: {', '.join(changes)} cannot be changed, the directory has weights for it"
            )
        if carried(path)["weights"] != weights:
            raise _refused(f"{path}: its weights have changed since the run was begun")
        model = live_model(Path(path), WHAT, dtype=torch.float32)
        size = int(model.get_input_embeddings().weight.shape[0])
        quietly(Path(path), lambda: model.resize_token_embeddings(size + vocabulary, mean_resizing=False))
        return _wrapped(model, size, vocabulary)

    return make


def _check_names(changes: Mapping[str, Any], fields: Mapping[str, Any]) -> None:
    """A configuration of Transformers takes any name and does nothing with one that it does not know."""
    kinds = library(WHAT).CONFIG_MAPPING
    if not changes or fields["model_type"] not in kinds:
        return
    usual = kinds[fields["model_type"]]()
    known = {*fields, *usual.to_dict(), *usual.attribute_map}
    for name in changes:
        if name not in known:
            reason = f"{fields['model_type']} has no option {name!r}{near_names(name, known)}"
            raise InputError(reason, place=Field("model_options"))


def _wrapped(model: Any, first: int, vocabulary: int) -> Causal:
    takes_ids = "position_ids" in inspect.signature(model.forward).parameters
    return (PlacedCausal if takes_ids else Causal)(model, first, vocabulary)


def _from_config(path: str, fields: Mapping[str, Any], vocabulary: int, positions: int) -> Any:
    transformers = library(WHAT)
    kind = fields["model_type"]
    if kind not in (known := transformers.CONFIG_MAPPING.keys()):
        raise _refused(f"{path}: Transformers has no model_type {kind!r}{near_names(kind, known)}")
    given = {name: value for name, value in fields.items() if name not in ("model_type", "vocab_size")}
    # Ids of special tokens belong to another vocabulary.
    given |= dict.fromkeys(("bos_token_id", "eos_token_id", "pad_token_id"))

    def load() -> Any:
        config = transformers.AutoConfig.for_model(kind, vocab_size=vocabulary, **given)
        for name in _LONGEST:
            room = getattr(config, name, None)
            if isinstance(room, int) and room < positions:
                setattr(config, name, positions)
        found = transformers.AutoModelForCausalLM
        return found.from_config(config, trust_remote_code=False, dtype=torch.float32)

    return quietly(Path(path), load)


class Causal(nn.Module):
    """A model of Transformers whose last token ids are the task's."""

    def __init__(self, model: Any, first: int, vocabulary: int) -> None:
        super().__init__()
        self.model = model
        logging.getLogger("transformers").setLevel(logging.ERROR)  # remarks about kernels that are missing
        self.first, self.vocabulary = first, vocabulary

    def forward(self, ids: Tensor, **by_name: Tensor) -> Tensor:
        """The logits (batch, time, vocabulary)."""
        found = self.model(input_ids=ids + self.first, use_cache=False, **by_name).logits
        logits: Tensor = found[..., self.first : self.first + self.vocabulary]
        return logits

    def state_size(self, length: int) -> int | None:
        """Keys and values of all tokens so far; of recurrent models, what their cache holds."""
        config = self.model.config
        layers = int(config.num_hidden_layers)
        heads = getattr(config, "num_key_value_heads", None) or getattr(config, "num_attention_heads", None)
        if heads is not None:
            whole = int(config.num_attention_heads)
            width = getattr(config, "head_dim", None) or config.hidden_size // whole
            return 2 * layers * int(heads) * int(width) * length
        training, ids = self.model.training, torch.full((1, length), self.first, device=self.model.device)
        self.model.eval()
        try:
            with torch.no_grad():
                found = self.model(input_ids=ids, use_cache=True)
        except Exception:  # some train, and cannot write
            return None
        finally:
            self.model.train(training)
        return sum(_numbers_in(value) for name, value in found.items() if name != "logits") or None


def _numbers_in(cache: Any) -> int:
    """Numbers in the arrays of a cache, layer by layer; what counts or flags is no array."""
    if isinstance(cache, Tensor):
        return cache.numel() if cache.dim() > 1 else 0
    if isinstance(cache, Mapping):
        return sum(map(_numbers_in, cache.values()))
    if isinstance(cache, list | tuple):
        return sum(map(_numbers_in, cache))
    return sum(map(_numbers_in, vars(cache).values())) if "cache" in type(cache).__module__ else 0


class PlacedCausal(Causal):
    """One that takes position ids."""

    def forward(self, ids: Tensor, position_ids: Tensor | None = None, **by_name: Tensor) -> Tensor:
        """The logits (batch, time, vocabulary)."""
        return super().forward(ids, **by_name if position_ids is None else {"position_ids": position_ids})
