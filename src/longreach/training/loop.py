"""Trains one run, or runs of one shape side by side.

Members differ in whatever does not change the shape of the model or of a batch: seed, learning rate and its
schedule, steps, task parameters, lengths, penalty. Each has its own stream of data, is clipped, evaluated and
stopped on its own, and keeps its state as if it trained alone: it can go on alone or in another company.
"""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from longreach.config.model import BASELINE
from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.files import canonical_json
from longreach.models.fast.packed import Workspace
from longreach.models.fast.paths import PACKED_GRADIENT, applies
from longreach.tasks.task import Batch
from longreach.training.batches import Chunk
from longreach.training.devices import CPU, find_device, prepare, send, send_chunk, steps_between_reads
from longreach.training.members import CHECKPOINT_SECONDS, Clock, Diverged, Member, Report, Trained
from longreach.training.setup import model_of, network_of, task_of
from longreach.training.steps import (
    GradientByHand,
    Step,
    chunk_loss,
    compiled_step,
    compiler,
    fixed_shape,
    loss_and_gradient,
    penalty_loss,
    step_numbers,
    update,
)

# Trains one member: fresh batches, a step, an evaluation now and then, until it is right or out of steps.


CHUNKS = 4
CHUNKS_FROM_WIDTH = 64  # below, a step is overhead, and one more chunk is one more of it

SAMPLE_STEPS = 5
SAMPLE_SECONDS = 0.5  # after which no further step is taken
SAMPLE_ROWS = 4
SAMPLE_LAYERS = 2
SAMPLE_FROM_WIDTH = 256  # from here on a step is work, not overhead, and a part of it tells
FORWARD = 1 / 3  # of a step


def train(
    config: RunConfig,
    directory: Path | None = None,
    *,
    report: Report | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    device: torch.device | str = CPU,
) -> Trained:
    """Train a member; with a directory its state is kept there, and a run that was killed goes on.

    >>> from longreach.runs.resolve import resolve
    >>> config = resolve("binary-majority", max_steps=20, train_lengths=(1, 5), test_size=50)
    >>> train(config).steps
    20
    """
    found = find_device(device) if isinstance(device, str) else device
    prepare(found)
    return _Run(config, directory, report, checkpoint_seconds, found).go()


def step_seconds(config: RunConfig) -> float:
    """How long a step takes on this processor, from a few; of wide models with few rows and layers.

    >>> from longreach.runs.resolve import resolve
    >>> 0 < step_seconds(resolve("binary-majority")) < 10
    True
    """
    prepare(CPU)
    if config.width < SAMPLE_FROM_WIDTH or config.architecture == BASELINE:
        return _sampled(config)
    rows = min(config.batch, SAMPLE_ROWS)
    few = config.model_copy(update={"batch": rows, "layers": min(config.layers, SAMPLE_LAYERS)})
    found = _sampled(few)
    if config.layers > few.layers:
        # The last layer does less than the others.
        one = _sampled(few.model_copy(update={"layers": 1}))
        found += (config.layers - few.layers) * max(found - one, one / 2)
    return found * config.batch / rows


def _sampled(config: RunConfig) -> float:
    run = _Run(config.model_copy(update={"test_size": 1, "compile": False}), None, None, CHECKPOINT_SECONDS)
    run._step()  # the first one is slow
    found: list[float] = []
    while len(found) < SAMPLE_STEPS and sum(found) < SAMPLE_SECONDS:
        start = time.perf_counter()
        run._step()
        found.append(time.perf_counter() - start)
    return statistics.median(found)  # somebody else may have had the core for one of them


def steps_at_most(config: RunConfig) -> float:
    """All steps of a member, with its evaluations as if they were steps; most members stop before the last.

    >>> from longreach.runs.resolve import resolve
    >>> steps_at_most(resolve("sort", max_steps=1000, test_size=1)) < 1010
    True
    """
    task = task_of(config)
    train, *_ = sizes = [task.input_size(lengths.last) for lengths in config.ranges]
    batches = config.test_size / config.batch
    on_the_way = config.max_steps // config.evaluate_every
    at_the_end = 2 * sum(size / train for size in sizes)  # from the first position on, and at random offsets
    return config.max_steps + FORWARD * batches * (on_the_way + at_the_end)


def chunks_of(config: RunConfig) -> int:
    """Into how many chunks a batch is cut."""
    return CHUNKS if config.width >= CHUNKS_FROM_WIDTH else 1


