"""A trained model → the automaton and the smallest programs that say what it says.

The model is the teacher, asked for the most likely token after each word. So the automaton is the model's,
right or wrong; it is learned on words up to the training length and then compared on longer ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch

from longreach.config.model import Model, ModelConfig
from longreach.errors import Argument, Field, InputError
from longreach.inspection.models import read_run, read_task
from longreach.models.network import Inputs, network
from longreach.models.parameters import Parameters
from longreach.tasks.layouts import UNDEFINED, SequenceTask
from longreach.tasks.lengths import LengthRange
from longreach.tasks.regular import LanguageTask
from longreach.tasks.task import EOS, SEP, SOS, Task, draw_lengths
from longreach.theory.automata.automaton import Word
from longreach.theory.automata.learn import LearnedAutomaton, LearningLimits, NotLearned, learn_automaton
from longreach.theory.budget import Budget
from longreach.theory.names import TaskName
from longreach.theory.search.space import Family
from longreach.theory.search.synthesize import Synthesis, synthesize
from longreach.theory.search.targets import ExamplesTarget, accepted_words
from longreach.training.checkpoint import MODEL
from longreach.training.result import RESULT

INPUTS = 100
"""Of each range on which model, automaton and task are compared."""
SHOWN = 5
SECONDS = 20.0
OTHER_IDS = ("coupled", "randomized")
"""Schemes that do not count positions from the first one on in tests either."""
SHORT, LONG = 300, 200
"""Words of all short lengths, and random ones to the training length, on which the automaton is tried."""


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A model and its task; answers are cached."""

    task: Task
    model: Model
    parameters: Parameters
    train_lengths: LengthRange
    test_lengths: tuple[LengthRange, ...]

    known: dict[Word, str] = field(default_factory=dict, repr=False)
    """The model's answers so far."""

    @cached_property
    def places(self) -> dict[str, int]:
        """The index of each token in the vocabulary."""
        return {token: place for place, token in enumerate(self.task.tokens)}

    @property
    def whole_words(self) -> bool:
        """Whether every prefix is queried, or only the token after the input."""
        return isinstance(self.task, LanguageTask)

    def said(self, word: Word) -> str:
        """The most likely token after a word, which is asked about at its end.

        The model does not look ahead, so that what it says of a prefix is known from a longer word.
        """
        if word not in self.known:
            predicted = self.predicted(self._read(word))
            self.known[word] = predicted[-1]
            if self.whole_words and len(predicted) == len(word) + 1:
                self.known.update((word[:size], token) for size, token in enumerate(predicted))
        return self.known[word]

    def _read(self, word: Word) -> Word:
        if isinstance(self.task, LanguageTask):
            return (SOS, *self.task.read(word))
        separated = isinstance(self.task, SequenceTask) and self.task.separated
        return (SOS, *word, *((SEP,) if separated else ()))

    def predicted(self, tokens: Word) -> list[str]:
        """The most likely token after each of these, from the first position on."""
        read = torch.tensor([[self.places[token] for token in tokens]])
        inputs = Inputs(read, torch.arange(len(tokens))[None])
        with torch.inference_mode():
            found = network(self.model).outputs(self.parameters, inputs)
        return self.task.decode(found.tokens[0].argmax(dim=-1).tolist())

    def right(self, word: Word) -> str | None:
        """The task's own answer; None where the task asks for none."""
        try:
            answer = self.task.answer(word)
        except InputError:
            return None
        return answer[-1] if self.whole_words else answer[0]

    def is_cut(self, word: Word) -> bool:
        """Whether the task's answer has more than the one token that is asked for; an end is none.

        >>> TrainedModel(load_task("copy-repeat"), None, {}, LengthRange(1, 2), ()).is_cut(("a", "a"))
        True
        """
        if self.whole_words or self.right(word) is None:
            return False
        return sum(token != EOS for token in self.task.answer(word)) > 1


@dataclass(frozen=True)
class Agreement:
    """On how many inputs of a range two of model, task, automaton and program agree at every position."""

    lengths: LengthRange
    inputs: int
    counts: Mapping[str, int | None]
    """By pair, as in `model_and_task`; None where there is no automaton."""

    def document(self) -> dict[str, Any]:
        return {"lengths": self.lengths.name, "inputs": self.inputs, **self.counts}


