"""The configuration of the decoder: frozen, documented, checked."""

from __future__ import annotations

from typing import Annotated, Any, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from longreach import errors
from longreach.config.encoding_table import ENCODINGS, unknown_encoding
from longreach.config.json_text import in_words
from longreach.errors import InputError, near_names

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
    """A name of `longreach.config.encoding_table.ENCODINGS`."""
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
