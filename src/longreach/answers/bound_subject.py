"""What a bound is asked about when it is a model, trained decoders included.

The theorems speak of limit transformers: no layer norm, logits times log|x|, periodic positions, local φ.
What a trained model has instead is said by quantity. Its token embeddings after the first layer norm take
the part of E_s; PAD, the first token, is never read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from longreach.answers.bounds import program_or_reason, task_inputs
from longreach.config.model import ModelConfig
from longreach.errors import InputError
from longreach.files import read_tensors
from longreach.tasks.names import FamilyName
from longreach.tasks.task import Task
from longreach.theory.bounds.definition import BoundInputs, Number
from longreach.theory.bounds.inputs import ONE_LAYER, TWO_LAYERS, program_inputs, together, without_model
from longreach.theory.bounds.quantities import NO_WORSE, combined, depth_reason, model_inputs, quantities
from longreach.theory.crasp.program import parse
from longreach.theory.limit.compiler import compile_program
from longreach.theory.limit.files import CONFIG, UNSCALED, is_regression, is_scaled
from longreach.theory.limit.model import Array, Transformer
from longreach.theory.limit.named import HAND, load_model, output_range, task_model
from longreach.theory.verdicts.verdict import Verdict

# Quantities of a trained decoder of one layer, read off its weights as far as they are defined.


FILE = "model.safetensors"
ROUNDING = 1e-6
"""Logits of float32 weights that differ by less, relative to the largest, count as equal."""


@dataclass(frozen=True, kw_only=True)
class TrainedQuantities:
    """What the weights of one layer say."""

    config: ModelConfig
    L: float
    """‖A‖_F ‖B‖_F times the largest Σ_h ‖V_h u_s‖, u_s the token after the layer norm, its gain within A."""
    margins: dict[int, float | None] | None
    """γ by query token, of the model without positions; None in it: all logits are equal."""

    @property
    def logit_margin(self) -> float | None:
        known = [margin for margin in (self.margins or {}).values() if margin is not None]
        return min(known, default=None)

    def document(self) -> dict[str, Any]:
        """As `longreach bound --json` prints it."""
        return {
            "kind": "trained",
            "layers": self.config.layers,
            "heads": self.config.heads,
            "encoding": self.config.encoding,
            "layer_norm": self.config.layer_norm,
            "log_length": self.config.log_length,
            "alphabet": self.config.vocabulary - 1,
            "L": self.L,
            "gamma": self.logit_margin,
            "gamma_by_token": self.margins,
        }

    def inputs(self, precision: int | None = None) -> BoundInputs:
        """What the bounds can use, and why not the rest."""
        config = self.config
        values: dict[str, Number] = {"alphabet": Fraction(config.vocabulary - 1), "locality": Fraction(0)}
        absent = dict.fromkeys(TWO_LAYERS, "the model has one layer")
        if precision is not None:
            values["precision"] = Fraction(precision)
        if config.encoding == "nope":
            values["period"] = Fraction(1)
        else:
            absent["period"] = f"the positions of {config.encoding!r} have no period that is known"
        if config.encoding not in ("nope", "ape"):
            del values["locality"]
            absent["locality"] = f"what {config.encoding!r} adds to logits is not local"
        if not config.log_length:
            absent["gamma"] = "trained without log|x|: attention need not become hard (log_length)"
        elif self.margins is None:
            absent["gamma"] = (
                f"logits are listed by token, and {config.encoding!r} gives each position its own"
            )
        else:
            values["gamma"] = inf if self.logit_margin is None else Fraction(self.logit_margin)
        if config.layer_norm:
            absent["L"] = (
                "a layer norm stands before the MLP, and it has no Lipschitz constant; "
                f"--set L={self.L:.4g} takes the formula's value all the same"
            )
        else:
            values["L"] = Fraction(self.L)
        return BoundInputs(values=values, absent=absent, assumed=dict.fromkeys(ONE_LAYER, NO_WORSE))


def trained_quantities(path: Path) -> TrainedQuantities:
    """Read `model.safetensors` of a run, or of a directory that has one."""
    file = path / FILE if path.is_dir() else path
    tensors, config = _read(file)
    if config.layers != 1:
        raise InputError(f"{file}: a trained model of {config.layers} layers; only those of one are read off")
    inputs = _normalised(tensors, config, "layers.0.attention_norm", tensors["embedding"][1:])
    hidden = tensors["layers.0.mlp.in.weight"]
    if config.layer_norm:
        hidden = hidden * tensors["layers.0.mlp_norm.weight"]
    mlp = float(np.linalg.norm(hidden) * np.linalg.norm(tensors["layers.0.mlp.out.weight"]))
    return TrainedQuantities(
        config=config,
        L=mlp * float(_values(tensors, config, inputs).max()),
        margins=_margins(tensors, config, inputs) if config.encoding == "nope" else None,
    )


def _values(tensors: Mapping[str, Array], config: ModelConfig, inputs: Array) -> Array:
    """Σ_h ‖V_h u_s‖ for every token."""
    out, value = (tensors[f"layers.0.attention.{part}.weight"] for part in ("out", "value"))
    total = np.zeros(len(inputs))
    for h in range(config.heads):
        rows = slice(h * config.head_width, (h + 1) * config.head_width)
        total += np.linalg.norm(inputs @ (out[:, rows] @ value[rows]).T, axis=1)
    return total


def _margins(tensors: Mapping[str, Array], config: ModelConfig, inputs: Array) -> dict[int, float | None]:
    """The least gap of two logits by query token, over all heads."""
    query, key = (
        inputs @ tensors[f"layers.0.attention.{part}.weight"].T + tensors[f"layers.0.attention.{part}.bias"]
        for part in ("query", "key")
    )
    found: dict[int, float | None] = {}
    for token in range(len(inputs)):
        gaps: list[float] = []
        for h in range(config.heads):
            rows = slice(h * config.head_width, (h + 1) * config.head_width)
            logits = np.sort(key[:, rows] @ query[token, rows]) / np.sqrt(config.head_width)
            different = np.diff(logits)
            gaps += different[different > ROUNDING * max(abs(logits).max(), 1e-300)].tolist()
        found[token + 1] = min(gaps, default=None)
    return found


def _normalised(tensors: Mapping[str, Array], config: ModelConfig, name: str, y: Array) -> Array:
    if not config.layer_norm:
        return y
    centred = y - y.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + config.norm_epsilon)
    normalised: Array = scaled * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]
    return normalised


def _read(path: Path) -> tuple[dict[str, Array], ModelConfig]:
    found, header = read_tensors(path, lambda header: _shapes(_config(path, header)))
    tensors = {name: tensor.astype(np.float64) for name, tensor in found.items()}
    for name, tensor in tensors.items():
        if not np.isfinite(tensor).all():
            raise InputError(f"{path}: {name} has values that are not numbers")
    return tensors, _config(path, header)


def _config(path: Path, metadata: Mapping[str, str]) -> ModelConfig:
    try:
        document = json.loads(metadata["config"])
        return ModelConfig.read(document if isinstance(document, dict) else {})
    except (KeyError, ValueError, RecursionError):
        raise InputError(f"{path}: no shape of a decoder in it") from None


def _shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """What is read of the first layer."""
    width, hidden = config.width, config.mlp_ratio * config.width
    shapes: dict[str, tuple[int, ...]] = {"embedding": (config.vocabulary, width)}
    for part in ("query", "key", "value", "out"):
        shapes[f"layers.0.attention.{part}.weight"] = (width, width)
        shapes[f"layers.0.attention.{part}.bias"] = (width,)
    shapes |= {"layers.0.mlp.in.weight": (hidden, width), "layers.0.mlp.out.weight": (width, hidden)}
    if config.layer_norm:
        for norm in ("attention_norm", "mlp_norm"):
            shapes |= {f"layers.0.{norm}.weight": (width,), f"layers.0.{norm}.bias": (width,)}
    return shapes


# What a bound is asked of, when it is a model: its quantities, and the inputs of bounds made of them.


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is known of a model or task."""

    inputs: BoundInputs
    quantities: dict[str, Any] | None = None
    range: float | None = None
    """How far apart two of its outputs are at most; None: not known."""


