"""How runs take their steps: one run alone, or runs of one shape side by side.

A run alone has its gradient written out, or by automatic differentiation, or its whole step compiled. Several
runs are stacked: one batched forward and backward for all, or, where a product of one model is work enough,
written-out gradients one after the other. Runs that learn numbers have written-out gradients of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from longreach.config.run import RunConfig
from longreach.models.fast.packed import Workspace
from longreach.models.fast.paths import PACKED_GRADIENT, applies
from longreach.models.network import own_randomness
from longreach.tasks.task import Batch
from longreach.training.batches import Batches, Chunk
from longreach.training.devices import send, send_chunk
from longreach.training.numbers import NumberBatches, NumberModels
from longreach.training.run import Run
from longreach.training.setup import counting_of, model_of, network_of
from longreach.training.steps import (
    Gradient,
    GradientByHand,
    adam,
    bias_corrections,
    chunk_loss,
    compiled_step,
    penalty_loss,
    step_numbers,
    update,
)

CHUNKS = 4
CHUNKS_FROM_WIDTH = 64  # below, a step is overhead, and one more chunk is one more of it


class Stepper(Protocol):
    """Takes steps of runs that train together."""

    runs: list[Run]

    def step(self) -> tuple[Tensor, Tensor]:
        """One step of each run; the losses (runs,) before it and the norms of the gradients."""
        ...

    def keep(self, runs: Sequence[Run]) -> None:
        """Step only these from now on."""
        ...


def stepper_of(runs: Sequence[Run]) -> Stepper:
    if runs[0].config.loss == "squared":
        return StackedNumbers(runs)
    return Alone(runs[0]) if len(runs) == 1 else Stacked(runs)


def chunks_of(config: RunConfig) -> int:
    """Into how many chunks a batch is cut: it saves padding, and costs calls.

    >>> from longreach.runs.resolve import resolve
    >>> [chunks_of(resolve("sort", architecture=name, width=64)) for name in ("decoder", "gru")]
    [4, 1]
    """
    return CHUNKS if config.width >= CHUNKS_FROM_WIDTH and not network_of(config).is_sequential else 1


def steps_by_hand(config: RunConfig, device: torch.device) -> bool:
    """Whether the written-out gradient applies: on a CPU, in float32, for a decoder.

    >>> from longreach.runs.resolve import resolve
    >>> cpu = torch.device("cpu")
    >>> steps_by_hand(resolve("sort"), cpu), steps_by_hand(resolve("sort", "mlp"), cpu)
    (True, False)
    """
    return applies(PACKED_GRADIENT, model_of(config), device=device.type, dtype=config.dtype)


class Alone:
    """Steps of one run that learns tokens."""

    def __init__(self, run: Run) -> None:
        self.runs = [run]
        self.parts = chunks_of(run.config)
        self._compiled = compiled_step(run.config) if run.is_compiled else None
        self._gradient = Gradient(run.network, run.config)
        self.by_hand: GradientByHand | None = None
        if steps_by_hand(run.config, run.device):
            self.by_hand = GradientByHand(run.network, run.config)

    def keep(self, runs: Sequence[Run]) -> None:
        """Nothing changes until the one run ends."""
        self.runs = list(runs)

    def step(self) -> tuple[Tensor, Tensor]:
        (run,) = self.runs
        state, config, batches = run.state, run.config, run.batches
        assert isinstance(batches, Batches)
        numbers = send(step_numbers(config, state.step), run.device)
        if self._compiled is not None:
            loss, norm = self._compiled(state, batches.fixed(state.step), numbers)
        else:
            if self.by_hand is not None:
                loss, gradient = self.by_hand(state.vector, batches.packed(state.step))
            else:
                loss, gradient = gradient_of(run, self._gradient, self.parts)
            norm = update(state.vector, state.first, state.second, gradient, numbers, config)
        state.step += 1
        return loss.reshape(1), norm.reshape(1)


def gradient_of(run: Run, gradient: Gradient, parts: int) -> tuple[Tensor, Tensor]:
    """The loss of the next batch of a run and its gradient, by automatic differentiation."""
    state, config, batches = run.state, run.config, run.batches
    assert isinstance(batches, Batches)
    sent = (send_chunk(chunk, run.device) for chunk in batches.chunks(state.step, parts))
    own = own_randomness(config.seed, state.step) if run.network.is_random else nullcontext()
    with own:
        return gradient(state.vector, sent)


class _Stack:
    """The states of runs in one tensor each; the state of a run becomes a view of its row."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.keep(runs)

    def keep(self, runs: Sequence[Run]) -> None:
        """Stack the states of these runs."""
        self.runs = list(runs)
        states = [run.state for run in self.runs]
        if not states:
            return
        self.vectors = torch.stack([state.vector for state in states])
        self.firsts = torch.stack([state.first for state in states])
        self.seconds = torch.stack([state.second for state in states])
        rows = zip(states, self.vectors, self.firsts, self.seconds, strict=True)
        for state, vector, first, second in rows:
            state.vector, state.first, state.second = vector, first, second
        self._prepare()

    def _prepare(self) -> None:
        """What else depends on the runs."""


