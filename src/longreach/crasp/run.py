"""Running a program on words from the command line and from files of any size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from longreach.crasp.core import Core
from longreach.crasp.evaluate import Stream, accepts, predictions
from longreach.crasp.words import Codes, Encoder, Word, read_words

Result = bool | list[list[str]]
BATCH = 1 << 22  # tokens that are held before they are run together


def run_words(core: Core, words: Sequence[str], file: str | None = None) -> tuple[list[str], list[Result]]:
    """The result on each word, with its text; long lines of a file are streamed."""
    encoder = Encoder(core)
    given = (Word(word.strip() or "ε", encoder.word(word, f"WORD:{n}")) for n, word in enumerate(words, 1))
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
