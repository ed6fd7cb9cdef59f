"""Members side by side in one process, against the same members one after the other, on one core.

Both sides do the same steps on the same batches, without compilation. On a CPU stacking saves only what a
step costs beside arithmetic, so it pays for the smallest models; a GPU is what it is for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.harness import Row

MEMBERS = 8
REPEATS = 5
TINY = {"layers": 1, "heads": 1, "width": 16}
CASES: dict[str, tuple[str, dict[str, Any], int, str]] = {
    "parity 1×16, lengths to 10": ("parity", {**TINY, "train_lengths": (1, 10)}, 10, ""),
    "binary-majority 1×16": ("binary-majority", {}, 10, "1.5 to 1.8"),
    "copy-unique 2×64": ("copy-unique", {}, 1, ""),
}  # fmt: skip


def rows() -> Iterator[Row]:
    import torch

    torch.set_num_threads(1)
    for name, (task, given, steps, wanted) in CASES.items():
        single, stacked = _steps(task, given, steps)
        times = [(_seconds(single), _seconds(stacked)) for _ in range(REPEATS)]
        alone, together = (min(column) for column in zip(*times, strict=True))
        yield Row(f"{name}: {MEMBERS} members stacked / one after the other", alone / together, "×", wanted)


def _seconds(work: Callable[[], None]) -> float:
    """Of the processor: there is one thread, and other work on the machine is left out."""
    start = time.process_time()
    work()
    return time.process_time() - start


def _steps(task: str, given: dict[str, Any], steps: int) -> tuple[Callable[[], None], Callable[[], None]]:
    """So many steps of all runs, one after the other and side by side."""
    from longreach.runs.resolve import resolve
    from longreach.training.loop import Trainer, start_run

    given = {**given, "compile": False, "test_size": 1}
    configs = [resolve(task, scale="paper", **given, seed=seed) for seed in range(MEMBERS)]
    alone = [Trainer([start_run(config)], 1e9) for config in configs]
    together = Trainer([start_run(config) for config in configs], 1e9)

    def single() -> None:
        for each in alone:
            for _ in range(steps):
                each.step()

    def stacked() -> None:
        for _ in range(steps):
            together.step()

    single()  # the first ones are slow
    stacked()
    apart = max(
        float((each.stepper.runs[0].state.vector - run.state.vector).abs().max())
        for each, run in zip(alone, together.stepper.runs, strict=True)
    )
    assert apart < 1e-3, f"not the same work: {apart}"
    return single, stacked
