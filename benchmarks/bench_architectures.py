"""One step of each architecture against the decoder's, and training of modules against a plain loop.

All have two layers of width 64 and read the same batch of 64 rows of 25 tokens, forward and backward; the
decoder by automatic differentiation. The plain loop is what a user would write for the very same module:
padded batches, logits everywhere, AdamW, clipping, a schedule. It sees the batches that the Trainer sees, and
the losses are compared, so that it is the same work.

All step in turns, and the quicker half of the rounds counts: other work on the machine disturbs it least.
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

    from longreach.config.run import RunConfig
    from longreach.training.loop import Trainer

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
OWN = f"{__name__}:make"
TRAINED: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "lstm 2×64": ("lstm", {"width": 64}, {}),
    "lstm 2×16": ("lstm", {"width": 16}, {}),
    "gru 2×64": ("gru", {"width": 64}, {}),
    "an own module 2×64": (OWN, {}, {"width": 64}),
    "an own module 2×16": (OWN, {}, {"width": 16}),
}
"""The architecture, settings of the run, and options of the module."""
COMPARED_STEPS = 50


def make(*, vocabulary: int, positions: int, width: int = 32, layers: int = 2) -> Any:
    """Causal convolutions, as a user would write them."""
    import torch
    from torch import nn

    class Convolutions(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(vocabulary, width)
            self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
            self.mixers = nn.ModuleList(
                nn.Conv1d(width, width, 4, dilation=4**layer) for layer in range(layers)
            )
            self.out = nn.Linear(width, vocabulary)

        def forward(self, ids: Tensor) -> Tensor:
            y = self.embedding(ids)
            for layer, (norm, mixer) in enumerate(zip(self.norms, self.mixers, strict=True)):
                before = nn.functional.pad(norm(y).transpose(1, 2), (3 * 4**layer, 0))
                y = y + torch.relu(mixer(before)).transpose(1, 2)
            logits: Tensor = self.out(y)
            return logits

    return Convolutions()


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
    for name in TRAINED:
        config = _config(name)
        difference = loss_difference(config)
        yield Row(f"{name}: largest loss difference, 50 steps", difference * 1e6, "·10⁻⁶", "≤ 100")
        seconds = _seconds({"plain": _plain(config), "engine": _trainer(config).step})
        ratio = seconds["plain"] / seconds["engine"]
        yield Row(f"parity to 50, {name}: engine / plain loop", ratio, "×", "≥ 1")


def _config(name: str, **given: Any) -> RunConfig:
    from longreach.runs.resolve import resolve

    architecture, settings, options = TRAINED[name]
    fixed = {"scale": "paper", "test_size": 1, "model_options": options}
    return resolve("parity", architecture=architecture, **{**fixed, **settings, **given})


def _trainer(config: RunConfig) -> Trainer:
    from longreach.training.loop import Trainer, start_run

    return Trainer([start_run(config)], 1e9)


def _plain(config: RunConfig) -> Callable[[], float]:
    """One step of a loop as a user would write it; it returns the loss."""
    import torch

    from longreach.models.module import factory
    from longreach.training.batches import Batches, Streams
    from longreach.training.setup import model_of
    from longreach.training.steps import learning_rate

    shape, streams = model_of(config), Streams(config.seed)
    torch.manual_seed(streams.initial)
    model = factory(shape.architecture)(
        vocabulary=shape.vocabulary, positions=shape.positions, **shape.options
    ).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr, weight_decay=config.weight_decay)
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: learning_rate(config, step) / config.lr)
    batches, number = Batches(config, streams.data), 0

    def step() -> float:
        nonlocal number
        batch, number = batches.whole(number), number + 1
        logits, mask = model(torch.from_numpy(batch.tokens)), torch.from_numpy(batch.mask)
        loss = torch.nn.functional.cross_entropy(logits[mask], torch.from_numpy(batch.targets)[mask])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), config.clip)
        optimizer.step()
        rate.step()
        return loss.item()

    return step


def loss_difference(config: RunConfig, steps: int = COMPARED_STEPS) -> float:
    """The largest difference of the losses of the first steps."""
    plain, trainer = _plain(config), _trainer(config)
    (run,) = trainer.stepper.runs
    largest = 0.0
    for _ in range(steps):
        trainer.step()
        largest = max(largest, abs(run.last_loss - plain()))
    return largest


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
