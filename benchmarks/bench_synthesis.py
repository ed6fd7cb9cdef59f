"""Searching programs: candidates per second, and against evaluating them one by one."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.harness import Row
from longreach.theory.budget import Budget
from longreach.theory.crasp.evaluate import accepts
from longreach.theory.crasp.library import load
from longreach.theory.crasp.words import Encoder
from longreach.theory.search.enumeration import Enumeration
from longreach.theory.search.programs import core_of, smallest_program
from longreach.theory.search.space import Family, WordTree
from longreach.theory.search.targets import ProgramTarget

SIZE = 8
ONE_BY_ONE = 40


def rows() -> Iterator[Row]:
    start = time.thread_time()
    known = Enumeration(WordTree.of("ab", length=8), Family())
    known.of_size(SIZE)
    per_second = known.candidates / (time.thread_time() - start)
    yield Row(
        f"programs to size {SIZE} on all words to length 8: candidates per second of computing",
        per_second / 1e6,
        "million",
        "≥ 1",
    )
    cores = [core_of(each, known.behaviours) for each in known.of_size(SIZE)[:ONE_BY_ONE]]
    encoder = Encoder(cores[0])
    words = [encoder.tokens(word) for word in known.tree.words]
    start = time.thread_time()
    for core in cores:
        accepts(core, words)
    alone = (time.thread_time() - start) / len(cores)
    yield Row("the same, one by one with crasp.evaluate: time / time", alone * per_second, "×", "≥ 100")
    for name in ("majority", "contains-ab", "dyck-1"):
        start = time.thread_time()
        found = smallest_program(ProgramTarget(load(name).core), Family(), budget=Budget(seconds=60))
        assert found.core is not None, name
        seconds = time.thread_time() - start
        yield Row(f"a smallest program for {name} ({found.core.size} operations)", seconds, "s", "< 10")
