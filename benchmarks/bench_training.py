"""Steps per second of the engine, one process per core, against a plain loop with as many threads as cores.

The plain loop pads every batch, computes all positions and uses PyTorch's modules: GPT-2 of transformers
where that is installed, otherwise this package's own module of the same shape.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.harness import Row

CASES: dict[str, tuple[str, dict[str, Any], int, str]] = {
    "binary-majority 1×16": ("binary-majority", {"compile": False}, 300, "≥ 2"),
    "binary-majority 1×16, compiled": ("binary-majority", {"compile": True}, 1000, "≥ 15"),
    "copy-unique 2×64": ("copy-unique", {}, 30, "≥ 2.5"),
    "sort 4×256": ("sort", {"layers": 4, "heads": 4, "width": 256}, 3, "≥ 2"),
    "sort 4×256, bfloat16": ("sort", {"layers": 4, "heads": 4, "width": 256, "dtype": "bfloat16"}, 3, "≥ 3"),
}


def _engine(task: str, given: dict[str, Any]) -> Callable[[], object]:
    from longreach.training.config import TrainConfig
    from longreach.training.engine import _Run

    run = _Run(TrainConfig.resolve(task, **given, test_size=1), None, None, 1e9)
    return run._step


def _plain(task: str, given: dict[str, Any]) -> Callable[[], object]:
    import torch
    import torch.nn.functional as F

    from longreach.training.config import TrainConfig
    from longreach.training.data import Batches, Streams

    config = TrainConfig.resolve(task, **{**given, "dtype": "float32", "compile": False}, test_size=1)
    model = _module(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr, weight_decay=config.weight_decay)
    batches, data = Batches(config), Streams(0).data

    def step() -> object:
        batch = batches.draw(data)
        logits = model(torch.from_numpy(batch.tokens), position_ids=torch.from_numpy(batch.position_ids))
        logits = getattr(logits, "logits", logits)
        mask = torch.from_numpy(batch.mask)
        loss = F.cross_entropy(logits[mask], torch.from_numpy(batch.targets)[mask])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), config.clip)
        optimizer.step()
        return loss.item()

    return step


def _module(config: Any) -> Any:
    try:
        import transformers
    except ModuleNotFoundError:
        from longreach.models.transformer import Decoder

        return Decoder(config.decoder)
    shape = config.decoder
    return transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            vocab_size=shape.vocabulary, n_positions=shape.positions, n_embd=shape.width,
            n_layer=shape.layers, n_head=shape.heads, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0,
        )
    )  # fmt: skip


def _measure(kind: str, case: str) -> float:
    """Steps per second of one process, without its first steps."""
    import torch

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    task, given, steps, _ = CASES[case]
    step = (_engine if kind == "engine" else _plain)(task, given)
    step()
    step()
    start = time.perf_counter()
    for _ in range(steps):
        step()
    return steps / (time.perf_counter() - start)


def _together(kind: str, case: str, processes: int, threads: int) -> float:
    """Steps per second of all processes at once."""
    from longreach.execution.environment import worker_environment

    base = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    threads_only = {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": "1"}
    environment = worker_environment(base, threads) if kind == "engine" else base | threads_only
    command = [sys.executable, "-m", "benchmarks.bench_training", kind, case]
    started = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    return sum(float(process.communicate()[0]) for process in started)


def rows() -> Iterator[Row]:
    from longreach.execution.environment import cores

    for case, (*_, wanted) in CASES.items():
        plain = _together("plain", case, 1, cores())
        engine = _together("engine", case, cores(), 1)
        yield Row(f"{case}: steps/s of the plain loop", plain, "/s", "")
        yield Row(f"{case}: engine on all cores / plain loop", engine / plain, "×", wanted)


if __name__ == "__main__":
    print(_measure(sys.argv[1], sys.argv[2]))
