"""Steps per second of the engine, one process per core, against Hugging Face GPT-2 with all cores.

The plain loop is what a user would write: padded batches, logits everywhere, AdamW, clipping, a schedule. The
Trainer does the same work on the same batches. Losses are compared too, so that it is the same work.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from benchmarks.harness import Row, best_time

if TYPE_CHECKING:
    from longreach.config.run import RunConfig
    from longreach.training.loop import Trainer

LARGE = {"layers": 4, "heads": 4, "width": 256, "lr": 1e-4}
CASES: dict[str, tuple[str, dict[str, Any], int, str]] = {
    "binary-majority 1×16": ("binary-majority", {"compile": False}, 300, ""),
    "binary-majority 1×16, compiled": ("binary-majority", {"compile": True}, 1500, "≥ 25"),
    "copy-unique 2×64": ("copy-unique", {}, 24, "≥ 4"),
    "sort 4×256": ("sort", LARGE, 3, "≥ 2.5"),
    "sort 4×256, bfloat16": ("sort", {**LARGE, "dtype": "bfloat16"}, 3, "≥ 4"),
}
ROUNDS = 2
"""Both sides are measured in turns, and the best of each counts: other work disturbs it least."""
COMPARED_STEPS = 50
PAIRS = 8


def _config(case: str) -> RunConfig:
    from longreach.runs.resolve import resolve

    task, given, *_ = CASES[case]
    return resolve(task, scale="paper", **given, test_size=1)


def _trainer_of(config: RunConfig) -> Trainer:
    from longreach.training.loop import Trainer, start_run

    return Trainer([start_run(config)], 1e9)


def _plain_config(case: str) -> RunConfig:
    return _config(case).model_copy(update={"dtype": "float32", "compile": False})


def _module(config: RunConfig) -> Any:
    """GPT-2 with the parameters that the engine starts from."""
    from longreach.models.huggingface import to_module
    from longreach.training.setup import decoder_of

    (run,) = _trainer_of(config).stepper.runs
    return to_module(run.network.named(run.state.vector), decoder_of(config))


def _plain(config: RunConfig) -> Callable[[], float]:
    """One step of a loop as a user would write it; it returns the loss."""
    import torch
    import torch.nn.functional as F

    from longreach.training.batches import Batches, Streams
    from longreach.training.steps import learning_rate

    model = _module(config).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr, weight_decay=config.weight_decay)
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: learning_rate(config, step) / config.lr)
    batches, number = Batches(config, Streams(config.seed).data), 0

    def step() -> float:
        nonlocal number
        batch, number = batches.whole(number), number + 1
        logits = model(
            input_ids=torch.from_numpy(batch.tokens), position_ids=torch.from_numpy(batch.position_ids)
        ).logits
        mask = torch.from_numpy(batch.mask)
        loss = F.cross_entropy(logits[mask], torch.from_numpy(batch.targets)[mask])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), config.clip)
        optimizer.step()
        rate.step()
        return loss.item()

    return step


def _trainer(config: RunConfig, steps: int) -> float:
    """Steps per second of transformers' Trainer on the same batches."""
    import tempfile

    import torch
    import transformers

    from longreach.training.batches import Batches, Streams

    batches = Batches(config, Streams(config.seed).data)

    class Drawn(torch.utils.data.IterableDataset):  # type: ignore[type-arg]
        def __iter__(self) -> Iterator[dict[str, Any]]:
            for number in range(10**9):
                batch = batches.whole(number)
                for row in range(len(batch)):
                    labels = batch.targets[row].copy()
                    labels[~batch.mask[row]] = -100
                    yield {
                        "input_ids": batch.tokens[row], "position_ids": batch.position_ids[row],
                        "labels": labels,
                    }  # fmt: skip

    def loss(outputs: Any, labels: Any, **_: Any) -> Any:
        return torch.nn.functional.cross_entropy(outputs.logits.flatten(0, 1), labels.flatten())

    with tempfile.TemporaryDirectory() as directory:
        options = transformers.TrainingArguments(
            directory, max_steps=steps, per_device_train_batch_size=config.batch, learning_rate=config.lr,
            weight_decay=config.weight_decay, max_grad_norm=config.clip, report_to="none", use_cpu=True,
            save_strategy="no", logging_strategy="no", disable_tqdm=True, dataloader_num_workers=0,
        )  # fmt: skip
        trainer = transformers.Trainer(
            _module(config), options, train_dataset=Drawn(), compute_loss_func=loss
        )
        start = time.perf_counter()
        trainer.train()
        return steps / (time.perf_counter() - start)


