"""One step of training: loss and gradient over chunks, clipping, AdamW; or all of it as one compiled graph.

One vector makes the update a handful of operations whatever the number of parameters, in the step that is
compiled as in the one that is not.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.config.run import RunConfig
from longreach.models.fast.gradient import DecoderGradient
from longreach.models.fast.packed import Packed, Workspace
from longreach.models.network import Network
from longreach.models.parameters import Parameters
from longreach.tasks.layouts import SequenceTask
from longreach.training.batches import Chunk
from longreach.training.devices import precision
from longreach.training.setup import network_of, task_of

BETAS = (0.9, 0.999)
EPSILON = 1e-8


@dataclass
class State:
    """What a step changes: parameters, both moments of the gradient, and how many steps there were."""

    vector: Tensor
    first: Tensor
    second: Tensor
    step: int = 0

    @classmethod
    def fresh(cls, vector: Tensor) -> State:
        """Before the first step."""
        return cls(vector, torch.zeros_like(vector), torch.zeros_like(vector))


def learning_rate(config: RunConfig, step: int) -> float:
    """The rate of a step, counted from 0: up over the warm-up, then constant or down to 0.

    >>> from longreach.runs.resolve import resolve
    >>> config = resolve("sort", lr=1.0, max_steps=10, warmup=2)
    >>> [learning_rate(config, step) for step in (0, 1, 2, 6)]
    [0.0, 0.5, 1.0, 0.5]
    """
    if step < config.warmup:
        return config.lr * step / config.warmup
    if config.schedule == "constant":
        return config.lr
    return config.lr * (config.max_steps - step) / (config.max_steps - config.warmup)


def chunk_loss(named: Parameters, network: Network, config: RunConfig, chunk: Chunk) -> Tensor:
    """The chunk's share of the batch's mean loss over supervised places: of the tokens, and of their ids."""
    with precision(config.dtype, chunk.tokens.device):
        found, ids = network.outputs(named, chunk.inputs)
    each = _cross_entropies(found, chunk.targets)
    if ids is not None:
        assert chunk.target_ids is not None
        each = each + _cross_entropies(ids, chunk.target_ids)
    return each @ chunk.weights.flatten()


def _cross_entropies(logits: Tensor, targets: Tensor) -> Tensor:
    return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), reduction="none")


def penalty_loss(named: Parameters, network: Network, config: RunConfig) -> Tensor:
    assert network.penalty is not None  # a configuration with a penalty has learned positions
    return config.penalty * network.penalty(named)


class Gradient:
    """The loss of a batch in chunks and its gradient, by automatic differentiation.

    Each parameter is a leaf of its own: a view of the vector that is differentiated would be split in each
    forward pass, and every part of it padded in each backward pass.
    """

    def __init__(self, network: Network, config: RunConfig) -> None:
        self._network, self._config = network, config
        self._vector: Tensor | None = None

    def __call__(self, vector: Tensor, parts: Iterable[Chunk]) -> tuple[Tensor, Tensor]:
        """Both as for the whole batch at once, penalty included."""
        if vector is not self._vector:
            views = self._network.named(vector.detach())
            self._vector = vector
            self._leaves = {name: view.detach().requires_grad_() for name, view in views.items()}
        network, config, leaves = self._network, self._config, self._leaves
        total, gradient = vector.new_zeros(()), None
        losses = (chunk_loss(leaves, network, config, chunk) for chunk in parts)
        penalties = (penalty_loss(leaves, network, config) for _ in range(bool(config.penalty)))
        for loss in chain(losses, penalties):
            found = torch.autograd.grad(
                loss, list(leaves.values()), allow_unused=True, materialize_grads=True
            )
            more = torch.cat([each.reshape(-1) for each in found])
            gradient = more if gradient is None else gradient.add_(more)
            total += loss.detach()
        assert gradient is not None
        return total, gradient


class GradientByHand:
    """The same for a packed batch, written out; the gradient is overwritten by the next one."""

    def __init__(self, network: Network, config: RunConfig, space: Workspace | None = None) -> None:
        self._network, self._config, self._space = network, config, space
        self._vector: Tensor | None = None

    def __call__(self, vector: Tensor, packed: Packed) -> tuple[Tensor, Tensor]:
        """The loss of the batch, penalty included, and its gradient."""
        if vector is not self._vector:
            model = self._network.shape
            assert isinstance(model, ModelConfig)
            self._vector, self._gradient = vector, torch.zeros_like(vector)
            named = self._network.named
            self._run = DecoderGradient(model, named(vector), named(self._gradient), self._space)
        loss = self._run(packed)
        if self._config.penalty:
            leaf = vector.detach().requires_grad_()
            penalty = penalty_loss(self._network.named(leaf), self._network, self._config)
            self._gradient += torch.autograd.grad(penalty, leaf)[0]
            loss += penalty.detach()
        return loss, self._gradient


def update(
    vector: Tensor, first: Tensor, second: Tensor, gradient: Tensor, numbers: Tensor, config: RunConfig
) -> Tensor:
    """Clip and apply AdamW (Loshchilov and Hutter, arXiv 1711.05101) in place; the norm before clipping.

    `numbers` are those of `step_numbers`: a tensor, so that a compiled step is one for all steps. All may
    have a leading axis of runs.
    """
    rate, size, scale = numbers.unsqueeze(-1).unbind(-2)
    norm: Tensor = torch.linalg.vector_norm(gradient, dim=-1, keepdim=True)
    gradient = gradient * (config.clip / (norm + 1e-6)).clamp(max=1.0)
    first.lerp_(gradient, 1 - BETAS[0])
    second.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
    vector.mul_(1 - rate * config.weight_decay)
    root = second.sqrt().mul_(scale).add_(EPSILON)
    vector.sub_((first / root).mul_(size))
    return norm.squeeze(-1)


def step_numbers(config: RunConfig, step: int) -> Tensor:
    """Learning rate, step size and the scale of the second moment's root, both corrected for their bias."""
    rate = learning_rate(config, step)
    size = rate / (1 - BETAS[0] ** (step + 1))
    return torch.tensor([rate, size, (1 - BETAS[1] ** (step + 1)) ** -0.5])


