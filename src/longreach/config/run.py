"""What a run is and how it trains: frozen, checked, with its document, its key and its options.

documents; the descriptions are the help texts of `longreach train`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from longreach import errors
from longreach.config.encodings import ENCODINGS, EncodingRow, unknown_encoding
from longreach.config.model import BASELINE, BASELINE_SHAPE, CellLabel
from longreach.errors import InputError, refusal
from longreach.files import job_key
from longreach.tasks.lengths import LengthRange
from longreach.tasks.names import FAMILIES, Encoding, RegressionName

# What all configurations of members have in common: their document, their key, their ranges of lengths.


class MemberDocument(BaseModel):
    """One member, frozen. Fields are declared by each kind, since their order is that of documents."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    later: ClassVar[tuple[str, ...]] = ()
    """Fields that came after results were kept: left out of documents while at their default."""

    if TYPE_CHECKING:
        train_lengths: LengthRange
        test_lengths: tuple[LengthRange, ...]

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """The configuration in these fields, as JSON has them, or an error of one line."""
        raise NotImplementedError

    def document(self) -> dict[str, Any]:
        """The fields as JSON has them: what `read` reads, and what the key is made of.

        Fields of `later` stand there only if they say something, so that keys of earlier results hold.
        """
        fields = type(self).model_fields
        usual = {name for name in self.later if getattr(self, name) == fields[name].default}
        return self.model_dump(mode="json", exclude=usual)

    def with_seed(self, seed: int) -> Self:
        """The same member with another seed."""
        return type(self).read({**self.document(), "seed": seed})

    @property
    def key(self) -> str:
        """The name of the member's results."""
        return job_key(self.document())

    @property
    def ranges(self) -> tuple[LengthRange, ...]:
        """The training range and the test ranges."""
        return (self.train_lengths, *self.test_lengths)

    @property
    def named_ranges(self) -> tuple[tuple[str, LengthRange], ...]:
        """The same, each with the field that it stands in."""
        tests = [("test_lengths", lengths) for lengths in self.test_lengths]
        return (("train_lengths", self.train_lengths), *tests)


# What one member is and how it trains: frozen, checked, every number of it. The order of fields is that of


Positive: TypeAlias = Annotated[int, Field(ge=1, lt=2**31)]

IdSchemeName: TypeAlias = Literal["true", "shift", "coupled", "pose", "randomized"]
ID_SCHEMES: tuple[IdSchemeName, ...] = get_args(IdSchemeName)
"""How the tokens of training inputs get their position ids."""

RESOLVED = (
    "layers", "heads", "width", "lr", "max_steps", "warmup", "train_lengths", "test_lengths",
    "evaluate_every", "stop_early", "test_size", "log_length", "compile",
)  # fmt: skip
"""What `longreach.runs.resolve` finds for a task where it is not given."""


