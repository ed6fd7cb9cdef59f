"""Small decoders to look into, with weights large enough that every part of them matters."""

from __future__ import annotations

from types import SimpleNamespace

import torch
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.inspection.models import Subject
from longreach.inspection.trace import trace
from longreach.models.decoder import initialise
from longreach.models.parameters import Parameters
from longreach.runs.resolve import resolve
from longreach.tasks.catalog import load_task


def small_config(encoding: str = "ape", **changes: object) -> ModelConfig:
    """Two layers of two heads."""
    shape = {"layers": 2, "heads": 2, "width": 8, "vocabulary": 6, "positions": 30, "encoding": encoding}
    return ModelConfig.read({**shape, **changes})


def lively(config: ModelConfig, seed: int = 0, size: float = 0.4) -> Parameters:
    """Random parameters, biases and gains of layer norms among them."""
    torch.manual_seed(seed)
    return {name: value + size * torch.randn(value.shape) for name, value in initialise(config, seed).items()}


def small_subject(encoding: str = "ape", task: str = "tomita-2", seed: int = 0, **changes: object) -> Subject:
    """A decoder that has learned nothing, as if it were a run."""
    training = resolve(
        task, encoding, layers=2, heads=2, width=8, train_lengths=(1, 10), test_lengths=((11, 20), (21, 30)),
        max_steps=10, test_size=10,
    )  # fmt: skip
    known = load_task(task)
    config = small_config(encoding, vocabulary=len(known.tokens), positions=known.input_size(30), **changes)
    return Subject(
        name="small",
        kind="run",
        config=config,
        parameters=lively(config, seed),
        training=training,
        task=known,
        task_name=task,
    )


class StandIn:
    """A decoder with the face of a Hugging Face model that returns its attention."""

    def __init__(self, parameters: Parameters, config: ModelConfig) -> None:
        self._parameters, self._config = parameters, config
        self.config = SimpleNamespace(max_position_embeddings=config.positions)

    def __call__(self, tokens: Tensor, *, output_attentions: bool, **_: object) -> SimpleNamespace:
        found = trace(self._parameters, self._config, tokens)
        return SimpleNamespace(attentions=found.weights if output_attentions else None)

    def get_input_embeddings(self) -> SimpleNamespace:
        return SimpleNamespace(weight=self._parameters["embedding"])
