"""Training for the study of natural language, on one process or several; each part is done once."""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from safetensors.torch import save as write_tensors
from torch import Tensor, distributed
from torch.nn import functional

from longreach.errors import InputError
from longreach.files import MODEL_BYTES, read_bytes, write_atomically
from longreach.inspection.perplexity import (
    AtLength,
    ThreeLosses,
    influential_tokens,
    perplexity_at,
    three_losses,
)
from longreach.inspection.texts import (
    TOKEN_BYTES,
    BytePairs,
    Bytes,
    Corpus,
    TextTokenizer,
    TokenFile,
    read_tokenizer,
    write_tokenizer,
    write_tokens,
)
from longreach.models.encodings import pose_ids
from longreach.studies.language_network import (
    LanguageNetwork,
    LanguageSettings,
    LanguageTraining,
    NetworkScorer,
    NetworkShape,
)
from longreach.studies.study import Stages


@dataclass(frozen=True)
class Workers:
    """The number of processes that train one model, and the rank of this one."""

    rank: int = 0
    count: int = 1

    @property
    def first(self) -> bool:
        """Whether this process writes files and reports progress."""
        return self.rank == 0

    def share(self, rows: int) -> slice:
        """The rows of a batch that are this process's."""
        return slice(self.rank, rows, self.count)

    def average(self, tensors: Iterable[Tensor | None], weight: float) -> None:
        """Replaces gradients by their mean over the processes, weighted by the rows that each has seen."""
        if self.count == 1:
            return
        present = [tensor for tensor in tensors if tensor is not None]
        flat = torch.cat([tensor.reshape(-1) * weight for tensor in present])
        distributed.all_reduce(flat)
        start = 0
        for tensor in present:
            tensor.copy_(flat[start : start + tensor.numel()].view_as(tensor))
            start += tensor.numel()

    def wait(self) -> None:
        if self.count > 1:
            distributed.barrier()


