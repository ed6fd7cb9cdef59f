"""What is said of a model that another library runs: profiles of its attention by distance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from longreach.errors import Argument, InputError
from longreach.inspection.attention_hardness import softness
from longreach.inspection.head_report import report_head
from longreach.inspection.huggingface_attention import load_outside, longest_of, vocabulary_of, weights_of
from longreach.inspection.inspected_model import RANDOM_LENGTH, RANDOM_ROWS, OutsideModel, random_tokens
from longreach.inspection.model_inspection import Inspection, Stage
from longreach.inspection.position_products import PositionProduct, logits_of_weights

SIZES = ("num_hidden_layers", "num_attention_heads", "num_key_value_heads", "hidden_size", "rope_theta")


def inspect_outside(
    model: OutsideModel,
    *,
    tokens: NDArray[np.int64] | None = None,
    seed: int = 0,
    stage: Stage = lambda _: None,
    module: Any = None,
) -> Inspection:
    """Look at the attention of a Hugging Face model; `module` is one that is loaded already."""
    stage(f"loading {model.path}")
    live = load_outside(model) if module is None else module
    remarks = ["positions are no vectors: logits are read from the weights, but for a constant per query"]
    longest = longest_of(live, RANDOM_LENGTH)
    if longest < 2:
        raise InputError(f"{model.path}: it reads {longest} tokens", place=Argument("model"))
    if tokens is None:
        remarks.append("no --tokens: averages are over uniformly random tokens")
        tokens = random_tokens(vocabulary_of(live), RANDOM_ROWS, longest, np.random.default_rng(seed))
    stage("reading its attention")
    heads = []
    for layer, weights in enumerate(weights_of(live, tokens[:, :longest])):
        for head, matrix in enumerate(logits_of_weights(weights)):
            heads.append(
                report_head(
                    PositionProduct(layer, head, matrix),
                    window=max(2, len(matrix) // 2),
                    softness=softness(weights[:, head]),
                    trained=None,
                )
            )
    sizes = {
        name: model.document[name] for name in SIZES if isinstance(model.document.get(name), int | float)
    }
    return Inspection(
        name=model.name,
        kind="huggingface",
        facts={"architecture": model.architecture, "task": None, "trained_to": None, **sizes},
        heads=tuple(heads),
        products_from="logits averaged over inputs, from the attention that the model returns",
        remarks=tuple(remarks),
    )
