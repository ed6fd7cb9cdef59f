"""Tasks from outside: programs, automata, files of examples, and objects of one's own modules.

`module:attribute`. Examples, `data:FILE`, are read by `data_task`.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from longreach.errors import OWN_FAILURES, Argument, InputError, failure_line, near_names
from longreach.files import read_bytes, read_text
from longreach.tasks.layouts import SequenceTask, check_distinct
from longreach.tasks.lengths import LengthRange
from longreach.tasks.regular import LabelledLanguage, LanguageTask, RegularLanguage, label_name
from longreach.tasks.task import (
    EOS,
    PAD,
    SEP,
    SEP_ID,
    SOS,
    Batch,
    BoolArray,
    Evidence,
    IdScheme,
    IntArray,
    Task,
    ids_by_function,
)
from longreach.theory.automata.automaton import LabelledAutomaton
from longreach.theory.automata.files import AutomatonFile, read_automaton_file
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import Kernel, State, Stream, Value, at_empty_word
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.program import Program
from longreach.theory.crasp.words import Encoder
from longreach.theory.names import AUTOMATON, DATA, EXPECTED, PROGRAM, TaskName
from longreach.wording import counted

# A C-RASP program as a task: at each position what the program says of the word so far.


ACCEPTED, REJECTED = ("accept",), ("reject",)
MOST_OUTPUTS = 8
"""A predictor with more outputs would have more labels than a vocabulary should."""


@dataclass(frozen=True, eq=False)
class ProgramTask(LanguageTask):
    """SOS w over the program's alphabet; LEN is the length of w, any from 1 on.

    The label of a position is whether the word so far is accepted or, for a predictor, the set of tokens
    that it predicts there; at SOS it is that of the empty word. Half of the words are uniform. In the others
    each letter is uniform among those that a predictor predicts, or after which an acceptor accepts, as
    long as there are any: otherwise long words of most languages would be rejected.

    >>> from longreach.theory.crasp.program import parse
    >>> task = ProgramTask("mine", parse('#alphabet a b\\nL = # "a" >= # "b"'))
    >>> task.answer("bab")
    ('{accept}', '{reject}', '{accept}', '{reject}')
    """

    name: str
    program: Program
    least_length = 1
    about: str = field(init=False)
    nope: Evidence = field(init=False)
    ape: Evidence = field(init=False)

    def __post_init__(self) -> None:
        core = self.core
        kind = "predictor" if core.is_predictor else "acceptor"
        given = Evidence("program", self.name, "the task is given by a program")
        without = Evidence("none", None, f"the program is in {core.class_name}") if core.relations else given
        object.__setattr__(self, "about", f"{kind} in {core.class_name}, {self.program.core.size} operations")
        object.__setattr__(self, "nope", without)
        object.__setattr__(self, "ape", given)

    @cached_property
    def core(self) -> Core:
        """The core operations without those that change nothing."""
        return simplify(self.program.core)

    @cached_property
    def text(self) -> str:
        """The program without comments, with its alphabet: equal for programs that are written alike."""
        return replace(self.program, alphabet=self.core.alphabet, title="").text

    @property
    def self_contained(self) -> str:
        """The name of the task by which it is found again without the file."""
        return PROGRAM + self.text

    @property
    def letters(self) -> tuple[str, ...]:
        return self.core.alphabet

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        if not self.core.is_predictor:
            return (REJECTED, ACCEPTED)
        outputs = [token for token, _ in self.core.outputs]
        if len(outputs) > MOST_OUTPUTS:
            raise InputError(
                f"{TaskName(self.name).short}: {len(outputs)} outputs make too many labels to train on; "
                f"the most are {MOST_OUTPUTS}"
            )
        sizes = range(len(outputs) + 1)
        return tuple(chosen for size in sizes for chosen in combinations(outputs, size))

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        tokens = super().tokens
        check_distinct(self.name, tokens)
        return tokens

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        stream = Stream(self.core)
        found = [self._said(stream)]
        for code in Encoder(self.core).tokens(x):
            stream.feed(np.array([code]))
            found.append(self._said(stream))
        return tuple(found)

    def _said(self, stream: Stream) -> str:
        if self.core.is_predictor:
            return label_name(stream.predicted)
        return label_name(ACCEPTED if stream.accepted else REJECTED)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        words = rng.integers(0, len(self.letters), (len(lengths), int(lengths.max())))
        followed = rng.permutation(len(lengths))[: len(lengths) // 2]
        self._follow(words, followed, rng)
        kernel = Kernel(self.core, self.core.roots)
        values = kernel.advance(State(), words.astype(np.uint32))
        empty = at_empty_word(self.core)
        said = np.empty((len(self.core.roots), len(words), words.shape[1] + 1), dtype=np.bool_)
        for number, root in enumerate(self.core.roots):
            said[number, :, 0] = empty[root]
            said[number, :, 1:] = values[root]
        return words, self._label_places(said)

    def _label_places(self, said: BoolArray) -> IntArray:
        """The places in `labels` of the truth values of the roots."""
        if not self.core.is_predictor:
            accepted: IntArray = said[0].astype(np.int64)
            return accepted
        outputs = [token for token, _ in self.core.outputs]
        place = {label: number for number, label in enumerate(self.labels)}
        table = np.empty(2 ** len(outputs), dtype=np.int64)
        for bits in range(len(table)):
            table[bits] = place[tuple(token for k, token in enumerate(outputs) if bits >> k & 1)]
        codes: IntArray = (said.astype(np.int64) << np.arange(len(outputs))[:, None, None]).sum(axis=0)
        places: IntArray = table[codes]
        return places

    def _follow(self, words: IntArray, rows: IntArray, rng: np.random.Generator) -> None:
        """Draws these rows again, letter by letter among those that go on well, uniformly."""
        if not len(rows):
            return
        keys = rng.random((words.shape[1], len(rows), len(self.letters)))
        walk = _Predicted(self.core, len(rows)) if self.core.is_predictor else _Accepted(self.core, len(rows))
        for column, key in enumerate(keys):
            chosen = (key + walk.good).argmax(axis=1)
            words[rows, column] = chosen
            walk.read(chosen)


class _Predicted:
    """Words that are read side by side, and which letters a predictor predicts next."""

    def __init__(self, core: Core, rows: int) -> None:
        self._core, self._rows = core, rows
        self._kernel, self._state = Kernel(core, core.roots), State()
        self.good: BoolArray = np.zeros((rows, len(core.alphabet)), dtype=np.bool_)
        self._set(dict(enumerate(at_empty_word(core))))

    def _set(self, values: Mapping[int, Value]) -> None:
        for token, root in self._core.outputs:
            if token in self._core.alphabet:
                column = np.broadcast_to(values[root], (self._rows, 1))
                self.good[:, self._core.alphabet.index(token)] = column[:, 0]

    def read(self, letters: IntArray) -> None:
        self._set(self._kernel.advance(self._state, letters.astype(np.uint32)[:, None]))


class _Accepted:
    """Words that are read side by side, and after which letters an acceptor accepts them."""

    def __init__(self, core: Core, rows: int) -> None:
        self._size, self._rows = len(core.alphabet), np.arange(rows)
        self._kernel, self._state, self._root = Kernel(core, core.roots), State(), core.roots[0]
        self._next = np.tile(np.arange(self._size, dtype=np.uint32), rows)[:, None]
        self._try()

    def _try(self) -> None:
        """Every word with every letter behind it."""
        self._tried = self._state.take(np.repeat(self._rows, self._size))
        value = self._kernel.advance(self._tried, self._next)[self._root]
        self.good: BoolArray = np.broadcast_to(value, self._next.shape).reshape(-1, self._size)

    def read(self, letters: IntArray) -> None:
        self._state = self._tried.take(self._rows * self._size + letters)
        self._try()


# Tasks from outside: a program, `crasp:FILE`, an automaton, `dfa:FILE`, and an object of one's own Python,


def program_task(name: str) -> ProgramTask:
    """The task of `crasp:FILE`, of `crasp:lib:NAME`, or of `crasp:` and the text of a program.

    >>> program_task("crasp:lib:dyck-1").letters
    ('(', ')')
    """
    from longreach.theory.crasp.library import load_program
    from longreach.theory.crasp.program import parse

    read = TaskName(name)
    source = read.source
    if not source:
        reason = f"the name of the program is empty; expected {PROGRAM}FILE"
        raise InputError(reason, place=Argument("task"))
    program = parse(source, read.short) if read.is_text else load_program(source)
    task = ProgramTask(name, program)
    if not task.letters:
        raise InputError(f"{source}: the program names no token; declare its letters: #alphabet a b")
    return task


def automaton_file(name: str) -> AutomatonFile:
    """The automaton of `dfa:FILE`, or of `dfa:` and the text of one."""
    read = TaskName(name)
    if not read.source:
        reason = f"the name of the file is empty; expected {AUTOMATON}FILE"
        raise InputError(reason, place=Argument("task"))
    text = read.source if read.is_text else read_text(read.source)
    where = read.short if read.is_text else read.source
    found = read_automaton_file(text, file=where)
    reserved = next((token for token in found.machine.alphabet if token in (PAD, SOS, EOS)), None)
    if reserved is not None:
        raise InputError(f"{where}: alphabet: {reserved} cannot be a letter, the task needs it itself")
    return found


def automaton_task(name: str) -> Task:
    """The task of an automaton: what may follow within its words, or its answer classes over all words.

    >>> automaton_task('dfa:{"alphabet":["a"],"transitions":[[1],[0]],"outputs":["even","odd"]}').answer("a")
    ('{even}', '{odd}')
    """
    machine = automaton_file(name).machine
    states = counted(len(machine), "state")
    if isinstance(machine, LabelledAutomaton):
        count = len(machine.classes)
        classes = f"{count} {'class' if count == 1 else 'classes'}"
        return LabelledLanguage(name, machine, f"which of {classes}, by an automaton with {states}")
    return RegularLanguage(name, machine, f"the language of an automaton with {states}")


def attribute_task(name: str) -> Task:
    """The task that an attribute of a module is, or that it gives when it is called.

    Modules are looked for in the usual places and then in the current directory.

    >>> attribute_task("longreach.tasks.copying:Sort").name
    'sort'
    >>> attribute_task("longreach.tasks.copying:Sorted")
    Traceback (most recent call last):
    longreach.errors.InputError: module 'longreach.tasks.copying' has no attribute 'Sorted'; did you mean ...
    """
    value = attribute_value(name)
    if not isinstance(value, Task) and callable(value):
        try:
            value = value()
        except OWN_FAILURES as error:
            hint = "of a function of words Task.from_predicate or Task.from_function makes a task"
            said = f"{name}: calling it without arguments fails: {failure_line(error)}; {hint}"
            raise InputError(said) from None
    if not isinstance(value, Task):
        raise InputError(f"{name}: is a {type(value).__name__}, not a Task nor a function that gives one")
    return value


def attribute_value(name: str) -> Any:
    """Whatever an attribute of a module is, by `module:attribute`."""
    module, path = TaskName(name).attribute
    value: Any = _module(module)
    for part in path.split("."):
        try:
            value = getattr(value, part)
        except AttributeError:
            public = [other for other in dir(value) if not other.startswith("_")]
            where = f"module {module!r}" if value is sys.modules.get(module) else f"{type(value).__name__}"
            raise InputError(f"{where} has no attribute {part!r}{near_names(part, public)}") from None
    return value


def _module(name: str) -> Any:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)  # at the end: a file of the user's must not hide a module of the library
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name == missing or name.startswith(f"{missing}."):
            raise InputError(
                f"no module is named {missing!r}, in the current directory neither; expected {EXPECTED}"
            ) from None
        raise InputError(f"module {name!r} cannot be imported: {failure_line(error)}") from None
    except OWN_FAILURES as error:
        raise InputError(f"module {name!r} cannot be imported: {failure_line(error)}") from None


# A file of examples as a task: JSON lines of input and output.


RESERVED = (PAD, SOS, EOS, SEP)
RARE = 0.05
"""The share below which guessing does not count."""
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
    """Inputs with their outputs."""
    digest: str
    """The hash of the file's content, so that a changed file is another task."""
    written_ids: IdScheme | None = None
    """The coupled position ids of the tokens SOS x SEP y EOS, as the file has them."""
    ids: IdScheme | None = None
    """The same as Python says; it goes before the file."""

    nope = ape = NOT_ASKED

    @property
    def about(self) -> str:  # type: ignore[override]
        """How many examples there are, and of which lengths."""
        known = self.known_lengths
        return (
            f"{counted(len(self.examples), 'example')} of a file, "
            f"inputs of length {LengthRange(int(known[0]), int(known[-1])).name}"
        )

    @property
    def self_contained(self) -> str:
        """The name by which the same file is found, and refused if its content is another."""
        return f"{DATA}{TaskName(self.name).file}#{self.digest[:DIGITS]}"

    @cached_property
    def chance(self) -> float:  # type: ignore[override]
        """How often the most frequent output of the longer inputs is right; 0 if that is rare."""
        longer = [y for x, y in self.examples if len(x) >= self.known_lengths[len(self.known_lengths) // 2]]
        share = Counter(longer).most_common(1)[0][1] / len(longer)
        return share if share > RARE and len(longer) > 1 else 0.0

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return tuple(sorted({token for pair in self.examples for part in pair for token in part}))

    @cached_property
    def known_lengths(self) -> IntArray:
        """The lengths that the file has, the shortest first."""
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

    def coupled_ids(self, batch: Batch) -> IntArray | None:
        scheme = self.ids or self.written_ids
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
    """
    read = TaskName(name)
    if not read.file:
        raise InputError(f"the name of the file is empty; expected {DATA}FILE", place=Argument("task"))
    path = Path(read.file)
    content = read_bytes(path, pipe=True)
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
    examples, written = _examples(text, str(path))
    return DataTask(name, examples, digest, written, ids)


def _examples(
    text: str, file: str
) -> tuple[tuple[tuple[tuple[str, ...], tuple[str, ...]], ...], IdScheme | None]:
    """Inputs with their outputs, and the ids that the file has for them, if it has."""
    found = []
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
            raise InputError(f"{place}: output: the input of line {before[0]} again, with another output")
        found.append((x, y))
        if "position_ids" in document:
            read = _ids(document["position_ids"], len(x) + len(y) + 3, place)
            if ids.setdefault(x, read) != read:
                raise InputError(f"{place}: position_ids: an earlier line has the same input with others")
    if not found:
        raise InputError(f'{file}: no examples; expected lines such as {{"input": "1+1", "output": "2"}}')
    if ids and (missing := next((x for x, _ in found if x not in ids), None)) is not None:
        shown = " ".join(missing)
        raise InputError(f"{file}: position_ids: missing for the input {shown}; all lines have them, or none")
    return tuple(found), (lambda x, y: ids[x]) if ids else None


def _ids(value: Any, size: int, place: str) -> tuple[int, ...]:
    numbers = value if isinstance(value, list) else []
    if len(numbers) != size:
        raise InputError(f"{place}: position_ids: expected a list of {size} ids, for SOS x SEP y EOS")
    if any(type(each) is not int or not 0 <= each < 2**31 for each in numbers):
        raise InputError(f"{place}: position_ids: ids are whole numbers from 0 on")
    return tuple(numbers)


def json_object(line: str, place: str) -> dict[str, Any]:
    """The JSON object of a line."""
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
        if not token or any(character.isspace() for character in token):
            raise InputError(f"{place}: {field}: the token {token!r} is empty or has a blank")
        if token in RESERVED:
            raise InputError(f"{place}: {field}: the token {token} is one that the task needs itself")
    return tuple(tokens)
