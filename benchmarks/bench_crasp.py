"""C-RASP evaluation: against the literal definition, in length and number of words, per core, streamed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.harness import Row, best_time
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import Stream, accepts
from longreach.theory.crasp.library import load
from longreach.theory.crasp.words import Codes
from tests.helpers.crasp_oracle import core_values

DYCK = "dyck-1"


def _random(words: int, length: int, letters: int = 2) -> list[Codes]:
    return list(np.random.default_rng(0).integers(0, letters, (words, length)).astype(np.uint8))


def _per_second(core: Core, words: int, length: int) -> float:
    """Operations × tokens per second, counting the operations of the program as written."""
    batch = _random(words, length, len(core.alphabet))
    return core.size * words * length / best_time(lambda: accepts(core, batch))


def rows() -> Iterator[Row]:
    dyck = load(DYCK).core
    word = _random(1, 2000)
    tokens = [dyck.alphabet[code] for code in word[0]]
    literal = best_time(lambda: core_values(dyck, tokens), repeats=1)
    yield Row(
        "Dyck-1, one word of 2000: literal / batched",
        literal / best_time(lambda: accepts(dyck, word)),
        "×",
        "≥ 1000",
    )
    many = _random(64, 2000)
    per_word = best_time(lambda: accepts(dyck, many)) / 64
    yield Row("Dyck-1, words of 2000 in a batch of 64: literal / batched", literal / per_word, "×", "≥ 1000")

    base = None
    for length in (10_000, 100_000, 1_000_000, 10_000_000):
        batch = _random(1, length)
        cost = best_time(lambda batch=batch: accepts(dyck, batch)) / length
        base = base or cost
        yield Row(f"cost per token at length {length:,} / at 10,000", cost / base, "×", "about 1 or less")
    base = None
    for words in (100, 1_000, 10_000, 100_000):
        batch = _random(words, 100)
        cost = best_time(lambda batch=batch: accepts(dyck, batch), repeats=3) / words
        base = base or cost
        yield Row(f"cost per word of 100 for {words:,} words / for 100", cost / base, "×", "about 1 or less")

    for name in ("tomita-7", "d-12", "anbncn", "aa-bb-cc-dd-ee"):
        core = load(name).core
        speed = _per_second(core, 1000, 1000) / 1e6
        yield Row(f"{name} ({core.size} operations): operation × token per second", speed, "million", "≥ 50")

    long = _random(1, 10_000_000)[0]

    def stream() -> None:
        reader = Stream(dyck)
        for start in range(0, len(long), 1 << 20):
            reader.feed(long[start : start + (1 << 20)])

    streamed, batched = best_time(stream), best_time(lambda: accepts(dyck, [long]))
    yield Row("10,000,000 tokens: streaming / batched", streamed / batched, "×", "≤ 3")