@dataclass(frozen=True, kw_only=True)
class Parting:
    """A prefix after which the model and the task give different answers."""

    word: Word
    model: str
    task: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Extraction:
    """What was extracted from a model."""

    learned: LearnedAutomaton | NotLearned
    agreements: tuple[Agreement, ...]
    """The training range first."""
    partings: tuple[Parting, ...]
    """The shortest ones found."""
    first_token_only: bool = False
    """Whether answers have further tokens, which are not queried and do not count."""

    def document(self) -> dict[str, Any]:
        """As `longreach extract --json` prints it."""
        learned = self.learned
        found: dict[str, Any] = {"automaton": None, "learned_to": None, "reason": None}
        if isinstance(learned, NotLearned):
            found["reason"] = learned.reason
        else:
            found["learned_to"] = learned.length
            found["automaton"] = {
                "alphabet": list(learned.machine.alphabet),
                "transitions": [list(row) for row in learned.machine.transitions],
                "outputs": list(learned.machine.outputs),
            }
        found["asked"] = "first token" if self.first_token_only else "all"
        found["agreement"] = [each.document() for each in self.agreements]
        found["partings"] = [
            {"word": list(each.word), "model": each.model, "task": each.task} for each in self.partings
        ]
        return found


def open_run(directory: str | Path, task: str | None = None, *, encoding: str | None = None) -> TrainedModel:
    """The model of a run's directory. A result names no code that is run: `task` and `encoding` do.

    >>> open_run("no/such/run")
    Traceback (most recent call last):
    longreach.errors.InputError: run: no/such/run: no model.safetensors and result.json there
    """
    folder = Path(directory)
    if not (folder / MODEL).is_file() or not (folder / RESULT).is_file():
        raise InputError(f"{directory}: no {MODEL} and {RESULT} there", place=Argument("run"))
    parameters, model, _, config = read_run(folder, "run", encoding=encoding)
    assert config is not None
    if config.id_scheme in OTHER_IDS:
        reason = "extraction queries words at positions 0, 1, 2, …"
        raise InputError(f"{directory}: trained with {config.id_scheme} ids; {reason}", place=Argument("run"))
    name = TaskName(config.task)
    if task is None and (name.is_attribute or name.is_session):
        raise InputError(f"the run's task, {name.short}, is code; pass it with --task", place=Field("task"))
    known = read_task(task or config.task, config.alphabet if task in (None, config.task) else None, model)
    return TrainedModel(known, model, parameters, config.train_lengths, config.test_lengths)


def inputs_compared(trained: TrainedModel) -> dict[LengthRange, list[Word]]:
    """Inputs of each range, the training range first."""
    rng = np.random.default_rng(0)
    ranges = (trained.train_lengths, *trained.test_lengths)
    return {lengths: list(_inputs(trained.task, lengths, rng)) for lengths in ranges}


def extract(trained: TrainedModel, *, seconds: float = SECONDS) -> Extraction:
    """Learn a small automaton that answers as the model does, and find where model and task disagree."""
    inputs = inputs_compared(trained)
    letters = sorted({letter for words in inputs.values() for word in words for letter in word})
    limits = LearningLimits(
        length=trained.train_lengths.last,
        short=SHORT,
        long=LONG,
        near=0,
        sparse=0,
        beyond=0,
        budget=Budget(seconds=seconds),
    )

    def teacher(word: Word) -> str:
        # What the model says of words that the task never asks about is nobody's business.
        return UNDEFINED if trained.right(word) is None else trained.said(word)

    learned = learn_automaton(teacher, letters, limits, also=inputs[trained.train_lengths])
    met: dict[Word, Parting] = {}
    agreements = tuple(_compared(trained, learned, lengths, words, met) for lengths, words in inputs.items())
    shortest = sorted(met.values(), key=lambda each: (len(each.word), each.word))
    return Extraction(
        learned=learned,
        agreements=agreements,
        partings=tuple(shortest[:SHOWN]),
        first_token_only=any(trained.is_cut(word) for words in inputs.values() for word in words),
    )


def _inputs(task: Task, lengths: LengthRange, rng: np.random.Generator) -> Iterator[Word]:
    for length in draw_lengths(task, lengths.first, lengths.last, INPUTS, rng).tolist():
        batch = task.sample([length], rng)
        tokens = task.decode(batch.tokens[0].tolist())
        # Of languages that put SEP behind each letter it is no letter.
        yield tuple(token for token in tokens[1 : int(batch.sizes[0])] if token != SEP)[:length]


