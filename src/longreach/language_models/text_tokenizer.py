"""Text as numbers: bytes, which need nothing, or byte pairs that are learned from the text.

>>> Bytes().encode("hé")
[104, 195, 169]
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from longreach.errors import InputError, MissingExtra
from longreach.results.atomic import write_atomically

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
    """Whether the library is installed."""
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
    """The stored tokenizer."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["kind"] == "bytes":
            return Bytes()
        return BytePairs(json.dumps(document["tokenizer"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: is not a stored tokenizer ({error})") from None