def steps_by_hand(config: RunConfig, device: torch.device) -> bool:
    """Whether the gradient that is written out serves: on a CPU, in float32, for a decoder.

    >>> from longreach.runs.resolve import resolve
    >>> steps_by_hand(resolve("sort"), CPU), steps_by_hand(resolve("sort", "mlp"), CPU)
    (True, False)
    """
    return applies(PACKED_GRADIENT, model_of(config), device=device.type, dtype=config.dtype)


class _Run:
    def __init__(
        self,
        config: RunConfig,
        directory: Path | None,
        report: Report | None,
        checkpoint_seconds: float,
        device: torch.device = CPU,
    ) -> None:
        self.config = config
        self.report = report
        self.device = device
        self.clock = Clock(checkpoint_seconds)
        self.parts = chunks_of(config)
        self.compiled: Step | None = None
        notes: tuple[str, ...] = ()
        if config.compile and device.type != "cpu":
            notes = (f"the step is not compiled on {device.type}",)
        elif config.compile and compiler() is None:
            notes = ("no C++ compiler is there: the step was not compiled, and is slower",)
        elif config.compile:
            self.compiled = compiled_step(config)
        shape = None if self.compiled is None else fixed_shape(config)
        self.member = Member(config, directory, device, shape, notes=notes)
        self.by_hand: GradientByHand | None = None
        if steps_by_hand(config, device):
            self.by_hand = GradientByHand(self.member.network, config)
        self.read_every = steps_between_reads(device)
        self.unread: list[tuple[int, Tensor, Tensor]] = []

    def go(self) -> Trained:
        member = self.member
        while not member.ended:
            with member.timed("train"):
                self._step()
            row = None
            if member.is_due:
                self._read()
                row = member.evaluate()
            if self.report is not None:
                self.report(member.state.step, row)
            if self.clock.is_due:
                self._read()
                with self.clock.writing():
                    member.save()
        return member.finish(compiled=self.compiled is not None)

    def _step(self) -> None:
        state, config = self.member.state, self.config
        batches = self.member.batches
        numbers = send(step_numbers(config, state.step), self.device)
        if self.compiled is not None:
            loss, norm = self.compiled(state, batches.fixed(state.step), numbers)
        elif self.by_hand is not None:
            loss, gradient = self.by_hand(state.vector, batches.packed(state.step))
            norm = update(state.vector, state.first, state.second, gradient, numbers, config)
        else:
            sent = (send_chunk(chunk, self.device) for chunk in batches.chunks(state.step, self.parts))
            loss, gradient = loss_and_gradient(state.vector, self.member.network, config, sent)
            norm = update(state.vector, state.first, state.second, gradient, numbers, config)
        state.step += 1
        self.unread.append((state.step, loss, norm))
        if len(self.unread) >= self.read_every:
            self._read()

    def _read(self) -> None:
        """Look at the losses since the last time, which waits for the device."""
        unread, self.unread = self.unread, []
        for step, loss, norm in unread:
            self.member.count(step, loss.item(), norm.item())


# Trains members of one shape side by side: stacked parameters, one batched forward and backward for all.


NOT_COMPILED = "the step of members side by side is not compiled"


def shape(config: RunConfig) -> dict[str, Any]:
    """What members that train side by side have in common.

    >>> from longreach.runs.resolve import resolve
    >>> one, other = (resolve("parity", seed=seed, lr=10.0**-seed) for seed in (1, 2))
    >>> shape(one) == shape(other)
    True
    """
    model = model_of(config).model_dump()
    if "positions" not in network_of(config).table and not config.predict_ids:
        model.pop("positions", None)  # how far the ids go, which is the data's business
    own = {name: getattr(config, name) for name in ("batch", "dtype", "clip", "weight_decay")}
    return model | own


def check_shapes(configs: Sequence[RunConfig]) -> None:
    """Refuse members that cannot train side by side, in one line."""
    first = shape(configs[0])
    for number, config in enumerate(configs[1:], 1):
        other = shape(config)
        for name in {**first, **other}:
            mine, yours = first.get(name), other.get(name)
            if mine != yours:
                raise InputError(f"members 0 and {number} cannot be stacked: {name} is {mine} and {yours}")
    keys = [config.key for config in configs]
    if len(set(keys)) < len(keys):
        raise InputError("members cannot be stacked: one stands twice")


