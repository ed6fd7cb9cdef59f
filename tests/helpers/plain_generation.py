"""Generation row by row and token by token, the whole prefix again each time."""

from __future__ import annotations

import torch

from longreach.config.model import ModelConfig
from longreach.models.network import Inputs, network
from longreach.models.parameters import Parameters


def plainly_generated(
    parameters: Parameters,
    model: ModelConfig,
    tokens: list[int],
    ids: list[int],
    following: list[int],
    end: int | None,
) -> tuple[list[int], list[int]]:
    """Tokens and ids behind one prompt; as many as `following` has, whose ids are used unless predicted."""
    tokens, ids, start = list(tokens), list(ids), len(tokens)
    for number in following:
        inputs = Inputs(torch.tensor([tokens]), torch.tensor([ids]))
        logits, guessed = network(model).outputs(parameters, inputs)
        tokens.append(int(logits[0, -1].argmax()))
        ids.append(number if guessed is None else int(guessed[0, -1].argmax()))
        if tokens[-1] == end:
            break
    return tokens[start:], ids[start:]
