"""Tests of `answers.checkers`."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.answers.black_box import black_box_sides
from longreach.answers.black_box_checkers import check_found_program, check_learned, check_measured_rows
from longreach.answers.boxes import measured_verdict
from longreach.answers.certificates import (
    DrawnPairsDocument,
    FoundProgramCertificate,
    LearnedFlowCertificate,
    LearnedProgramCertificate,
    MeasuredRowsCertificate,
)
from longreach.answers.checkers import same_but_for_the_empty_word
from longreach.answers.derive import check_statement
from longreach.answers.forecast import forecast
from longreach.answers.kinds import read_any
from longreach.answers.learned import found_verdict, tried_program
from longreach.answers.verify import Subject, own_subject, read_statements
from longreach.tasks.catalog import load_task
from longreach.tasks.task import Task
from longreach.theory.automata.automaton import Automaton, minimal
from longreach.theory.automata.regex import from_expression
from longreach.theory.certificates.check_no import Status
from longreach.theory.communication.rows import rows_of_function
from longreach.theory.crasp.library import load
from longreach.theory.decide.decisions import decide

# Certificates of learned automata are checked to a length, refuted, or claimed; never valid.


def _word(length: int, rng: np.random.Generator) -> list[str]:
    return ["ab"[k] for k in rng.integers(0, 2, length)]


EVEN = Task.from_predicate(lambda word: len(word) % 2 == 0, "ab", name="even")
ODD = Task.from_predicate(lambda word: len(word) % 2 == 1, "ab", name="odd")
COUNTED = Task.from_function(_word, lambda x: x.count("a") % 2, name="counted")
OTHER = Task.from_function(_word, lambda x: x.count("b") % 2, name="other")


@pytest.mark.parametrize(("task", "other"), [(EVEN, ODD), (COUNTED, OTHER)], ids=["language", "answer"])
@pytest.mark.parametrize("key", ["nope", "ape"])
def test_right_on_the_task_and_wrong_on_another(task: Task, other: Task, key: str) -> None:
    certificate = black_box_sides(task, "mine", [key])[key].certificate
    assert isinstance(certificate, LearnedFlowCertificate | LearnedProgramCertificate)
    again = read_any(certificate.model_dump(mode="json", by_alias=True))
    assert again == certificate
    for trusted in (True, False):
        found = check_learned(certificate, task, trusted)
        assert found.status is Status.CHECKED
        assert "learned to length 100" in found.how
        assert check_learned(certificate, other, trusted).status is Status.INVALID


def test_a_broken_proof_is_refused() -> None:
    certificate = black_box_sides(COUNTED, "mine", ["nope"])["nope"].certificate
    assert isinstance(certificate, LearnedFlowCertificate)
    broken = certificate.certificate.model_copy(update={"flows": ()})
    assert (
        check_learned(certificate.model_copy(update={"certificate": broken}), COUNTED, True).status
        is Status.INVALID
    )
    moved = certificate.model_copy(update={"program_class": "C-RASP[local]"})
    assert check_learned(moved, COUNTED, True).status is Status.INVALID


def test_a_task_that_cannot_be_asked_leaves_a_claim() -> None:
    certificate = black_box_sides(EVEN, "mine", ["nope"])["nope"].certificate
    assert isinstance(certificate, LearnedFlowCertificate)
    assert check_learned(certificate, load_task("sort"), True).status is Status.CLAIMED


def test_documents_are_checked_and_never_valid() -> None:
    found = forecast(COUNTED)
    document = json.loads(json.dumps(found.document()))
    assert [document[key]["checked_to"] for key in ("nope", "ape")] == [100, 100]
    assert document["meaning_of_no"].endswith("it proves nothing")
    assert document["encodings"]["rope"]["statement"].endswith(", if the task goes on so beyond length 100")
    (statement,) = read_statements(json.dumps(document), "mine.json")
    # A document must not choose what is imported.
    unasked = check_statement(statement, own_subject(statement))
    assert {each.finding.status for each in unasked} == {Status.CLAIMED}
    checked = check_statement(statement, Subject(found.stored, COUNTED))
    assert [each.finding.status for each in checked] == [Status.CHECKED] * len(unasked)
    other = check_statement(statement, Subject(found.stored, OTHER))
    assert [each.finding.status for each in other] == [Status.INVALID] * len(unasked)
    document["nope"]["verdict"] = "yes"
    (statement,) = read_statements(json.dumps(document), "mine.json")
    assert check_statement(statement, Subject(found.stored, COUNTED))[0].finding.status is Status.INVALID


# Programs that were found and bits that were measured are checked to a length, refuted, or claimed.


BACKWARDS = Task.from_function(_word, lambda x: x[::-1], name="backwards")
LAST = Task.from_function(_word, lambda x: x[-1], name="last")


def _rows(most: int = 256) -> MeasuredRowsCertificate:
    measured = rows_of_function(lambda word: word[::-1], "ab", most=most)
    assert measured is not None
    certificate = measured_verdict(measured, name="mine", key="ape").certificate
    assert isinstance(certificate, MeasuredRowsCertificate)
    return certificate


@pytest.mark.parametrize("trusted", [True, False])
def test_measured_rows(trusted: bool) -> None:
    certificate = _rows()
    assert read_any(certificate.model_dump(mode="json", by_alias=True)) == certificate
    found = check_measured_rows(certificate, BACKWARDS, trusted)
    assert found.status is Status.CHECKED
    assert found.how == "rows recounted from the task's own answers up to length 8, and some at length 100"
    assert check_measured_rows(certificate, LAST, trusted).status is Status.INVALID


def test_rows_that_are_no_reason_are_refused() -> None:
    certificate = _rows()
    few = certificate.model_copy(
        update={
            "lengths": certificate.lengths[:3],
            "rows": certificate.rows[:3],
            "bits": certificate.bits[:3],
        }
    )
    more = certificate.model_copy(update={"rows": (3, *certificate.rows[1:])})
    spread = certificate.spread[-1]
    changes: list[dict[str, object]] = [
        {"spread": ()},
        {"spread": (spread.model_copy(update={"length": 16}),)},
        {"spread": (spread.model_copy(update={"rows": 8}),)},
        {"spread": (spread.model_copy(update={"alice": ("c",)}),)},
        {"spread": (spread.model_copy(update={"free": 4, "rows": 16}),)},
        {"spread": (spread.model_copy(update={"free": 40}),)},
        {"spread": (spread.model_copy(update={"free": 200}),)},
        {"drawn": (DrawnPairsDocument(length=100, inputs=10**6, same=0),)},
        {"lower_bound": True},
    ]
    for wrong in (few, more, *(certificate.model_copy(update=each) for each in changes)):
        assert check_measured_rows(wrong, BACKWARDS, True).status is Status.INVALID, wrong


def test_a_window_does_not_pass_for_growth() -> None:
    """Up to the window it is the same function, and its rows there are the certificate's."""
    window = Task.from_function(_word, lambda x: x[-9:][::-1], name="the last 9")
    certificate = _rows()
    assert check_measured_rows(certificate, window, False).problem == (
        f"at length {certificate.spread[0].length} there are {2**3} distinct rows, not {2**8}"
    )
    alone = certificate.model_copy(update={"spread": ()})
    problem = "a window of 8 letters or more would explain the bits"
    assert check_measured_rows(alone, window, False).problem == problem


