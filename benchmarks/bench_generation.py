"""Generation with kept keys and values against a loop that reads the whole prefix again for each token.

Both write the same tokens behind the same prompts; the loop is batched as well, and over prompts of one size.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.harness import Row

if TYPE_CHECKING:
    from longreach.config.model import ModelConfig
    from longreach.models.parameters import Parameters
    from longreach.tasks.task import IntArray

LENGTH, PROMPT = 200, 10
CASES = [
    ("ape", {"predict_ids": True}, 64),
    ("ape", {}, 64),
    ("rope", {}, 64),
    ("t5", {}, 64),
    ("ape", {}, 1),
]
SHAPE = {"layers": 2, "heads": 4, "width": 64, "vocabulary": 20, "positions": 2 * LENGTH}


def rows() -> Iterator[Row]:
    import torch

    from longreach.config.model import ModelConfig as ModelConfig
    from longreach.models.decoder import initialise
    from longreach.models.network import network
    from longreach.training.generate import generate

    torch.set_num_threads(1)
    for encoding, change, batch in CASES:
        model = ModelConfig.read({**SHAPE, "encoding": encoding, **change})
        parameters = {name: 3 * value for name, value in initialise(model, 0).items()}
        prompts = np.random.default_rng(0).integers(0, model.vocabulary, (batch, PROMPT))
        start = time.process_time()
        written = generate(parameters, network(model), prompts, most=LENGTH - PROMPT)
        kept = time.process_time() - start
        start = time.process_time()
        again = _again(parameters, model, prompts)
        whole = time.process_time() - start
        share = float((again == written.tokens).mean())
        assert share > 0.99, f"not the same text: {share:.2f}"  # a tie may be broken otherwise
        ids = ", ids predicted" if model.predict_ids else ""
        name = f"{encoding}{ids}, {batch} × {LENGTH} tokens: prefix again / keys kept"
        yield Row(name, whole / kept, "×", "≥ 10" if batch > 1 else "> 1")


def _again(parameters: Parameters, model: ModelConfig, prompts: IntArray) -> IntArray:
    import torch

    from longreach.models.network import Inputs, network

    tokens = torch.from_numpy(prompts)
    ids = torch.arange(PROMPT).expand(len(prompts), -1)
    with torch.inference_mode():
        for place in range(PROMPT, LENGTH):
            last = torch.full((len(prompts), 1), tokens.shape[1] - 1)
            logits, guessed = network(model).outputs(parameters, Inputs(tokens, ids, last))
            number = torch.full((len(prompts),), place) if guessed is None else guessed[:, 0].argmax(-1)
            tokens = torch.cat([tokens, logits[:, 0].argmax(-1)[:, None]], dim=1)
            ids = torch.cat([ids, number[:, None]], dim=1)
    return tokens[:, PROMPT:].numpy()
