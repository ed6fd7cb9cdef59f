"""Training of a language model: windows of a token file, AdamW, a last phase with PoSE; it can go on."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from safetensors.torch import save as write_tensors
from torch import Tensor
from torch.nn import functional

from longreach.errors import InputError
from longreach.language_models.data_parallel import Workers
from longreach.language_models.language_network import LanguageNetwork
from longreach.language_models.language_settings import LanguageTraining, NetworkShape
from longreach.language_models.token_file import TokenFile
from longreach.models.position_ids import pose_ids
from longreach.results.atomic import write_atomically

MODEL, CHECKPOINT = "model.safetensors", "checkpoint.safetensors"
SECONDS_BETWEEN_CHECKPOINTS = 120.0
CLIP = 1.0
MICROBATCH = 64
"""Inputs that go through the model at once."""

Told = Callable[[int, float], None]
"""The steps that are done, and the loss of the last one."""


def learning_rate(training: LanguageTraining, step: int) -> float:
    """Up in a line, then down along a cosine to a tenth.

    >>> training = LanguageTraining(context=8, batch=1, steps=100, pose_steps=0, longest=8, rate=1, warmup=10)
    >>> [round(learning_rate(training, step), 2) for step in (0, 9, 55, 99)]
    [0.1, 1.0, 0.55, 0.1]
    """
    if step < training.warmup:
        return training.rate * (step + 1) / training.warmup
    done = (step - training.warmup) / max(1, training.steps - training.warmup)
    return training.rate * (0.1 + 0.45 * (1 + math.cos(math.pi * done)))


def batch_of(training: LanguageTraining, tokens: TokenFile, step: int) -> tuple[Tensor, Tensor]:
    """The windows of a step, one token longer than the context, and the ids of their inputs.

    They depend on the seed and the step alone: a training that goes on sees what it would have seen.
    """
    rng = np.random.default_rng([training.seed, step])
    windows = tokens.drawn(training.batch, training.context + 1, rng)
    if step >= training.steps - training.pose_steps:
        lengths = np.full(training.batch, training.context)
        ids = pose_ids(lengths, training.context, training.longest, rng)
    else:
        ids = np.broadcast_to(np.arange(training.context), (training.batch, training.context)).copy()
    return torch.from_numpy(windows), torch.from_numpy(ids)


class LanguageTrainer:
    """One model in training."""

    def __init__(
        self,
        shape: NetworkShape,
        training: LanguageTraining,
        *,
        device: torch.device = torch.device("cpu"),  # noqa: B008 (a constant)
        workers: Workers = Workers(),  # noqa: B008 (frozen)
    ) -> None:
        self.training = training
        self.step = 0
        self.network = LanguageNetwork(shape, training.seed).to(device)
        self._device = device
        self._workers = workers
        # Without weight decay, as in Golowich et al., arXiv 2502.16792, Table 5.
        self._optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=training.rate, betas=(0.9, 0.95), weight_decay=0.0
        )

    def advance(self, tokens: TokenFile) -> float:
        """One step; the mean loss of this process's part of the batch."""
        windows, ids = batch_of(self.training, tokens, self.step)
        rows = self._workers.share(self.training.batch)
        mine, own_ids = windows[rows], ids[rows]
        self._optimizer.zero_grad()
        total = 0.0
        for start in range(0, len(mine), MICROBATCH):
            part = mine[start : start + MICROBATCH].to(self._device)
            logits = self.network(part[:, :-1], own_ids[start : start + MICROBATCH].to(self._device))
            loss = functional.cross_entropy(logits.flatten(0, 1), part[:, 1:].flatten())
            share = len(part) / len(mine)
            (loss * share).backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach()) * share
        parameters = list(self.network.parameters())
        self._workers.average([p.grad for p in parameters], len(mine) / self.training.batch)
        torch.nn.utils.clip_grad_norm_(parameters, CLIP)
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate(self.training, self.step)
        self._optimizer.step()
        self.step += 1
        return total

    def save(self, path: Path) -> None:
        """All that is needed to go on."""
        tensors = {f"model.{name}": value for name, value in self.network.state_dict().items()}
        for name, parameter in self.network.named_parameters():
            for key, value in self._optimizer.state[parameter].items():
                tensors[f"{key}.{name}"] = torch.as_tensor(value)
        kept = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
        about = {"step": str(self.step), "training": self.training.model_dump_json()}
        write_atomically(path, write_tensors(kept, about))

    def load(self, path: Path) -> None:
        """Go on from a checkpoint of the same training."""
        tensors, about = _read(path)
        if about.get("training") != self.training.model_dump_json():
            raise InputError(f"{path}: is a checkpoint of another training")
        try:
            state = {n.removeprefix("model."): t for n, t in tensors.items() if n.startswith("model.")}
            self.network.load_state_dict(state)
            self.step = int(about["step"])
            if self.step:
                for name, parameter in self.network.named_parameters():
                    self._optimizer.state[parameter] = {
                        "step": tensors[f"step.{name}"],
                        "exp_avg": tensors[f"exp_avg.{name}"].to(self._device),
                        "exp_avg_sq": tensors[f"exp_avg_sq.{name}"].to(self._device),
                    }
        except (RuntimeError, KeyError, ValueError) as error:
            raise InputError(
                f"{path}: is a damaged checkpoint ({' '.join(str(error).split())[:200]})"
            ) from None


def train_language_model(
    trainer: LanguageTrainer,
    tokens: TokenFile,
    directory: Path,
    *,
    told: Told | None = None,
    first: bool = True,
) -> LanguageNetwork:
    """Trains to the end, from the last checkpoint in the directory on, and leaves the model there.

    Only the first of several processes writes.
    """
    directory.mkdir(parents=True, exist_ok=True)
    finished, checkpoint = directory / MODEL, directory / CHECKPOINT
    if finished.exists():
        trainer.load(finished)
    elif checkpoint.exists():
        trainer.load(checkpoint)
    saved = time.monotonic()
    while trainer.step < trainer.training.steps:
        loss = trainer.advance(tokens)
        if not math.isfinite(loss):
            raise InputError(f"the loss is {loss} at step {trainer.step}; a lower rate may help")
        if told is not None:
            told(trainer.step, loss)
        if first and time.monotonic() - saved > SECONDS_BETWEEN_CHECKPOINTS:
            trainer.save(checkpoint)
            saved = time.monotonic()
    if first and not finished.exists():
        trainer.save(finished)
        checkpoint.unlink(missing_ok=True)
    return trainer.network


def _read(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors of a file and the texts in its header."""
    try:
        content = path.read_bytes()
        size = int.from_bytes(content[:8], "little")
        about = json.loads(content[8 : 8 + size]).get("__metadata__", {})
        return read_tensors(content), about
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (SafetensorError, ValueError) as error:
        raise InputError(f"{path}: is a damaged checkpoint ({error})") from None
