"""From a task and some settings to a whole configuration, with the values of a scale for the rest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from operator import index
from typing import Any

from longreach.config.architectures import (
    BASELINE,
    CARRIED,
    DECODER,
    HUGGING_FACE,
    THEORY,
    ArchitectureRow,
    architecture_row,
    unknown_architecture,
)
from longreach.config.encodings import encoding_row, is_own_encoding, unknown_encoding
from longreach.config.model import BASELINE_SHAPE, ModuleConfig
from longreach.config.reach import TASK, reach_settings
from longreach.config.run import OF_NUMBERS, OWN_SIZES, RunConfig
from longreach.config.scales import Scale, hyperparameters, scale_table
from longreach.errors import Argument, Field, InputError
from longreach.tasks.catalog import load_argument, self_contained
from longreach.tasks.names import has_numbers
from longreach.tasks.numbers import load_regression
from longreach.tasks.task import Task
from longreach.theory.automata.automaton import Automaton, LabelledAutomaton
from longreach.theory.automata.monoid import least_modulus, transition_monoid
from longreach.theory.budget import DEFAULT_BUDGET
from longreach.training.setup import check_ids, check_lengths, network_of, read_run

PAPER_TRAIN_LENGTH = 50
COMPILE_BELOW_WIDTH = 64
COMPILE_FROM_STEPS = 50_000
COMPILE_UP_TO_LAYERS = 2


def resolve(task: str, encoding: str | None = None, *, scale: Scale = "laptop", **given: Any) -> RunConfig:
    """The configuration of a task, from what is given and the setting of a scale for the rest.

    What is not given is as in the studies of the scale, the encoding `ape`. `laptop` takes a minute or two
    per run on one core, also for tasks without a setting of their own; `paper` is as published and may take
    days.

    >>> config = resolve("binary-majority")
    >>> config.layers, config.width, config.train_lengths.name, config.test_lengths[-1].name
    (1, 32, '1-20', '41-60')
    >>> resolve("binary-majority", scale="paper").train_lengths.name
    '1-50'
    >>> resolve("sort", "ape", width=64, heads=3)
    Traceback (most recent call last):
    longreach.errors.InputError: width: 64 is not a multiple of 3 heads
    """
    given = {name: value for name, value in given.items() if value is not None}
    if has_numbers(task):
        return _resolve_numbers(task, scale, given if encoding is None else {**given, "encoding": encoding})
    row, encoding = _model(encoding, given)
    if is_own_encoding(encoding):
        _import_own(encoding)
    alphabet = given.get("alphabet")
    known = load_argument(task, None if alphabet is None else tuple(alphabet))
    _ = known.tokens  # errors name the task as it was asked for
    setting = _of_scale(task, row, encoding, scale, known)
    if "max_steps" in given:
        # A shorter run keeps the share of steps that the warm-up has, and is looked at as often.
        setting["warmup"] = setting["warmup"] * int(given["max_steps"]) // setting["max_steps"]
        if "evaluate_every" in setting:
            setting["evaluate_every"] = min(setting["evaluate_every"], _a_tenth(given["max_steps"]))
    fields: dict[str, Any] = {"task": self_contained(task), "encoding": encoding, **setting, **given}
    if fields.get("reach_modulus") == TASK:
        fields["reach_modulus"] = needed_modulus(known)
    for name, value in reach_settings(encoding).items():
        if name != "encoding" and fields.get(name, value) != value:
            raise InputError(f"{encoding!r} says {value}", place=Field(name))
    fields.setdefault("train_lengths", known.train_range(PAPER_TRAIN_LENGTH))
    if "test_lengths" not in fields:
        fields["test_lengths"] = known.test_ranges(_longest(fields["train_lengths"]))
    fields.setdefault("evaluate_every", min(1000, _a_tenth(fields["max_steps"])))
    fields.setdefault("compile", "compiled" in row.can and _worth_compiling(fields))
    if fields.get("log_length") and encoding_row(encoding).biased:
        fields.setdefault("scaled_bias", False)
    config = RunConfig.read(fields)
    try:
        check_lengths(config)
    except InputError as error:
        if "test_lengths" in given or error.place != Field("test_lengths"):
            raise
        chosen = f"this is the default after training to {config.train_lengths.last}"
        raise InputError(f"{error.reason}; {chosen}", place=error.place) from None
    check_ids(config)
    if row.is_own or (config.model_options and "positions" not in row.can):
        network_of(config)  # refuses a model that cannot be trained before anything is said or written
    return _with_theory(config)


def needed_modulus(task: Task) -> int:
    """The modulus of positions that finding in a task needs, by the automaton that it reads with.

    >>> needed_modulus(load_argument("regex:(aaa)*b", None))
    3
    >>> needed_modulus(load_argument("sort", None))
    Traceback (most recent call last):
    longreach.errors.InputError: reach_modulus: no automaton says what sort needs; give a number, or auto
    """
    machine = getattr(task, "automaton", None) or getattr(task, "machine", None)
    if not isinstance(machine, Automaton | LabelledAutomaton):
        reason = f"no automaton says what {task.name} needs; give a number, or auto"
        raise InputError(reason, place=Field("reach_modulus"))
    read = machine.essential if isinstance(machine, Automaton) else machine
    monoid = transition_monoid(read, DEFAULT_BUDGET.monoid)
    if monoid is None:
        reason = f"the automaton of {task.name} is too large to say what it needs; give a number, or auto"
        raise InputError(reason, place=Field("reach_modulus"))
    return least_modulus(monoid)


def _with_theory(config: RunConfig) -> RunConfig:
    """The theory that an own module states becomes an option of the run: reading results runs no code."""
    own = config.row.is_own and not config.architecture.startswith(HUGGING_FACE)
    if not own or THEORY in config.model_options:
        return config
    from longreach.models.module import stated_theory  # loads torch

    shape = network_of(config).shape
    assert isinstance(shape, ModuleConfig)
    theory = stated_theory(shape)
    options = {**config.model_options, THEORY: theory}
    return config if theory is None else RunConfig.read({**config.document(), "model_options": options})


def _import_own(encoding: str) -> None:
    """Refuse an own encoding that cannot be had, before anything is trained."""
    from longreach.models.decoder import encoding_module  # loads torch

    encoding_module(encoding)


def _model(encoding: str | None, given: dict[str, Any]) -> tuple[ArchitectureRow, str]:
    """The row of the model that is asked for, and the encoding; `given` loses what is a setting of the run.

    >>> given = {"architecture": "lstm", "model_options": {"width": 8}}
    >>> _model(None, given)[1], given
    ('nope', {'architecture': 'lstm', 'model_options': {}, 'width': 8})
    """
    name = str(given.get("architecture", BASELINE if encoding == BASELINE else DECODER))
    if (wrong := unknown_architecture(name)) is not None:
        raise InputError(wrong, place=Field("architecture"))
    row = architecture_row(name)
    if name == BASELINE:
        given["architecture"] = BASELINE
        encoding = None if encoding == BASELINE else encoding
    elif encoding is not None and (wrong := unknown_encoding(encoding)) is not None:
        raise InputError(wrong, place=Field("encoding"))
    options = dict(given.get("model_options") or {})
    for each, value in options.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            reason = f"{each}: {value!r:.60} is not a JSON value"
            raise InputError(reason, place=Field("model_options")) from None
    if name.startswith(HUGGING_FACE) and not set(CARRIED) & set(options):
        from longreach.models.causal import carried  # loads torch

        options |= carried(name.removeprefix(HUGGING_FACE))
    if options:
        given |= {size: options.pop(size) for size in row.sizes if size in options}
        usual = [each for each, value in row.options.items() if each in options and options[each] == value]
        given["model_options"] = {each: value for each, value in options.items() if each not in usual}
    return row, encoding or ("ape" if "positions" in row.can else "nope")


def _of_scale(task: str, row: ArchitectureRow, encoding: str, scale: Scale, known: Task) -> dict[str, Any]:
    # Only transformers attend, so that a length can scale their attention.
    own: dict[str, Any] = {} if "positions" in row.can else {"log_length": False}
    if row.name == BASELINE:
        own |= BASELINE_SHAPE
        encoding = BASELINE
    elif row.name != DECODER:
        own |= {size: 1 for size in OWN_SIZES if size not in row.sizes}
        encoding = encoding if "positions" in row.can else row.name
    table, name = scale_table(scale), self_contained(task)
    if table is None:
        return asdict(hyperparameters(name, encoding)) | own
    setting = table.setting(task, encoding)
    assert setting.train_to is not None, scale
    lengths = known.train_range(setting.train_to)
    return asdict(hyperparameters(name, encoding)) | setting.given | {"train_lengths": lengths} | own


def _longest(lengths: Any) -> int:
    """The second of two training lengths.

    >>> _longest((1, 20))
    20
    >>> _longest(20)
    Traceback (most recent call last):
    longreach.errors.InputError: train_lengths: expected two lengths, as in (1, 20), not 20
    """
    try:
        _, last = lengths
        return index(last)
    except (TypeError, ValueError):
        reason = f"expected two lengths, as in (1, 20), not {lengths!r}"
        raise InputError(reason, place=Field("train_lengths")) from None


def _a_tenth(steps: Any) -> int:
    return max(1, int(steps) // 10)


def _worth_compiling(fields: Mapping[str, Any]) -> bool:
    """Compiling takes 25 seconds, 4 from the cache, and saves 1 to 2 milliseconds a step.

    Small models that learn their task stop early: then it pays only if many members share the compiled step.
    """
    small = fields["width"] < COMPILE_BELOW_WIDTH and fields["layers"] <= COMPILE_UP_TO_LAYERS
    return bool(small and fields["max_steps"] >= COMPILE_FROM_STEPS)


SMOKE: dict[str, Any] = {
    "width": 4, "hidden": 8, "batch": 16, "max_steps": 20, "test_size": 32, "evaluate_every": 10,
}  # fmt: skip
LAPTOP: dict[str, dict[str, Any]] = {
    "simple-task": {"max_steps": 6000},
    "modp-task": {"max_steps": 6000},
    # Every position of a batch goes through the first layer, so steps are few: a run of S = 2 to N = 8 comes
    # down to the target loss after 14,524, one of S = 4 to N = 16 has 100 times that loss after 20,000.
    "in-context-kgram": {"batch": 128, "max_steps": 8000, "test_size": 1024},
}
PAPER: dict[str, Any] = {"max_steps": 100_000}
"""As published, down to the loss; the step budget is ours."""
TRAIN_TO = {"smoke": 6, "laptop": 20, "paper": 50}
TIMES = (2, 4, 8)
"""How many times the longest training length tests are long where nothing else is said."""


def _resolve_numbers(task: str, scale: Scale, given: Mapping[str, Any]) -> RunConfig:
    """The same for a task with numbers as answers.

    >>> config = resolve("simple-task:omega=2", train_lengths=(1, 10))
    >>> config.max_steps, [each.name for each in config.test_lengths]
    (6000, ['20-20', '40-40', '80-80'])
    >>> resolve("simple-task", heads=2)
    Traceback (most recent call last):
    longreach.errors.InputError: heads: cannot be used with simple-task:omega=1, whose answers are numbers
    """
    try:
        loaded = load_regression(task)
    except InputError as error:
        raise error.at(Argument("task")) from None
    name, least = loaded.named, loaded.least_length
    for field in given:
        if field not in OF_NUMBERS:
            raise InputError(
                f"cannot be used with {name.text}, whose answers are numbers", place=Field(field)
            )
    fields: dict[str, Any] = {"task": name.text, **_setting(name.family, scale), **given}
    fields.setdefault("train_lengths", (least, max(TRAIN_TO[scale], 2 * least)))
    last = _longest(fields["train_lengths"])
    fields.setdefault("test_lengths", tuple((times * last, times * last) for times in TIMES))
    return read_run(fields)


def _setting(family: str, scale: Scale) -> dict[str, Any]:
    if scale == "smoke":
        return SMOKE
    return LAPTOP[family] if scale == "laptop" else PAPER