class Stacked(_Stack):
    """Steps of runs that learn tokens, side by side."""

    def __init__(self, runs: Sequence[Run]) -> None:
        first = runs[0]
        self._config, self._network, self._device = first.config, first.network, first.device  # all alike
        self._parts = chunks_of(first.config)
        # A product of wide models is work enough: there is nothing to gain from one product for all runs.
        wide = first.config.width >= CHUNKS_FROM_WIDTH
        self._is_by_hand = wide and steps_by_hand(first.config, first.device)
        # Random numbers of a step are those of a run alone, too.
        self._one_by_one = self._is_by_hand or not self._network.stackable or self._network.is_random
        self._space = Workspace(torch.float32)
        super().__init__(runs)

    def _prepare(self) -> None:
        self._by_hand = [GradientByHand(run.network, run.config, self._space) for run in self.runs]
        self._gradients = [Gradient(run.network, run.config) for run in self.runs]
        coefficients = torch.tensor([run.config.penalty for run in self.runs], device=self._device)
        self._penalized = coefficients.nonzero()[:, 0]
        self._penalties = coefficients[self._penalized]

    def step(self) -> tuple[Tensor, Tensor]:
        total, gradient = self._in_turn() if self._one_by_one else self._at_once()
        numbers = torch.stack([step_numbers(run.config, run.state.step) for run in self.runs])
        sent = send(numbers, self._device)
        norms = update(self.vectors, self.firsts, self.seconds, gradient, sent, self._config)
        for run in self.runs:
            run.state.step += 1
        return total, norms

    def _in_turn(self) -> tuple[Tensor, Tensor]:
        """The losses (runs,) and gradients of the next batches, run by run."""
        found = []
        for run, by_hand, gradient in zip(self.runs, self._by_hand, self._gradients, strict=True):
            assert isinstance(run.batches, Batches)
            if self._is_by_hand:
                found.append(by_hand(run.state.vector, run.batches.packed(run.state.step)))
            else:
                found.append(gradient_of(run, gradient, self._parts))
        losses, gradients = zip(*found, strict=True)
        return torch.stack(losses), torch.stack(gradients)

    def _at_once(self) -> tuple[Tensor, Tensor]:
        """The same in one batched forward and backward."""
        leaf = self.vectors.detach().requires_grad_()
        total, gradient = self.vectors.new_zeros(len(self.runs)), torch.zeros_like(self.vectors)
        for chunk in side_by_side([_next_batch(run) for run in self.runs], self._parts):
            losses = self._losses(leaf, send_chunk(chunk, self._device))
            gradient += torch.autograd.grad(losses.sum(), leaf)[0]
            total += losses.detach()
        if len(self._penalized):
            losses = self._penalty_losses(leaf)
            gradient += torch.autograd.grad(losses.sum(), leaf)[0]
            total[self._penalized] += losses.detach()
        return total, gradient

    def _losses(self, vectors: Tensor, chunk: Chunk) -> Tensor:
        """The losses (runs,) of a chunk whose arrays have a leading axis of runs."""

        def one(vector: Tensor, *arrays: Any) -> Tensor:
            named = self._network.named(vector)
            return chunk_loss(named, self._network, self._config, Chunk(*arrays))

        axes = (0, *(None if array is None else 0 for array in chunk))
        losses: Tensor = torch.func.vmap(one, in_dims=axes)(vectors, *chunk)
        return losses

    def _penalty_losses(self, vectors: Tensor) -> Tensor:
        config = self._config.model_copy(update={"penalty": 1.0})

        def one(vector: Tensor) -> Tensor:
            return penalty_loss(self._network.named(vector), self._network, config)

        values: Tensor = torch.func.vmap(one)(vectors[self._penalized])
        return values * self._penalties


