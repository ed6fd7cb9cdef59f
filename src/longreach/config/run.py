"""What a run is and how it trains: frozen and checked, with its document, its key and its options.

The order of fields is that of documents; their descriptions are the help texts of `longreach train`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from longreach import errors
from longreach.config.architectures import (
    BASELINE,
    COUNTING,
    DECODER,
    ArchitectureRow,
    Options,
    architecture_row,
    unknown_architecture,
)
from longreach.config.encodings import ENCODINGS, EncodingRow, encoding_row, unknown_encoding
from longreach.config.model import BASELINE_SHAPE, CellLabel, ModelOptions, with_implied
from longreach.config.reach import Modulus, reach_problem
from longreach.errors import InputError, refusal
from longreach.files import job_key
from longreach.tasks.lengths import LengthRange
from longreach.tasks.names import NUMBER_FAMILIES, FamilyName, has_numbers

Positive: TypeAlias = Annotated[int, Field(ge=1, lt=2**31)]
Loss: TypeAlias = Literal["cross-entropy", "squared"]
LONGEST = 1_000_000
"""The longest input: longer ones are mistyped, and listing their lengths takes all memory."""

IdSchemeName: TypeAlias = Literal["true", "shift", "coupled", "pose", "randomized"]
ID_SCHEMES: tuple[IdSchemeName, ...] = get_args(IdSchemeName)
"""How the tokens of training inputs get their position ids."""

RESOLVED = (
    "layers", "heads", "width", "lr", "max_steps", "warmup", "train_lengths", "test_lengths",
    "evaluate_every", "stop_early", "test_size", "log_length", "compile",
)  # fmt: skip
"""What `longreach.runs.resolve` finds for a task where it is not given."""

OF_NUMBERS = (
    "task", "encoding", "layers", "width", "hidden", "log_length", "lr", "batch", "max_steps", "target_loss",
    "train_lengths", "test_lengths", "evaluate_every", "test_size", "seed",
)  # fmt: skip
"""The settings of a run that learns numbers; others do not apply."""
NUMBERS: dict[str, Any] = {
    "width": 16, "hidden": 256, "lr": 0.01, "batch": 1024, "max_steps": 20_000, "target_loss": 1e-5,
    "evaluate_every": 500, "test_size": 4096,
}  # fmt: skip
"""Their defaults: those of Izzo, Nichani and Lee (arXiv 2510.27015), appendix B."""
_IMPLIED_BY_NUMBERS: dict[str, Any] = {
    "architecture": COUNTING, "heads": 1, "schedule": "constant", "weight_decay": 0.0, "offsets": "none",
    "layer_norm": False, "tied": False,
}  # fmt: skip


OWN_SIZES: dict[str, int] = {"layers": 1, "heads": 1, "width": 1}
"""What stands for the sizes that a model does not take from a run; documents of own models leave them out."""
_OF_DECODERS = (
    "penalty", "layer_norm", "log_length", "tied", "position_ids", "predict_ids", "scaled_bias",
    "reach_modulus", "reach_counting",
)  # fmt: skip


class RunConfig(BaseModel):
    """One run. `longreach.runs.resolve` fills in the settings of a scale for a task.

    >>> config = RunConfig(
    ...     task="sort", layers=1, heads=1, width=16, lr=1e-3, max_steps=100, train_lengths=(1, 10),
    ...     test_lengths=((11, 20),), evaluate_every=10,
    ... )
    >>> config.batch, config.train_lengths.name, config.key
    (64, '1-10', 'ebf8140beebf8377')

    A run that learns numbers has other defaults, and another document:

    >>> lengths = {"train_lengths": [1, 20], "test_lengths": [[40, 40]]}
    >>> config = RunConfig.read({"task": "simple-task:omega=2", **lengths})
    >>> config.batch, config.encoding, config.target_loss, config.loss
    (1024, 'nope', 1e-05, 'squared')
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    later: ClassVar[tuple[str, ...]] = (
        "position_ids", "max_position", "predict_ids", "test_tasks", "architecture", "hidden", "target_loss",
        "scaled_bias", "model_options", "reach_modulus", "reach_counting",
    )  # fmt: skip
    """Fields newer than the first results: left out of documents at their default, so that keys hold."""

    # A program stands here with its whole text, so that the key depends on it and not on a file's name.
    task: str = Field(
        description="A built-in name, regex:…, states:…, dfa:FILE, crasp:FILE, data:FILE or module:attribute."
    )
    alphabet: tuple[str, ...] | None = Field(
        None, description="Letters of regex:…, states:… or a plain function: abc or a,b,c."
    )
    encoding: str = Field("ape", description="Positional encoding of a decoder, or module:Class of your own.")
    layers: Positive = Field(description="Number of layers (default depends on --scale).")
    heads: Positive = Field(description="Attention heads per layer (default depends on --scale).")
    width: Positive = Field(
        description="Width of the residual stream, a multiple of the heads (default depends on --scale)."
    )
    lr: float = Field(gt=0, description="Learning rate (default depends on --scale).")
    batch: Positive = Field(64, description="Sequences per step.")
    max_steps: Positive = Field(description="Maximum number of training steps (default depends on --scale).")
    warmup: int = Field(0, ge=0, description="Warm-up steps, over which the learning rate rises from 0.")
    schedule: Literal["linear", "constant"] = Field(
        "linear",
        description="Learning rate after the warm-up: linear decay to 0 at the last step, or constant.",
    )
    weight_decay: float = Field(0.01, ge=0, description="Weight decay of AdamW.")
    clip: float = Field(1.0, gt=0, description="Largest norm of a gradient.")
    train_lengths: LengthRange = Field(
        description="Training lengths (default: from the shortest input to 20; paper: 50)."
    )
    test_lengths: tuple[LengthRange, ...] = Field(
        min_length=1, description="Test lengths (default: up to twice and three times the training length)."
    )
    evaluate_every: Positive = Field(
        description="Steps between evaluations (default depends on --scale; at most a tenth)."
    )
    stop_early: bool = Field(
        True, description="Stop at 100 % on the training range (default with --scale paper)."
    )
    test_size: Positive = Field(2000, description="Test sequences per range (default: 1000; paper: 2000).")
    seed: int = Field(0, ge=0, lt=2**63, description="Train a single run with this seed.")
    offsets: Literal["random", "none"] = Field(
        "random", description="Positions of training inputs: a random offset, or none."
    )
    dtype: Literal["float32", "bfloat16"] = Field(
        "float32", description="Precision of matrix products; parameters and their updates stay float32."
    )
    layer_norm: bool = Field(True, description="Use layer norms.")
    log_length: bool = Field(
        False,
        description="Scale attention by the logarithm of the prefix length (default depends on --scale).",
    )
    scaled_bias: bool = Field(
        True, description="Scale biases (ALiBi, T5, FIRE, FoX, CoPE) by that logarithm too (default: no)."
    )
    tied: bool = Field(True, description="Use the embedding as output matrix.")
    penalty: float = Field(
        0.0, ge=0, description="Coefficient of the penalty on attention between positions."
    )
    compile: bool = Field(False, description="Compile the whole step (default depends on the configuration).")
    position_ids: IdSchemeName | None = Field(
        None,
        description="Position ids in training: true, shifted, the task's own, PoSE, or a random choice "
        "(default depends on --encoding and --offsets).",
    )
    max_position: Positive | None = Field(
        None, description="Number of position ids, L_max (default: the longest test input)."
    )
    predict_ids: bool = Field(
        False, description="Also predict the position id of the next token, with the task's own ids."
    )
    test_tasks: tuple[str, ...] = Field(
        (), description="Further tasks with the same tokens, tested at the end."
    )
    architecture: str = Field(
        DECODER,
        description="Model to train: decoder, looped, mlp, lstm, gru, rnn, ssm, ssm-signed, ssm-complex, "
        "deltanet, hybrid, your own module:make, hf:CONFIG.json or hf:DIRECTORY.",
    )
    model_options: ModelOptions = Field(
        Options(), description="Option of the model, with a JSON value; repeat for more."
    )
    hidden: int = Field(
        0, ge=0, lt=2**31, description="Units in the MLP of a layer; 0: four times the width."
    )
    target_loss: float = Field(0.0, ge=0, description="Stop when the loss of a training batch is below this.")
    reach_modulus: Modulus = Field(
        "auto",
        description="With reach, heads tell distances modulo this number, or modulo what the task needs "
        "(task), or modulo 1, 2, 3 and 4 in turn (auto).",
    )
    reach_counting: int = Field(
        0, ge=0, lt=2**31, description="With reach, so many heads of each layer are plain softmax heads."
    )

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """The configuration in these fields, as JSON has them, or an error of one line.

        What depends on the task itself is checked where the task is loaded.
        """
        if has_numbers(str(document.get("task"))):
            document = _of_numbers(document)
        elif document.get("encoding", document.get("architecture")) == BASELINE:  # as documents name it
            document = {**document, "architecture": BASELINE, "encoding": "nope"}
        elif architecture_row(str(document.get("architecture", DECODER))).is_own:
            document = {**OWN_SIZES, **document}
        try:
            config = cls.model_validate_json(json.dumps(with_implied(document)))
        except ValidationError as error:
            raise refusal(error, cls.model_fields) from None
        config._check()
        return config

    def document(self) -> dict[str, Any]:
        """The fields as JSON has them: what `read` reads, and what the key is made of."""
        if self.loss == "squared":
            return self.model_dump(mode="json", include=set(OF_NUMBERS))
        fields = type(self).model_fields
        usual = {name for name in self.later if getattr(self, name) == fields[name].default}
        made = self.model_dump(mode="json", exclude=usual)
        if self.architecture == BASELINE:
            made["encoding"] = made.pop("architecture")
        return {name: value for name, value in made.items() if name not in OWN_SIZES or not self.row.is_own}

    def with_seed(self, seed: int) -> Self:
        return type(self).read({**self.document(), "seed": seed})

    @property
    def key(self) -> str:
        """The name of the run's results."""
        return job_key(self.document())

    @property
    def loss(self) -> Loss:
        return "squared" if has_numbers(self.task) else "cross-entropy"

    @property
    def row(self) -> ArchitectureRow:
        """What the model is, and what it can do."""
        return architecture_row(self.architecture)

    @property
    def label(self) -> CellLabel:
        """What runs of this configuration are called, besides their task."""
        return CellLabel.of(self.document())

    @property
    def ranges(self) -> tuple[LengthRange, ...]:
        return (self.train_lengths, *self.test_lengths)

    @property
    def named_ranges(self) -> tuple[tuple[str, LengthRange], ...]:
        """The same, each with its field."""
        tests = [("test_lengths", lengths) for lengths in self.test_lengths]
        return (("train_lengths", self.train_lengths), *tests)

    @property
    def longest_test(self) -> LengthRange:
        """The test range with the longest inputs, where a run works or fails."""
        return max(self.test_lengths, key=lambda lengths: lengths.last)

    @property
    def id_scheme(self) -> IdSchemeName:
        """How training inputs get their position ids, whether it is said or follows from the encoding."""
        if self.position_ids is not None:
            return self.position_ids
        ids = encoding_row(self.encoding).ids
        if self.predict_ids or ids == "given":
            return "coupled"
        if ids == "randomized":
            return "randomized"
        return "shift" if self.offsets == "random" else "true"

    def _check(self) -> None:
        if self.loss == "cross-entropy" and (wrong := unknown_architecture(self.architecture)) is not None:
            raise _refused("architecture", wrong)
        if self.width % self.heads:
            raise _refused("width", f"{self.width} is not a multiple of {self.heads} heads")
        if self.warmup >= self.max_steps:
            raise _refused("warmup", f"{self.warmup} steps of warm-up leave none of {self.max_steps}")
        seen: set[LengthRange] = set()
        for field, lengths in self.named_ranges:
            if lengths.first > lengths.last:
                raise _refused(field, f"{lengths.option} has no length, the first is above the last")
            if lengths.last > LONGEST:
                raise _refused(field, f"{lengths.option} goes beyond {LONGEST}, the longest length there is")
            if lengths in seen:
                raise _refused(field, f"the range {lengths.option} appears twice")
            seen.add(lengths)
        if self.loss == "squared":
            if not self.hidden:
                raise _refused("hidden", "must be at least 1, not 0")
            if self.log_length and self.layers > 1:
                raise _refused("log_length", "only for models of one layer; its own scaling is that of φ")
        elif "positions" in self.row.can:
            self._check_transformer()
        else:
            self._check_other()

    def _check_transformer(self) -> None:
        self.row.check(self.model_options)
        self._check_tokens()
        if (wrong := unknown_encoding(self.encoding)) is not None:
            raise _refused("encoding", wrong)
        encoding = encoding_row(self.encoding)
        self._check_ids(encoding)
        if self.penalty and not encoding.learned_positions:
            raise _refused("penalty", f"{self.encoding!r} has no learned positions to penalize")
        if (refusal := encoding.refusal(width=self.width, heads=self.heads)) is not None:
            raise _refused("encoding", refusal)
        unfit = reach_problem(self.encoding, self.heads, self.reach_modulus, self.reach_counting)
        if unfit is not None:
            raise _refused(*unfit)

    def _check_ids(self, encoding: EncodingRow) -> None:
        """Refuse position ids that contradict the encoding, or each other."""
        scheme = self.id_scheme
        if encoding.name == "nope" and self.position_ids not in (None, "true", "shift"):
            raise _refused("position_ids", f"'nope' sees no ids, so {scheme!r} would change nothing")
        own = {"randomized": "randomized", "given": "coupled"}.get(encoding.ids, scheme)
        if scheme != own:
            raise _refused("position_ids", f"{self.encoding!r} has {own} ids, not {scheme!r}")
        if scheme not in ("true", "coupled") and self.offsets == "none":
            drawn = repr(self.encoding if self.position_ids is None else scheme)
            raise _refused("offsets", f"{drawn} draws its position ids; 'none' is not possible")
        if not self.predict_ids:
            return
        if scheme != "coupled":
            raise _refused("predict_ids", f"only for the task's own ids ('coupled'), not for {scheme!r}")
        if not encoding.absolute:
            known = ", ".join(row.name for row in ENCODINGS.values() if row.absolute and row.ids == "offset")
            raise _refused(
                "predict_ids", f"{self.encoding!r} does not see ids, only their differences; try {known}"
            )

    def _check_tokens(self) -> None:
        for name in ("hidden", "target_loss"):
            if getattr(self, name):
                raise _refused(name, "only for tasks whose answers are numbers")

    def _check_other(self) -> None:
        """Refuse what only a transformer has."""
        row = self.row
        self._check_tokens()
        row.check(self.model_options)
        if self.encoding != "nope":
            raise _refused("encoding", f"{self.architecture!r} has no positional encoding")
        if self.compile:
            raise _refused("compile", f"{self.architecture!r} has no compiled step")
        sizes = BASELINE_SHAPE if self.architecture == BASELINE else OWN_SIZES
        for name in OWN_SIZES:
            if name not in row.sizes and name in sizes and getattr(self, name) != sizes[name]:
                raise _refused(name, _no_size(row, name, sizes[name]))
        for name in (*_OF_DECODERS, *(() if row.is_own else ("max_position",))):
            if getattr(self, name) != type(self).model_fields[name].default:
                raise _refused(name, f"only for a transformer, not for {self.architecture!r}")


