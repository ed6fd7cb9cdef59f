"""Cascades as weights: exact on all short words and on long ones, with the margins that are claimed."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import longreach
from longreach.answers.architecture import question_of
from longreach.errors import InputError
from longreach.models.decoder import Decoder, forward, read_all
from longreach.models.from_cascade import MARGIN, STEEPNESS, Compiled, compile_cascade
from longreach.tasks.catalog import load_task
from longreach.theory.architectures.classes import judge_architecture
from longreach.theory.architectures.documents import NOTHING, CascadeCertificate, Question
from longreach.theory.automata.automaton import labelled

KINDS = {
    "no level at all": "regex:(a|b)*a",
    "a clock alone": "regex:(aaa)*",
    "one level": "regex:(ab*cb*)*",
    "a level with the clock at letters": "regex:(a|bb)*",
    "two levels": "regex:(a|b)*aa(a|b)*c(a|b)*",
    "two levels and a clock": "regex:(ba*b|a(a|b))*a?",
    "a clock that is asked for first": "regex:(a(b|a(aa)*b)|b(a|bb*a)b)*b",
    "asked at the end": "even-pairs",
    "states": "states:(a|bb)*",
}


def cascade_of(question: Question) -> CascadeCertificate:
    found = judge_architecture("decoder", {"encoding": "reach"}, question).certificate
    assert isinstance(found, CascadeCertificate)
    return found


def compiled(task: str) -> tuple[Question, Compiled]:
    question = question_of(load_task(task))
    assert question is not None
    return question, compile_cascade(cascade_of(question))


def all_words(question: Question, longest: int) -> Iterator[tuple[str, ...]]:
    words: list[tuple[str, ...]] = [()]
    for word in words:
        yield word
        if len(word) < longest:
            words += [(*word, letter) for letter in question.machine.alphabet]


def is_right(question: Question, made: Compiled, word: tuple[str, ...]) -> bool:
    """Where something is asked, as long as something may be."""
    wanted = [question.machine.class_of(word[:place]) for place in range(len(word) + 1)]
    said = made.answers(word)
    pairs = zip(wanted[-1:] if question.at_end else wanted, said, strict=True)
    return all(right in (NOTHING, each) for right, each in pairs)


@pytest.mark.parametrize("task", KINDS.values(), ids=KINDS)
def test_words(task: str) -> None:
    question, made = compiled(task)
    longest = {1: 12, 2: 6, 3: 4}[len(question.machine.alphabet)]
    for word in all_words(question, longest):
        assert is_right(question, made, word), word
    words = load_task(task)
    if hasattr(words, "automaton"):
        rng = random.Random(0)
        for length in (50, 129, 600):  # beyond products for sums, and in pieces
            state, letters = 0, []
            while len(letters) < length:
                row = words.automaton.transitions[state]
                letter = rng.choice([a for a, to in enumerate(row) if to in words.automaton.live])
                state = row[letter]
                letters.append(question.machine.alphabet[letter])
            assert is_right(question, made, tuple(letters))


@pytest.mark.slow
def test_ten_thousand_letters() -> None:
    question, made = compiled("regex:(a|bb)*")
    rng = random.Random(0)
    word = "".join(rng.choice(["a", "bb"]) for _ in range(10_000))[:10_000]
    assert is_right(question, made, tuple(word))


@pytest.mark.parametrize("kind", ["two levels and a clock", "a clock that is asked for first"])
def test_units_are_as_far_from_the_edge_as_is_said(kind: str) -> None:
    """What a unit adds up is 1/4 or 3/4 where its conditions hold, up to the error that is said, else as far
    below 0."""
    question, made = compiled(KINDS[kind])
    assert made.rounded < MARGIN / 2
    seen: list[torch.Tensor] = []

    class Watched(Decoder):
        def activate(self, units: torch.Tensor) -> torch.Tensor:
            seen.append(units / STEEPNESS)
            return super().activate(units)

    for word in all_words(question, 7):
        if len(word) == 7 and question.machine.class_of(word) != NOTHING:
            ids = torch.tensor([[1, *map(made.tokens.index, word)]])
            Watched(made.parameters, made.config).states(ids, read_all(made.config, ids))
    found = torch.cat([each.flatten() for each in seen])
    high = found[(found > -MARGIN + made.rounded) & (found != 0)]  # units that are not used have 0
    assert len(high) > 0
    assert float(torch.minimum((high - 0.75).abs(), (high - 0.25).abs()).max()) <= made.rounded


def test_tokens_of_a_task() -> None:
    """Compiled with the tokens of its task, it is a model that `evaluate` judges."""
    task = load_task("regex:(a|bb)*")
    question = question_of(task)
    assert question is not None
    made = compile_cascade(cascade_of(question), task.tokens)

    def model(ids: torch.Tensor) -> torch.Tensor:
        return forward(made.parameters, made.config, ids)

    found = longreach.evaluate(model, "regex:(a|bb)*", lengths=["1:20", "181:200"], size=20)
    assert found.accuracy == {"1-20": 1.0, "181-200": 1.0}
    assert set(found.probing.values()) == {1.0}


def test_a_modulus_that_is_too_large() -> None:
    """Neighbouring distances modulo it look too much alike."""
    size = 500
    rows = [[(state + 1) % size] for state in range(size)]
    outputs = ["yes", *["no"] * (size - 1)]
    machine = Question(labelled("a", rows, 0, outputs)).table
    certificate = CascadeCertificate(
        machine=machine,
        modulus=size,
        levels=(),
        states=tuple((clock,) for clock in range(size)),
        answers=tuple(outputs),
        layers=1,
    )
    with pytest.raises(InputError, match="a modulus of 500 is too large"):
        compile_cascade(certificate)


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=4, max_size=4),
    st.lists(st.sampled_from(["x", "y"]), min_size=4, max_size=4),
    st.booleans(),
)
def test_random_automata(rows: list[list[int]], outputs: list[str], at_end: bool) -> None:
    question = Question(labelled("ab", rows, 0, outputs), at_end)
    found = judge_architecture("decoder", {"encoding": "reach"}, question)
    if isinstance(found.certificate, CascadeCertificate):
        made = compile_cascade(found.certificate)
        assert made.config.layers == max(found.certificate.layers, 1)
        for word in all_words(question, 4):
            assert is_right(question, made, word), word