def _measure(kind: str, case: str) -> float:
    """Steps per second of one process, without its first steps."""
    import torch

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    steps = CASES[case][2]
    if kind == "sampling":
        return _sampling(case)
    if kind == "trainer":
        return _trainer(_plain_config(case), max(3, steps // 4))
    step: Callable[[], object] = (
        _trainer_of(_config(case)).step if kind == "engine" else _plain(_plain_config(case))
    )
    for _ in range(3):
        step()
    count = steps if kind == "engine" else max(3, steps // 5)
    return count / best_time(lambda: [step() for _ in range(count)], 1)


def _together(kind: str, case: str, processes: int, threads: int) -> float:
    """Steps per second of all processes at once."""
    from longreach.execution.local import worker_environment

    base = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    threads_only = {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": "1"}
    own = kind in ("engine", "sampling")
    environment = worker_environment(base, threads) if own else base | threads_only
    command = [sys.executable, "-m", "benchmarks.bench_training", kind, case]
    started = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    return sum(float(process.communicate()[0].split()[-1]) for process in started)


def _loss_difference(case: str) -> float:
    """The largest difference of the losses of the first steps."""
    config = _config(case)
    plain, trainer = _plain(config), _trainer_of(config)
    (run,) = trainer.stepper.runs
    largest = 0.0
    for _ in range(COMPARED_STEPS):
        trainer.step()
        mine, run.losses = run.losses[0], (0.0, 0)
        largest = max(largest, abs(mine - plain()))
    return largest


def _products(config: RunConfig) -> float:
    """The floating-point operations of matrix products in a step, on average."""
    from torch.utils.flop_counter import FlopCounterMode

    from longreach.training.loop import start_run
    from longreach.training.stepping import Alone

    run = Alone(start_run(config.model_copy(update={"compile": False, "dtype": "float32"})))
    run.by_hand, run.parts = None, 4
    with FlopCounterMode(display=False) as counter:
        for _ in range(8):
            run.step()
    return counter.get_total_flops() / 8


def _peak(dtype: str, size: int = 1024) -> float:
    """The operations per second of products of this size on one core."""
    import torch

    torch.set_num_threads(1)
    one = torch.randn(size, size).to(getattr(torch, dtype))
    one @ one
    return 2 * size**3 / best_time(lambda: one @ one)


def _sampling(case: str) -> float:
    """The share of a step's time in which its batch is made; the quicker half of several pairs counts."""
    from longreach.training.batches import BLOCK, Batches, Streams
    from longreach.training.steps import fixed_shape

    trainer = _trainer_of(_config(case))
    (run,) = trainer.stepper.runs
    shape = fixed_shape(run.config) if run.is_compiled else None
    batches = Batches(run.config, Streams(1).data, shape)
    take = batches.fixed if run.is_compiled else batches.packed
    times: list[tuple[float, float]] = []
    for block in range(1 + PAIRS):
        start = time.process_time()
        for number in range(BLOCK):
            take(block * BLOCK + number)
        drawn = time.process_time()
        for _ in range(BLOCK):
            trainer.step()
        times.append((drawn - start, time.process_time() - drawn))
    quick = sorted(times[1:], key=sum)[: PAIRS // 2]
    return sum(draw for draw, _ in quick) / sum(step for _, step in quick)


def rows() -> Iterator[Row]:
    from longreach.execution.local import cores

    for name in ("transformers", "accelerate"):
        if importlib.util.find_spec(name) is None:
            sys.exit(f"bench_training compares with {name}, which is missing: make bench installs it")
    # Processors without instructions for it take minutes for what others do in a second.
    ratio = _peak("bfloat16", 128) / _peak("float32", 128)
    yield Row("bfloat16 / float32 products (below 1 no steps in bfloat16)", ratio, "×", "")
    for case, (*_, wanted) in CASES.items():
        config = _config(case)
        if config.dtype == "bfloat16" and ratio < 1:
            continue
        plain = engine = 0.0
        for _ in range(ROUNDS):
            plain = max(plain, _together("plain", case, 1, cores()))
            engine = max(engine, _together("engine", case, cores(), 1))
        yield Row(f"{case}: engine / plain GPT-2 loop, all cores", engine / plain, "×", wanted)
        share = engine * _products(config) / (cores() * _peak(config.dtype))
        yield Row(f"{case}: products / peak of {config.dtype} products", 100 * share, "%", "")
        if config.dtype == "bfloat16" or config.compile:
            continue
        trainer = _together("trainer", case, 1, cores())
        yield Row(f"{case}: engine / Trainer, all cores", engine / trainer, "×", "")
        if config.width < 256:
            difference = _loss_difference(case)
            yield Row(f"{case}: largest loss difference, 50 steps", difference * 1e6, "·10⁻⁶", "≤ 100")
    for case in ("binary-majority 1×16, compiled", "copy-unique 2×64"):
        share = _together("sampling", case, 1, 1)
        yield Row(f"{case}: share of sampling in a step", 100 * share, "%", "< 10")


if __name__ == "__main__":
    print(_measure(sys.argv[1], sys.argv[2]))