class RunConfig(MemberDocument):
    """One member. `longreach.runs.resolve` fills in the setting of a scale for a task.

    >>> config = RunConfig(
    ...     task="sort", layers=1, heads=1, width=16, lr=1e-3, max_steps=100, train_lengths=(1, 10),
    ...     test_lengths=((11, 20),), evaluate_every=10,
    ... )
    >>> config.batch, config.train_lengths.name, config.key
    (64, '1-10', 'ebf8140beebf8377')
    """

    later: ClassVar[tuple[str, ...]] = ("position_ids", "max_position", "predict_ids", "test_tasks")

    # A program stands here with its whole text, so that the key depends on it and not on a file's name.
    task: Annotated[
        str,
        Field(
            description="Built in, d-N, regex:…, states:…, dfa:FILE, crasp:FILE, data:FILE, module:attribute."
        ),
    ]
    alphabet: Annotated[tuple[str, ...] | None, Field(description="The alphabet of regex:… or states:….")] = (
        None
    )
    encoding: Annotated[str, Field(description="The positional encoding; mlp: the baseline.")] = "ape"
    layers: Annotated[Positive, Field(description="Layers; default: by the scale.")]
    heads: Annotated[Positive, Field(description="Attention heads per layer; default: by the scale.")]
    width: Annotated[
        Positive, Field(description="The residual stream, a multiple of the heads; default: by the scale.")
    ]
    lr: Annotated[float, Field(gt=0, description="The learning rate; default: by the scale.")]
    batch: Annotated[Positive, Field(description="Sequences per step.")] = 64
    max_steps: Annotated[Positive, Field(description="Stop here at the latest; default: by the scale.")]
    warmup: Annotated[
        int, Field(ge=0, description="Steps of warm-up, over which the learning rate rises from 0.")
    ] = 0
    schedule: Annotated[
        Literal["linear", "constant"],
        Field(description="Of the learning rate after the warm-up: down to 0 at the last step, or constant."),
    ] = "linear"
    weight_decay: Annotated[float, Field(ge=0, description="Of AdamW.")] = 0.01
    clip: Annotated[float, Field(gt=0, description="The largest norm of a gradient.")] = 1.0
    train_lengths: Annotated[
        LengthRange, Field(description="Default: from the task's least length to 20; paper: 50.")
    ]
    test_lengths: Annotated[
        tuple[LengthRange, ...],
        Field(min_length=1, description="Default: up to twice and three times the training length."),
    ]
    evaluate_every: Annotated[
        Positive, Field(description="Steps between evaluations; default: by the scale, at most a tenth.")
    ]
    stop_early: Annotated[
        bool, Field(description="Stop at 100 % on the training range; default: with --scale paper.")
    ] = True
    test_size: Annotated[
        Positive, Field(description="Test sequences per range; default: 1000, paper: 2000.")
    ] = 2000
    seed: Annotated[int, Field(ge=0, lt=2**63, description="One member with this seed.")] = 0
    offsets: Annotated[
        Literal["random", "none"],
        Field(description="Where training inputs stand: at random positions, or at the first ones."),
    ] = "random"
    dtype: Annotated[
        Literal["float32", "bfloat16"],
        Field(description="Of matrix products; parameters and their updates are float32."),
    ] = "float32"
    layer_norm: Annotated[bool, Field(description="Layer norms.")] = True
    log_length: Annotated[
        bool,
        Field(description="Scale attention by the logarithm of the prefix's length; default: by the scale."),
    ] = False
    tied: Annotated[bool, Field(description="Whether the output matrix is the embedding.")] = True
    penalty: Annotated[
        float, Field(ge=0, description="The coefficient of the penalty on attention between positions.")
    ] = 0.0
    compile: Annotated[bool, Field(description="Compile the whole step; default: by the config.")] = False
    position_ids: Annotated[
        IdSchemeName | None,
        Field(
            description="Position ids in training: as they are, shifted, the task's own, PoSE's, or a random "
            "choice; default: as the encoding and --offsets say."
        ),
    ] = None
    max_position: Annotated[
        Positive | None,
        Field(description="How many position ids there are (L_max); default: the longest test input."),
    ] = None
    predict_ids: Annotated[
        bool, Field(description="Predict the position id of the next token, too, with the task's own ids.")
    ] = False
    test_tasks: Annotated[
        tuple[str, ...], Field(description="Further tasks with the same tokens, tested at the end.")
    ] = ()

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """The configuration in these fields, as JSON has them, or an error of one line.

        What depends on the task itself is checked by those who load it.
        """
        try:
            config = cls.model_validate_json(json.dumps(document))
        except ValidationError as error:
            raise refusal(error, cls.model_fields) from None
        config._check()
        return config

    @property
    def longest_test(self) -> LengthRange:
        """The test range with the longest inputs, where a run works or fails."""
        return max(self.test_lengths, key=lambda lengths: lengths.last)

    @property
    def label(self) -> CellLabel:
        """What runs of this configuration are called, besides their task."""
        return CellLabel.of(self.document())

    @property
    def id_scheme(self) -> IdSchemeName:
        """How training inputs get their position ids, whether it is said or follows from the encoding."""
        if self.position_ids is not None:
            return self.position_ids
        ids = ENCODINGS[self.encoding].ids if self.encoding in ENCODINGS else "offset"
        if self.predict_ids or ids == "given":
            return "coupled"
        if ids == "randomized":
            return "randomized"
        return "shift" if self.offsets == "random" else "true"

    def _check(self) -> None:
        """Refuse settings that contradict each other."""
        if self.width % self.heads:
            raise _refused("width", f"{self.width} is not a multiple of {self.heads} heads")
        if self.warmup >= self.max_steps:
            raise _refused("warmup", f"{self.warmup} steps of warm-up leave none of {self.max_steps}")
        seen: set[LengthRange] = set()
        for field, lengths in self.named_ranges:
            if lengths.first > lengths.last:
                raise _refused(field, f"{lengths.option} has no length, the first is above the last")
            if lengths in seen:
                raise _refused(field, f"the range {lengths.option} stands twice")
            seen.add(lengths)
        if self.encoding == BASELINE:
            self._check_baseline()
            return
        if (wrong := unknown_encoding(self.encoding)) is not None:
            raise _refused("encoding", wrong)
        encoding = ENCODINGS[self.encoding]
        self._check_ids(encoding)
        if self.penalty and not encoding.learned_positions:
            raise _refused("penalty", f"{self.encoding!r} has no learned positions to penalize")
        if (refusal := encoding.refusal(width=self.width, heads=self.heads)) is not None:
            raise _refused("encoding", refusal)

    def _check_ids(self, encoding: EncodingRow) -> None:
        """Refuse position ids that contradict the encoding, or each other."""
        scheme = self.id_scheme
        if encoding.name == "nope" and self.position_ids not in (None, "true", "shift"):
            raise _refused("position_ids", f"'nope' sees no ids, so that {scheme!r} would change nothing")
        own = {"randomized": "randomized", "given": "coupled"}.get(encoding.ids, scheme)
        if scheme != own:
            raise _refused("position_ids", f"{self.encoding!r} has {own} ids, not {scheme!r}")
        if scheme not in ("true", "coupled") and self.offsets == "none":
            drawn = repr(self.encoding if self.position_ids is None else scheme)
            raise _refused("offsets", f"{drawn} draws its position ids, there is no 'none'")
        if not self.predict_ids:
            return
        if scheme != "coupled":
            raise _refused("predict_ids", f"goes with the task's own ids ('coupled'), not with {scheme!r}")
        if not encoding.absolute:
            known = ", ".join(row.name for row in ENCODINGS.values() if row.absolute and row.ids == "offset")
            raise _refused(
                "predict_ids", f"{self.encoding!r} does not see ids, only their differences; try {known}"
            )

    def _check_baseline(self) -> None:
        """Refuse what only a transformer has."""
        for name in ("layers", "heads"):
            if getattr(self, name) != BASELINE_SHAPE[name]:
                raise _refused(name, f"{BASELINE!r} has {BASELINE_SHAPE[name]}")
        for name in ("penalty", "layer_norm", "log_length", "tied", *self.later):
            if getattr(self, name) != type(self).model_fields[name].default:
                raise _refused(name, f"goes with a transformer, not with {BASELINE!r}")


