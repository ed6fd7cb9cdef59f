"""Words: spelling, encoding, files of words, and running a program on them.

`ε` is the empty word. In a file, one word a line; empty lines and lines that start with `//` are skipped.
A long line is read in pieces, so that a file of any size can be streamed.
"""

from __future__ import annotations

import io
import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TextIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import Field, InputError, near_names
from longreach.files import open_file
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import Stream, accepts, predictions
from longreach.wording import EMPTY, some

Codes: TypeAlias = NDArray[np.unsignedinteger[Any]]

PIECE = 1 << 20  # characters of a line that are held at once
_SPACE = re.compile(r"\s")


class Encoder:
    """Turns tokens into codes: the place in the alphabet, or one past its end for other tokens.

    >>> Encoder(parse('P = # "a" >= # "b"').core).word("abxa").tolist()
    [0, 1, 2, 0]
    """

    def __init__(self, core: Core) -> None:
        self._alphabet = core.alphabet
        self._closed = core.closed
        self._together = all(len(symbol) == 1 for symbol in core.alphabet)
        self._codes = {symbol: code for code, symbol in enumerate(core.alphabet)}
        self._other = len(core.alphabet)
        self._dtype = np.min_scalar_type(self._other)
        points = [ord(symbol) for symbol in core.alphabet if len(symbol) == 1]
        self._table = np.full(max(points, default=0) + 2, self._other, dtype=self._dtype)
        for symbol, code in self._codes.items():
            if len(symbol) == 1:
                self._table[ord(symbol)] = code

    def word(self, text: str, place: str = "word:1") -> Codes:
        """The codes of one word as a line of text; an error names the place and the column."""
        return np.concatenate([self.tokens([]), *self.pieces([text], place)])

    def split(self, text: str) -> list[str]:
        """The tokens of one word as a line of text."""
        text = text.strip()
        if text in ("", EMPTY):
            return []
        return list(text) if self._together and not _SPACE.search(text) else text.split()

    def tokens(self, tokens: Sequence[str]) -> Codes:
        codes = np.array([self._codes.get(token, self._other) for token in tokens], dtype=self._dtype)
        unknown = self._unknown(codes)
        if unknown is not None:
            raise InputError(f"token {unknown + 1} of the word: {self._complaint(tokens[unknown])}")
        return codes

    def pieces(self, pieces: Iterable[str], place: str) -> Iterator[Codes]:
        """The codes of one line that arrives in pieces; its first piece shows how it is written."""
        held, column, spaced = "", 1, False
        started = False
        for piece in pieces:
            held += piece
            if not started:
                column += len(held) - len(held.lstrip())
                held = held.lstrip()
                if held.strip() in ("", EMPTY):
                    continue
                started = True
                spaced = not self._together or _SPACE.search(held.strip()) is not None
            # Keep back a token that the next piece may continue, or white space that may end the line.
            cut = _after_last_space(held) if spaced else len(held.rstrip())
            if len(held) - cut > 2 * PIECE:
                raise InputError(f"{place}:{column}: a token of more than {PIECE} characters")
            yield self._encode(held[:cut], spaced, column, place)
            column += cut
            held = held[cut:]
        if started and held.strip():
            yield self._encode(held, spaced, column, place)

    def _encode(self, text: str, spaced: bool, column: int, place: str) -> Codes:
        tokens: Sequence[str]
        if spaced:
            tokens = text.split()
            codes = np.array([self._codes.get(token, self._other) for token in tokens], dtype=self._dtype)
        else:
            tokens = text
            points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
            codes = self._table[np.minimum(points, len(self._table) - 1)]
            if space := _SPACE.search(text):
                where = f"{place}:{column + space.start()}"
                raise InputError(f"{where}: a space inside a word whose beginning is written together")
        unknown = self._unknown(codes)
        if unknown is not None:
            starts = [found.start() for found in re.finditer(r"\S+", text)] if spaced else range(len(text))
            raise InputError(f"{place}:{column + starts[unknown]}: {self._complaint(tokens[unknown])}")
        return codes

    def _unknown(self, codes: Codes) -> int | None:
        """The place of the first token outside a declared alphabet."""
        if not self._closed:
            return None
        found = np.flatnonzero(codes == self._other)
        return int(found[0]) if len(found) else None

    def _complaint(self, token: str) -> str:
        shown = token if len(token) <= 40 else token[:40] + "…"
        if len(token) > 1 and self._together and all(char in self._codes for char in token):
            hint = "; tokens are separated by spaces, or all written together"
        else:
            hint = near_names(shown, self._alphabet) or f" ({some(self._alphabet, 12)})"
        return f"token {shown!r} is not in the alphabet{hint}"


