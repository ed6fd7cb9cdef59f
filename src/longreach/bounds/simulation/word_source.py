"""Where a long word comes from: text, a file, or a generator."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from longreach.bounds.simulation.model_pair import ModelPair, Word
from longreach.crasp.words import EMPTY
from longreach.errors import Argument, InputError

MAX_TOKENS = 50_000_000
MAX_BYTES = 1 << 29
_RANDOM = re.compile(r"random:([0-9]{1,12})(?::([0-9]{1,12}))?")


def read_word(pair: ModelPair, text: str) -> Word:
    """The word that a text names.

    >>> from longreach.limit.compile.attention_averages import simple_task_model
    >>> pair = ModelPair(simple_task_model(), simple_task_model())
    >>> read_word(pair, "0 1 2").tolist(), read_word(pair, "ε").tolist(), len(read_word(pair, "random:1000"))
    ([0, 1, 2], [], 1000)
    """
    if text.startswith("random:"):
        return _random(pair, text)
    if text.startswith("@"):
        try:
            return pair.encode(_tokens(pair, _content(Path(text[1:]))))
        except InputError as error:
            raise error if text[1:] in error.message else InputError(f"{text[1:]}: {error.reason}") from None
    return pair.encode(_tokens(pair, text))


def _random(pair: ModelPair, text: str) -> Word:
    """Independent tokens, each as likely as the others."""
    found = _RANDOM.fullmatch(text)
    if found is None or int(found[1]) > MAX_TOKENS:
        reason = f"{text!r}: random:LENGTH[:SEED] has up to {MAX_TOKENS:,} tokens"
        raise InputError(reason, place=Argument("word"))
    return np.random.default_rng(int(found[2] or 0)).integers(0, len(pair.tokens), int(found[1]))


def _content(path: Path) -> str:
    try:
        if not path.is_file():
            raise InputError(f"{path}: cannot be read (not a file)")
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: larger than {MAX_BYTES >> 20} MiB")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8 text") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None


def _tokens(pair: ModelPair, text: str) -> list[str]:
    text = text.strip()
    if text == EMPTY:
        return []
    parts = text.split()
    if all(len(token) == 1 for token in pair.tokens):
        return list("".join(parts))
    return parts
