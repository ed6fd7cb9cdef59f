"""From and to Hugging Face GPT-2 checkpoints, where the shape allows.

Directories are read and written without `transformers`; only a live `GPT2LMHeadModel` needs the extra `hf`.
Names there: `wte`, `wpe`, `h.N.ln_1`, `h.N.attn.c_attn` (query, key, value side by side), `h.N.attn.c_proj`,
`h.N.ln_2`, `h.N.mlp.c_fc`, `h.N.mlp.c_proj`, `ln_f`, below `transformer.`, and `lm_head`. Its layers are
`Conv1D`: weights are (inputs, outputs), the transpose of ours.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import logging
import re
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import torch
from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from safetensors.torch import save as write_tensors
from torch import Tensor, nn

from longreach.config.model import ModelConfig
from longreach.errors import File, InputError, MissingExtra, one_line
from longreach.files import MODEL_BYTES, read_bytes, write_atomically
from longreach.models.decoder import parameter_table
from longreach.models.parameters import Parameters, check

CONFIG, TENSORS = "config.json", "model.safetensors"
# Encodings that are a table of vectors per position, as GPT-2's, or none, as a table of zeros.
_WITH_TABLE = ("ape", "randomized", "coupled")
_LINEAR = {"attention.out": "attn.c_proj", "mlp.in": "mlp.c_fc", "mlp.out": "mlp.c_proj"}
_NORMS = {"attention_norm": "ln_1", "mlp_norm": "ln_2"}
# Causal masks that old checkpoints carry.
_MASKS = re.compile(r"h\.\d+\.attn\.(masked_)?bias")


class GPT2Document(BaseModel):
    """The fields of GPT-2's `config.json` that decide what it computes, with that library's defaults."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    model_type: Literal["gpt2"]
    n_layer: int = 12
    n_head: int = 12
    n_embd: int = 768
    n_inner: int | None = None
    n_positions: int = 1024
    vocab_size: int = 50257
    activation_function: str = "gelu_new"
    layer_norm_epsilon: float = 1e-5
    resid_pdrop: float = 0.1
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1
    scale_attn_weights: bool = True
    scale_attn_by_inverse_layer_idx: bool = False
    add_cross_attention: bool = False
    tie_word_embeddings: bool = True


def config_from_document(document: Mapping[str, Any]) -> ModelConfig:
    """The shape in GPT-2's configuration; dropout is that of its residual stream.

    >>> config_from_document({"model_type": "gpt2", "n_layer": 2}).width
    768
    """
    try:
        read = GPT2Document.model_validate(dict(document))
    except ValidationError as error:
        raise InputError(one_line(error), place=File(CONFIG)) from None
    if read.activation_function not in ("gelu_new", "gelu_pytorch_tanh"):
        raise InputError(
            f"{CONFIG}: activation_function {read.activation_function!r} is not GELU's tanh form"
        )
    if not read.scale_attn_weights or read.scale_attn_by_inverse_layer_idx or read.add_cross_attention:
        raise InputError(f"{CONFIG}: attention scaled or crossed in a way that the decoder does not have")
    hidden = 4 * read.n_embd if read.n_inner is None else read.n_inner
    if hidden % read.n_embd:
        raise InputError(f"{CONFIG}: n_inner {hidden} is not a multiple of n_embd {read.n_embd}")
    return ModelConfig.read(
        {
            "layers": read.n_layer,
            "heads": read.n_head,
            "width": read.n_embd,
            "vocabulary": read.vocab_size,
            "positions": read.n_positions,
            "norm_epsilon": read.layer_norm_epsilon,
            "mlp_ratio": hidden // read.n_embd,
            "tied": read.tie_word_embeddings,
            "dropout": read.resid_pdrop,
        }
    )