def test_inputs_that_are_drawn_are_drawn_anew() -> None:
    task = load_task("addition")
    certificate = MeasuredRowsCertificate.model_validate(
        {
            "class": "C-RASP[∅]",
            "task": "mine",
            "alice": ["0", "1"],
            "bob": [],
            "bob_size": 3,
            "lengths": [1, 2, 3, 4, 5, 6],
            "rows": [2, 4, 8, 16, 32, 64],
            "bits": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            "exhaustive": False,
            "drawn": [{"length": 40, "inputs": 200, "same": 0}],
            "lower_bound": True,
        }
    )
    found = check_measured_rows(certificate, task, False)
    assert found.status is Status.CHECKED
    assert found.how.endswith("up to length 6, and some at length 40")
    few = {"drawn": (DrawnPairsDocument(length=40, inputs=20, same=0),)}
    for update in ({"drawn": ()}, few, {"lower_bound": False}):
        wrong = certificate.model_copy(update=update)
        assert check_measured_rows(wrong, task, False).status is Status.INVALID
    one = Task.from_function(_word, lambda x: [*"ab" * 4], name="one answer", tokens="ab")
    assert check_measured_rows(certificate, one, False).status is not Status.CHECKED


def test_found_programs() -> None:
    task = load_task("bucket-sort")
    program = tried_program(task, load("bucket-sort"), "program bucket-sort of the library")
    assert program is not None
    verdict = found_verdict(program, name="mine", key="nope")
    assert verdict is not None
    certificate = verdict.certificate
    assert isinstance(certificate, FoundProgramCertificate)
    assert read_any(certificate.model_dump(mode="json", by_alias=True)) == certificate
    assert check_found_program(certificate, task, True).status is Status.CHECKED
    assert check_found_program(certificate, load_task("mode"), True).status is Status.INVALID


