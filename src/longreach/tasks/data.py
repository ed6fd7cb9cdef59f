"""A file of examples as a task: JSON lines of input and output."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from longreach.errors import Argument, InputError
from longreach.files import read_bytes
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import (
    EOS,
    SEP_ID,
    Batch,
    BoolArray,
    Evidence,
    IdScheme,
    IntArray,
    guessed_share,
    ids_by_function,
    token_problem,
)
from longreach.theory.names import DATA, TaskName
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.tasks.aligned import Aligned

DIGITS = 16
"""Of the content's hash in the name that results have."""
NOT_ASKED = Evidence(
    "none", None, "a file of examples, which decide nothing: a forecast says what they speak for"
)


@dataclass(frozen=True, eq=False)
class DataTask(SequenceTask):
    """SOS input SEP output EOS. LEN is the length of the input; only lengths in the file exist, and examples
    are drawn with replacement from those of the length.

    >>> lines = [(("1", "+", "1"), ("2",)), (("2", "+", "1"), ("3",))]
    >>> DataTask("data:sums.jsonl", tuple(lines), "0" * 64).answer(["2", "+", "1"])
    ('3', 'EOS')
    """

    name: str
    examples: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    digest: str
    """The hash of the file's content, so that a changed file is another task."""
    written_ids: IdScheme | None = None
    """The coupled position ids of the tokens SOS x SEP y EOS, as the file has them."""
    ids: IdScheme | None = None
    """The same as Python says; it goes before the file."""
    contradicted: int = 0
    """Lines that were left out: most lines with their input have another output."""

    nope = ape = NOT_ASKED

    @property
    def about(self) -> str:  # type: ignore[override]
        known = self.known_lengths
        return (
            f"{counted(len(self.examples), 'example')} from a file, "
            f"inputs of length {LengthRange(int(known[0]), int(known[-1])).words}"
            + (
                f"; {counted(self.contradicted, 'line')} left out that others contradict"
                * (self.contradicted > 0)
            )
        )

    @property
    def self_contained(self) -> str:
        """The name by which the same file is found, and refused if its content is another."""
        return f"{DATA}{TaskName(self.name).file}#{self.digest[:DIGITS]}"

    @cached_property
    def chance(self) -> float:
        """How often the most frequent output of the longer inputs is right; 0 if that is rare."""
        longer = [y for x, y in self.examples if len(x) >= self.known_lengths[len(self.known_lengths) // 2]]
        return guessed_share(longer) if len(longer) > 1 else 0.0

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return tuple(sorted({token for pair in self.examples for part in pair for token in part}))

    @cached_property
    def known_lengths(self) -> IntArray:
        return np.unique(np.array([len(x) for x, _ in self.examples], dtype=np.int64))

    @property
    def least_length(self) -> int:
        return int(self.known_lengths[0])

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = np.isin(lengths, self.known_lengths)
        return found

    def train_range(self, train_to: int) -> LengthRange:
        """Up to `train_to` where the file has longer inputs; else the shorter half of its lengths."""
        known = self.known_lengths.tolist()
        shorter = [length for length in known if length <= train_to]
        if not shorter or len(shorter) == len(known):
            shorter = known[: -(-len(known) // 2)]
        return LengthRange(known[0], shorter[-1])

    def test_ranges(self, train_to: int) -> tuple[LengthRange, ...]:
        """All longer lengths of the file, in two parts where there are lengths for two."""
        rest = self.known_lengths[self.known_lengths > train_to].tolist()
        if not rest:
            file, longest = TaskName(self.name).file, int(self.known_lengths[-1])
            raise InputError(
                f"{file}: no input is longer than {longest}; tests need inputs beyond the training lengths"
            )
        half = -(-len(rest) // 2)
        return tuple(LengthRange(part[0], part[-1]) for part in (rest[:half], rest[half:]) if part)

    @cached_property
    def _answers(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        return dict(self.examples)

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        if tuple(x) not in self._answers:
            raise InputError(f"{TaskName(self.name).file}: no example has the input {' '.join(x)}")
        return (*self._answers[tuple(x)], EOS)

    @cached_property
    def _longest_answers(self) -> IntArray:
        """The most tokens of an answer up to each of the known lengths."""
        sizes = dict.fromkeys(self.known_lengths.tolist(), 0)
        for x, y in self.examples:
            sizes[len(x)] = max(sizes[len(x)], len(y))
        return np.maximum.accumulate(np.array(list(sizes.values()), dtype=np.int64))

    def answer_size(self, length: int) -> int:
        place = int(np.searchsorted(self.known_lengths, length, side="right")) - 1
        return int(self._longest_answers[place]) if place >= 0 else 0

    @cached_property
    def _by_length(self) -> dict[int, list[tuple[IntArray, IntArray]]]:
        """Inputs and outputs as places in `symbols`."""
        place = {token: number for number, token in enumerate(self.symbols)}
        found: dict[int, list[tuple[IntArray, IntArray]]] = {}
        for x, y in self.examples:
            read, written = (np.array([place[token] for token in part], dtype=np.int64) for part in (x, y))
            found.setdefault(len(x), []).append((read, written))
        return found

    @cached_property
    def aligned(self) -> Aligned | None:
        """How outputs are made step by step, where the examples show it."""
        from longreach.tasks.aligned import recognized  # slow to load

        if self.ids is not None or self.written_ids is not None:
            return None
        return recognized(None, dict(self.examples))

    def coupled_ids(self, batch: Batch) -> IntArray | None:
        """As said; else those of outputs that are seen to be written along the input."""
        scheme = self.ids or self.written_ids
        if scheme is None and (found := self.aligned) is not None and found.each:
            scheme = found.ids
        return None if scheme is None else ids_by_function(self, batch, scheme, SEP_ID)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        groups = [self._by_length[length] for length in lengths.tolist()]
        chosen = rng.integers(0, np.array([len(group) for group in groups], dtype=np.int64)).tolist()
        pairs = [group[number] for group, number in zip(groups, chosen, strict=True)]
        sizes = np.array([len(written) for _, written in pairs], dtype=np.int64)
        x = np.zeros((len(pairs), int(lengths.max())), dtype=np.int64)
        y = np.zeros((len(pairs), max(1, int(sizes.max()))), dtype=np.int64)
        for row, (read, written) in enumerate(pairs):
            x[row, : len(read)], y[row, : len(written)] = read, written
        return x, y, sizes


def read_examples(name: str, ids: IdScheme | None = None) -> DataTask:
    """The task of `data:FILE`, or of `data:FILE#HASH`, which must have that content.

    A line is {"input": …, "output": …}; other fields are ignored. A list is a list of tokens; a string is
    split at blanks, and one without blanks into its characters. Where all lines have "position_ids", a list
    of numbers for SOS x SEP y EOS, these are the coupled ids; a function `ids` says it in their place.

    Where lines of one input have several outputs, a long file keeps those with the most frequent one, if few
    lines are left out.
    """
    read = TaskName(name)
    if not read.file:
        raise InputError(f"the name of the file is empty; expected {DATA}FILE", place=Argument("task"))
    path = Path(read.file)
    content = read_bytes(path)
    digest = hashlib.sha256(content).hexdigest()
    if read.content is not None and not digest.startswith(read.content):
        raise InputError(
            f"{path}: the file has changed: its hash is {digest[:8]}, not {read.content[:8]}; "
            f"{DATA}{read.file} is the new content, with runs of its own"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not a text file (byte {error.start} is not UTF-8)") from None
    examples, written, contradicted = _examples(text, str(path))
    return DataTask(name, examples, digest, written, ids, contradicted)


LEAST_NOISY, NOISY = 100, 0.1
"""Lines, at least, and the share of them at most that others may contradict: some labels are then wrong."""


def _examples(
    text: str, file: str
) -> tuple[tuple[tuple[tuple[str, ...], tuple[str, ...]], ...], IdScheme | None, int]:
    """Inputs with their outputs, the ids that the file has for them, if it has, and how many lines others
    contradict."""
    found = []
    problem = ""
    ids: dict[tuple[str, ...], tuple[int, ...]] = {}
    seen: dict[tuple[str, ...], tuple[int, tuple[str, ...]]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"{file}:{number}"
        document = json_object(line, place)
        x, y = (tokens_of(document, field, place) for field in ("input", "output"))
        before = seen.setdefault(x, (number, y))
        if before[1] != y:
            problem = problem or f"{place}: output: the input of line {before[0]} again, with another output"
        found.append((x, y))
        if "position_ids" in document:
            read = _ids(document["position_ids"], len(x) + len(y) + 3, place)
            if ids.setdefault(x, read) != read:
                raise InputError(f"{place}: position_ids: an earlier line has the same input with others")
    if not found:
        raise InputError(f'{file}: no examples; expected lines such as {{"input": "1+1", "output": "2"}}')
    wrong = 0
    if problem:
        lines, found = len(found), _by_most(found)
        wrong = lines - len(found)
        if ids or lines < LEAST_NOISY or wrong > NOISY * lines:
            raise InputError(problem)
    if ids and (missing := next((x for x, _ in found if x not in ids), None)) is not None:
        shown = " ".join(missing)
        raise InputError(f"{file}: position_ids: missing for the input {shown}; all lines have them, or none")
    return tuple(found), (lambda x, y: ids[x]) if ids else None, wrong


def _by_most(
    examples: list[tuple[tuple[str, ...], tuple[str, ...]]],
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Those with the output that most lines with their input have, the first of several."""
    outputs: dict[tuple[str, ...], Counter[tuple[str, ...]]] = {}
    for x, y in examples:
        outputs.setdefault(x, Counter())[y] += 1
    most = {x: counts.most_common(1)[0][0] for x, counts in outputs.items()}
    return [(x, y) for x, y in examples if most[x] == y]


def _ids(value: Any, size: int, place: str) -> tuple[int, ...]:
    numbers = value if isinstance(value, list) else []
    if len(numbers) != size:
        raise InputError(f"{place}: position_ids: expected a list of {size} ids, for SOS x SEP y EOS")
    if any(type(each) is not int or not 0 <= each < 2**31 for each in numbers):
        raise InputError(f"{place}: position_ids: ids are whole numbers from 0 on")
    return tuple(numbers)


def json_object(line: str, place: str) -> dict[str, Any]:
    try:
        document: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{place}:{error.colno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{place}: not JSON: a number is too long, or it is nested too deeply") from None
    if not isinstance(document, dict):
        raise InputError(f'{place}: expected an object, as in {{"input": "1+1", "output": "2"}}')
    return document


def tokens_of(document: dict[str, Any], field: str, place: str) -> tuple[str, ...]:
    """The tokens of a field: a list of them, or a string that is split."""
    if field not in document:
        raise InputError(f"{place}: {field}: missing")
    value = document[field]
    if isinstance(value, bool) or not isinstance(value, str | int | list):
        raise InputError(f"{place}: {field}: expected a string or a list of tokens")
    if isinstance(value, list):
        if any(isinstance(token, bool) or not isinstance(token, str | int) for token in value):
            raise InputError(f"{place}: {field}: a token is a string or a whole number")
        tokens = [str(token) for token in value]
    else:
        tokens = (
            str(value).split() if any(c.isspace() for c in str(value).strip()) else list(str(value).strip())
        )
    for token in tokens:
        if (problem := token_problem(token)) is not None:
            raise InputError(f"{place}: {field}: {problem}")
    return tuple(tokens)
