"""The whole step as one compiled graph, for models so small that a step is mostly overhead."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import Tensor

from longreach.config.training import TrainConfig
from longreach.tasks.layout import SequenceTask
from longreach.training.batches import Chunk
from longreach.training.shape import model_of, task_of
from longreach.training.step import Layout, State, chunk_loss, penalty_loss, update

Step: TypeAlias = Callable[[State, Chunk, Tensor], tuple[Tensor, Tensor]]
"""A state that it changes, a batch as one chunk, the step's numbers; the loss and the gradient's norm."""
Compiled: TypeAlias = Callable[..., tuple[Tensor, Tensor]]

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
    # Compiled code outlives the process, in the user's cache.
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "longreach" / "compiled"
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(cache))
    made: dict[bool, Compiled] = {}

    def step(state: State, chunk: Chunk, numbers: Tensor) -> tuple[Tensor, Tensor]:
        parts = (chunk.tokens, chunk.position_ids, chunk.targets, chunk.weights)
        arrays = (*parts, chunk.places, chunk.target_ids)
        inputs = (state.vector, state.first, state.second, numbers, *(a for a in arrays if a is not None))
        dense = chunk.places is None  # with it all shapes are known
        with torch.no_grad():
            if dense not in made:
                made[dense] = _compiled(config, inputs)
            loss, norm = made[dense](*inputs)
        return loss, norm

    return step


def _compiled(config: TrainConfig, inputs: tuple[Tensor, ...]) -> Compiled:
    """The step as code for inputs of these shapes.

    The graph is taken once and compiled as it is: `torch.compile` would look at each call whether its graph
    still holds, which takes a third of the time of the smallest steps.
    """
    from torch._inductor import compile as compile_graph  # slow to import, and few runs need it
    from torch.fx.experimental.proxy_tensor import make_fx

    layout = Layout(model_of(config))

    def loss(vector: Tensor, arrays: tuple[Tensor, ...]) -> Tensor:
        tokens, ids, targets, weights, *rest = arrays
        target_ids = rest.pop() if config.predict_ids else None
        chunk = Chunk(tokens, ids, rest[0] if rest else None, targets, weights, target_ids)
        total = chunk_loss(vector, layout, config, chunk)
        return total + penalty_loss(vector, layout, config) if config.penalty else total

    def whole(
        vector: Tensor, first: Tensor, second: Tensor, numbers: Tensor, *arrays: Tensor
    ) -> tuple[Tensor, Tensor]:
        gradient, value = torch.func.grad_and_value(loss)(vector, arrays)
        return value, update(vector, first, second, gradient, numbers, config)

    # Taking the graph takes a step, and the state is not to change.
    copies: list[Any] = [each.clone() for each in inputs]
    made: Compiled = compile_graph(make_fx(whole)(*copies), copies)
    return made
