"""Tokens of a corpus in a file, written piece by piece and read in any order."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.language_models.text_tokenizer import TextTokenizer

Tokens = NDArray[np.int64]
_TYPE = np.dtype("<u4")
TOKEN_BYTES = _TYPE.itemsize


def write_tokens(path: Path, texts: Iterable[Iterable[str]], tokenizer: TextTokenizer) -> int:
    """Writes all texts, each with its end, and says how many tokens there are; a whole file or none."""
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
    >>> from longreach.language_models.text_tokenizer import Bytes
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
        """The tokens from each start on."""
        return np.stack([np.asarray(self._tokens[at : at + length], dtype=np.int64) for at in starts])

    def drawn(self, count: int, length: int, rng: np.random.Generator) -> Tokens:
        """Random windows."""
        self._check(length)
        return self.windows(rng.integers(0, len(self) - length + 1, count), length)

    def in_order(self, length: int, most: int | None = None) -> Tokens:
        """The windows from the beginning on that do not overlap; spread out evenly if there are more."""
        self._check(length)
        starts = np.arange(0, len(self) - length + 1, length)
        if most is not None and len(starts) > most:
            starts = starts[np.linspace(0, len(starts) - 1, most).astype(np.int64)]
        return self.windows(starts, length)

    def _check(self, length: int) -> None:
        if len(self) < length:
            raise InputError(f"the text has {len(self)} tokens, and a window needs {length}")