def _after_last_space(text: str) -> int:
    # Starting at a space keeps the search linear in the length of the last tokens.
    found = re.search(r"\s\S*\Z", text)
    return found.start() + 1 if found else 0


def encode(core: Core, word: str | Sequence[str]) -> Codes:
    """The codes of a word: a string as on the command line, or a list of tokens."""
    encoder = Encoder(core)
    return encoder.word(word) if isinstance(word, str) else encoder.tokens(word)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a file: its text (of a long line the beginning) and its codes, or pieces of them to stream.

    Consume the pieces before asking for the next word.
    """

    text: str
    codes: Codes | Iterator[Codes]


def read_words(core: Core, path: str | Path) -> Iterator[Word]:
    """The words of a file, one a line; `-` is standard input."""
    encoder = Encoder(core)
    file = "<stdin>" if str(path) == "-" else str(path)
    with _opened(path) as stream:
        number = 0
        while first := _piece(stream, file):
            number += 1
            place = f"{file}:{number}"
            whole = first.endswith("\n") or len(first) < PIECE
            rest = iter(()) if whole else _rest_of_line(stream, file)
            if first.lstrip().startswith("//") or (whole and not first.strip()):
                deque(rest, maxlen=0)
            elif whole:
                yield Word(first.strip(), encoder.word(first, place))
            else:
                yield Word(first[:60].strip() + "…", encoder.pieces(chain([first], rest), place))


def _piece(stream: TextIO, file: str) -> str:
    try:
        piece = stream.readline(PIECE)
    except UnicodeDecodeError:
        raise InputError(f"{file}: is not a text file (it is not UTF-8)") from None
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    if "\0" in piece:
        raise InputError(f"{file}: is not a text file (it holds a NUL byte)")
    return piece


def _rest_of_line(stream: TextIO, file: str) -> Iterator[str]:
    while piece := _piece(stream, file):
        yield piece
        if piece.endswith("\n"):
            return


@contextmanager
def _opened(path: str | Path) -> Iterator[TextIO]:
    if str(path) == "-":
        if sys.stdin is None:
            raise InputError("there is no standard input", place=Field("input"))
        if isinstance(sys.stdin, io.TextIOWrapper):  # as files are read, whatever the locale
            sys.stdin.reconfigure(encoding="utf-8-sig", errors="strict")
        yield sys.stdin
        return
    with io.TextIOWrapper(open_file(path), encoding="utf-8-sig") as stream:
        yield stream


# Running a program on words from the command line and from files of any size.


Result = bool | list[list[str]]
BATCH = 1 << 22  # tokens that are held before they are run together


def run_words(core: Core, words: Sequence[str], file: str | None = None) -> tuple[list[str], list[Result]]:
    """The result on each word, with its text; long lines of a file are streamed."""
    encoder = Encoder(core)
    given = (Word(word.strip() or EMPTY, encoder.word(word, f"WORD:{n}")) for n, word in enumerate(words, 1))
    found: Iterator[Word] = iter(()) if file is None else read_words(core, file)
    texts: list[str] = []
    results: list[Result] = []
    batch: list[Codes] = []
    held = 0
    for word in chain(given, found):
        texts.append(word.text)
        if isinstance(word.codes, np.ndarray):
            batch.append(word.codes)
            held += len(word.codes) + 1
            if held < BATCH:
                continue
        results += _results(core, batch)
        batch, held = [], 0
        if not isinstance(word.codes, np.ndarray):
            results.append(_stream(core, word.codes))
    return texts, results + _results(core, batch)


def _results(core: Core, batch: Sequence[Codes]) -> list[Result]:
    return list(predictions(core, batch)) if core.is_predictor else accepts(core, batch).tolist()


def _stream(core: Core, pieces: Iterator[Codes]) -> Result:
    if core.is_predictor:  # what is asked for is as long as the word itself
        return predictions(core, [np.concatenate(list(pieces))])[0]
    stream = Stream(core)
    for piece in pieces:
        stream.feed(piece)
    return stream.accepted
