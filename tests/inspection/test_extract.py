"""Tests of `inspection.extract`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from longreach.config.model import ModelConfig
from longreach.errors import InputError
from longreach.inspection.extract import TrainedModel, extract, extract_programs, inputs_compared, open_run
from longreach.runs.resolve import resolve
from longreach.tasks.catalog import load_task
from longreach.tasks.lengths import LengthRange
from longreach.tasks.regular import RegularLanguage
from longreach.theory.automata.learn import LearnedAutomaton, NotLearned
from longreach.theory.automata.named import named_automaton
from longreach.training.checkpoint import save_model
from longreach.training.result import write_result
from longreach.training.setup import model_of, network_of
from tests.helpers.result_samples import sample

# Automata from models. The oracle: a model that is an automaton itself, which is to be found again.


MODEL = ModelConfig(layers=1, heads=1, width=8, vocabulary=6, positions=60, encoding="nope")
TRAINED, TESTED = LengthRange(2, 12), (LengthRange(13, 24),)


@dataclass(frozen=True, eq=False)
class _Tomita5(TrainedModel):
    """A model that is right; from some length on it says the first label whatever it reads."""

    fails_from: int = 1000

    def predicted(self, tokens: tuple[str, ...]) -> list[str]:
        right = self.task.answer(tokens[1:])
        return [said if size < self.fails_from else right[0] for size, said in enumerate(right)]


def _model(fails_from: int = 1000) -> TrainedModel:
    return _Tomita5(load_task("tomita-5"), MODEL, {}, TRAINED, TESTED, fails_from=fails_from)


def test_a_model_that_is_right_is_the_language() -> None:
    found = extract(_model())
    assert isinstance(found.learned, LearnedAutomaton)
    assert len(found.learned.machine) == len(named_automaton("tomita-5"))
    assert found.partings == ()
    for each in found.agreements:
        assert (
            each.inputs
            == each.counts["model_and_task"]
            == each.counts["model_and_automaton"]
            == each.counts["automaton_and_task"]
            == 100
        )


def test_a_model_that_fails_on_long_words_parts_from_task_and_automaton() -> None:
    found = extract(_model(fails_from=14))
    inside, beyond = found.agreements
    assert inside.counts["model_and_task"] == inside.inputs
    assert beyond.counts["model_and_task"] < beyond.inputs == beyond.counts["automaton_and_task"]
    task = load_task("tomita-5")
    assert isinstance(task, RegularLanguage)
    assert found.partings
    for each in found.partings:
        assert len(each.word) >= 14
        assert task.answer(each.word)[-1] == each.task != each.model == task.answer(())[0]


def test_the_document() -> None:
    document = extract(_model()).document()
    assert document["learned_to"] == 12
    assert len(document["automaton"]["outputs"]) == len(document["automaton"]["transitions"])
    assert extract(_model(), seconds=0.0).document()["automaton"] is None


def _run(directory: Path, task: str = "parity", encoding: str = "ape") -> Path:
    """A run of no steps at all."""
    given = {"train_lengths": (1, 6), "test_lengths": [(7, 9)], "test_size": 10, "max_steps": 2}
    config = resolve(task, encoding, layers=1, heads=1, width=8, **given)
    save_model(directory / config.key, network_of(config).initial(0), model_of(config))
    write_result(directory, sample().model_copy(update={"key": config.key, "config": config.document()}))
    return directory / config.key


def test_a_run(tmp_path: Path) -> None:
    """Nothing was learned, and what the model says is compared all the same."""
    directory = _run(tmp_path)
    found = extract(open_run(directory), seconds=20.0)
    assert not isinstance(found.learned, NotLearned) or "states" in found.learned.reason
    assert [each.lengths.name for each in found.agreements] == ["1-6", "7-9"]
    assert 0 < len(found.partings) <= 5
    with pytest.raises(InputError, match="task: sort has"):
        open_run(directory, "sort")


@pytest.mark.parametrize("scheme", ["coupled", "randomized"])
def test_a_model_that_has_learned_other_ids_is_refused(tmp_path: Path, scheme: str) -> None:
    with pytest.raises(InputError, match=f"run: .*: trained with {scheme} ids; extraction queries words"):
        open_run(_run(tmp_path, "copy-repeat", scheme))


def test_words_are_read_at_once_and_one_by_one_alike(tmp_path: Path) -> None:
    trained = open_run(_run(tmp_path))
    whole = trained.predicted(("SOS", "1", "0", "SEP"))
    assert whole[:2] == trained.predicted(("SOS", "1"))
    assert trained.said(("1", "0")) == whole[-1]


# Programs from models. The oracle: models that count or compare, which no automaton does, found again.


TRAINED_TO, TESTED_TO = LengthRange(2, 9), (LengthRange(10, 20),)


@dataclass(frozen=True, eq=False)
class _Majority(TrainedModel):
    """A model that is right; from some length on it says 0 whatever it reads."""

    fails_from: int = 1000

    def predicted(self, tokens: tuple[str, ...]) -> list[str]:
        word = [token for token in tokens if token in "01"]
        return ["1" if len(word) < self.fails_from and 2 * word.count("1") > len(word) else "0"]


@pytest.mark.parametrize("fails_from", [1000, 10])
def test_the_program_is_that_of_the_short_words(fails_from: int) -> None:
    trained = _Majority(
        load_task("binary-majority"),
        MODEL,
        {},
        TRAINED_TO,
        TESTED_TO,
        fails_from=fails_from,
    )
    extract(trained, seconds=2.0)
    programs = extract_programs(trained, inputs_compared(trained), seconds=10.0)
    assert not isinstance(programs, str)
    (found,) = programs
    assert found.says == "1"
    assert found.family.class_name == "C-RASP[∅]"
    assert found.found.smallest
    program = found.found.program
    assert program is not None
    words = [tuple(f"{number:b}") for number in range(2, 2000)]
    asked = [word for word in words if 2 * word.count("1") != len(word)]
    assert all(program.accepts(word) == (2 * word.count("1") > len(word)) for word in asked)
    inside, beyond = found.agreements
    assert inside.counts["model_and_program"] == inside.inputs == 100
    assert (beyond.counts["model_and_program"] == 100) == (fails_from == 1000)
    assert found.document()["agreement"][0] == {
        "lengths": "2-9",
        "inputs": 100,
        "model_and_program": 100,
        "program_and_task": 100,
    }
    assert beyond.counts["program_and_task"] == 100


@pytest.mark.parametrize(
    ("last", "expected"), [(5, "it says one and the same thing; "), (10, "it says 6 different things; ")]
)
def test_one_answer_and_many_have_no_program(last: int, expected: str) -> None:
    task = load_task("sort")
    trained = TrainedModel(task, MODEL, {}, TRAINED_TO, TESTED_TO)
    trained.known.update({(token,): token for token in task.tokens[4:last]})
    found = extract_programs(trained, {}, seconds=1.0)
    assert isinstance(found, str)
    assert found.startswith(expected)


def test_letters_that_only_longer_inputs_have() -> None:
    ends, goes_on = "{a,b,EOS}", "{a,b}"
    task = load_task("regex:(a|b)*b", ("a", "b"))
    trained = TrainedModel(task, MODEL, {}, LengthRange(1, 3), (LengthRange(4, 6),))
    longer = ("a", "a", "a", "a", "b")
    trained.known.update({longer[:size]: goes_on for size in range(6)})
    trained.known[()] = ends
    programs = extract_programs(trained, {LengthRange(4, 6): [longer]}, seconds=2.0)
    assert not isinstance(programs, str)
    (found,) = programs
    assert found.found.program is not None
    assert found.found.program.core.alphabet == ("a", "b")
    (beyond,) = found.agreements
    assert (beyond.inputs, beyond.counts["program_and_task"]) == (1, 0)
