"""What a model is, as data: its architecture, its shape, and the label of runs that differ in their seed.

A `RunConfig` says what a run chooses; together with its task that gives a `ModelConfig`, which decides the
shape of every parameter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    field_validator,
    model_serializer,
    model_validator,
)

from longreach.config.architectures import (
    ARCHITECTURES,
    BASELINE,
    DECODER,
    LOOPED,
    MOST_LOOPS,
    ArchitectureRow,
    Options,
    architecture_row,
    unknown_architecture,
)
from longreach.config.encodings import encoding_row, side_title, unknown_encoding
from longreach.config.reach import AUTO, REACH, Modulus, is_reach, reach_name, reach_problem, reach_settings
from longreach.errors import InputError, refusal
from longreach.theory.program_class import ENCODING_SIDES

ModelOptions: TypeAlias = Annotated[dict[str, Any], AfterValidator(Options)]
Positive: TypeAlias = Annotated[int, Field(ge=1)]


class Shape(BaseModel):
    """What decides the parameters of a model and their meaning: frozen, hashable, and read from files."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @property
    def architecture(self) -> str:
        """A name of `longreach.config.architectures.ARCHITECTURES`, or that of a user's own model."""
        raise NotImplementedError

    @classmethod
    def read(cls, document: str | bytes | dict[str, Any]) -> Self:
        """The configuration in a JSON document or in its fields, or an error of one line.

        >>> fields = {"layers": 1, "heads": 2, "width": 64, "vocabulary": 5, "positions": 53}
        >>> ModelConfig.read({**fields, "encoding": "rop"})
        Traceback (most recent call last):
        longreach.errors.InputError: encoding: unknown encoding 'rop'; did you mean 'rope'?
        """
        try:
            if isinstance(document, dict):
                return cls.model_validate(document)
            return cls.model_validate_json(document)
        except ValidationError as error:
            raise refusal(error, cls.model_fields) from None


