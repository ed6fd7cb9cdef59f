"""Limit transformers: structured attention against whole rows, growth with length, compile against run."""

from __future__ import annotations

import resource
from collections.abc import Iterator

import numpy as np

from benchmarks.harness import Row, best_time
from longreach.theory.crasp.library import load
from longreach.theory.limit.compiler import compile_program
from longreach.theory.limit.finite import to_finite
from longreach.theory.limit.run import run


def _word(alphabet: tuple[str, ...], length: int) -> list[str]:
    return list(np.random.default_rng(0).choice(alphabet, length))


def rows() -> Iterator[Row]:
    core = load("induction-argmax").core  # 82 operations, local heads, three layers
    model = compile_program(core)
    word = _word(core.alphabet, 2000)
    classes = best_time(lambda: run(model, [word]), repeats=3)
    blocks = best_time(lambda: run(model, [word], method="blocks"), repeats=1)
    yield Row(
        f"{core.size} operations at length 2000: whole rows / key classes", blocks / classes, "×", "> 1"
    )
    base = None
    for length in (1_250, 2_500, 5_000, 10_000):
        long = _word(core.alphabet, length)
        cost = best_time(lambda long=long: run(model, [long]), repeats=2) / length
        base = base or cost
        yield Row(f"cost per token at length {length:,} / at 1,250", cost / base, "×", "about 1")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    whole = 8 * 10_000**2
    yield Row("peak memory of all this / one 10,000 × 10,000 matrix", peak / whole, "×", "< 1")
    compiling = best_time(lambda: compile_program(core), repeats=3)
    yield Row("compile 82 operations / run 2000 tokens", compiling / classes, "×", "small")
    building = best_time(lambda: to_finite(model, 512), repeats=1)
    yield Row("build T_512 / compile", building / compiling, "×", "")