def model_subject(
    model_name: Path | str, *, precision: int | None = None, against: Path | str | None = None
) -> Subject:
    """`hand:NAME`, or a directory with what `crasp compile --out` wrote, or with a trained model."""
    directory = Path(model_name)
    plain = not str(model_name).startswith(HAND) and not (directory / CONFIG).exists()
    if plain and not is_regression(directory):
        if not (directory / FILE).exists():
            raise InputError(f"{directory}: no {FILE} in it, so no model")
        if against is not None:
            raise InputError(f"{directory}: a trained model is not a limit transformer, and a pair needs two")
        trained = trained_quantities(directory)
        return Subject(inputs=trained.inputs(precision), quantities=trained.document())
    model = _limit(str(model_name))
    if against is None:
        found = limit_subject(model, precision=precision)
        known = output_range(str(model_name))
        return replace(found, inputs=_as_trained(found.inputs, (model_name,)), range=known)
    other = _limit(str(against))
    if model.vocabulary != other.vocabulary:
        raise InputError(f"{against}: a pair reads the same tokens, and these are not those of {directory}")
    f, g = quantities(model, precision=precision), quantities(other, precision=precision)
    pair = combined(f, g)
    inputs = model_inputs(pair, pair) if f.layers == 1 else model_inputs(f, g)
    return Subject(inputs=_as_trained(inputs, (model_name, against)), quantities=pair.document())


