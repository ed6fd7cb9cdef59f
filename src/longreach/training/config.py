"""What one member is and how it trains: frozen, checked, with the published values as defaults."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from longreach.errors import InputError, near_names
from longreach.models.baseline import BaselineConfig
from longreach.models.config import DecoderConfig
from longreach.models.encodings import ENCODINGS, LearnedAbsolute
from longreach.models.model import Model
from longreach.results.schema import job_key
from longreach.tasks.catalog import load_argument, self_contained
from longreach.tasks.hyperparameters import BASELINE, BASELINE_SHAPE, hyperparameters
from longreach.tasks.task import Task

Positive: TypeAlias = Annotated[int, Field(ge=1, lt=2**31)]
Range: TypeAlias = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]

PAPER_TRAIN_LENGTH = 50
COMPILE_BELOW_WIDTH = 64
COMPILE_FROM_STEPS = 50_000
COMPILE_UP_TO_LAYERS = 2


def range_name(lengths: Range) -> str:
    """How documents name a range of lengths.

    >>> range_name((51, 100))
    '51-100'
    """
    return f"{lengths[0]}-{lengths[1]}"


class TrainConfig(BaseModel):
    """One member. `resolve` fills in the published hyperparameters; what is stored is every number.

    >>> config = TrainConfig.resolve("binary-majority")
    >>> config.layers, config.width, config.train_lengths, config.test_lengths
    (1, 16, (1, 50), ((51, 100), (101, 150)))
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    task: str
    """A program stands here with its whole text, so that the key depends on it and not on a file's name."""
    alphabet: tuple[str, ...] | None = None
    """Of a task `regex:…`."""
    encoding: str = "ape"
    """The positional encoding, or "mlp" for the baseline that sees the current token only."""
    layers: Positive
    heads: Positive
    width: Positive
    lr: Annotated[float, Field(gt=0)]
    batch: Positive = 64
    max_steps: Positive
    warmup: Annotated[int, Field(ge=0)] = 0
    """Steps over which the learning rate rises from 0."""
    schedule: Literal["linear", "constant"] = "linear"
    """After the warm-up: down to 0 at `max_steps`, or constant."""
    weight_decay: Annotated[float, Field(ge=0)] = 0.01
    clip: Annotated[float, Field(gt=0)] = 1.0
    """The largest norm of a gradient."""
    train_lengths: Range
    test_lengths: Annotated[tuple[Range, ...], Field(min_length=1)]
    evaluate_every: Positive
    """Steps between evaluations on the training range."""
    stop_early: bool = True
    """Whether a member stops when it is at 100 % on the training range, or trains on to `max_steps`."""
    test_size: Positive = 2000
    """Test sequences per range."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    offsets: Literal["random", "none"] = "random"
    """Training inputs stand at random positions, or at the first ones."""
    dtype: Literal["float32", "bfloat16"] = "float32"
    """Of matrix products; parameters and their updates are float32."""
    layer_norm: bool = True
    log_length: bool = False
    """Whether attention logits are multiplied by the logarithm of the length of the prefix."""
    tied: bool = True
    """Whether the output matrix is the embedding."""
    penalty: Annotated[float, Field(ge=0)] = 0.0
    """The coefficient of the penalty on attention between positions."""
    compile: bool = False
    """Whether the whole step is compiled."""

    @classmethod
    def resolve(cls, task: str, encoding: str = "ape", **given: Any) -> Self:
        """The configuration of a task, from what is given and the published values for the rest.

        >>> TrainConfig.resolve("sort", "ape", width=64, heads=3)
        Traceback (most recent call last):
        longreach.errors.InputError: --width: 64 is not a multiple of 3 heads
        """
        given = {name: value for name, value in given.items() if value is not None}
        if encoding not in (*ENCODINGS, BASELINE):
            hint = near_names(encoding, ENCODINGS) or f"; known are {', '.join(ENCODINGS)}"
            raise InputError(f"--encoding: unknown encoding {encoding!r}{hint}")
        known = _task(task, given.get("alphabet"))
        _ = known.tokens  # errors name the task as it was asked for
        task = self_contained(task)
        published = hyperparameters(task, encoding)
        fields: dict[str, Any] = {
            "task": task, "encoding": encoding, "layers": published.layers, "heads": published.heads,
            "width": published.width, "lr": published.lr, "max_steps": published.max_steps,
            "warmup": published.warmup,
        }  # fmt: skip
        if "max_steps" in given and "warmup" not in given:
            # A shorter run keeps the share of steps that the warm-up has.
            fields["warmup"] = published.warmup * int(given["max_steps"]) // published.max_steps
        fields |= given
        fields.setdefault("train_lengths", (known.least_length, PAPER_TRAIN_LENGTH))
        last = fields["train_lengths"][1]
        # Twice and three times the training range: 51:100,101:150 after 1:50.
        fields.setdefault("test_lengths", ((last + 1, 2 * last), (2 * last + 1, 3 * last)))
        fields.setdefault("evaluate_every", max(1, min(1000, int(fields["max_steps"]) // 10)))
        fields.setdefault("compile", _worth_compiling(fields))
        return cls.read(fields)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """The configuration in these fields, as JSON has them, or an error of one line."""
        try:
            config = cls.model_validate_json(json.dumps(document))
        except ValidationError as error:
            raise InputError(_line(error)) from None
        config._check()
        return config

    def document(self) -> dict[str, Any]:
        """All fields as JSON has them: what `read` reads, and what the key is made of."""
        return self.model_dump(mode="json")

    @property
    def key(self) -> str:
        """The name of the member's results."""
        return job_key(self.document())

    @cached_property
    def loaded_task(self) -> Task:
        """The task itself."""
        return _task(self.task, self.alphabet)

    @property
    def ranges(self) -> tuple[Range, ...]:
        """The training range and the test ranges."""
        return (self.train_lengths, *self.test_lengths)

    @cached_property
    def positions(self) -> int:
        """As many as the longest input of any range needs."""
        task = self.loaded_task
        longest = [int(task.lengths(*lengths)[-1]) for lengths in self.ranges]
        return max(map(task.input_size, longest))

    @cached_property
    def model(self) -> Model:
        """The shape of what is trained."""
        if self.encoding != BASELINE:
            return self.decoder
        vocabulary = len(self.loaded_task.tokens)
        return BaselineConfig(width=self.width, vocabulary=vocabulary, outputs=vocabulary)

    @cached_property
    def decoder(self) -> DecoderConfig:
        """The shape of the transformer."""
        return DecoderConfig(
            layers=self.layers,
            heads=self.heads,
            width=self.width,
            vocabulary=len(self.loaded_task.tokens),
            positions=self.positions,
            encoding=self.encoding,
            layer_norm=self.layer_norm,
            log_length=self.log_length,
            tied=self.tied,
        )

    def _check(self) -> None:
        """Refuse options that contradict each other."""
        if self.width % self.heads:
            raise InputError(f"--width: {self.width} is not a multiple of {self.heads} heads")
        if self.warmup >= self.max_steps:
            raise InputError(f"--warmup: {self.warmup} steps of warm-up leave none of {self.max_steps}")
        options = [("--train-lengths", self.train_lengths)]
        options += [("--test-lengths", lengths) for lengths in self.test_lengths]
        seen: set[Range] = set()
        for option, (first, last) in options:
            if first > last:
                raise InputError(f"{option}: {first}:{last} has no length, the first is above the last")
            if (first, last) in seen:
                raise InputError(f"{option}: the range {first}:{last} stands twice")
            seen.add((first, last))
            try:
                self.loaded_task.lengths(first, last)
            except InputError as error:
                raise InputError(f"{option}: {error.message}") from None
        if self.encoding == BASELINE:
            self._check_baseline()
            return
        encoding = ENCODINGS.get(self.encoding)
        if encoding is None:
            raise InputError(f"--encoding: unknown encoding {self.encoding!r}")
        if encoding.ids == "given":
            raise InputError(f"--encoding: {self.task} has no position ids of its own for {self.encoding!r}")
        if encoding.ids == "randomized" and self.offsets == "none":
            raise InputError(f"--offsets: {self.encoding!r} draws its position ids, there is no 'none'")
        if self.penalty and not isinstance(encoding, LearnedAbsolute):
            raise InputError(f"--penalty: {self.encoding!r} has no learned positions to penalize")
        try:
            _ = self.decoder
        except ValidationError as error:
            raise InputError(f"--encoding: {_line(error).split(': ', 1)[1]}") from None

    def _check_baseline(self) -> None:
        """Refuse what only a transformer has."""
        for name in ("layers", "heads"):
            if getattr(self, name) != BASELINE_SHAPE[name]:
                raise InputError(f"--{name}: {BASELINE!r} has {BASELINE_SHAPE[name]}")
        usual = {"penalty": 0.0, "layer_norm": True, "log_length": False, "tied": True}
        for name, value in usual.items():
            if getattr(self, name) != value:
                raise InputError(
                    f"--{name.replace('_', '-')}: goes with a transformer, not with {BASELINE!r}"
                )


def _task(name: str, alphabet: Any) -> Task:
    return load_argument(name, None if alphabet is None else tuple(alphabet))


def _worth_compiling(fields: Mapping[str, Any]) -> bool:
    """Compiling takes 25 seconds, 4 from the cache, and saves 1 to 2 milliseconds a step.

    Small models that learn their task stop early: then it pays only if many members share the compiled step.
    """
    small = fields["width"] < COMPILE_BELOW_WIDTH and fields["layers"] <= COMPILE_UP_TO_LAYERS
    return bool(small and fields["max_steps"] >= COMPILE_FROM_STEPS)


def _line(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "model"
    if first["type"] == "extra_forbidden":
        return f"{name}: no such option{near_names(name, TrainConfig.model_fields)}"
    return f"--{name.replace('_', '-')}: {first['msg'].removeprefix('Value error, ')}"
