"""What one member is and how it trains: frozen, checked, every number of it. The order of fields is that of
documents; the descriptions are the help texts of `longreach train`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, get_args

from pydantic import Field, ValidationError

from longreach import errors
from longreach.config.decoder import first_error
from longreach.config.encoding_table import ENCODINGS, EncodingRow, unknown_encoding
from longreach.config.hyperparameters import BASELINE, BASELINE_SHAPE
from longreach.config.length_range import LengthRange
from longreach.config.member_document import MemberDocument
from longreach.errors import InputError

Positive: TypeAlias = Annotated[int, Field(ge=1, lt=2**31)]

IdSchemeName: TypeAlias = Literal["true", "shift", "coupled", "pose", "randomized"]
ID_SCHEMES: tuple[IdSchemeName, ...] = get_args(IdSchemeName)
"""How the tokens of training inputs get their position ids."""

RESOLVED = (
    "layers", "heads", "width", "lr", "max_steps", "warmup", "train_lengths", "test_lengths",
    "evaluate_every", "stop_early", "test_size", "log_length", "compile",
)  # fmt: skip
"""What `longreach.experiments.resolve` finds for a task where it is not given."""


class TrainConfig(MemberDocument):
    """One member. `longreach.experiments.resolve` fills in the setting of a scale for a task.

    >>> config = TrainConfig(
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
            raise first_error(error, cls) from None
        config._check()
        return config

    @property
    def longest_test(self) -> LengthRange:
        """The test range with the longest inputs, where a run works or fails."""
        return max(self.test_lengths, key=lambda lengths: lengths.last)

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
