"""The shape of a model: decoder or baseline, published hyperparameters, and the label of a cell."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from longreach import errors
from longreach.config.encodings import ENCODINGS, unknown_encoding
from longreach.errors import InputError, near_names
from longreach.files import in_words

# The configuration of the decoder: frozen, documented, checked.


Positive: TypeAlias = Annotated[int, Field(ge=1)]


class DecoderConfig(BaseModel):
    """The shape of a decoder-only transformer; the defaults are GPT-2's choices without dropout.

    >>> config = DecoderConfig(layers=1, heads=1, width=16, vocabulary=5, positions=53)
    >>> config.encoding, config.tied, config.outputs
    ('ape', True, 5)
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    layers: Positive
    heads: Positive
    width: Positive
    """The size of the residual stream, a multiple of `heads`."""
    vocabulary: Positive
    """The number of input tokens."""
    outputs: Annotated[int, Field(ge=0)] = 0
    """The number of output labels; 0 or left out: as many as input tokens."""
    positions: Positive
    """How many position ids there are: the longest input, with room for offsets."""
    encoding: str = "ape"
    """A name of `longreach.config.encodings.ENCODINGS`."""
    layer_norm: bool = True
    """Before attention, before the MLP and before the outputs; False leaves all of them out."""
    norm_epsilon: Annotated[float, Field(gt=0)] = 1e-5
    tied: bool = True
    """The output matrix is the embedding matrix; needs as many outputs as input tokens."""
    mlp_ratio: Positive = 4
    """Hidden units of the MLP per unit of width."""
    log_length: bool = False
    """Attention logits are multiplied by log |x| (Huang et al., arXiv 2410.02140, equation (2))."""
    predict_ids: bool = False
    """A second output matrix, whose labels are position ids: that of the next token (predictive position
    coupling, Golowich et al., arXiv 2502.16792, section 5.2)."""
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Of embeddings, attention weights and both residual branches, in training only."""

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

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of {self.heads} heads")
        if self.tied and self.outputs != self.vocabulary:
            sizes = f"{self.outputs} outputs for {self.vocabulary} tokens"
            raise ValueError(f"tied embeddings need as many outputs as input tokens, not {sizes}")
        refusal = ENCODINGS[self.encoding].refusal(width=self.width, heads=self.heads)
        if refusal is not None:
            raise ValueError(refusal)
        return self

    @property
    def head_width(self) -> int:
        """Coordinates per attention head."""
        return self.width // self.heads

    @classmethod
    def read(cls, document: str | bytes | dict[str, Any]) -> Self:
        """The configuration in a JSON document or in its fields, or an error of one line.

        >>> fields = {"layers": 1, "heads": 2, "width": 64, "vocabulary": 5, "positions": 53}
        >>> DecoderConfig.read({**fields, "encoding": "rop"})
        Traceback (most recent call last):
        longreach.errors.InputError: encoding: unknown encoding 'rop'; did you mean 'rope'?
        """
        try:
            if isinstance(document, dict):
                return cls.model_validate(document)
            return cls.model_validate_json(document)
        except ValidationError as error:
            raise first_error(error, cls) from None


def first_error(error: ValidationError, model: type[BaseModel]) -> InputError:
    """What is wrong first, in one line at its field."""
    first = error.errors(include_url=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "model"
    place = errors.Field(name)
    if first["type"] == "extra_forbidden":
        return InputError(f"no such option{near_names(name, model.model_fields)}", place=place)
    return InputError(in_words(first), place=place)


# The configuration of the random baseline of Figure 1, and of whatever can be trained.


class BaselineConfig(BaseModel):
    """The shape of the baseline.

    >>> BaselineConfig(width=16, vocabulary=5, outputs=5).hidden
    64
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    width: Positive
    """The size of the token embedding."""
    vocabulary: Positive
    outputs: Positive
    mlp_ratio: Positive = 4
    """Hidden units per unit of width."""

    @property
    def hidden(self) -> int:
        return self.mlp_ratio * self.width


Model: TypeAlias = DecoderConfig | BaselineConfig
"""The shape of what is trained."""


# The published hyperparameters of each task and encoding (Huang et al., arXiv 2410.02140, Tables 4–7).


BASELINE = "mlp"
"""In the place of an encoding: the baseline of Figure 1, an MLP that sees the current token only."""
BASELINE_SHAPE: dict[str, Any] = {"layers": 2, "heads": 1, "lr": 1e-3}
"""What the baseline has for itself; all else is as for learned absolute positions (Huang et al., E.3)."""


@dataclass(frozen=True)
class Hyperparameters:
    """A model's shape and its training; the defaults are those of tasks without an entry in the tables."""

    layers: int = 2
    heads: int = 2
    width: int = 64
    lr: float = 1e-3
    max_steps: int = 30_000
    warmup: int = 0


def hyperparameters(task: str, encoding: str) -> Hyperparameters:
    """What the paper used for a task, by its name on the command line, under an encoding.

    >>> hyperparameters("copy-unique", "ape")
    Hyperparameters(layers=2, heads=1, width=64, lr=0.001, max_steps=30000, warmup=0)
    """
    if encoding == BASELINE:
        return replace(hyperparameters(task, "ape"), **BASELINE_SHAPE)
    return _table().get(encoding, {}).get(task, Hyperparameters())


@cache
def _table() -> dict[str, dict[str, Hyperparameters]]:
    content = json.loads(Path(__file__).with_name("hyperparameters.json").read_text(encoding="utf-8"))
    del content["source"]
    return {
        encoding: {task: Hyperparameters(**values) for task, values in tasks.items()}
        for encoding, tasks in content.items()
    }


# An encoding, and a penalty if there is one: what the members of a cell share besides their task.


_AND = " + "


@dataclass(frozen=True)
class CellLabel:
    """An encoding, with or without the penalty on attention between positions.

    >>> CellLabel("ape").text, CellLabel("ape", 1e-4).text, CellLabel.read("ape + 0.0001")
    ('ape', 'ape + 0.0001', CellLabel(encoding='ape', penalty=0.0001))
    """

    encoding: str
    penalty: float = 0.0

    @property
    def text(self) -> str:
        return f"{self.encoding}{_AND}{self.penalty:g}" if self.penalty else self.encoding

    @staticmethod
    def read(text: str) -> CellLabel:
        """The label of a text; a text that is none is the name of an encoding, whatever it is."""
        encoding, _, penalty = text.rpartition(_AND)
        try:
            number = float(penalty)
        except ValueError:
            return CellLabel(text)
        return (
            CellLabel(encoding, number) if encoding and math.isfinite(number) and number else CellLabel(text)
        )


def encoding_label(encoding: str, config: Mapping[str, Any]) -> str:
    """An encoding with the position ids that it was trained under, where they are unusual.

    Results under other ids are results of their own: theory, and other runs, speak of the plain encoding.

    >>> encoding_label("ape", {}), encoding_label("rope", {"position_ids": "pose"})
    ('ape', 'rope+pose')
    >>> encoding_label("ape", {"predict_ids": True})
    'ape+coupled+predicted'
    """
    ids, predicted = config.get("position_ids"), config.get("predict_ids") is True
    if predicted and ids is None:
        ids = "coupled"
    unusual = ids in ("coupled", "pose", "randomized") and ids != encoding
    return encoding + (f"+{ids}" if unusual else "") + ("+predicted" if predicted else "")
