"""Steps of SimpleTask members from counts, against a loop over tokens as a user would write it.

The plain loop draws tokens, pads them, runs a module of PyTorch over all positions and lets Adam of PyTorch
take the step; with Hugging Face installed GPT-2 does the same beside it. All are steps of the paper: batch
1024, width 16, 256 hidden units, lengths up to N. Both sides use one thread, in turns, and the quicker half
of the pairs counts. The plain module has the engine's parameters: outputs are compared, too.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from benchmarks.harness import Row

if TYPE_CHECKING:
    from longreach.config.run import RunConfig

LENGTHS = (20, 50)
MEMBERS = 8
PAIRS = 6
OURS = 20
"""Steps of ours for each of theirs: else a step is too short to be timed."""


def _config(longest: int, seed: int = 0) -> RunConfig:
    from longreach.config.run import RunConfig

    fields = {"task": "simple-task:omega=4", "train_lengths": (1, longest), "test_lengths": ((99, 99),)}
    return RunConfig.read({**fields, "seed": seed})


def _stack(longest: int, members: int) -> Callable[[], list[float]]:
    from longreach.training.loop import start_run
    from longreach.training.stepping import StackedNumbers

    stacked = StackedNumbers([start_run(_config(longest, seed)) for seed in range(members)])
    return lambda: stacked.step()[0].tolist()


def _plain_loss(config: RunConfig) -> tuple[list[Any], Callable[[Any, Any], Any]]:
    """Parameters and outputs at all positions of a module, from tokens and their mask."""
    import torch

    from longreach.training.setup import counting_of, network_of

    shape = counting_of(config)
    start = network_of(config).initial(config.seed)
    named = {name: torch.nn.Parameter(value.clone()) for name, value in start.items()}

    def outputs(tokens: Any, lengths: Any) -> Any:
        stream = named["embedding"][tokens]
        parts = (stream @ named[f"0.{name}"].mT for name in ("query", "key", "value"))
        query, key, value = (part.unsqueeze(1) for part in parts)
        mixed = torch.nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, scale=1 / shape.width
        )
        stream = stream + mixed.squeeze(1)
        inner = torch.relu(stream @ named["0.in"].mT + named["0.in_bias"])
        found = (stream + inner @ named["0.out"].mT) @ named["output"].mT
        return found[torch.arange(len(tokens)), lengths - 1, 0]

    return list(named.items()), outputs


def _gpt2(config: RunConfig) -> tuple[list[Any], Callable[[Any, Any], Any]]:
    """The same of Hugging Face's GPT-2 with a linear output."""
    import torch
    import transformers

    longest = config.train_lengths.last
    shape = transformers.GPT2Config(
        vocab_size=3, n_positions=longest, n_embd=config.width, n_layer=1, n_head=1, n_inner=config.hidden,
        bos_token_id=None, eos_token_id=None,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
    )  # fmt: skip
    model, output = transformers.GPT2Model(shape).train(), torch.nn.Linear(config.width, 1)

    def outputs(tokens: Any, lengths: Any) -> Any:
        hidden = model(input_ids=tokens).last_hidden_state
        return output(hidden)[torch.arange(len(tokens)), lengths - 1, 0]

    return [*model.named_parameters(), *output.named_parameters()], outputs


def _loop(longest: int, make: Callable[[RunConfig], tuple[list[Any], Any]]) -> Callable[[], float]:
    """One step over tokens."""
    import numpy as np
    import torch

    from longreach.tasks.numbers import load_regression

    config = _config(longest)
    task, rng = load_regression(config.task), np.random.default_rng(0)
    named, outputs = make(config)
    embeds = [value for name, value in named if name.split(".")[0] in ("embedding", "wte", "wpe")]
    others = [value for name, value in named if name.split(".")[0] not in ("embedding", "wte", "wpe")]
    optimizer = torch.optim.Adam(
        [{"params": embeds, "lr": config.lr}, {"params": others, "lr": config.lr / config.width}]
    )

    def step() -> float:
        words = task.words(rng.integers(1, longest + 1, config.batch), rng)
        found = outputs(torch.from_numpy(words.tokens), torch.from_numpy(words.lengths))
        loss = (found - torch.from_numpy(words.targets[:, 0]).float()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return float(loss.item())

    return step


def _pace(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    """Seconds of a step of either side."""
    ours(), theirs()
    pairs = []
    for _ in range(PAIRS):
        start = time.perf_counter()
        for _ in range(OURS):
            ours()
        between = time.perf_counter()
        theirs()
        pairs.append(((between - start) / OURS, time.perf_counter() - between))
    quick = [sorted(side)[: PAIRS // 2] for side in zip(*pairs, strict=True)]
    mine, other = (sum(side) / len(side) for side in quick)
    return mine, other


def _loss_difference() -> float:
    """Of the engine's outputs and the plain module's, on the same sequences."""
    import numpy as np
    import torch

    from longreach.models.counting import CountTransformer
    from longreach.tasks.numbers import CountTask, load_regression
    from longreach.training.numbers import count_batch
    from longreach.training.setup import counting_of, network_of

    config, made = _config(50), network_of(_config(50))
    task = load_regression(config.task)
    assert isinstance(task, CountTask)
    words = task.words(np.random.default_rng(1).integers(1, 51, 1024), np.random.default_rng(2))
    _, outputs = _plain_loss(config)
    with torch.inference_mode():
        theirs = outputs(torch.from_numpy(words.tokens), torch.from_numpy(words.lengths))
        start = made.vector(made.initial(config.seed))[None]
        batch = count_batch([task.counted(words)], once=False)
        mine = CountTransformer(counting_of(config)).outputs(start, batch)[0]
    return float((mine - theirs).abs().max())


def rows() -> Iterator[Row]:
    import torch

    torch.set_num_threads(1)
    kinds: dict[str, Callable[[RunConfig], tuple[list[Any], Any]]] = {"plain loop over tokens": _plain_loss}
    if importlib.util.find_spec("transformers") is not None:
        kinds["Hugging Face GPT-2 loop"] = _gpt2
    for longest in LENGTHS:
        for kind, make in kinds.items():
            for members in (1, MEMBERS):
                mine, theirs = _pace(_stack(longest, members), _loop(longest, make))
                name = f"simple-task to {longest}, {members} side by side / {kind}"
                yield Row(name, members * theirs / mine, "×", "≥ 50" if longest == 50 else "")
    yield Row("simple-task: largest difference of outputs", _loss_difference() * 1e6, "·10⁻⁶", "≤ 10")
