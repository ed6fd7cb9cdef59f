"""What a bound is asked of, when it is a model: its quantities, and the inputs of bounds made of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longreach.bounds.bound_inputs import BoundInputs
from longreach.bounds.model_inputs import depth_reason, model_inputs, without_model
from longreach.bounds.model_quantities import combined, quantities
from longreach.bounds.program_inputs import program_inputs, together
from longreach.bounds.trained_quantities import FILE, trained_quantities
from longreach.crasp import parse
from longreach.errors import InputError
from longreach.limit.model import Transformer
from longreach.limit.run.model_files import CONFIG, load


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is known of a model or task."""

    inputs: BoundInputs
    quantities: dict[str, Any] | None = None
    """Of a model, for a document."""


def model_subject(directory: Path, *, precision: int | None = None, against: Path | None = None) -> Subject:
    """A directory with a transformer that `crasp compile --out` wrote, or with a trained model."""
    if not (directory / CONFIG).exists():
        if not (directory / FILE).exists():
            raise InputError(f"{directory}: no {FILE} in it, so no model")
        if against is not None:
            raise InputError(f"{directory}: a trained model is no limit transformer, and a pair needs two")
        trained = trained_quantities(directory)
        return Subject(inputs=trained.inputs(precision), quantities=trained.document())
    model = _limit(directory)
    if against is None:
        return limit_subject(model, precision=precision)
    other = _limit(against)
    if model.vocabulary != other.vocabulary:
        raise InputError(f"{against}: a pair reads the same tokens, and these are not those of {directory}")
    f, g = quantities(model, precision=precision), quantities(other, precision=precision)
    pair = combined(f, g)
    inputs = model_inputs(pair, pair) if f.layers == 1 else model_inputs(f, g)
    return Subject(inputs=inputs, quantities=pair.document())


def limit_subject(model: Transformer, *, precision: int | None = None) -> Subject:
    """A limit transformer: compiled, built by hand, or read from a file."""
    reason = depth_reason(len(model.layers))
    found = quantities(model, precision=precision) if reason is None else None
    inputs = without_model(reason or "") if found is None else model_inputs(found)
    if model.program is not None:
        inputs = together(inputs, program_inputs(parse(model.program).core))
    return Subject(inputs=inputs, quantities=None if found is None else found.document())


def _limit(directory: Path) -> Transformer:
    model = load(directory)
    if model.kind != "limit":
        raise InputError(f"{directory}: a finite transformer; the bounds are about limit transformers")
    return model
