"""A model trained elsewhere → its accuracy by length, on random words and on probing words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from longreach.errors import Argument, Field, InputError, own_code
from longreach.runs.cells import ByAccuracy
from longreach.tasks.catalog import load_argument
from longreach.tasks.flow_words import certificate_sample
from longreach.tasks.lengths import LengthRange, read_name, read_options
from longreach.tasks.task import Batch, BoolArray, ProbedBy, Task, draw_lengths
from longreach.wording import Column, Table, percent

if TYPE_CHECKING:
    import torch

Lengths: TypeAlias = int | str | tuple[int, int]
"""50, "41:60" or (41, 60)."""

LARGEST_LENGTH = 10**6


@dataclass(frozen=True)
class Evaluated:
    """The accuracies of a model on a task, by ranges of lengths such as "41-60".

    >>> chance = {"2-4": 0.0, "5-9": 0.0}
    >>> Evaluated("aa", 100, 0, {"2-4": 1.0, "5-9": 0.4}, {"2-4": 1.0}, {"2-4": 0.9}, chance)
    aa: works on lengths 2–4, not on 5–9
    lengths  accuracy   probing  worst loop  chance
    2–4      100.00 %  100.00 %     90.00 %     0 %
    5–9       40.00 %                           0 %
    """

    task: str
    size: int
    """Random words per range."""
    seed: int
    accuracy: dict[str, float]
    """The share of random words all of whose supervised tokens are the most likely ones."""
    probing: dict[str, float]
    """The same of probing words; empty where the task has none."""
    worst_loop: dict[str, float]
    """The same of the loop, or kind, on which it is lowest."""
    chance: dict[str, float]
    """What guessing reaches on the random words."""
    probing_chance: dict[str, float] = field(default_factory=dict)
    """What it reaches on the probing words, where that is known to differ."""
    flow: dict[str, float] = field(default_factory=dict)
    """The accuracy on words of the flow certificate of a no; empty where there is none."""
    probed_by: ProbedBy = "loop"
    """What probing words are sorted by: loops of an automaton, or kinds of hard inputs."""

    @property
    def works(self) -> dict[str, bool]:
        """By range, whether accuracy is at least halfway from chance to 1."""
        return {name: ByAccuracy(self.chance[name]).works(share) for name, share in self.accuracy.items()}

    @property
    def sure(self) -> dict[str, bool]:
        """By range with probing words, whether it works on random words and on its worst loop or kind."""
        return {
            name: self.works[name]
            and ByAccuracy(self.probing_chance.get(name, self.chance[name])).works(share)
            for name, share in self.worst_loop.items()
        }

    @property
    def words(self) -> str:
        """Where the model works, in a line."""
        where = {
            works: ", ".join(_words(name) for name, each in self.works.items() if each is works)
            for works in (True, False)
        }
        failing = [name for name, sure in self.sure.items() if self.works[name] and not sure]
        text = f"works on lengths {where[True]}" if where[True] else "works on none of the lengths"
        text += f", not on {where[False]}" if where[True] and where[False] else ""
        return text + (
            f"; fails on its worst {self.probed_by} at {', '.join(map(_words, failing))}" if failing else ""
        )

    @property
    def table(self) -> Table:
        probed = bool(self.probing)
        columns = [Column("lengths", right=False), Column("accuracy")]
        columns += [Column("probing"), Column(f"worst {self.probed_by}")] if probed else []
        columns += [Column("flow words")] if self.flow else []
        lines = []
        for name, share in self.accuracy.items():
            shares = [share, *([self.probing.get(name), self.worst_loop.get(name)] if probed else [])]
            shares += [self.flow.get(name)] if self.flow else []
            shown = [None if each is None else f"{100 * each:.2f} %" for each in shares]
            lines.append([_words(name), *shown, percent(self.chance[name], 0)])
        return Table([*columns, Column("chance")], lines, title=f"{self.task}: {self.words}")

    def document(self) -> dict[str, Any]:
        """As JSON has it, with the names of `longreach train --json`."""
        return {**asdict(self), "sure": self.sure, "words": self.words}

    def __repr__(self) -> str:
        return "\n".join([f"{self.task}: {self.words}", *self.table.terminal()])

    def _repr_html_(self) -> str:
        return self.table.html()


def _words(name: str) -> str:
    lengths = read_name(name)
    return name if lengths is None else lengths.words


def evaluate(
    model: Callable[[Any], Any],
    task: str | Task,
    *,
    lengths: Lengths | Sequence[Lengths],
    size: int = 1000,
    probing: bool = True,
    seed: int = 0,
    alphabet: Sequence[str] | None = None,
) -> Evaluated:
    """Measure any model on a task by length, wherever it was trained.

    `model(ids)` gets a LongTensor (batch, time) of indices into `load_task(name).tokens`, padded with 0 on
    the right. It returns logits (batch, time, vocabulary) for the token to predict at each position: a
    tensor, an array, or an object with `logits`. `load_task(name).sample(lengths, rng)` draws training
    examples: `tokens` is the input, `targets` what to predict where `mask` is true. A sequence is right if
    all its supervised tokens are. `lengths` are ranges or numbers: `["41:60", (81, 100), 200]`. The same
    seed gives the same words. A `torch.nn.Module` is run in evaluation mode, on its own device.

    >>> import torch
    >>> def always_even(ids):
    ...     return torch.nn.functional.one_hot(torch.full_like(ids, 6), 8)
    >>> evaluate(always_even, "parity", lengths=[5], size=100).accuracy
    {'5-5': 0.0}
    """
    from longreach.training.evaluate import PROBING_SIZE

    if not callable(model):
        raise InputError(f"expected a callable, not {type(model).__name__}", place=Argument("model"))
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise InputError(f"must be a whole number of at least 1, not {size!r}", place=Field("size"))
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise InputError(f"must be a whole number of at least 0, not {seed!r}", place=Field("seed"))
    if isinstance(task, Task) and alphabet is not None:
        raise InputError("an alphabet is only for regex:…; a Task has its own", place=Argument("task"))
    subject = task if isinstance(task, Task) else load_argument(task, alphabet)
    accuracy, chance, probed, worst, guessed, flow = (dict[str, float]() for _ in range(6))
    with _still(model):
        for each in read_lengths(lengths):
            rng = np.random.default_rng([seed, each.first, each.last])
            try:
                drawn = draw_lengths(subject, *each, size, rng)
            except InputError as error:
                raise error.at(Field("lengths")) from None
            batch = subject.test_sample(drawn, rng)
            share = subject.constant_share(batch)
            accuracy[each.name] = float(right_rows(model, subject, batch).mean())
            chance[each.name] = subject.chance if share is None else share
            words = subject.probing_sample(each, min(size, PROBING_SIZE), rng) if probing else None
            if words is not None:
                right = right_rows(model, subject, words.batch)
                probed[each.name], worst[each.name] = words.shares(right)
                share = subject.guessed_share(words)
                guessed |= {} if share is None else {each.name: share}
            pairs = certificate_sample(subject, each, min(size, PROBING_SIZE), rng) if probing else None
            if pairs is not None:
                flow[each.name] = float(right_rows(model, subject, pairs.batch).mean())
    by = subject.probed_by
    return Evaluated(subject.name, size, seed, accuracy, probed, worst, chance, guessed, flow, by)


def read_lengths(lengths: Lengths | Sequence[Lengths]) -> tuple[LengthRange, ...]:
    """Ranges as people write them.

    >>> [each.name for each in read_lengths(["41:60,61:80", (81, 100), 200])]
    ['41-60', '61-80', '81-100', '200-200']
    """
    place = Field("lengths")
    one = isinstance(lengths, str) or not isinstance(lengths, Iterable) or _is_pair(lengths)
    found: list[LengthRange] = []
    for each in [lengths] if one else list(lengths):  # type: ignore[arg-type]
        try:
            found += _read(each)
        except InputError as error:
            raise error.at(place) from None
    if not found:
        raise InputError("at least one range is needed, as in [(41, 60)]", place=place)
    return tuple(dict.fromkeys(found))


def _read(each: Any) -> tuple[LengthRange, ...]:
    if isinstance(each, str) and not each.strip().isdecimal():
        ranges = read_options(each)
    else:
        pair = tuple(each) if isinstance(each, Sequence) and not isinstance(each, str) else (each, each)
        try:
            first, last = (int(end) if isinstance(end, str) else _whole(end) for end in pair)
        except (TypeError, ValueError):
            raise InputError(f"{each!r} is not a range of lengths, as in (41, 60)") from None
        ranges = (LengthRange(first, last),)
    for one in ranges:
        if not 0 <= one.first <= one.last <= LARGEST_LENGTH:
            raise InputError(f"{one.option} is not a range of lengths from 0 to {LARGEST_LENGTH:,}")
    return ranges


def _is_pair(lengths: Any) -> bool:
    """A tuple of two numbers is a range; a list of two numbers has two lengths."""
    return isinstance(lengths, tuple) and len(lengths) == 2 and all(isinstance(end, int) for end in lengths)


def _whole(end: Any) -> int:
    if isinstance(end, bool) or not isinstance(end, int | np.integer):
        raise TypeError
    return int(end)


@contextmanager
def _still(model: Any) -> Iterator[None]:
    """A module in evaluation mode, and afterwards each of its parts as it was."""
    import torch

    if not isinstance(model, torch.nn.Module):
        yield
        return
    before = [(part, part.training) for part in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for part, training in before:
            part.training = training


def right_rows(model: Callable[[Any], Any], task: Task, batch: Batch) -> BoolArray:
    """Of which rows all supervised tokens are the most likely ones; a few thousand tokens at a time."""
    import torch

    from longreach.training.evaluate import EVALUATED_AT_ONCE

    device = torch.device("cpu")
    if isinstance(model, torch.nn.Module):
        device = next((each.device for each in model.parameters()), device)
    order = np.argsort(batch.sizes, kind="stable")
    right = np.zeros(len(batch), dtype=np.bool_)
    start = 0
    with torch.inference_mode():
        while start < len(order):
            # Rows of about one size; the last of them is the longest.
            step = max(1, EVALUATED_AT_ONCE // int(batch.sizes[order[min(start + 255, len(order) - 1)]]))
            rows = order[start : start + min(step, 256)]
            width = int(batch.sizes[rows[-1]])
            ids = torch.from_numpy(np.ascontiguousarray(batch.tokens[rows, :width])).to(device)
            with own_code(f"the model on ids of shape {tuple(ids.shape)}"):
                logits = _logits(model(ids))
            mask = torch.from_numpy(batch.mask[rows, :width])
            _check(logits, tuple(ids.shape), len(task.tokens), mask)
            targets = torch.from_numpy(batch.targets[rows, :width])
            same = logits.argmax(dim=-1).cpu() == targets
            right[rows] = (same | ~mask).all(dim=1).numpy()
            start += len(rows)
    return right


def _logits(found: Any) -> torch.Tensor:
    import torch

    found = getattr(found, "logits", found)
    if isinstance(found, list | np.ndarray):
        found = torch.from_numpy(np.asarray(found))
    if not isinstance(found, torch.Tensor):
        kind = type(found).__name__
        raise InputError(f"the model returns a {kind}; expected logits: a tensor, an array or .logits")
    if found.dtype == torch.bool or found.is_complex():
        kind = str(found.dtype).removeprefix("torch.")
        raise InputError(f"the model's logits are {kind}, not real numbers")
    return found


def _check(logits: torch.Tensor, shape: tuple[int, ...], vocabulary: int, mask: torch.Tensor) -> None:
    found, wanted = tuple(logits.shape), (*shape, vocabulary)
    if found[:-1] != shape or len(found) != 3:
        raise InputError(f"the model's logits have the shape {found}, expected {wanted}")
    if found[-1] != vocabulary:
        raise InputError(f"the model's logits have {found[-1]} columns; the task has {vocabulary} tokens")
    if bool(logits[mask.to(logits.device)].isnan().any()):
        raise InputError("the model's logits are not numbers (NaN)")