def join_workers(device: torch.device) -> Workers:
    """Join the processes started by `torchrun`, if any."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        return Workers()
    if not distributed.is_initialized():
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    return Workers(distributed.get_rank(), count)


def leave_workers() -> None:
    if distributed.is_available() and distributed.is_initialized():
        distributed.destroy_process_group()


# Training of a language model: windows of a token file, AdamW, a last phase with PoSE; it can go on.


MODEL, CHECKPOINT = "model.safetensors", "checkpoint.safetensors"
SECONDS_BETWEEN_CHECKPOINTS = 120.0
CLIP = 1.0
MICROBATCH = 64
"""Inputs that go through the model at once."""


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
        """Write everything needed to resume."""
        tensors = {f"model.{name}": value for name, value in self.network.state_dict().items()}
        for name, parameter in self.network.named_parameters():
            for key, value in self._optimizer.state[parameter].items():
                tensors[f"{key}.{name}"] = torch.as_tensor(value)
        kept = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
        about = {"step": str(self.step), "training": self.training.model_dump_json()}
        write_atomically(path, write_tensors(kept, about))

    def load(self, path: Path) -> None:
        """Resume from a checkpoint of the same training."""
        tensors, about = _read(path)
        if about.get("training") != self.training.model_dump_json():
            raise InputError(f"{path}: checkpoint of a different training")
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
    advance: Callable[[int], None] = lambda steps: None,
    first: bool = True,
) -> LanguageNetwork:
    """Train to the end, resuming from the last checkpoint in the directory, and write the model there.

    Only the first of several processes writes. `advance` is told of the steps that are done.
    """
    directory.mkdir(parents=True, exist_ok=True)
    finished, checkpoint = directory / MODEL, directory / CHECKPOINT
    if finished.exists():
        trainer.load(finished)
    elif checkpoint.exists():
        trainer.load(checkpoint)
    advance(trainer.step)
    saved = time.monotonic()
    while trainer.step < trainer.training.steps:
        loss = trainer.advance(tokens)
        if not math.isfinite(loss):
            raise InputError(f"the loss is {loss} at step {trainer.step}; a lower rate may help")
        advance(1)
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
        content = read_bytes(path, most=MODEL_BYTES)
        size = int.from_bytes(content[:8], "little")
        about = json.loads(content[8 : 8 + size]).get("__metadata__", {})
        return read_tensors(content), about
    except InputError:
        raise
    except (SafetensorError, ValueError) as error:
        raise InputError(f"{path}: is a damaged checkpoint ({error})") from None


# One study of natural language in its directory: tokens, two models, what they do; each part done once.


NAMES = ("short", "long")


class LanguageRun:
    """A directory named after a hash of everything that determines its contents."""

    def __init__(self, settings: LanguageSettings, corpus: Corpus, runs: Path) -> None:
        self.settings = settings
        self.corpus = corpus
        stamp = [settings.model_dump_json(), *(f"{f.name}:{f.stat().st_size}" for f in corpus.files)]
        key = hashlib.sha256("\n".join(stamp).encode()).hexdigest()[:12]
        self.directory = runs / f"natural-language-{key}"

    @property
    def findings_file(self) -> Path:
        return self.directory / "findings.json"

    def prepare(self, stage: Stages) -> TextTokenizer:
        """The tokenizer and the tokens, made once."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{self.directory}: cannot be created: {error.strerror}") from None
        path = self.directory / "tokenizer.json"
        if path.exists():
            tokenizer = read_tokenizer(path)
        else:
            stage("learning the tokenizer", 0)
            tokenizer = Bytes()
            if self.settings.tokenizer == "bpe":
                pieces = (piece for text in self.corpus.pieces(False) for piece in text)
                tokenizer = BytePairs.learned(pieces, self.settings.vocabulary)
            write_tokenizer(path, tokenizer)
        for held_out, name in ((False, "train.bin"), (True, "test.bin")):
            if not (self.directory / name).exists():
                stage("reading the text", 0)
                write_tokens(self.directory / name, self.corpus.pieces(held_out), tokenizer)
        needed = self.settings.full + 1
        for name, part in (("train.bin", "for training"), ("test.bin", "held out")):
            count = (self.directory / name).stat().st_size // TOKEN_BYTES
            if count < needed:  # refused before training starts
                raise InputError(
                    f"{self.corpus.source}: the text {part} has {count} tokens, and a window needs {needed}"
                )
        return tokenizer

    def train(
        self, name: str, vocabulary: int, *, device: torch.device, workers: Workers, stage: Stages
    ) -> LanguageNetwork:
        """Train one of the two models."""
        training = self.settings.training(name)
        trainer = LanguageTrainer(self.settings.shape(vocabulary), training, device=device, workers=workers)
        tokens = TokenFile(self.directory / "train.bin")
        advance = stage(f"training h_{name} (context {training.context})", training.steps)
        return train_language_model(
            trainer, tokens, self.directory / name, advance=advance, first=workers.first
        )

    def measure(
        self, networks: dict[str, LanguageNetwork], stage: Stages
    ) -> tuple[dict[str, dict[int, AtLength]], dict[tuple[str, str], ThreeLosses]]:
        """Table 1 and the losses behind Figures 4 and 6, on the held-out text.

        Perplexities are by model and length, losses by the model that predicts and the one that chose the
        influential tokens.
        """
        s = self.settings
        tokens = TokenFile(self.directory / "test.bin")
        scorers = {name: NetworkScorer(network) for name, network in networks.items()}
        perplexity: dict[str, dict[int, AtLength]] = {}
        for name, scorer in scorers.items():
            perplexity[name] = {}
            for length in (s.context, s.full):
                windows = tokens.in_order(length + 1, s.windows)
                advance = stage(f"perplexity of h_{name} at {length}", len(windows))
                perplexity[name][length] = perplexity_at(scorer, windows, advance)
        windows = tokens.in_order(s.full, s.examples)
        losses: dict[tuple[str, str], ThreeLosses] = {}
        for chooser in NAMES:
            advance = stage(f"influential tokens of h_{chooser}", len(windows))
            chosen = influential_tokens(
                scorers[chooser], windows, s.context, count=s.influential, advance=advance
            )
            for name in NAMES:
                losses[name, chooser] = three_losses(scorers[name], windows, s.context, chosen)
        return perplexity, losses


def estimated_seconds(settings: LanguageSettings) -> float:
    """How long one core computes here, from a step of a model of at most laptop size.

    Computing time is measured, not that of a clock on the wall: other work on the machine does not count.
    """
    shape = settings.shape(settings.vocabulary or Bytes.size)
    small = NetworkShape(
        layers=min(shape.layers, 4), heads=min(shape.heads, 4), width=min(shape.width, 192),
        vocabulary=min(shape.vocabulary, 2048),
    )  # fmt: skip
    rows, length = min(settings.batch, 32), settings.context
    network = LanguageNetwork(small)
    tokens = torch.zeros((rows, length), dtype=torch.long)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    seconds = []
    for _ in range(2):  # the first step also warms up
        began = time.process_time()
        network(tokens).logsumexp(-1).mean().backward()
        seconds.append(time.process_time() - began)
    torch.set_num_threads(threads)
    per_token = seconds[-1] / (rows * length) * shape.parameters / small.parameters
    trained = sum(
        training.batch * training.context * training.steps
        for training in (settings.training(name) for name in NAMES)
    )
    hidden = 2 * settings.examples * (settings.full - settings.context) * settings.full
    read = 2 * settings.windows * (settings.full + settings.context) + hidden
    return per_token * (trained + read / 3)  # without gradients a third
