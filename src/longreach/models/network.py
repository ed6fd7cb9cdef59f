"""Whatever can be trained, behind one interface: a decoder, or the MLP that sees the current token only.

It predicts from a token's embedding, without context (Huang et al., arXiv 2410.02140, appendix E.3).
"""

from __future__ import annotations

from collections.abc import Mapping

import torch.nn.functional as F
from torch import Tensor, nn

from longreach.config.model import BaselineConfig, Model, ModelConfig
from longreach.models import decoder as transformer
from longreach.models.parameters import Initial, Parameters, check, draw, register

# The random baseline of Figure 1: a two-layer MLP that sees the current token only.


def baseline_table(config: BaselineConfig) -> dict[str, Initial]:
    """Names, shapes and initial values of the parameters.

    >>> list(baseline_table(BaselineConfig(width=16, vocabulary=5, outputs=5)))
    ['embedding', 'in.weight', 'in.bias', 'out.weight', 'out.bias']
    """
    return {
        "embedding": Initial((config.vocabulary, config.width), "normal", 1.0),
        "in.weight": Initial((config.hidden, config.width), "uniform", config.width**-0.5),
        "in.bias": Initial((config.hidden,), "uniform", config.width**-0.5),
        "out.weight": Initial((config.outputs, config.hidden), "uniform", config.hidden**-0.5),
        "out.bias": Initial((config.outputs,), "uniform", config.hidden**-0.5),
    }


def initialise_baseline(config: BaselineConfig, seed: int) -> Parameters:
    """The initial parameters of the member with this seed, PyTorch's defaults for these layers.

    >>> initialise_baseline(BaselineConfig(width=16, vocabulary=5, outputs=3), 0)["out.weight"].shape
    torch.Size([3, 64])
    """
    return draw(baseline_table(config), seed)


def baseline_forward(
    parameters: Mapping[str, Tensor], tokens: Tensor, mask_positions: Tensor | None = None
) -> Tensor:
    """Logits (batch, time, outputs), or (batch, n, outputs) at the places `mask_positions` (batch, n).

    >>> import torch
    >>> config = BaselineConfig(width=16, vocabulary=5, outputs=3)
    >>> baseline_forward(initialise_baseline(config, 0), torch.tensor([[0, 3, 1]])).shape
    torch.Size([1, 3, 3])
    """
    if mask_positions is not None:
        tokens = tokens.gather(-1, mask_positions)
    units = F.linear(
        F.embedding(tokens, parameters["embedding"]), parameters["in.weight"], parameters["in.bias"]
    )
    return F.linear(units.relu(), parameters["out.weight"], parameters["out.bias"])


class Baseline(nn.Module):
    """The baseline as an ordinary module.

    >>> import torch
    >>> Baseline(BaselineConfig(width=16, vocabulary=5, outputs=3))(torch.tensor([[0, 3]])).shape
    torch.Size([1, 2, 3])
    """

    def __init__(
        self, config: BaselineConfig, *, seed: int = 0, parameters: Mapping[str, Tensor] | None = None
    ) -> None:
        super().__init__()
        self.config = config
        if parameters is not None:
            check(baseline_table(config), parameters)
        register(self, initialise_baseline(config, seed) if parameters is None else parameters)

    def forward(self, tokens: Tensor, mask_positions: Tensor | None = None) -> Tensor:
        """`baseline_forward` with the module's parameters."""
        return baseline_forward(dict(self.named_parameters()), tokens, mask_positions)


# What can be trained, behind one interface: a decoder, or the baseline that sees the current token only.


def model_table(model: Model) -> dict[str, Initial]:
    """Names, shapes and initial values of the parameters.

    >>> "positions" in model_table(ModelConfig(layers=1, heads=1, width=8, vocabulary=5, positions=9))
    True
    """
    if isinstance(model, BaselineConfig):
        return baseline_table(model)
    return transformer.parameter_table(model)


def initial(model: Model, seed: int) -> Parameters:
    """The parameters of a member with this seed before its first step."""
    if isinstance(model, BaselineConfig):
        return initialise_baseline(model, seed)
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
        return baseline_forward(parameters, tokens, mask_positions)
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
        return ModelConfig.read(document)
    return BaselineConfig.model_validate(document)
