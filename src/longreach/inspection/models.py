"""What is inspected: a run, a checkpoint of ours, or a Hugging Face directory.

Only safetensors are read, nothing is fetched, and a file names no code that is run: a task that stands in a
module or a file of its own is loaded when the caller names it, not because a result does.

Attention of models that another library runs is read from the implementation that returns it, and it is
checked that it did.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from longreach.config.architectures import architecture_row
from longreach.config.model import Model, ModelConfig
from longreach.config.run import RunConfig
from longreach.errors import Argument, Field, InputError, MissingExtra
from longreach.files import read_bytes, read_json, read_text
from longreach.models import huggingface
from longreach.models.parameters import Parameters
from longreach.tasks.catalog import load_argument
from longreach.tasks.names import has_numbers
from longreach.tasks.task import Batch, Task
from longreach.theory.limit.model import Array
from longreach.theory.names import TaskName
from longreach.training.checkpoint import MODEL, load_model
from longreach.training.result import RESULT, Result, read_file

MOST_POSITIONS = 1024
"""Of a model without a task, so many are looked at."""
RANDOM_ROWS, RANDOM_LENGTH = 4, 128


@dataclass(frozen=True, eq=False, kw_only=True)
class Subject:
    """A decoder, and what is known of how it was trained."""

    name: str
    kind: Literal["run", "checkpoint", "gpt2"]
    config: ModelConfig
    parameters: Parameters
    training: RunConfig | None = None
    result: Result | None = None
    task: Task | None = None
    task_name: str | None = None
    remarks: tuple[str, ...] = ()

    @property
    def trained_to(self) -> int | None:
        """The longest input of the training range, if that is known."""
        return None if self.training is None else self.training.train_lengths.last

    @property
    def trained_size(self) -> int | None:
        """The same in tokens, separators included: the largest distance between positions in training."""
        if self.training is None or self.task is None:
            return None
        return self.task.input_size(int(self.task.lengths(*self.training.train_lengths)[-1]))


@dataclass(frozen=True, eq=False, kw_only=True)
class OutsideModel:
    """A Hugging Face directory that another library runs."""

    path: Path
    document: dict[str, Any]
    """Its configuration."""

    @property
    def name(self) -> str:
        return self.path.name or str(self.path)

    @property
    def architecture(self) -> str:
        return str(self.document["model_type"])


def open_model(
    path: str | Path,
    task: str | None = None,
    *,
    alphabet: tuple[str, ...] | None = None,
    encoding: str | None = None,
) -> Subject | OutsideModel:
    """What lies at a path; `task` is what the model learned, `encoding` its own one, if it is code.

    >>> open_model("no/such/model")
    Traceback (most recent call last):
    longreach.errors.InputError: model: no/such/model: no such file or directory
    """
    where = Path(path)
    if not where.exists():
        raise InputError(f"{path}: no such file or directory", place=Argument("model"))
    if where.is_file() and where.name != MODEL:
        raise InputError(f"{path}: expected a directory or a {MODEL}", place=Argument("model"))
    folder = where if where.is_dir() else where.parent
    document = _huggingface_document(folder)
    if document is not None and not (folder / RESULT).exists():
        if task is None and document.get("model_type") != "gpt2":
            return OutsideModel(path=folder, document=document)
        config, parameters = huggingface.load(folder)
        parameters = {name: value.float() for name, value in parameters.items()}
        found = Subject(name=folder.name, kind="gpt2", config=config, parameters=parameters)
        return _with_task(found, task, alphabet)
    if not (folder / MODEL).is_file():
        raise InputError(f"{folder}: no {MODEL} there", place=Argument("model"))
    parameters, model, result, training = read_run(folder, encoding=encoding)
    lack = architecture_row(model.architecture).lacks("inspected")
    if lack is not None or not isinstance(model, ModelConfig):
        raise InputError(f"{folder}: {lack}", place=Argument("model"))
    found = Subject(
        name=folder.resolve().name,
        kind="checkpoint" if result is None else "run",
        config=model,
        parameters=parameters,
        training=training,
        result=result,
    )
    if task is None and training is not None:
        name = TaskName(training.task)
        if name.is_attribute or name.is_session or (name.is_file and not name.is_text):
            remark = f"the run's task, {name.short}, is not loaded from a result; pass it with --task"
            return replace(found, remarks=(remark,))
        task, alphabet = training.task, training.alphabet
    return _with_task(found, task, alphabet)


def read_run(
    folder: Path, argument: str = "model", *, encoding: str | None = None
) -> tuple[Parameters, Model, Result | None, RunConfig | None]:
    """The parameters and the shape in a directory, and how they were trained if a result says so."""
    path = folder / RESULT
    result = read_file(path.resolve()) if path.exists() else None
    task = None if result is None else result.config.get("task")
    if isinstance(task, str) and has_numbers(task):
        raise InputError(f"{folder}: {task} has numbers as answers", place=Argument(argument))
    training = None if result is None else RunConfig.read(result.config)
    return *load_model(folder / MODEL, encoding), result, training


def read_task(name: str, alphabet: tuple[str, ...] | None, model: Model) -> Task:
    """A task by its name, if the model can have learned it."""
    if has_numbers(name):
        reason = f"{name}: answers are numbers; only models that predict tokens can be inspected"
        raise InputError(reason, place=Field("task"))
    task = load_argument(name, alphabet)
    if len(task.tokens) != model.vocabulary:
        reason = f"{name} has {len(task.tokens)} tokens, the model {model.vocabulary}"
        raise InputError(reason, place=Field("task"))
    return task


def _with_task(found: Subject, task: str | None, alphabet: tuple[str, ...] | None) -> Subject:
    if task is None:
        return found
    return replace(found, task=read_task(task, alphabet, found.config), task_name=task)


def _huggingface_document(folder: Path) -> dict[str, Any] | None:
    """`config.json`, if it is Hugging Face's."""
    path = folder / huggingface.CONFIG
    if not path.is_file():
        return None
    try:
        document = read_json(read_bytes(path), str(path))
    except InputError as error:
        raise error.at(Argument("model")) from None
    if isinstance(document, dict) and isinstance(document.get("model_type"), str):
        return document
    if isinstance(document, dict) and "period" in document:
        reason = "a limit transformer; `longreach limit info` describes it"
        raise InputError(f"{folder}: {reason}", place=Argument("model"))
    return None


