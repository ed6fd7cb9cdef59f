"""Steps of the engine on one core: the gradient by hand against automatic differentiation over chunks.

Attention other than softmax is compared with APE as well, both differentiated or both by hand.

All sides take the same steps on the same batches in turns, and the quicker half of the turns counts: other
work on the machine disturbs it least. The share of the peak counts the operations of matrix products that the
model needs without padding.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from benchmarks.harness import Row

if TYPE_CHECKING:
    from longreach.training.stepping import Alone

LANGUAGE = "regex:(ab|ba|c)*"
SHAPES = {
    "2×64": {"layers": 2, "heads": 4, "width": 64},
    "2×32": {"layers": 2, "heads": 4, "width": 32},
    "1×32": {"layers": 1, "heads": 4, "width": 32},
}
CASES = [
    (shape, task, encoding, longest)
    for shape, task, encodings, lengths in (
        ("2×64", LANGUAGE, ("ape", "nope"), (20, 50)),
        ("2×64", LANGUAGE, ("alibi", "rope", "stick-breaking"), (20,)),
        ("2×64", "copy-unique", ("ape",), (20,)),
        ("2×32", LANGUAGE, ("ape",), (20, 50)),
        ("1×32", LANGUAGE, ("ape",), (20, 50)),
    )
    for encoding in encodings
    for longest in lengths
]
BESIDE_APE = {
    "differentiated": ("rope", "window", "fox", "stick-breaking", "reach", "cope"),
    "by hand": ("rope", "stick-breaking", "reach"),
}
PAIRS = 24
WARM = 3


def rows() -> Iterator[Row]:
    import torch

    torch.set_num_threads(1)
    for shape, task, encoding, longest in CASES:
        given = {**SHAPES[shape], "train_lengths": (1, longest), "compile": False, "test_size": 1}
        wanted = "≥ 1.7" if (shape, task) == ("2×64", LANGUAGE) else "> 1"
        plain, hand = _seconds(task, encoding, given)
        kind = "a language" if task == LANGUAGE else task
        name = f"{shape}, {kind}, {encoding}, to {longest}"
        yield Row(f"{name}: by hand / differentiated", plain / hand, "×", wanted)
        if shape == "2×64" and task == LANGUAGE and encoding in ("ape", "nope"):
            share = _products(task, encoding, given) / hand / _peak()
            yield Row(f"{name}: products / peak of products", 100 * share, "%", "")

    given = {**SHAPES["2×64"], "train_lengths": (1, 20), "compile": False, "test_size": 1}
    for way in BESIDE_APE:
        for encoding, ratio in _beside_ape(given, way).items():
            name = f"2×64, a language, {encoding}, to 20: {way} / ape {way}"
            yield Row(name, ratio, "×", "≤ 1.2" if encoding in ("stick-breaking", "reach") else "")


def _beside_ape(given: dict[str, Any], way: str) -> dict[str, float]:
    """By encoding, the time of a step by that of APE on the same words."""
    names = ("ape", *BESIDE_APE[way])
    runs = [_alone(LANGUAGE, name, given) for name in names]
    for run in runs:
        assert run.by_hand is not None or way == "differentiated"
        run.by_hand = run.by_hand if way == "by hand" else None
    times = []
    for number in range(WARM + PAIRS):
        turn = []
        for run in runs:
            start = time.process_time()
            run.step()
            turn.append(time.process_time() - start)
        if number >= WARM:
            times.append(turn)
    quick = sorted(times, key=sum)[: PAIRS // 2]
    base, *others = (sum(side) for side in zip(*quick, strict=True))
    return {name: other / base for name, other in zip(names[1:], others, strict=True)}


def _alone(task: str, encoding: str, given: dict[str, Any]) -> Alone:
    from longreach.runs.resolve import resolve
    from longreach.training.loop import start_run
    from longreach.training.stepping import Alone

    return Alone(start_run(resolve(task, encoding, **given)))


def _seconds(task: str, encoding: str, given: dict[str, Any]) -> tuple[float, float]:
    """Of the processor, per step: by automatic differentiation, and by hand."""
    runs = [_alone(task, encoding, given) for _ in range(2)]
    assert runs[1].by_hand is not None
    runs[0].by_hand = None
    times = []
    for number in range(WARM + PAIRS):
        pair = []
        for run in runs:
            start = time.process_time()
            run.step()
            pair.append(time.process_time() - start)
        if number >= WARM:
            times.append(pair)
    apart = float((runs[0].runs[0].state.vector - runs[1].runs[0].state.vector).abs().max())
    assert apart < 1e-2, f"not the same work: {apart}"
    quick = sorted(times, key=sum)[: PAIRS // 2]
    plain, hand = (sum(side) / len(quick) for side in zip(*quick, strict=True))
    return plain, hand


def _products(task: str, encoding: str, given: dict[str, Any]) -> float:
    """The floating-point operations of matrix products in a step, each row as long as it is."""
    from torch.utils.flop_counter import FlopCounterMode

    run = _alone(task, encoding, given)
    run.by_hand, run.parts = None, run.runs[0].config.batch
    with FlopCounterMode(display=False) as counter:
        for _ in range(4):
            run.step()
    return counter.get_total_flops() / 4


def _peak() -> float:
    """The operations per second of large products on one core."""
    import torch

    one = torch.randn(1024, 1024)
    times = []
    for _ in range(9):
        start = time.process_time()
        one @ one
        times.append(time.process_time() - start)
    return 2 * 1024**3 / min(times)
