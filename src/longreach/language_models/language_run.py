"""One study of natural language in its directory: tokens, two models, what they do; each part done once."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from longreach.errors import InputError
from longreach.language_models.corpus import Corpus
from longreach.language_models.data_parallel import Workers
from longreach.language_models.influence import ThreeLosses, influential_tokens, three_losses
from longreach.language_models.language_network import LanguageNetwork
from longreach.language_models.language_settings import LanguageSettings, NetworkShape
from longreach.language_models.language_training import LanguageTrainer, train_language_model
from longreach.language_models.network_scorer import NetworkScorer
from longreach.language_models.text_perplexity import AtLength, perplexity_at
from longreach.language_models.text_tokenizer import (
    BytePairs,
    Bytes,
    TextTokenizer,
    read_tokenizer,
    write_tokenizer,
)
from longreach.language_models.token_file import TOKEN_BYTES, TokenFile, write_tokens
from longreach.results.atomic import write_atomically

NAMES = ("short", "long")
Stage = Callable[[str, int], Callable[[int], None]]
"""Told what begins and how long it is; gives what is told of each advance."""


@dataclass(frozen=True)
class LanguageFindings:
    """Table 1, and the losses behind Figures 4 and 6."""

    perplexity: dict[str, dict[int, AtLength]]
    """By model, by length of the inputs."""
    losses: dict[tuple[str, str], ThreeLosses]
    """By the model that predicts and the one that chose the influential tokens."""


class LanguageRun:
    """A directory, named after all that decides what is in it."""

    def __init__(self, settings: LanguageSettings, corpus: Corpus, runs: Path) -> None:
        self.settings = settings
        self.corpus = corpus
        stamp = [settings.model_dump_json(), *(f"{f.name}:{f.stat().st_size}" for f in corpus.files)]
        key = hashlib.sha256("\n".join(stamp).encode()).hexdigest()[:12]
        self.directory = runs / f"natural-language-{key}"

    @property
    def findings_file(self) -> Path:
        """Where the report is kept."""
        return self.directory / "findings.json"

    def prepare(self, stage: Stage) -> TextTokenizer:
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
            tokenizer = self._learned()
            write_tokenizer(path, tokenizer)
        for held_out, name in ((False, "train.bin"), (True, "test.bin")):
            if not (self.directory / name).exists():
                stage("reading the text", 0)
                write_tokens(self.directory / name, self.corpus.pieces(held_out), tokenizer)
        self._check_size()
        return tokenizer

    def _check_size(self) -> None:
        """Refuse too little text before anything is trained, rather than after it."""
        needed = self.settings.full + 1
        for name, part in (("train.bin", "for training"), ("test.bin", "held out")):
            count = (self.directory / name).stat().st_size // TOKEN_BYTES
            if count < needed:
                raise InputError(
                    f"{self.corpus.source}: the text {part} has {count} tokens, and a window needs {needed}"
                )

    def _learned(self) -> TextTokenizer:
        if self.settings.tokenizer == "bytes":
            return Bytes()
        pieces = (piece for text in self.corpus.pieces(False) for piece in text)
        return BytePairs.learned(pieces, self.settings.vocabulary)

    def train(
        self, name: str, vocabulary: int, *, device: torch.device, workers: Workers, stage: Stage
    ) -> LanguageNetwork:
        """One of the two models, trained to the end."""
        training = self.settings.training(name)
        trainer = LanguageTrainer(self.settings.shape(vocabulary), training, device=device, workers=workers)
        tokens = TokenFile(self.directory / "train.bin")
        advance = stage(f"training h_{name} (context {training.context})", training.steps)
        done = 0

        def told(step: int, loss: float) -> None:
            nonlocal done
            advance(step - done)
            done = step

        return train_language_model(trainer, tokens, self.directory / name, told=told, first=workers.first)

    def measure(self, networks: dict[str, LanguageNetwork], stage: Stage) -> LanguageFindings:
        """Perplexities and influential tokens on the held-out text."""
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
        return LanguageFindings(perplexity, losses)

    def keep(self, document: dict[str, Any]) -> None:
        """The report, beside what it was made of."""
        write_atomically(self.findings_file, json.dumps(document).encode())


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