def _no_size(row: ArchitectureRow, name: str, size: int) -> str:
    if row.is_own:
        return f"{row.name!r} is a model of your own: pass --model-option {name}=…"
    return f"{row.name!r} has {size}" if row.name == BASELINE else f"{row.name!r} has no {name}"


def _refused(field: str, reason: str) -> InputError:
    return InputError(reason, place=errors.Field(field))


def _of_numbers(document: Mapping[str, Any]) -> dict[str, Any]:
    """All fields of a run that learns numbers, from its document."""
    try:
        name = FamilyName.read(str(document["task"]))
    except InputError as error:
        raise error.at(errors.Field("task")) from None
    family = NUMBER_FAMILIES[name.family]
    by_task = {"encoding": family.encoding, "layers": family.layers}
    for field, value in document.items():
        if field not in OF_NUMBERS:
            raise _refused(field, f"no such option{errors.near_names(field, OF_NUMBERS)}")
        if value != by_task.get(field, value):
            raise _refused(field, f"{name.family} has {by_task[field]}, not {value}")
    made = {**NUMBERS, **by_task, **document, "task": name.text}
    return {**made, **_IMPLIED_BY_NUMBERS, "stop_early": made["target_loss"] != 0}


SWITCHES: dict[str, tuple[str | None, str | None]] = {
    "stop_early": ("--stop-early", "--train-on"),
    "layer_norm": ("--layer-norm", "--no-layer-norm"),
    "log_length": ("--log-length", "--no-log-length"),
    "scaled_bias": ("--scaled-bias", "--no-scaled-bias"),
    "tied": ("--tied", "--untied"),
    "compile": ("--compile", "--no-compile"),
    "predict_ids": ("--predict-ids", None),
}
"""Settings that are true or false: the option for each, if there is one."""
FROM_PYTHON_ONLY = ("weight_decay", "clip", "test_tasks", "hidden", "target_loss")
SPELLINGS = {"architecture": "--model", "model_options": "--model-option"}
"""Options that are not called as their field."""


def option_name(field: str) -> str:
    """The option that a setting is known by.

    >>> option_name("train_lengths"), option_name("stop_early")
    ('--train-lengths', '--stop-early')
    """
    on, off = SWITCHES.get(field, (None, None))
    return on or off or SPELLINGS.get(field) or f"--{field.replace('_', '-')}"


def usual(field: str) -> object:
    """The value of a setting that is not given, the same for all tasks.

    >>> usual("batch"), usual("offsets")
    (64, 'random')
    """
    return RunConfig.model_fields[field].default