def groups(configs: Sequence[RunConfig], size: int) -> list[list[RunConfig]]:
    """The members that train side by side, at most `size` of them, in groups of about the same number.

    >>> from longreach.runs.resolve import resolve
    >>> members = [resolve("sort", width=width, seed=s) for width in (16, 64) for s in range(3)]
    >>> [[(member.width, member.seed) for member in group] for group in groups(members, 2)]
    [[(16, 0), (16, 1)], [(16, 2)], [(64, 0), (64, 1)], [(64, 2)]]
    """
    alike: defaultdict[str, list[RunConfig]] = defaultdict(list)
    for config in configs:
        alike[canonical_json(shape(config))].append(config)
    made = []
    for members in alike.values():
        parts = -(-len(members) // size)
        made += [[members[place] for place in part] for part in np.array_split(range(len(members)), parts)]
    return made


def train_members(
    configs: Sequence[RunConfig],
    directories: Sequence[Path | None] | None = None,
    *,
    reports: Sequence[Report | None] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    device: torch.device | str = CPU,
) -> Iterator[tuple[int, Trained | Diverged]]:
    """Train members side by side, and yield the place in the list and the end of each when it is there.

    >>> from longreach.runs.resolve import resolve
    >>> given = {"max_steps": 20, "train_lengths": (1, 5), "test_size": 50}
    >>> members = [resolve("binary-majority", seed=seed, **given) for seed in range(3)]
    >>> [(place, ended.steps) for place, ended in train_members(members)]
    [(0, 20), (1, 20), (2, 20)]
    """
    check_shapes(configs)
    found = find_device(device) if isinstance(device, str) else device
    prepare(found)
    places = []
    for number, config in enumerate(configs):
        member = Member(config, None if directories is None else directories[number], found)
        if config.compile:
            member.notes += (NOT_COMPILED,)
        places.append(_Place(number, member, None if reports is None else reports[number]))
    return _Ensemble(places, checkpoint_seconds, found).go()


@dataclass(frozen=True, eq=False)
class _Place:
    number: int
    member: Member
    report: Report | None


class _Ensemble:
    def __init__(self, places: Sequence[_Place], checkpoint_seconds: float, device: torch.device) -> None:
        self.device = device
        self.clock = Clock(checkpoint_seconds)
        self.config = places[0].member.config  # where all are alike
        self.network = places[0].member.network
        self.parts = chunks_of(self.config)
        # A product of wide models is work enough: there is nothing to gain from one product for all members.
        self.one_by_one = self.config.width >= CHUNKS_FROM_WIDTH and steps_by_hand(self.config, device)
        self.space = Workspace(torch.float32)
        self.read_every = steps_between_reads(device)
        self.unread: list[tuple[list[int], Tensor, Tensor]] = []
        self._stack(places)

    def go(self) -> Iterator[tuple[int, Trained | Diverged]]:
        ended: dict[_Place, Trained | Diverged] = {
            place: place.member.finish() for place in self.places if place.member.ended
        }
        while True:
            for place, end in ended.items():
                yield place.number, end
            if ended:
                self._stack([place for place in self.places if place not in ended])
            if not self.places:
                return
            ended = self._advance()

    def _stack(self, places: Sequence[_Place]) -> None:
        """Put the members' states side by side; each member's own becomes a view of its row."""
        self.places = list(places)
        states = [place.member.state for place in self.places]
        if not states:
            return
        self.vectors = torch.stack([state.vector for state in states])
        self.firsts = torch.stack([state.first for state in states])
        self.seconds = torch.stack([state.second for state in states])
        rows = zip(states, self.vectors, self.firsts, self.seconds, strict=True)
        for state, vector, first, second in rows:
            state.vector, state.first, state.second = vector, first, second
        members = [place.member for place in self.places]
        self.by_hand = [GradientByHand(each.network, each.config, self.space) for each in members]
        penalties = [member.config.penalty for member in members]
        coefficients = torch.tensor(penalties, device=self.device)
        self.penalized = coefficients.nonzero()[:, 0]
        self.penalties = coefficients[self.penalized]

    def _advance(self) -> dict[_Place, Trained | Diverged]:
        """One step of all members, with the evaluations and checkpoints that are due; those that ended."""
        start = time.perf_counter()
        self._step()
        share = (time.perf_counter() - start) / len(self.places)
        for place in self.places:
            place.member.spend("train", share)
        save = self.clock.is_due
        ended: dict[_Place, Trained | Diverged] = {}
        if save or len(self.unread) >= self.read_every or any(place.member.is_due for place in self.places):
            ended |= self._read()
        going = [place for place in self.places if place not in ended]
        for place in going:
            member = place.member
            row = member.evaluate() if member.is_due else None
            if place.report is not None:
                place.report(member.state.step, row)
        if save:
            with self.clock.writing():
                for place in going:
                    place.member.save()
        return ended | {place: place.member.finish() for place in going if place.member.ended}

    def _step(self) -> None:
        members = [place.member for place in self.places]
        total, gradient = self._one_by_one() if self.one_by_one else self._all_at_once()
        numbers = torch.stack([step_numbers(member.config, member.state.step) for member in members])
        sent = send(numbers, self.device)
        norms = update(self.vectors, self.firsts, self.seconds, gradient, sent, self.config)
        for member in members:
            member.state.step += 1
        self.unread.append(([member.state.step for member in members], total, norms))

    def _one_by_one(self) -> tuple[Tensor, Tensor]:
        """The losses (members,) and gradients of the members' next batches, written out."""
        found = []
        for place, run in zip(self.places, self.by_hand, strict=True):
            state = place.member.state
            found.append(run(state.vector, place.member.batches.packed(state.step)))
        losses, gradients = zip(*found, strict=True)
        return torch.stack(losses), torch.stack(gradients)

    def _all_at_once(self) -> tuple[Tensor, Tensor]:
        """The same in one batched forward and backward."""
        members = [place.member for place in self.places]
        leaf = self.vectors.detach().requires_grad_()
        total, gradient = self.vectors.new_zeros(len(members)), torch.zeros_like(self.vectors)
        for chunk in side_by_side([member.draw() for member in members], self.parts):
            losses = self._losses(leaf, send_chunk(chunk, self.device))
            gradient += torch.autograd.grad(losses.sum(), leaf)[0]
            total += losses.detach()
        if len(self.penalized):
            losses = self._penalties(leaf)
            gradient += torch.autograd.grad(losses.sum(), leaf)[0]
            total[self.penalized] += losses.detach()
        return total, gradient

    def _losses(self, vectors: Tensor, chunk: Chunk) -> Tensor:
        """The losses (members,) of a chunk whose arrays have a leading member axis."""

        def one(
            vector: Tensor, arrays: tuple[Tensor, ...], places: Tensor | None, target_ids: Tensor | None
        ) -> Tensor:
            tokens, ids, targets, weights = arrays
            mine = Chunk(tokens, ids, places, targets, weights, target_ids)
            return chunk_loss(vector, self.network, self.config, mine)

        arrays = (chunk.tokens, chunk.position_ids, chunk.targets, chunk.weights)
        some = (chunk.places, chunk.target_ids)
        axes = (0, 0, *(None if each is None else 0 for each in some))
        losses: Tensor = torch.func.vmap(one, in_dims=axes)(vectors, arrays, *some)
        return losses

    def _penalties(self, vectors: Tensor) -> Tensor:
        """The penalties of the members that have one."""
        config = self.config.model_copy(update={"penalty": 1.0})

        def one(vector: Tensor) -> Tensor:
            return penalty_loss(vector, self.network, config)

        values: Tensor = torch.func.vmap(one)(vectors[self.penalized])
        return values * self.penalties

    def _read(self) -> dict[_Place, Trained | Diverged]:
        """Look at the losses since the last time, which waits for the device; the members that failed."""
        unread, self.unread = self.unread, []
        failed: dict[_Place, Trained | Diverged] = {}
        for steps, losses, norms in unread:
            for place, *numbers in zip(self.places, steps, losses.tolist(), norms.tolist(), strict=True):
                if place not in failed:
                    try:
                        place.member.count(*numbers)
                    except Diverged as error:
                        failed[place] = error
        return failed


def side_by_side(batches: Sequence[Batch], parts: int) -> Iterator[Chunk]:
    """The batches of all members in chunks of the same shape, with a leading member axis.

    Each batch is sorted by size and cut into the same numbers of rows; a chunk is as wide as its longest row
    of any member. The weights of each member add up to 1.

    >>> from longreach.tasks.catalog import load_task
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
        yield Chunk(
            torch.from_numpy(tokens),
            torch.from_numpy(ids),
            None if found is None else torch.from_numpy(found),
            torch.from_numpy(targets),
            torch.from_numpy(weights),
            None if target_ids is None else torch.from_numpy(target_ids),
        )


def _wide(arrays: Sequence[NDArray[Any]], width: int) -> NDArray[Any]:
    """The arrays of all members in one, with zeros, or False, in the columns that they lack."""
    made = np.zeros((len(arrays), len(arrays[0]), width), dtype=arrays[0].dtype)
    for mine, array in zip(made, arrays, strict=True):
        columns = min(width, array.shape[1])
        mine[:, :columns] = array[:, :columns]
    return made


def _rows(array: NDArray[Any], rows: NDArray[np.int64], width: int) -> NDArray[Any]:
    members = np.arange(len(array))[:, None]
    return np.ascontiguousarray(array[members, rows, :width])