def config_to_document(config: ModelConfig) -> dict[str, Any]:
    """GPT-2's configuration of the same shape, or an error that says what GPT-2 lacks.

    >>> config = ModelConfig(layers=2, heads=2, width=64, vocabulary=5, positions=150, encoding="rope")
    >>> config_to_document(config)
    Traceback (most recent call last):
    longreach.errors.InputError: GPT-2 has no encoding 'rope'
    """
    if config.encoding not in (*_WITH_TABLE, "nope"):
        raise InputError(f"GPT-2 has no encoding {config.encoding!r}")
    if not config.layer_norm:
        raise InputError("GPT-2 has layer norms, this model has none")
    if config.log_length:
        raise InputError("GPT-2 has no log-length scaling of attention")
    if config.predict_ids:
        raise InputError("GPT-2 has one output matrix, this model predicts position ids with a second one")
    if config.outputs != config.vocabulary:
        raise InputError(f"GPT-2 has as many outputs as tokens, not {config.outputs} and {config.vocabulary}")
    return {
        "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"],
        "n_layer": config.layers,
        "n_head": config.heads,
        "n_embd": config.width,
        "n_inner": config.mlp_ratio * config.width,
        "n_positions": config.positions,
        "vocab_size": config.vocabulary,
        "activation_function": "gelu_new",
        "layer_norm_epsilon": config.norm_epsilon,
        "resid_pdrop": config.dropout,
        "embd_pdrop": config.dropout,
        "attn_pdrop": config.dropout,
        "tie_word_embeddings": config.tied,
        "bos_token_id": None,
        "eos_token_id": None,
    }


def to_state(parameters: Mapping[str, Tensor], config: ModelConfig) -> Parameters:
    """The state dictionary of a `GPT2LMHeadModel` of the same function; without positions `wpe` is zero.

    >>> from longreach.models.decoder import initialise
    >>> config = ModelConfig(layers=1, heads=1, width=16, vocabulary=5, positions=53)
    >>> to_state(initialise(config, 0), config)["transformer.h.0.attn.c_attn.weight"].shape
    torch.Size([16, 48])
    """
    config_to_document(config)
    check(parameter_table(config), parameters)
    embedding = parameters["embedding"]
    state = {"wte.weight": embedding}
    if config.encoding in _WITH_TABLE:
        state["wpe.weight"] = parameters["positions"]
    else:
        state["wpe.weight"] = embedding.new_zeros(config.positions, config.width)
    for layer in range(config.layers):
        ours, theirs = f"layers.{layer}", f"h.{layer}"
        for part in ("weight", "bias"):
            side_by_side = [
                parameters[f"{ours}.attention.{name}.{part}"] for name in ("query", "key", "value")
            ]
            state[f"{theirs}.attn.c_attn.{part}"] = _transposed(torch.cat(side_by_side))
            for name, known in _LINEAR.items():
                state[f"{theirs}.{known}.{part}"] = _transposed(parameters[f"{ours}.{name}.{part}"])
            for name, known in _NORMS.items():
                state[f"{theirs}.{known}.{part}"] = parameters[f"{ours}.{name}.{part}"]
    state |= {"ln_f.weight": parameters["norm.weight"], "ln_f.bias": parameters["norm.bias"]}
    named = {f"transformer.{name}": value for name, value in state.items()}
    named["lm_head.weight"] = embedding if config.tied else parameters["unembedding"]
    return {name: value.detach().clone().contiguous() for name, value in named.items()}


def from_state(state: Mapping[str, Tensor], config: ModelConfig) -> Parameters:
    """Our parameters from a state dictionary of `GPT2LMHeadModel` or `GPT2Model`; half precision is widened.

    >>> from longreach.models.decoder import initialise
    >>> config = ModelConfig(layers=1, heads=1, width=16, vocabulary=5, positions=53)
    >>> first = initialise(config, 0)
    >>> again = from_state(to_state(first, config), config)
    >>> all(torch.equal(again[name], first[name]) for name in first)
    True
    """
    if config.encoding not in _WITH_TABLE or not config.layer_norm:
        raise InputError("a GPT-2 checkpoint has learned positions and layer norms")
    found = {name.removeprefix("transformer."): value for name, value in state.items()}
    found = {name: value for name, value in found.items() if not _MASKS.fullmatch(name)}
    made: Parameters = {}

    def take(theirs: str) -> Tensor:
        if theirs not in found:
            raise InputError(f"checkpoint: {theirs!r} is missing")
        value = found.pop(theirs).detach()
        return value.float() if value.dtype in (torch.float16, torch.bfloat16) else value.clone()

    made["embedding"], made["positions"] = take("wte.weight"), take("wpe.weight")
    head = found.pop("lm_head.weight", None)  # tied: the embedding once more, or left out
    if not config.tied:
        found |= {} if head is None else {"lm_head.weight": head}
        made["unembedding"] = take("lm_head.weight")
    for layer in range(config.layers):
        ours, theirs = f"layers.{layer}", f"h.{layer}"
        for part in ("weight", "bias"):
            together = _transposed(take(f"{theirs}.attn.c_attn.{part}"))
            for name, value in zip(("query", "key", "value"), together.chunk(3), strict=True):
                made[f"{ours}.attention.{name}.{part}"] = value.contiguous()
            for name, known in _LINEAR.items():
                made[f"{ours}.{name}.{part}"] = _transposed(take(f"{theirs}.{known}.{part}")).contiguous()
            for name, known in _NORMS.items():
                made[f"{ours}.{name}.{part}"] = take(f"{theirs}.{known}.{part}")
    made |= {"norm.weight": take("ln_f.weight"), "norm.bias": take("ln_f.bias")}
    if found:
        raise InputError(f"checkpoint: {min(found)!r} has no place in a decoder of {config.layers} layers")
    check(parameter_table(config), made)
    return made