def batch_at(found: Subject, length: int, rows: int, rng: np.random.Generator) -> Batch:
    """`rows` inputs of the task at the nearest length that it has, starting at position 0."""
    assert found.task is not None
    return found.task.sample([nearest_length(found.task, length)] * rows, rng)


def nearest_length(task: Task, length: int) -> int:
    """The longest length up to this one that the task has, else the next one.

    >>> from longreach.tasks.formal import Dyck1
    >>> nearest_length(Dyck1(), 9), nearest_length(Dyck1(), 1)
    (8, 2)
    """
    spans = [(max(task.least_length, length - 200), length), (max(task.least_length, length), length + 1000)]
    for span, place in zip(spans, (-1, 0), strict=True):
        try:
            return int(task.lengths(*span)[place])
        except InputError:
            continue
    raise InputError(f"{task.name}: no input has a length near {length}")


def data_for(found: Subject, length: int, rows: int, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Tokens and a mask without padding; without a task, uniformly random tokens."""
    if found.task is not None:
        batch = batch_at(found, length, rows, rng)
        mask = np.arange(batch.tokens.shape[1]) < batch.sizes[:, None]
        return torch.from_numpy(batch.tokens), torch.from_numpy(mask)
    tokens = random_tokens(found.config.vocabulary, rows, min(length, found.config.positions), rng)
    return torch.from_numpy(tokens), torch.ones(tokens.shape, dtype=torch.bool)


def random_tokens(vocabulary: int, rows: int, length: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Uniformly random tokens, for models without data."""
    return rng.integers(0, vocabulary, (rows, length))


def read_token_file(path: Path, vocabulary: int) -> NDArray[np.int64]:
    """Rows of token ids, one per line, truncated to the shortest; for models without a task."""
    try:
        lines = read_text(path).splitlines()
    except InputError as error:
        raise error.at(Field("tokens")) from None
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        words = line.split()
        if not all(word.isdecimal() and len(word) < 10 and int(word) < vocabulary for word in words):
            reason = f"{path}:{number}: token ids from 0 to {vocabulary - 1} are expected"
            raise InputError(reason, place=Field("tokens"))
        rows.append([int(word) for word in words])
    if not rows or min(map(len, rows)) < 2:
        raise InputError(f"{path}: expected lines of two or more token ids", place=Field("tokens"))
    least = min(map(len, rows))
    return np.array([row[:least] for row in rows], dtype=np.int64)


def load_outside(model: OutsideModel) -> Any:
    """The live model, with an implementation that returns attention (extra `hf`)."""
    try:
        return huggingface.live_model(
            model.path, f"inspecting a {model.architecture} model", attn_implementation="eager"
        )
    except MissingExtra:
        raise
    except InputError as error:
        raise error.at(Argument("model")) from None


def attentions(module: Any, tokens: Tensor) -> list[Tensor]:
    """The weights of each layer, (rows, heads, queries, keys); an error where they are not returned."""
    with torch.inference_mode():
        found = module(tokens, output_attentions=True, use_cache=False, return_dict=True)
    layers = getattr(found, "attentions", None)
    if not layers or any(each is None for each in layers):
        raise InputError("the model does not return attention weights", place=Argument("model"))
    size, kept = tokens.shape[1], []
    for number, each in enumerate(layers):
        if each.ndim != 4 or each.shape[0] != len(tokens) or tuple(each.shape[2:]) != (size, size):
            raise InputError(f"layer {number} returns attention of the shape {tuple(each.shape)}")
        sums = each.float().sum(dim=-1)
        later = each.float().triu(1).abs().max()
        if not torch.allclose(sums, torch.ones_like(sums), atol=1e-3) or float(later) > 1e-6:
            raise InputError(f"layer {number} returns weights that are not a causal softmax")
        kept.append(each.float())
    return kept


def vocabulary_of(module: Any) -> int:
    """How many tokens the model reads."""
    return int(module.get_input_embeddings().weight.shape[0])


def longest_of(module: Any, wanted: int) -> int:
    """The length at which it is inspected, at most its number of positions."""
    most = getattr(module.config, "max_position_embeddings", None)
    return wanted if not isinstance(most, int) else min(wanted, most)


def weights_of(module: Any, tokens: NDArray[np.int64], *, at_once: int = 4) -> Iterator[Array]:
    """The weights of each layer in double precision, (rows, heads, queries, keys).

    A few rows run at a time.
    """
    parts = [
        attentions(module, torch.from_numpy(tokens[start : start + at_once]))
        for start in range(0, len(tokens), at_once)
    ]
    for layer in zip(*parts, strict=True):
        yield torch.cat(layer).double().numpy()
