"""Models by name: `hand:NAME`, `hand:NAME:parameter=value,…`, a model's directory, or a program's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite, pi, sin
from pathlib import Path
from typing import TypeAlias

from longreach.errors import Argument, InputError, near_names
from longreach.theory.crasp.library import PREFIX
from longreach.theory.limit.compiler import compile_source
from longreach.theory.limit.files import CONFIG, is_regression, load, regression_to_limit
from longreach.theory.limit.hand_built import induction_head, kgram_head, modp_task_model, simple_task_model
from longreach.theory.limit.model import Transformer

HAND = "hand:"
Value: TypeAlias = int | float | str


@dataclass(frozen=True, kw_only=True)
class HandBuilt:
    about: str
    defaults: Mapping[str, Value]
    """Its parameters; a value given by name has the type of the default."""
    build: Callable[..., Transformer]
    width: Callable[[Mapping[str, Value]], float] | None = None
    """How far apart two of its outputs are at most; None: not known."""


HAND_BUILT = {
    "simple-task": HandBuilt(
        about="sin(ω (c₀ − c₁)/(c₀ + c₁)) of the counts of 0 and 1; one layer",
        defaults={"omega": 1.0, "tolerance": 1e-3},
        build=simple_task_model,
        width=lambda values: 2 * sin(min(float(values["omega"]), pi / 2)),
    ),
    "modp-task": HandBuilt(
        about="mean of the bits at positions ≡ residue (mod period); one layer",
        defaults={"period": 5, "residue": 0},
        build=modp_task_model,
        width=lambda values: 1.0,
    ),
    "induction-head": HandBuilt(
        about="which tokens have followed the current one; two layers",
        defaults={"tokens": "abcd", "phi": 2.0},
        build=induction_head,
    ),
    "kgram-head": HandBuilt(
        about="which tokens have followed the last k; two layers",
        defaults={"tokens": "ab", "k": 2, "phi": 2.0, "match": 4.0},
        build=kgram_head,
    ),
}
"""By the name behind `hand:`."""


def load_model(text: str) -> Transformer:
    """The transformer that a text names: hand-built, a directory with its files, `lib:NAME` or a file `….cr`.

    A directory may also be that of a run that has learned numbers.

    >>> load_model("hand:modp-task:period=3").period
    3
    >>> load_model("lib:majority")
    limit transformer: 1 layer, 1 head, width 8; reads 0 1, accepts or rejects
    """
    if text.startswith(HAND):
        return _hand_built(text)
    if text.startswith(PREFIX) or text.endswith(".cr"):
        return compile_source(text)
    if text in HAND_BUILT and not Path(text).exists():
        raise InputError(f"no directory {text!r}; did you mean {HAND + text!r}?", place=Argument("model"))
    if not Path(text).exists():
        expected = f"a directory of a model, {HAND}NAME, {PREFIX}NAME or a file ….cr"
        raise InputError(f"no directory {text!r}; expected {expected}", place=Argument("model"))
    directory = Path(text)
    if not (directory / CONFIG).exists() and is_regression(directory):
        return regression_to_limit(directory)
    return load(text)


def task_model(family: str, parameters: Mapping[str, float]) -> Transformer:
    """The model built by hand for a task with numbers as answers.

    >>> task_model("in-context-kgram", {"S": 3, "k": 1})
    limit transformer: 2 layers, 1 head, width 10; reads 0 1 2, predicts what may follow
    """
    if family == "simple-task":
        return simple_task_model(parameters["omega"])
    if family == "modp-task":
        return modp_task_model(int(parameters["p"]), int(parameters["k"]))
    tokens = tuple(str(token) for token in range(int(parameters["S"])))
    if parameters["k"] == 1:
        return induction_head(tokens)
    return kgram_head(tokens, int(parameters["k"]))


def output_range(text: str) -> float | None:
    """How far apart two outputs of a model built by hand are at most; None: not known.

    >>> output_range("hand:simple-task:omega=4"), output_range("hand:modp-task"), output_range("lib:majority")
    (2.0, 1.0, None)
    """
    if not text.startswith(HAND):
        return None
    kind, values = _parameters(text)
    return None if kind.width is None else kind.width(values)


def _hand_built(text: str) -> Transformer:
    kind, values = _parameters(text)
    try:
        return kind.build(**values)
    except InputError as error:
        raise InputError(f"{text}: {error.message}", place=Argument("model")) from None


def _parameters(text: str) -> tuple[HandBuilt, dict[str, Value]]:
    name, _, rest = text.removeprefix(HAND).partition(":")
    if name not in HAND_BUILT:
        near = near_names(name, HAND_BUILT) or f"; there are {', '.join(HAND_BUILT)}"
        raise InputError(f"no model is built by hand as {name!r}{near}", place=Argument("model"))
    kind = HAND_BUILT[name]
    values = dict(kind.defaults)
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if key not in kind.defaults or not equals:
            known = ", ".join(f"{key}={default}" for key, default in kind.defaults.items())
            raise InputError(
                f"{text}: {part!r} is not a parameter of {name} ({known})", place=Argument("model")
            )
        values[key] = _value(text, key, value, kind.defaults[key])
    return kind, values


def _value(text: str, key: str, value: str, default: Value) -> Value:
    try:
        found = type(default)(value)
    except ValueError:
        found = float("nan")
    if isinstance(found, float) and not isfinite(found):
        kind = "an integer" if isinstance(default, int) else "a number"
        raise InputError(f"{text}: {key}={value!r} is not {kind}", place=Argument("model"))
    return found