def bias_corrections(step: int) -> tuple[float, float]:
    """Of both moments, after a step counted from 0."""
    return 1 / (1 - BETAS[0] ** (step + 1)), (1 - BETAS[1] ** (step + 1)) ** -0.5


def adam(
    vectors: Tensor, firsts: Tensor, seconds: Tensor, gradients: Tensor, rates: Tensor, scales: Tensor
) -> None:
    """Adam (Kingma and Ba, arXiv 1412.6980) in place, with a rate per parameter; both corrected already."""
    firsts.lerp_(gradients, 1 - BETAS[0])
    seconds.mul_(BETAS[1]).addcmul_(gradients, gradients, value=1 - BETAS[1])
    vectors.addcdiv_(firsts * rates, seconds.sqrt().mul_(scales).add_(EPSILON), value=-1.0)


Step: TypeAlias = Callable[[State, Chunk, Tensor], tuple[Tensor, Tensor]]
"""A state that it changes, a batch as one chunk, the step's numbers; the loss and the gradient's norm."""
Compiled: TypeAlias = Callable[..., tuple[Tensor, Tensor]]

COMPILERS = ("g++", "clang++", "c++")


def compiler() -> str | None:
    """The C++ compiler that the compiled step needs, if there is one."""
    names = [os.environ["CXX"]] if os.environ.get("CXX") else COMPILERS
    return next((found for name in names if (found := shutil.which(name))), None)


def fixed_shape(config: RunConfig) -> tuple[int, int]:
    """The width of all batches and the most supervised places of a row.

    >>> from longreach.runs.resolve import resolve
    >>> fixed_shape(resolve("binary-majority", train_lengths=(1, 50)))
    (53, 2)
    """
    task = task_of(config)
    lengths = [int(length) for length in task.lengths(*config.train_lengths)]
    width = max(map(task.input_size, lengths))
    # An answer and its end; at other tasks every place may be supervised.
    places = max(map(task.answer_size, lengths)) + 1 if isinstance(task, SequenceTask) else width
    return width, min(places, width)


def compiled_step(config: RunConfig) -> Step:
    """Forward, backward, clipping and AdamW in one graph, for models so small that a step is mostly overhead.

    It is compiled at its first call. Runs that differ in seed or learning rate share it, one after the other
    in one process.
    """
    same = {"seed": 0, "lr": 1.0, "warmup": 0, "schedule": "constant", "max_steps": 1, "evaluate_every": 1}
    return _shared(config.model_copy(update=same))


@lru_cache(maxsize=1)
def _shared(config: RunConfig) -> Step:
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


def _compiled(config: RunConfig, inputs: tuple[Tensor, ...]) -> Compiled:
    """The step as code for inputs of these shapes.

    The graph is taken once and compiled as it is: `torch.compile` would look at each call whether its graph
    still holds, which takes a third of the time of the smallest steps.
    """
    from torch._inductor import compile as compile_graph  # slow to import, and few runs need it
    from torch.fx.experimental.proxy_tensor import make_fx

    network = network_of(config)

    def loss(vector: Tensor, arrays: tuple[Tensor, ...]) -> Tensor:
        tokens, ids, targets, weights, *rest = arrays
        target_ids = rest.pop() if config.predict_ids else None
        chunk = Chunk(tokens, ids, rest[0] if rest else None, targets, weights, target_ids)
        named = network.named(vector)
        total = chunk_loss(named, network, config, chunk)
        return total + penalty_loss(named, network, config) if config.penalty else total

    def whole(
        vector: Tensor, first: Tensor, second: Tensor, numbers: Tensor, *arrays: Tensor
    ) -> tuple[Tensor, Tensor]:
        gradient, value = torch.func.grad_and_value(loss)(vector, arrays)
        return value, update(vector, first, second, gradient, numbers, config)

    graph = make_fx(whole, tracing_mode="fake")(*inputs)
    # In C++ the calls between kernels take an eighth less of the smallest steps than in Python.
    made: Compiled = compile_graph(graph, list(inputs), options={"cpp_wrapper": True})
    return made