def _compared(
    trained: TrainedModel,
    learned: LearnedAutomaton | NotLearned,
    lengths: LengthRange,
    inputs: list[Word],
    met: dict[Word, Parting],
) -> Agreement:
    counts = [0, 0, 0]
    machine = learned.machine if isinstance(learned, LearnedAutomaton) else None
    for x in inputs:
        trained.said(x)  # all prefixes at once
        asked = [x[:size] for size in range(len(x) + 1)] if trained.whole_words else [x]
        pairs = [(word, trained.said(word), trained.right(word) or UNDEFINED) for word in asked]
        wrong = next(((word, said, right) for word, said, right in pairs if said != right), None)
        if wrong is None:
            counts[0] += 1
        else:
            met.setdefault(wrong[0], Parting(word=wrong[0], model=wrong[1], task=wrong[2]))
        if machine is not None:
            found = [machine.class_of(word) for word in asked]
            counts[1] += found == [said for _, said, _ in pairs]
            counts[2] += found == [right for _, _, right in pairs]
    pairs_of = ("model_and_task", "model_and_automaton", "automaton_and_task")
    known = (counts[0], *(counts[1:] if machine is not None else (None, None)))
    return Agreement(lengths, len(inputs), dict(zip(pairs_of, known, strict=True)))


# A trained model → the smallest programs that agree with what it says up to its training length.


MOST_CLASSES = 4
"""Different answers for which programs are searched, at most."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ExtractedProgram:
    """Where the model says a token: the words that a program accepts."""

    says: str
    family: Family
    found: Synthesis
    agreements: tuple[Agreement, ...]
    """The training range first; empty where no program was found."""

    def document(self) -> dict[str, Any]:
        """As `longreach extract --json` prints it."""
        program = self.found.program
        return {
            "says": self.says,
            "class": self.family.class_name,
            "program": None if program is None else program.text,
            "size": self.found.size,
            "examples": self.found.examples,
            "smallest": self.found.smallest,
            "none_up_to": self.found.none_up_to,
            "agreement": [each.document() for each in self.agreements],
        }


def extract_programs(
    trained: TrainedModel, inputs: Mapping[LengthRange, Sequence[Word]], *, seconds: float
) -> tuple[ExtractedProgram, ...] | str:
    """For each token that the model says a program; of two tokens one, since the other is said elsewhere.

    The examples are what the model was asked about so far, up to its training length. For one token, or for
    many, nothing is tried: why not, in words.
    """
    asked = {
        word: said
        for word, said in trained.known.items()
        if len(word) <= trained.train_lengths.last and trained.right(word) is not None
    }
    tokens = sorted(set(asked.values()))
    if not 2 <= len(tokens) <= MOST_CLASSES:
        few = "one and the same thing" if len(tokens) < 2 else f"{len(tokens)} different things"
        return f"it says {few}; programs are searched for where it says 2 to {MOST_CLASSES}"
    met = [*asked, *(word for words in inputs.values() for word in words)]
    letters = tuple(sorted({letter for word in met for letter in word}))
    positions = isinstance(trained.model, ModelConfig) and trained.model.encoding != "nope"
    family = Family.named("both" if positions else "empty")
    wanted = tokens[-1:] if len(tokens) == 2 else tokens
    programs = []
    for token in wanted:
        target = ExamplesTarget({word: said == token for word, said in asked.items()}, letters)
        found = synthesize(target, family=family, seconds=seconds / len(wanted))
        agreements = () if found.program is None else _agreements(trained, found, token, inputs)
        programs.append(ExtractedProgram(says=token, family=family, found=found, agreements=agreements))
    return tuple(programs)


def _agreements(
    trained: TrainedModel, found: Synthesis, token: str, inputs: Mapping[LengthRange, Sequence[Word]]
) -> tuple[Agreement, ...]:
    assert found.program is not None
    counted = []
    for lengths, words in inputs.items():
        agree = right = 0
        for x in words:
            trained.said(x)  # all prefixes at once
            asked = [x[:size] for size in range(len(x) + 1)] if trained.whole_words else [x]
            accepted = accepted_words(found.program.core, asked)
            agree += bool((accepted == [trained.said(word) == token for word in asked]).all())
            right += bool((accepted == [trained.right(word) == token for word in asked]).all())
        counts = {"model_and_program": agree, "program_and_task": right}
        counted.append(Agreement(lengths, len(words), counts))
    return tuple(counted)