def number_task_subject(task: str, *, precision: int | None = None) -> Subject:
    """A task with numbers as answers: the model that is built by hand for it.

    >>> number_task_subject("in-context-kgram:S=2,k=3").inputs.values["k"]
    Fraction(3, 1)
    """
    name = FamilyName.read(task)
    found = limit_subject(task_model(name.family, name.parameters), precision=precision)
    if "k" not in name.parameters or name.family == "modp-task":
        omega = f":omega={name.parameters['omega']}" if "omega" in name.parameters else ""
        return replace(found, range=output_range(f"{HAND}{name.family}{omega}"))
    own = BoundInputs(values={"k": Fraction(int(name.parameters["k"]))})
    return replace(found, inputs=together(found.inputs, own), range=sqrt(2))  # of two distributions


def limit_subject(model: Transformer, *, precision: int | None = None) -> Subject:
    """A limit transformer: compiled, built by hand, or read from a file."""
    reason = depth_reason(len(model.layers))
    found = quantities(model, precision=precision) if reason is None else None
    inputs = without_model(reason or "") if found is None else model_inputs(found)
    if model.program is not None:
        inputs = together(inputs, program_inputs(parse(model.program).core))
    return Subject(inputs=inputs, quantities=None if found is None else found.document())


def _as_trained(inputs: BoundInputs, names: tuple[Path | str, ...]) -> BoundInputs:
    """Without γ where a model was trained without log|x|."""
    trained = (Path(name) for name in names if not str(name).startswith(HAND))
    if all(is_scaled(each) for each in trained if not (each / CONFIG).exists() and is_regression(each)):
        return inputs
    values = {name: value for name, value in inputs.values.items() if name != "gamma"}
    return replace(inputs, values=values, absent={**inputs.absent, "gamma": UNSCALED})


def _limit(name: str) -> Transformer:
    model = load_model(name)
    if model.kind != "limit":
        raise InputError(f"{name}: a finite transformer; the bounds are about limit transformers")
    return model


RIGHT = 1.0
"""Between an answer that is right and one that is wrong."""
MOST_OPERATIONS = 300
"""Of a program that is compiled on the way: larger ones take long, and have many layers."""


def task_subject(task: Task, sides: Mapping[str, Verdict], *, precision: int | None = None) -> Subject:
    """The same, and the quantities of the compiled program where that has one or two layers."""
    inputs = task_inputs(task, sides)
    program = program_or_reason(sides)
    if isinstance(program, str):
        return Subject(inputs=together(inputs, without_model(program)), range=RIGHT)
    core = program.core
    if core.size > MOST_OPERATIONS:
        reason = (
            f"the program has {core.size} operations; those of more than {MOST_OPERATIONS} are not compiled"
        )
        return Subject(inputs=together(inputs, without_model(reason)), range=RIGHT)
    compiled = limit_subject(compile_program(core), precision=precision)
    return Subject(inputs=together(inputs, compiled.inputs), quantities=compiled.quantities, range=RIGHT)