def test_the_answers_of_a_predicate_are_recounted() -> None:
    mirrored = Task.from_predicate(lambda word: word == word[::-1], "ab")
    certificate = black_box_sides(mirrored, "mine", ["ape"])["ape"].certificate
    assert isinstance(certificate, MeasuredRowsCertificate)
    assert check_measured_rows(certificate, mirrored, False).status is Status.CHECKED
    sorted_words = Task.from_predicate(lambda word: word == tuple(sorted(word)), "ab")
    assert check_measured_rows(certificate, sorted_words, False).status is Status.INVALID


# Why reductions may do what they may: the classes are closed under what a reduction does to a language.


Images = tuple[tuple[str, ...], tuple[str, ...]]


@st.composite
def automata(draw: st.DrawFn) -> Automaton:
    states = draw(st.integers(2, 4))
    row = st.lists(st.integers(0, states - 1), min_size=2, max_size=2)
    rows = draw(st.lists(row, min_size=states, max_size=states))
    return minimal("ab", rows, 0, draw(st.sets(st.integers(0, states - 1), min_size=1)))


WORD = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(tuple)


def reduced(automaton: Automaton, images: Images, after: tuple[str, ...]) -> Automaton:
    """The words over x, y whose image, followed by `after`, is in the language."""
    rows = [[automaton.run(image, state) for image in images] for state in range(len(automaton))]
    wanted = [q for q in range(len(automaton)) if automaton.run(after, q) in automaton.accepting]
    return minimal("xy", rows, 0, wanted)


def test_reduced_is_what_it_says() -> None:
    automaton = reduced(from_expression("(ab|b)*a"), (("a", "b"), ("b",)), ("a",))
    for word in product("xy", repeat=4):
        assert automaton.accepts(word)
    assert not reduced(from_expression("(ab)*"), (("a", "b"), ("b",)), ()).accepts("xy")


@settings(deadline=None, max_examples=60)
@given(automata(), WORD, WORD, st.lists(st.sampled_from("ab"), max_size=2).map(tuple))
def test_a_language_with_a_program_is_not_reduced_to_one_without(
    automaton: Automaton, x: tuple[str, ...], y: tuple[str, ...], after: tuple[str, ...]
) -> None:
    found = decide(automaton)
    smaller = decide(reduced(automaton, (x, y), after))
    if found.nope.answer:
        assert smaller.nope.answer
        # A program that has read more can be read after the last letter.
        assert smaller.nope.at_end or not after
    if found.local.answer:
        assert smaller.local.answer
    if found.ape.answer and len(x) == len(y):
        assert smaller.ape.answer


def test_with_positions_modulo_a_number_letters_must_have_one_size() -> None:
    even = from_expression("(aa)*", "ab")
    assert decide(even).ape.answer
    assert decide(reduced(from_expression("((a|b)(a|b))*"), (("a",), ("a", "a")), ())).ape.answer is False


@pytest.mark.parametrize(("left", "right", "same"), [("a*", "aa*", True), ("a*", "(aa)*", False)])
def test_the_empty_word_does_not_matter(left: str, right: str, same: bool) -> None:
    assert same_but_for_the_empty_word(from_expression(left), from_expression(right)) == same


@given(automata())
def test_the_empty_word_alone_may_differ(automaton: Automaton) -> None:
    start = len(automaton)  # a first state that nothing leads to
    rows = [*automaton.transitions, automaton.transitions[0]]
    with_it, without = (
        minimal("ab", rows, start, accepting)
        for accepting in (automaton.accepting | {start}, automaton.accepting)
    )
    assert with_it != without
    assert same_but_for_the_empty_word(with_it, without)
