"""What every task is held to: samples against a literal oracle, programs against all short inputs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np

from longreach.answers.derive import check_statement
from longreach.answers.forecast import forecast
from longreach.answers.verify import own_subject, read_statements
from longreach.tasks.catalog import load_task
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.task import EOS, SEP, SOS, Task, draw_lengths
from longreach.theory.crasp.library import load
from tests.helpers.task_oracles import Oracle

SPANS = ((1, 50), (51, 100), (101, 150))


def assert_samples_are_right(task: Task, oracle: Oracle, count: int = 100) -> None:
    """Batches of several lengths; the oracle gives the answer without EOS, or all labels of a language."""
    rng = np.random.default_rng(7)
    for span in ((task.least_length, task.least_length + 6), *SPANS):
        lengths = draw_lengths(task, *span, count, rng)
        batch = task.sample(lengths, rng)
        for row, length in enumerate(lengths.tolist()):
            read = task.decode(batch.tokens[row, : batch.sizes[row]].tolist())
            predicted = task.decode(batch.targets[row][batch.mask[row]].tolist())
            x = read[1 : 1 + length]
            right, written = list(oracle(x)), list[str]()
            if isinstance(task, SequenceTask):
                written = [*([SEP] if task.separated else []), *(right if task.ended else right[:-1])]
                right += [EOS] if task.ended else []
            assert read == [SOS, *x, *written], x
            assert predicted == right == list(task.answer(x)), x
            assert len(read) <= task.input_size(length)


def assert_program_solves(name: str, inputs: Iterable[Sequence[str]], oracle: Oracle) -> None:
    """The library program that the evidence names, on all of these inputs."""
    task = load_task(name)
    assert task.ape.kind == "program"
    assert task.ape.name is not None
    program, tried = load(task.ape.name), 0
    for x in inputs:
        right = [*oracle(x), EOS]
        predicted = program.predicts([SOS, *x, SEP, *right[:-1]])[-len(right) :]
        assert predicted == [[token] for token in right], x
        tried += 1
    assert tried > 100


def assert_program_predicts(name: str, words: Iterable[Sequence[str]]) -> None:
    """The same for a language: which letters may follow, and the end, found by trying all words."""
    task = load_task(name)
    assert task.ape.name is not None
    program = load(task.ape.name)
    language = {tuple(word) for word in words}
    longest = max(map(len, language))
    followers: dict[tuple[str, ...], set[str]] = {}
    for word in language:
        followers.setdefault(word, set()).add(EOS)
        for end in range(len(word)):
            followers.setdefault(word[:end], set()).add(word[end])
    for prefix, right in followers.items():
        if prefix and len(prefix) < longest / 2:  # a longer one may need a longer word
            assert set(program.predicts(prefix)[-1]) == right, prefix
            label = task.answer(prefix)[-1]
            assert set(label.strip("{}").split(",")) == right, prefix


def statuses(name: str) -> dict[str, tuple[str, str]]:
    """The verdict of each side of a forecast, and what becomes of its certificate when it is checked."""
    document = forecast(name).document()
    (statement,) = read_statements(json.dumps(document), "mine.json")
    found = check_statement(statement, own_subject(statement))
    return {each.place: (document[each.place]["verdict"], each.finding.status.value) for each in found}


def least_share(task: Task, length: int, count: int = 2000) -> float:
    """How often the rarest answer of one token occurs."""
    assert isinstance(task, SequenceTask)
    batch = task.sample([length] * count, np.random.default_rng(3))
    first = batch.targets[np.arange(count), batch.mask.argmax(axis=1)]
    return float(np.unique(first, return_counts=True)[1].min() / count)
