"""The side about an architecture: what tasks ask, what other certificates say, and what verify derives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from longreach.answers.architecture import model_side, question_of
from longreach.answers.derive import check_statement
from longreach.answers.forecast import forecast
from longreach.answers.verify import own_subject, read_statements
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.layouts import SequenceTask
from longreach.theory.architectures.classes import ARCHITECTURES
from longreach.theory.architectures.documents import NOTHING
from longreach.theory.certificates.check_no import Finding, Status


def checked(document: dict[str, Any]) -> Finding | None:
    """What verify finds for the side `model`; None if it claims nothing."""
    (statement,) = read_statements(json.dumps(document), "file")
    found = check_statement(statement, own_subject(statement))
    return next((each.finding for each in found if each.place == "model"), None)


ASKED = [
    "aa",
    "tomita-6",
    "d-2",
    "parity",
    "even-pairs",
    "cycle-navigation",
    "states:(a|b)*b",
    "states-after:(ab)*",
]


@pytest.mark.parametrize("name", ASKED)
def test_a_question_is_what_the_task_asks(name: str) -> None:
    """On examples of the task, the automaton says the right answer at the end of what is read."""
    task: Any = load_task(name)
    question = question_of(task)
    assert question is not None
    for word in words(question.machine.alphabet, 6):
        said = question.machine.class_of(word)
        if isinstance(task, SequenceTask):
            if word:
                assert said == (task.answer(word)[0] if said != NOTHING else NOTHING)
        elif said == NOTHING:
            with pytest.raises(ValueError, match=r".+"):
                task.answer(word)
        else:
            assert task.answer(word)[-1].strip("{}") == said.strip("{}")


def words(alphabet: tuple[str, ...], longest: int) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for word in found:
        if len(word) < longest and len(found) < 3000:
            found += [[*word, letter] for letter in alphabet]
    return found


@pytest.mark.parametrize("name", [*TASKS, "states:(a|b)*ab", "crasp:lib:contains-bb", "crasp:lib:aa"])
def test_every_verdict_is_as_good_as_its_certificate(name: str) -> None:
    found = forecast(name)
    about = {"task": found.name}
    for architecture in ARCHITECTURES:
        side = model_side(found.task, found.sides, architecture)
        if side.answer == "not known":
            assert not is_valid(about | {"model": side.document()})
        elif side.certificate.kind not in ("program", "reduction", "none"):  # checked as those of the sides
            document = json.loads(json.dumps(about | {"model": side.document()}))
            assert is_valid(document), architecture
            for other in {"yes", "no", "not known"} - {side.answer}:
                document["model"]["verdict"] = other
                assert not is_valid(document), architecture


def is_valid(document: dict[str, Any]) -> bool:
    return bool(getattr(checked(document), "valid", False))


def answers(name: str) -> dict[str, str]:
    found = forecast(name)
    return {each: model_side(found.task, found.sides, each).answer for each in ARCHITECTURES}


def test_counting() -> None:
    """Only the LSTM counts: a program is a yes for it, and nothing for a model without counters."""
    for name in ("majority", "dyck-1", "anbn"):
        found = answers(name)
        assert found["lstm"] == "yes"
        assert {found[each] for each in ("gru", "rnn", "ssm", "hybrid")} == {"not known"}


@pytest.mark.parametrize("name", ["sort", "copy-unique", "mqar"])
def test_more_and_more_symbols_need_more_and_more_counters(name: str) -> None:
    """A state has so many counters and no more; for a fixed number of symbols they are enough."""
    found = forecast(name)
    assert found.ape.trained.value == "yes"
    side = model_side(found.task, found.sides, "lstm")
    assert (side.answer, side.certificate) == ("not known", None)
    assert model_side(found.task, found.sides, "hybrid", {"recurrence": "lstm"}).answer == "not known"
    claimed = {
        **forecast("majority", model="lstm").document()["model"],
        "certificate": found.document()["ape"]["certificate"],
    }
    assert not is_valid({"task": name, "model": claimed})
    for other in ("bucket-sort", "repeated-copy", "mqar:4", "selective-copy"):
        assert answers(other)["lstm"] == "yes"


def test_copying_needs_more_than_a_state() -> None:
    found = answers("copy-repeat")
    assert {found[each] for each in ARCHITECTURES if each not in ("mlp", "decoder", "looped")} == {"no"}


def test_word_problems_and_flip_flops() -> None:
    """The tasks on which such models are compared."""
    of = ("rnn", "ssm", "ssm-signed", "ssm-complex")
    table = {name: [answers(name)[each] for each in of] for name in WORD_PROBLEMS}
    assert table == WORD_PROBLEMS


WORD_PROBLEMS = {
    "word-problem:Z2": ["yes", "no", "yes", "yes"],
    "word-problem:Z3": ["yes", "no", "no", "yes"],
    "word-problem:S3": ["yes", "no", "no", "yes"],
    "word-problem:A5": ["yes", "no", "no", "no"],
    "flip-flop": ["yes", "yes", "yes", "yes"],
}


def test_notes_of_encodings() -> None:
    known = {name: forecast(name).encodings for name in ("tomita-4", "aa", "tomita-3")}
    assert known["tomita-4"]["window"].statement.endswith("a program with window 1 exists")
    assert known["tomita-3"]["window"].statement.endswith("no program exists with a window")
    assert known["aa"]["stick-breaking"].known
    assert not known["aa"]["fox"].known
    assert not known["aa"]["cope"].known


def test_a_window_is_the_side_local() -> None:
    for name in ("tomita-4", "regex:(a|b)*bb(a|b)*", "aa"):
        found = forecast(name, model="decoder", model_options={"encoding": "window"})
        assert found.model is not None
        assert found.model.answer == found.sides["local"].trained.value
        assert is_valid(found.document())


def test_a_document_about_another_task_is_invalid() -> None:
    document = forecast("regex:(aaa)*", model="ssm").document()
    document["model"] = forecast("regex:(aa)*", model="ssm").document()["model"]
    finding = checked(document)
    assert finding is not None
    assert finding.problem == "the automaton is not that of the task"


def test_programs_and_reductions_are_checked_as_for_the_sides() -> None:
    assert is_valid(forecast("parity", model="decoder").document())
    assert is_valid(forecast("crasp:lib:aa", model="decoder").document())
    found = checked({"task": "majority", "model": forecast("majority", model="lstm").document()["model"]})
    assert found is not None
    assert found.status is Status.NOT_PROVED


def test_a_document_that_claims_nothing_is_not_valid() -> None:
    model = forecast("aa", model="hf:mine.json").document()["model"]
    assert not is_valid({"task": "aa", "model": model})


def test_a_certificate_alone() -> None:
    certificate = forecast("parity", model="ssm").document()["model"]["certificate"]
    (statement,) = read_statements(json.dumps(certificate), "file")
    (found,) = check_statement(statement, own_subject(statement))
    assert found.finding.valid


def test_models_as_functions() -> None:
    def make() -> None: ...

    found = forecast("aa", model=make, model_options={"theory": "ssm"}).model
    assert found is not None
    assert (found.name.startswith("session:make"), found.answer) == (True, "no")  # as `train` calls it
