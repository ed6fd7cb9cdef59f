"""The whole step as one compiled graph, for models so small that a step is mostly overhead."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import torch
from torch import Tensor

from longreach.config.training import TrainConfig
from longreach.tasks.layout import SequenceTask
from longreach.training.batches import Chunk
from longreach.training.shape import model_of, task_of
from longreach.training.step import Layout, State, chunk_loss, penalty_loss, update

Step: TypeAlias = Callable[[State, Chunk, Tensor], tuple[Tensor, Tensor]]
"""A state that it changes, a batch as one chunk, the step's numbers; the loss and the gradient's norm."""
Arrays: TypeAlias = tuple[Tensor, Tensor, Tensor | None, Tensor, Tensor]

COMPILERS = ("g++", "clang++", "c++")


def compiler() -> str | None:
    """The C++ compiler that the compiled step needs, if there is one."""
    names = [os.environ["CXX"]] if os.environ.get("CXX") else COMPILERS
    return next((found for name in names if (found := shutil.which(name))), None)


def fixed_shape(config: TrainConfig) -> tuple[int, int]:
    """The width of all batches and the most supervised places of a row.

    >>> from longreach.experiments import resolve
    >>> fixed_shape(resolve("binary-majority", train_lengths=(1, 50)))
    (53, 2)
    """
    task = task_of(config)
    lengths = [int(length) for length in task.lengths(*config.train_lengths)]
    width = max(map(task.input_size, lengths))
    # An answer and its end; at other tasks every place may be supervised.
    places = max(map(task.answer_size, lengths)) + 1 if isinstance(task, SequenceTask) else width
    return width, min(places, width)


def compiled_step(config: TrainConfig) -> Step:
    """Forward, backward, clipping and AdamW in one graph; it is compiled at its first call.

    Members that differ in seed or learning rate share it, one after the other in one process.
    """
    same = {"seed": 0, "lr": 1.0, "warmup": 0, "schedule": "constant", "max_steps": 1, "evaluate_every": 1}
    return _shared(config.model_copy(update=same))


@lru_cache(maxsize=1)
def _shared(config: TrainConfig) -> Step:
    from torch import _dynamo  # slow to import, and few runs need it

    # Compiled code outlives the process, in the user's cache.
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "longreach" / "compiled"
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(cache))
    # The number of graphs of one function is limited, however many configurations a worker sees.
    _dynamo.reset()
    layout = Layout(model_of(config))

    def loss(vector: Tensor, arrays: Arrays) -> Tensor:
        total = chunk_loss(vector, layout, config, Chunk(*arrays))
        return total + penalty_loss(vector, layout, config) if config.penalty else total

    def whole(
        vector: Tensor, first: Tensor, second: Tensor, numbers: Tensor, arrays: Arrays
    ) -> tuple[Tensor, Tensor]:
        gradient, value = torch.func.grad_and_value(loss)(vector, arrays)
        return value, update(vector, first, second, gradient, numbers, config)

    run = torch.compile(whole, dynamic=False, fullgraph=True)

    def step(state: State, chunk: Chunk, numbers: Tensor) -> tuple[Tensor, Tensor]:
        arrays = (chunk.tokens, chunk.position_ids, chunk.places, chunk.targets, chunk.weights)
        return run(state.vector, state.first, state.second, numbers, arrays)

    return step