def _refused(field: str, reason: str) -> InputError:
    return InputError(reason, place=errors.Field(field))


# What a member is that learns a task with numbers as answers: frozen, checked, every number of it.


class RegressionConfig(MemberDocument):
    """One member; the defaults are those of Izzo, Nichani and Lee (arXiv 2510.27015), appendix B.

    >>> config = RegressionConfig.read(
    ...     {"task": "simple-task:omega=2", "train_lengths": [1, 20], "test_lengths": [[40, 40]]}
    ... )
    >>> config.batch, config.encoding, config.target_loss
    (1024, 'nope', 1e-05)
    """

    task: Annotated[str, Field(description="As in simple-task:omega=2.")]
    encoding: Annotated[Encoding, Field(description="What positions the model sees: by the task.")]
    layers: Annotated[Positive, Field(description="By the task.")]
    width: Annotated[Positive, Field(description="The residual stream.")] = 16
    hidden: Annotated[Positive, Field(description="Rectifiers in the MLP of a layer.")] = 256
    log_length: Annotated[
        bool, Field(description="Multiply attention logits by the logarithm of the length.")
    ] = False
    lr: Annotated[float, Field(gt=0, description="The rate of embeddings; others: divided by the width.")] = (
        0.01
    )
    batch: Annotated[Positive, Field(description="Fresh sequences per step.")] = 1024
    max_steps: Annotated[Positive, Field(description="Stop here at the latest.")] = 20_000
    target_loss: Annotated[
        float, Field(ge=0, description="Stop when the loss of a fresh batch is below.")
    ] = 1e-5
    train_lengths: Annotated[LengthRange, Field(description="Lengths are uniform in this range.")]
    test_lengths: Annotated[tuple[LengthRange, ...], Field(min_length=1, description="Ranges to test on.")]
    evaluate_every: Annotated[Positive, Field(description="Steps between notes of the loss.")] = 500
    test_size: Annotated[Positive, Field(description="Test sequences per range.")] = 4096
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """The configuration in these fields, as JSON has them, or an error of one line."""
        try:
            name = RegressionName.read(str(document.get("task")))
        except InputError as error:
            raise error.at(errors.Field("task")) from None
        family = FAMILIES[name.family]
        by_task: dict[str, Any] = {"encoding": family.encoding, "layers": family.layers}
        for field, value in by_task.items():
            if document.get(field, value) != value:
                raise _refused(field, f"{name.family} has {value}, not {document[field]}")
        try:
            config = cls.model_validate_json(json.dumps({**document, **by_task, "task": name.text}))
        except ValidationError as error:
            raise refusal(error, cls.model_fields) from None
        config._check()
        return config

    @property
    def stop_early(self) -> bool:
        """Whether it may stop before its last step."""
        return self.target_loss > 0

    def _check(self) -> None:
        """Refuse settings that contradict each other."""
        if self.log_length and self.layers > 1:
            raise _refused("log_length", "goes with models of one layer; its own scaling is that of φ")
        seen: set[LengthRange] = set()
        for field, lengths in self.named_ranges:
            if lengths.first > lengths.last:
                raise _refused(field, f"{lengths.option} has no length, the first is above the last")
            if lengths in seen:
                raise _refused(field, f"the range {lengths.option} stands twice")
            seen.add(lengths)


