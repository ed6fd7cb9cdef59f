"""The random baseline of Figure 1: a two-layer MLP that sees the current token only.

It predicts from a token's embedding, without context (Huang et al., arXiv 2410.02140, appendix E.3).
"""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F

from longreach.config.model import BaselineConfig
from longreach.models.network import Inputs, Network, Outputs
from longreach.models.parameters import Initial, Parameters, draw


def token_mlp(config: BaselineConfig) -> Network:
    """The baseline; initial values are PyTorch's defaults for these layers.

    >>> import torch
    >>> made = token_mlp(BaselineConfig(width=16, vocabulary=5, outputs=3))
    >>> made.outputs(made.initial(0), Inputs(torch.tensor([[0, 3, 1]]))).tokens.shape
    torch.Size([1, 3, 3])
    """
    inner, outer = config.width**-0.5, config.hidden**-0.5
    table = {
        "embedding": Initial((config.vocabulary, config.width), "normal", 1.0),
        "in.weight": Initial((config.hidden, config.width), "uniform", inner),
        "in.bias": Initial((config.hidden,), "uniform", inner),
        "out.weight": Initial((config.outputs, config.hidden), "uniform", outer),
        "out.bias": Initial((config.outputs,), "uniform", outer),
    }
    return Network(
        shape=config,
        table={name: initial.shape for name, initial in table.items()},
        initial=partial(draw, table),
        outputs=_outputs,
        ignores_offsets=True,
    )


def _outputs(parameters: Parameters, inputs: Inputs) -> Outputs:
    tokens = inputs.tokens if inputs.places is None else inputs.tokens.gather(-1, inputs.places)
    embedded = F.embedding(tokens, parameters["embedding"])
    units = F.linear(embedded, parameters["in.weight"], parameters["in.bias"])
    return Outputs(F.linear(units.relu(), parameters["out.weight"], parameters["out.bias"]))
