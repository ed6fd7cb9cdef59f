"""Programs from models. The oracle: models that count or compare, which no automaton does, found again."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from longreach.config.decoder import DecoderConfig
from longreach.config.length_range import LengthRange
from longreach.tasks.catalog import load_task
from longreach.training.model_to_automaton import TrainedModel, extract, inputs_compared
from longreach.training.model_to_program import extract_programs

MODEL = DecoderConfig(layers=1, heads=1, width=8, vocabulary=6, positions=60, encoding="nope")
TRAINED, TESTED = LengthRange(2, 9), (LengthRange(10, 20),)


@dataclass(frozen=True, eq=False)
class _Majority(TrainedModel):
    """A model that is right; from some length on it says 0 whatever it reads."""

    fails_from: int = 1000

    def predicted(self, tokens: tuple[str, ...]) -> list[str]:
        word = [token for token in tokens if token in "01"]
        return ["1" if len(word) < self.fails_from and 2 * word.count("1") > len(word) else "0"]


@pytest.mark.parametrize("fails_from", [1000, 10])
def test_the_program_is_that_of_the_short_words(fails_from: int) -> None:
    trained = _Majority(load_task("binary-majority"), MODEL, {}, TRAINED, TESTED, fails_from=fails_from)
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
    assert inside.model_and_program == inside.inputs == 100
    assert (beyond.model_and_program == 100) == (fails_from == 1000)
    assert found.document()["agreement"][0] == {
        "lengths": "2-9",
        "inputs": 100,
        "model_and_program": 100,
        "program_and_task": 100,
    }
    assert beyond.program_and_task == 100


@pytest.mark.parametrize(
    ("last", "expected"), [(5, "it says one and the same thing; "), (10, "it says 6 different things; ")]
)
def test_one_answer_and_many_have_no_program(last: int, expected: str) -> None:
    task = load_task("sort")
    trained = TrainedModel(task, MODEL, {}, TRAINED, TESTED)
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
    assert (beyond.inputs, beyond.program_and_task) == (1, 0)