# The configuration of whatever can be trained.


AnyMember: TypeAlias = RunConfig | RegressionConfig
"""One that learns tokens, or one that learns numbers."""


# How settings are spelled as options, for `longreach train` and for commands that reports show.


SWITCHES: dict[str, tuple[str | None, str | None]] = {
    "stop_early": ("--stop-early", "--train-on"),
    "layer_norm": ("--layer-norm", "--no-layer-norm"),
    "log_length": ("--log-length", "--no-log-length"),
    "tied": ("--tied", "--untied"),
    "compile": ("--compile", "--no-compile"),
    "predict_ids": ("--predict-ids", None),
}
"""Settings that are true or false: the option for each, if there is one."""
FROM_PYTHON_ONLY = ("weight_decay", "clip", "test_tasks")
"""Settings without an option."""


def option_name(field: str) -> str:
    """The option that a setting is known by.

    >>> option_name("train_lengths"), option_name("stop_early")
    ('--train-lengths', '--stop-early')
    """
    on, off = SWITCHES.get(field, (None, None))
    return on or off or f"--{field.replace('_', '-')}"


def usual(field: str) -> object:
    """The value of a setting that is not given, the same for all tasks.

    >>> usual("batch"), usual("offsets")
    (64, 'random')
    """
    return RunConfig.model_fields[field].default