def with_implied(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a decoder or a run, with those that the name of its encoding decides.

    >>> with_implied({"encoding": "reach(modulus=3)", "log_length": False})
    {'encoding': 'reach', 'log_length': True, 'reach_modulus': 3, 'scaled_bias': True}
    """
    name = fields.get("encoding")
    if not isinstance(name, str) or unknown_encoding(name) is not None or not encoding_row(name).log_length:
        return dict(fields)
    return {**fields, **reach_settings(name), "log_length": True, "scaled_bias": True}


class ModelConfig(Shape):
    """The shape of a decoder-only transformer; the defaults are GPT-2's choices without dropout.

    >>> config = ModelConfig(layers=1, heads=1, width=16, vocabulary=5, positions=53)
    >>> config.encoding, config.tied, config.outputs
    ('ape', True, 5)
    """

    layers: Positive
    heads: Positive
    width: Positive
    """The size of the residual stream, a multiple of `heads`."""
    vocabulary: Positive
    outputs: Annotated[int, Field(ge=0)] = 0
    """The number of output labels; 0 or left out: as many as input tokens."""
    positions: Positive
    """How many position ids there are: the longest input, with room for offsets."""
    encoding: str = "ape"
    """A name of `longreach.config.encodings.ENCODINGS`, or `module:Class` of an own one."""
    layer_norm: bool = True
    """Before attention, before the MLP and before the outputs; False leaves all of them out."""
    norm_epsilon: Annotated[float, Field(gt=0)] = 1e-5
    tied: bool = True
    """The output matrix is the embedding matrix; needs as many outputs as input tokens."""
    mlp_ratio: Positive = 4
    """Hidden units of the MLP per unit of width."""
    log_length: bool = False
    """The products of queries and keys are multiplied by log |x| (Huang et al., arXiv 2410.02140, (3))."""
    scaled_bias: bool = True
    """With `log_length`, the biases of an encoding are multiplied by it too."""
    predict_ids: bool = False
    """A second output matrix, whose labels are position ids: that of the next token (predictive position
    coupling, Golowich et al., arXiv 2502.16792, section 5.2)."""
    loops: Annotated[int, Field(ge=1, le=MOST_LOOPS)] | Literal["log"] = 1
    """How many times all layers are applied, the embedding added again each time (Fan et al., arXiv
    2409.15647); "log": the output at place t is taken after ⌈log₂(t + 2)⌉ of them."""
    reach_modulus: Modulus = "auto"
    """Of `reach`: its heads tell distances modulo this; `auto`: modulo 1, 2, 3 and 4 in turn."""
    reach_counting: Annotated[int, Field(ge=0)] = 0
    """Of `reach`: how many heads of a layer, the last ones, are plain softmax heads."""
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Of GPT-2 checkpoints, kept for the way back; models are trained without it here."""

    @field_validator("encoding")
    @classmethod
    def _known_encoding(cls, name: str) -> str:
        if (wrong := unknown_encoding(name)) is not None:
            raise ValueError(wrong)
        return name

    @model_validator(mode="before")
    @classmethod
    def _outputs_default(cls, data: Any) -> Any:
        """As many outputs as input tokens unless said otherwise; what is stored is the number."""
        if isinstance(data, dict) and not data.get("outputs") and "vocabulary" in data:
            return {**data, "outputs": data["vocabulary"]}
        return data

    @model_validator(mode="before")
    @classmethod
    def _scaled(cls, data: Any) -> Any:
        return with_implied(data) if isinstance(data, dict) else data

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of {self.heads} heads")
        if self.tied and self.outputs != self.vocabulary:
            sizes = f"{self.outputs} outputs for {self.vocabulary} tokens"
            raise ValueError(f"tied embeddings need as many outputs as input tokens, not {sizes}")
        refusal = encoding_row(self.encoding).refusal(width=self.width, heads=self.heads)
        if refusal is not None:
            raise ValueError(refusal)
        wrong = reach_problem(self.encoding, self.heads, self.reach_modulus, self.reach_counting)
        if wrong is not None:
            raise ValueError(": ".join(wrong))
        return self

    @model_serializer(mode="wrap")
    def _without_later(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Models without what came later are written as they were before."""
        made: dict[str, Any] = dump(self)
        fields = type(self).model_fields
        for name in ("loops", "reach_modulus", "reach_counting"):
            if made.get(name) == fields[name].default:
                del made[name]
        return made

    @property
    def architecture(self) -> str:
        return DECODER if self.loops == 1 else LOOPED

    @property
    def head_width(self) -> int:
        return self.width // self.heads


class BaselineConfig(Shape):
    """The shape of the baseline, which has no positions.

    >>> BaselineConfig(width=16, vocabulary=5, outputs=5).hidden
    64
    """

    width: Positive
    vocabulary: Positive
    outputs: Positive
    mlp_ratio: Positive = 4
    """Hidden units per unit of width."""

    @property
    def architecture(self) -> str:
        return BASELINE

    @property
    def hidden(self) -> int:
        return self.mlp_ratio * self.width


class ModuleConfig(Shape):
    """What the factory of a `torch.nn.Module` is called with.

    >>> ModuleConfig(model="lstm", vocabulary=5, positions=53, options={"width": 16}).architecture
    'lstm'
    """

    model: str
    vocabulary: Positive
    positions: Positive
    options: ModelOptions = Options()

    @property
    def architecture(self) -> str:
        return self.model


Model: TypeAlias = ModelConfig | BaselineConfig | ModuleConfig


BASELINE_SHAPE: dict[str, Any] = {"layers": 2, "heads": 1, "lr": 1e-3}
"""What the baseline has for itself; all else is as for learned absolute positions (Huang et al., E.3)."""


_AND = " + "
MOST_PENALTY = 1e15
"""A document from elsewhere may hold integers of any size."""
_PREDICTED = "+predicted"
_UNUSUAL_IDS = ("coupled", "pose", "randomized")


@dataclass(frozen=True)
class CellLabel:
    """What runs share besides their task: architecture, encoding, unusual position ids, penalty.

    >>> CellLabel("ape").text, CellLabel("ape", penalty=1e-4).text, CellLabel(architecture="mlp").text
    ('ape', 'ape + 0.0001', 'mlp')
    >>> CellLabel.read("rope+pose")
    CellLabel(encoding='rope', ids='pose', predicted=False, penalty=0.0, architecture='decoder', options='')
    >>> label = CellLabel("rope", architecture="looped", options="loops=8")
    >>> label.text, label.title, CellLabel.read(label.text) == label
    ('looped(loops=8)+rope', 'looped decoder (loops=8), RoPE', True)
    >>> CellLabel.read("reach(modulus=3)").settings
    {'encoding': 'reach', 'reach_modulus': 3}
    """

    encoding: str = "nope"
    ids: str | None = None
    """Position ids other than those that the encoding implies; theory says nothing about them."""
    predicted: bool = False
    """Whether the model predicts the position ids of its answer."""
    penalty: float = 0.0
    architecture: str = DECODER
    options: str = ""
    """Of the architecture, where they are not the usual ones, as a call writes them."""

    @property
    def row(self) -> ArchitectureRow:
        return architecture_row(self.architecture)

    @property
    def name(self) -> str:
        """The label without the penalty, as the index of results keeps it."""
        if self.architecture == DECODER:
            return self._encoded
        # With brackets, an own model is not taken for an own encoding.
        model = self.architecture + (f"({self.options})" if self.options or self.row.is_own else "")
        return f"{model}+{self._encoded}" if "positions" in self.row.can else model

    @property
    def _encoded(self) -> str:
        ids = "" if self.ids is None else f"+{self.ids}"
        return self.encoding + ids + (_PREDICTED if self.predicted else "")

    @property
    def text(self) -> str:
        return f"{self.name}{_AND}{self.penalty:g}" if self.penalty else self.name

    @property
    def side(self) -> str | None:
        """The side of a forecast that speaks of these runs, or None."""
        if self.name in ENCODING_SIDES:
            return self.name
        return REACH if is_reach(self.name) else None

    @property
    def title(self) -> str:
        """As the papers write it.

        >>> CellLabel("nope").title, CellLabel("mine").title, CellLabel("ape", penalty=1e-4).title
        ('NoPE', 'mine', 'APE, penalty 0.0001')
        >>> CellLabel(architecture="mine:make", options="width=32").title
        'mine:make(width=32)'
        """
        known = unknown_encoding(self._encoded) is None
        encoded = encoding_row(self._encoded).title if known else self._encoded
        if self.architecture == DECODER:
            return self._penalized(encoded)
        space = "" if self.row.is_own else " "
        model = self.row.title + (f"{space}({self.options})" if self.options else "")
        return self._penalized(f"{model}, {encoded}" if "positions" in self.row.can else model)

    @property
    def words(self) -> str:
        """In plain words.

        >>> CellLabel("nope").words, CellLabel("ape", penalty=1e-4).words
        ('without positions (NoPE)', 'with learned positions (APE), penalty 0.0001')
        >>> CellLabel("rope", architecture="looped").words, CellLabel(architecture="lstm").words
        ('with a looped decoder and rotary positions (RoPE)', 'with an LSTM')
        """
        if self.architecture == DECODER:
            return self._penalized(side_title(self.name))
        model = self.row.words + (f" ({self.options})" if self.options else "")
        if "positions" in self.row.can:
            encoded = side_title(self._encoded)
            model += (
                f" {encoded}" if encoded.startswith("without") else f" and {encoded.removeprefix('with ')}"
            )
        return self._penalized(model)

    @property
    def shown(self) -> str:
        """As commands name it: the encoding of a decoder, the title of any other model."""
        return self.name if self.architecture == DECODER else self.title

    @property
    def settings(self) -> dict[str, Any]:
        """The model as settings of a run.

        >>> CellLabel.read("deltanet(signed=true)").settings
        {'architecture': 'deltanet', 'model_options': {'signed': True}}
        """
        if self.architecture in (DECODER, BASELINE):
            return reach_settings(self.name)
        encoding = reach_settings(self.encoding) if "positions" in self.row.can else {}
        options = {"model_options": Options.read(self.options)} if self.options else {}
        return {**encoding, "architecture": self.architecture, **options}

    @property
    def problem(self) -> str | None:
        """Why there is no such model, or None.

        >>> CellLabel.read("ropp").problem, CellLabel.read("lstm").problem
        ("unknown encoding 'ropp'; did you mean 'rope'?", None)
        >>> CellLabel.read("deltanet(signed=3)").problem
        'deltanet: signed must be true or false, not 3'
        """
        if self.architecture == DECODER:
            return unknown_encoding(self.name)
        if (wrong := unknown_architecture(self.architecture) or unknown_encoding(self.encoding)) is not None:
            return wrong
        try:
            options = Options.read(self.options)
            self.row.check({name: value for name, value in options.items() if name not in self.row.sizes})
        except InputError as error:
            return error.reason
        return None

    def _penalized(self, shown: str) -> str:
        return f"{shown}, penalty {self.penalty:g}" if self.penalty else shown

    @staticmethod
    def read(text: str) -> CellLabel:
        """The label that a text is; any other text counts as the name of an encoding."""
        name, _, number = text.rpartition(_AND)
        try:
            penalty = float(number)
        except ValueError:
            penalty = 0.0
        if not name or not math.isfinite(penalty) or not penalty:
            name, penalty = text, 0.0
        found = _MODEL.fullmatch(name)
        known = found is not None and ("(" in name or found["model"] in ARCHITECTURES)
        if found is None or not known or found["model"] == REACH:
            return _encoded_label(name, penalty)
        encoding = found["encoding"]
        plain = _encoded_label(encoding, penalty) if encoding else CellLabel(penalty=penalty)
        return replace(plain, architecture=found["model"], options=found["options"] or "")

    @staticmethod
    def of(document: Mapping[str, Any]) -> CellLabel:
        """The label of the configuration in a document, which may come from elsewhere.

        >>> CellLabel.of({"encoding": "ape", "predict_ids": True}).text
        'ape+coupled+predicted'
        """
        encoding, ids = str(document.get("encoding")), document.get("position_ids")
        predicted = document.get("predict_ids") is True
        if predicted and ids is None:
            ids = "coupled"
        if ids not in _UNUSUAL_IDS or ids == encoding:
            ids = None
        penalty = document.get("penalty")
        if not isinstance(penalty, int | float) or isinstance(penalty, bool) or abs(penalty) >= MOST_PENALTY:
            penalty = 0.0
        architecture, options = str(document.get("architecture", DECODER)), document.get("model_options")
        if encoding == BASELINE:
            encoding, architecture = "nope", BASELINE
        elif encoding == REACH:
            encoding = reach_name(document.get("reach_modulus", AUTO), document.get("reach_counting", 0))
        words = Options(options).words if isinstance(options, Mapping) else ""
        return CellLabel(encoding, ids, predicted, float(penalty), architecture, words)


_MODEL = re.compile(
    r"(?P<model>[^()+]+)(\((?P<options>.*?)\))?(\+(?P<encoding>[^()]+|reach\([^()]+\)[^()]*))?", re.DOTALL
)


def _encoded_label(name: str, penalty: float) -> CellLabel:
    """The label of a decoder."""
    plain = name.removesuffix(_PREDICTED)
    encoding, _, ids = plain.rpartition("+")
    if encoding and ids in _UNUSUAL_IDS:
        return CellLabel(encoding, ids, plain != name, penalty)
    if unknown_encoding(plain) is None:
        return CellLabel(plain, None, plain != name, penalty)
    return CellLabel(name, penalty=penalty)
