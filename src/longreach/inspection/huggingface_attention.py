"""Attention of models that Hugging Face's library runs, such as Llama: their rotations add no vectors.

Attention is read from the implementation that returns it, and it is checked that it did. Nothing is fetched,
no code of the checkpoint is run, and only safetensors are read.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from longreach.errors import Argument, InputError, MissingExtra
from longreach.inspection.inspected_model import OutsideModel
from longreach.limit.model import Array


def load_outside(model: OutsideModel) -> Any:
    """The live model with attention that it returns (extra `hf`)."""
    _check_files(model.path)
    if importlib.util.find_spec("transformers") is None:
        raise MissingExtra(f"inspecting a {model.architecture} model", "hf")
    library: Any = importlib.import_module("transformers")
    speaking = getattr(getattr(library, "utils", None), "logging", None)
    if speaking is not None:
        speaking.disable_progress_bar()  # commands say themselves what they do
    try:
        module = library.AutoModelForCausalLM.from_pretrained(
            str(model.path),
            attn_implementation="eager",
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=False,
        )
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        first = " ".join(str(error).split())[:200]
        raise InputError(f"{model.path}: cannot be loaded: {first}", place=Argument("model")) from None
    return module.float().eval()


def _check_files(folder: Path) -> None:
    """Refuse a directory without safetensors before the library looks for anything else."""
    if not any(folder.glob("*.safetensors")):
        raise InputError(f"{folder}: no safetensors there", place=Argument("model"))


def attentions(module: Any, tokens: Tensor) -> list[Tensor]:
    """The weights of each layer, (rows, heads, queries, keys); an error where they are not returned."""
    with torch.inference_mode():
        found = module(tokens, output_attentions=True, use_cache=False, return_dict=True)
    layers = getattr(found, "attentions", None)
    if not layers or any(each is None for each in layers):
        raise InputError("the model does not return its attention", place=Argument("model"))
    size, kept = tokens.shape[1], []
    for number, each in enumerate(layers):
        if each.ndim != 4 or each.shape[0] != len(tokens) or tuple(each.shape[2:]) != (size, size):
            raise InputError(f"layer {number} returns attention of the shape {tuple(each.shape)}")
        sums = each.float().sum(dim=-1)
        later = each.float().triu(1).abs().max()
        if not torch.allclose(sums, torch.ones_like(sums), atol=1e-3) or float(later) > 1e-6:
            raise InputError(f"layer {number} returns weights that are no causal softmax")
        kept.append(each.float())
    return kept


def vocabulary_of(module: Any) -> int:
    """How many tokens the model reads."""
    return int(module.get_input_embeddings().weight.shape[0])


def longest_of(module: Any, wanted: int) -> int:
    """The length up to which it is inspected: no more than it has positions."""
    most = getattr(module.config, "max_position_embeddings", None)
    return wanted if not isinstance(most, int) else min(wanted, most)


def weights_of(module: Any, tokens: NDArray[np.int64], *, at_once: int = 4) -> Iterator[Array]:
    """The weights of each layer in double precision, (rows, heads, queries, keys).

    A few rows run at a time.
    """
    parts = [
        attentions(module, torch.from_numpy(tokens[start : start + at_once]))
        for start in range(0, len(tokens), at_once)
    ]
    for layer in zip(*parts, strict=True):
        yield torch.cat(layer).double().numpy()
