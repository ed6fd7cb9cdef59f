"""What a bound is asked of, when it is a model: its quantities, and the inputs of bounds made of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from longreach.bounds.bound_inputs import BoundInputs
from longreach.bounds.model_inputs import depth_reason, model_inputs, without_model
from longreach.bounds.model_quantities import combined, quantities
from longreach.bounds.program_inputs import program_inputs, together
from longreach.bounds.trained_quantities import FILE, trained_quantities
from longreach.config.regression_name import RegressionName
from longreach.crasp import parse
from longreach.errors import InputError
from longreach.limit.compile.named_models import HAND, load_model, task_model
from longreach.limit.model import Transformer
from longreach.limit.run.model_files import CONFIG
from longreach.limit.translate.regression_to_limit import UNSCALED, is_regression, is_scaled


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is known of a model or task."""

    inputs: BoundInputs
    quantities: dict[str, Any] | None = None
    """Of a model, for a document."""


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
            raise InputError(f"{directory}: a trained model is no limit transformer, and a pair needs two")
        trained = trained_quantities(directory)
        return Subject(inputs=trained.inputs(precision), quantities=trained.document())
    model = _limit(str(model_name))
    if against is None:
        found = limit_subject(model, precision=precision)
        return replace(found, inputs=_as_trained(found.inputs, (model_name,)))
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
    name = RegressionName.read(task)
    found = limit_subject(task_model(name.family, name.parameters), precision=precision)
    if "k" not in name.parameters or name.family == "modp-task":
        return found
    own = BoundInputs(values={"k": Fraction(int(name.parameters["k"]))})
    return replace(found, inputs=together(found.inputs, own))


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
