"""What can be trained, behind one interface: a decoder, or the baseline that sees the current token only."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from longreach.config.baseline import BaselineConfig, Model
from longreach.config.decoder import DecoderConfig
from longreach.models import token_mlp as baseline
from longreach.models import transformer
from longreach.models.parameters import Initial, Parameters


def model_table(model: Model) -> dict[str, Initial]:
    """Names, shapes and initial values of the parameters.

    >>> "positions" in model_table(DecoderConfig(layers=1, heads=1, width=8, vocabulary=5, positions=9))
    True
    """
    if isinstance(model, BaselineConfig):
        return baseline.baseline_table(model)
    return transformer.parameter_table(model)


def initial(model: Model, seed: int) -> Parameters:
    """The parameters of a member with this seed before its first step."""
    if isinstance(model, BaselineConfig):
        return baseline.initialise_baseline(model, seed)
    return transformer.initialise(model, seed)


def logits(
    parameters: Parameters,
    model: Model,
    tokens: Tensor,
    position_ids: Tensor | None = None,
    mask_positions: Tensor | None = None,
    lengths: Tensor | None = None,
) -> Tensor:
    """Logits (batch, time, outputs), or at the places `mask_positions` alone."""
    if isinstance(model, BaselineConfig):
        return baseline.baseline_forward(parameters, tokens, mask_positions)
    return transformer.forward(parameters, model, tokens, position_ids, mask_positions, lengths)


def outputs(
    parameters: Parameters,
    model: Model,
    tokens: Tensor,
    position_ids: Tensor | None = None,
    mask_positions: Tensor | None = None,
    lengths: Tensor | None = None,
) -> tuple[Tensor, Tensor | None]:
    """The same, and logits (batch, time, positions) of the next token's id where the model predicts it."""
    if isinstance(model, BaselineConfig) or not model.predict_ids:
        return logits(parameters, model, tokens, position_ids, mask_positions, lengths), None
    y = transformer.last_states(parameters, model, tokens, position_ids, mask_positions, lengths)
    tokens_matrix = parameters["embedding" if model.tied else "unembedding"]
    return F.linear(y, tokens_matrix), F.linear(y, parameters[transformer.ID_MATRIX])


def read_model(document: dict[str, object]) -> Model:
    """The shape in these fields, or an error of one line.

    >>> read_model({"width": 8, "vocabulary": 5, "outputs": 5, "mlp_ratio": 4}).hidden
    32
    """
    if "layers" in document:
        return DecoderConfig.read(document)
    return BaselineConfig.model_validate(document)