def _transposed(value: Tensor) -> Tensor:
    """A matrix turned over; a bias stays as it is."""
    return value.T if value.ndim == 2 else value


def save(directory: str | Path, parameters: Mapping[str, Tensor], config: ModelConfig) -> None:
    """Write a directory that `GPT2LMHeadModel.from_pretrained` reads.

    >>> import tempfile
    >>> from longreach.models.decoder import initialise
    >>> config = ModelConfig(layers=1, heads=1, width=16, vocabulary=5, positions=53)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(folder, initialise(config, 0), config)
    ...     load(folder)[0] == config
    True
    """
    tensors = to_state(parameters, config)
    if config.tied:
        del tensors["lm_head.weight"]
    document = json.dumps(config_to_document(config), indent=2) + "\n"
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Each file appears whole, the configuration last.
        write_atomically(folder / TENSORS, write_tensors(tensors, metadata={"format": "pt"}))
        write_atomically(folder / CONFIG, document.encode())
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror or error})") from None


def load(directory: str | Path) -> tuple[ModelConfig, Parameters]:
    """The configuration and parameters of a GPT-2 directory (`config.json`, `model.safetensors`).

    >>> load("no/such/folder")
    Traceback (most recent call last):
    longreach.errors.InputError: no/such/folder: no config.json there
    """
    folder = Path(directory)
    for name in (CONFIG, TENSORS):
        if not (folder / name).is_file():
            raise InputError(f"{folder}: no {name} there")
    try:
        document = json.loads(read_bytes(folder / CONFIG))
        state = read_tensors(read_bytes(folder / TENSORS, most=MODEL_BYTES))
    except (ValueError, SafetensorError, OSError) as error:
        raise InputError(f"{folder}: cannot be read ({error})") from None
    if not isinstance(document, dict):
        raise InputError(f"{folder / CONFIG}: expected an object")
    config = config_from_document(document)
    return config, from_state(state, config)


def library(what: str) -> Any:
    """The library `transformers`, which `what` needs (extra `hf`)."""
    if importlib.util.find_spec("transformers") is None:
        raise MissingExtra(what, "hf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("transformers")


def live_model(directory: Path, what: str, **options: Any) -> Any:
    """Any causal language model in a directory, in float32 and in evaluation mode.

    Only what lies in the directory is used: nothing is downloaded, no code of the directory runs, and weights
    are safetensors, which hold numbers alone.
    """
    if not any(directory.glob("*.safetensors")):
        raise InputError(f"{directory}: has no *.safetensors; other files with weights are not read")
    found = library(what).AutoModelForCausalLM
    safe = {"local_files_only": True, "trust_remote_code": False, "use_safetensors": True}
    module = quietly(directory, lambda: found.from_pretrained(str(directory), **safe, **options))
    return module.float().eval()


def quietly(directory: Path, load: Callable[[], Any]) -> Any:
    """Load without the library's remarks and progress bars; whatever goes wrong in there is one line."""
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


def to_module(parameters: Mapping[str, Tensor], config: ModelConfig) -> nn.Module:
    """A live `GPT2LMHeadModel` with these parameters (extra `hf`), in evaluation mode."""
    document, state = config_to_document(config), to_state(parameters, config)
    known = library("a live Hugging Face model")
    module: nn.Module = known.GPT2LMHeadModel(known.GPT2Config(**document))
    module.load_state_dict(state)
    return module.eval()


def from_module(module: nn.Module) -> tuple[ModelConfig, Parameters]:
    """The configuration and parameters of a live `GPT2LMHeadModel`."""
    described: Any = module.config
    config = config_from_document(described.to_dict())
    return config, from_state(module.state_dict(), config)
