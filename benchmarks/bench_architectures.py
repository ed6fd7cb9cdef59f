"""One step of each architecture, forward and backward, against the decoder's by automatic differentiation.

All have two layers of width 64 and read the same batch of 64 rows of 25 tokens. They step in turns, and the
quicker half of the rounds counts: other work on the machine disturbs it least.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from benchmarks.harness import Row

if TYPE_CHECKING:
    from torch import Tensor

VOCABULARY, BATCH, TIME = 8, 64, 25
SHAPE = {"layers": 2, "width": 64}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "lstm": ("recurrent:lstm", {}),
    "gru": ("recurrent:gru", {}),
    "rnn": ("recurrent:rnn", {}),
    "ssm": ("ssm:ssm", {}),
    "ssm-signed": ("ssm:ssm_signed", {}),
    "ssm-complex": ("ssm:ssm_complex", {}),
    "deltanet": ("deltanet:deltanet", {}),
    "deltanet, signed, 2 reflections": ("deltanet:deltanet", {"signed": True, "reflections": 2}),
    "hybrid": ("hybrid:hybrid", {}),
    "hybrid, deltanet": ("hybrid:hybrid", {"recurrence": "deltanet"}),
    "ssm, half of the states passed": ("ssm:ssm", {"state_passing": 0.5}),
}
ROUNDS = 24
WARM = 3


def rows() -> Iterator[Row]:
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    tokens = torch.randint(VOCABULARY, (BATCH, TIME))
    steps = {"decoder": _decoder(tokens)}
    for name, (code, options) in CASES.items():
        steps[name] = _module(code, options, tokens)
    seconds = _seconds(steps)
    for name in CASES:
        yield Row(f"2×64, {name}: step / decoder's step", seconds[name] / seconds["decoder"], "×", "≤ 3")


def _decoder(tokens: Tensor) -> Callable[[], object]:
    from longreach.config.model import ModelConfig
    from longreach.models.decoder import forward, initialise

    config = ModelConfig(**SHAPE, heads=4, vocabulary=VOCABULARY, positions=TIME, encoding="ape")
    parameters = {name: value.requires_grad_() for name, value in initialise(config, 0).items()}
    return partial(_step, lambda: forward(parameters, config, tokens), list(parameters.values()), tokens)


def _module(code: str, options: dict[str, Any], tokens: Tensor) -> Callable[[], object]:
    from torch.func import functional_call

    module, _, name = code.partition(":")
    make = getattr(import_module(f"longreach.models.{module}"), name)
    made = make(vocabulary=VOCABULARY, positions=TIME, **SHAPE, **options)
    parameters = dict(made.named_parameters())
    return partial(
        _step, lambda: functional_call(made, parameters, (tokens,)), list(parameters.values()), tokens
    )


def _step(logits: Callable[[], Tensor], parameters: list[Tensor], tokens: Tensor) -> None:
    import torch

    loss = torch.nn.functional.cross_entropy(logits().flatten(0, 1), tokens.flatten())
    torch.autograd.grad(loss, parameters)


def _seconds(steps: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Of the processor, per step."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for number in range(WARM + ROUNDS):
        for name, step in steps.items():
            start = time.process_time()
            step()
            if number >= WARM:
                times[name].append(time.process_time() - start)
    return {name: sum(sorted(each)[: ROUNDS // 2]) / (ROUNDS // 2) for name, each in times.items()}