def _next_batch(run: Run) -> Batch:
    assert isinstance(run.batches, Batches)
    return run.batches.whole(run.state.step)


class StackedNumbers(_Stack):
    """Steps of runs that learn numbers, one or several."""

    def _prepare(self) -> None:
        self._models = NumberModels(counting_of(self.runs[0].config))
        rates = self.runs[0].network.rates
        assert rates is not None
        self._rates = torch.stack([rates(run.config.lr) for run in self.runs])

    def step(self) -> tuple[Tensor, Tensor]:
        losses, gradients = self._models.gradients(self.vectors, [_next_numbers(run) for run in self.runs])
        numbers = torch.tensor([bias_corrections(run.state.step) for run in self.runs])
        adam(self.vectors, self.firsts, self.seconds, gradients, self._rates * numbers[:, :1], numbers[:, 1:])
        for run in self.runs:
            run.state.step += 1
        return losses, torch.zeros_like(losses)  # gradients are not clipped, and their norms not needed


def _next_numbers(run: Run) -> Any:
    assert isinstance(run.batches, NumberBatches)
    return run.batches.batch(run.state.step)


def side_by_side(batches: Sequence[Batch], parts: int) -> Iterator[Chunk]:
    """The batches of all runs in chunks of the same shape, with a leading axis of runs.

    Each batch is sorted by size and cut into the same numbers of rows; a chunk is as wide as its longest row
    of any run. The weights of each run add up to 1.

    >>> rng, sort = np.random.default_rng(0), load_task("sort")
    >>> batches = [sort.sample([3, 9, 1, 4], rng), sort.sample([2, 2, 5, 5], rng)]
    >>> [tuple(chunk.tokens.shape) for chunk in side_by_side(batches, 2)]
    [(2, 2, 8), (2, 2, 20)]
    """
    sizes = np.stack([batch.sizes for batch in batches])
    width = int(sizes.max())
    names = ("tokens", "position_ids", "targets", "mask")
    wide = [_wide([getattr(batch, name) for batch in batches], width) for name in names]
    following = [batch.next_ids for batch in batches if batch.next_ids is not None]
    next_ids = _wide(following, width) if following else None
    totals = wide[3].sum(axis=(1, 2), dtype=np.float32)
    order = np.argsort(sizes, axis=1, kind="stable")
    for rows in np.array_split(order, min(parts, sizes.shape[1]), axis=1):
        longest = int(np.take_along_axis(sizes, rows, axis=1).max())
        tokens, ids, targets, mask = (_rows(array, rows, longest) for array in wide)
        target_ids = None if next_ids is None else _rows(next_ids, rows, longest)
        counts = mask.sum(axis=2)
        most, found = int(counts.max()), None
        if most < longest:
            # The supervised places of each row in order, then places that the loss leaves out.
            found = np.argsort(~mask, axis=2, kind="stable")[:, :, :most]
            targets = np.take_along_axis(targets, found, axis=2)
            target_ids = None if target_ids is None else np.take_along_axis(target_ids, found, axis=2)
            mask = np.arange(most) < counts[:, :, None]
        weights = mask.astype(np.float32) / totals[:, None, None]
        arrays = (tokens, ids, found, targets, weights, target_ids)
        yield Chunk._make(None if array is None else torch.from_numpy(array) for array in arrays)


def _wide(arrays: Sequence[NDArray[Any]], width: int) -> NDArray[Any]:
    """The arrays of all runs in one, with zeros, or False, in the columns that they lack."""
    made = np.zeros((len(arrays), len(arrays[0]), width), dtype=arrays[0].dtype)
    for mine, array in zip(made, arrays, strict=True):
        columns = min(width, array.shape[1])
        mine[:, :columns] = array[:, :columns]
    return made


def _rows(array: NDArray[Any], rows: NDArray[np.int64], width: int) -> NDArray[Any]:
    runs = np.arange(len(array))[:, None]
    return np.ascontiguousarray(array[runs, rows, :width])
