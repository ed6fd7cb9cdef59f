"""Tests of `answers.black_box`."""

from __future__ import annotations

import re
from itertools import cycle, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.answers.black_box import black_box_sides
from longreach.answers.black_box_checkers import check_measured_rows
from longreach.answers.boxes import measured_verdict
from longreach.answers.examples import example_sides
from longreach.answers.forecast import forecast, forecast_all
from longreach.answers.oracle import is_black_box
from longreach.answers.published import FIGURE_1_TASKS
from longreach.tasks.catalog import load_task
from longreach.tasks.data import DataTask
from longreach.tasks.task import Task
from longreach.theory.automata.regex import from_expression
from longreach.theory.certificates.check_no import Status
from longreach.theory.communication.rows import rows_of_function
from longreach.theory.program_class import PROGRAM_SIDES
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer, Verdict
from tests.helpers.anonymous_tasks import anonymous

# Verdicts from answers alone, against those of the same tasks with their evidence.


def _found(task: Task) -> dict[str, Verdict]:
    return black_box_sides(anonymous(task), "mine", PROGRAM_SIDES, seconds=8.0)


def _wrong(found: dict[str, Verdict], known: dict[str, Verdict]) -> list[str]:
    return [
        key
        for key in PROGRAM_SIDES
        for mine, right in ((found[key].answer, known[key].answer), (found[key].trained, known[key].trained))
        if mine not in (Answer.UNDECIDED, right)
    ]


@pytest.mark.parametrize("name", [name for name in FIGURE_1_TASKS if load_task(name).kind == "language"])
def test_the_languages_of_the_benchmark_by_their_predicates(name: str) -> None:
    found, known = _found(load_task(name)), forecast(name).sides
    for key in PROGRAM_SIDES:
        assert found[key].answer is known[key].answer
        assert found[key].trained is known[key].trained
        assert found[key].checked_to == 100
        seen = r"\([\d,]+ accept, [\d,]+ reject\)"
        assert re.match(rf"for the automaton learned up to length 100 {seen}: ", found[key].reason)


@pytest.mark.slow
def test_the_whole_benchmark_as_functions() -> None:
    """Nothing is wrong, and at least 20 of 25 are the same; what is copied once is a no that only its own
    reduction knows."""
    same = []
    for known in forecast_all():
        found = _found(known.task)
        assert _wrong(found, known.sides) == [], known.name
        if all(found[key].answer is known.sides[key].answer for key in PROGRAM_SIDES):
            same.append(known.name)
        assert all(
            found[key].checked_to is not None for key in found if found[key].answer is not Answer.UNDECIDED
        )
    assert set(FIGURE_1_TASKS) - set(same) <= {"copy-unique"}


@pytest.mark.parametrize(("name", "answer"), [("copy-repeat", "no"), ("parity", "no")])
def test_functions_that_fail(name: str, answer: str) -> None:
    found = _found(load_task(name))
    assert [found[key].answer.value for key in PROGRAM_SIDES] == [answer, answer]
    kind = found["ape"].certificate.kind
    assert kind == ("learned-flow" if name == "parity" else "measured-communication")


def _word(length: int, rng: np.random.Generator) -> list[str]:
    return ["ab"[k] for k in rng.integers(0, 2, length)]


def _sorted_word(length: int, rng: np.random.Generator) -> list[str]:
    return sorted(_word(length, rng))


def test_where_not_every_word_is_an_input_an_automaton_says_no_no() -> None:
    """Of words a…ab…b alone, whether the last letter is b is whether there is one: counting is enough.

    Over all words the same function is out of reach."""

    def last(x: tuple[str, ...]) -> bool:
        return x[-1] == "b"

    every = black_box_sides(Task.from_function(_word, last), "mine", ["nope"])["nope"]
    some = black_box_sides(Task.from_function(_sorted_word, last), "mine", ["nope"])["nope"]
    assert every.answer is Answer.NO
    assert some.answer is not Answer.NO


def test_the_first_token_of_a_long_answer_may_be_out_of_reach() -> None:
    backwards = Task.from_function(_word, lambda x: x[::-1])
    found = black_box_sides(backwards, "mine", PROGRAM_SIDES)
    assert found["nope"].certificate.kind == "learned-flow"
    assert found["ape"].certificate.kind == "measured-communication"


def test_a_language_that_no_automaton_has() -> None:
    """To any length it is regular; so states must be few for the length."""

    def balanced(word: tuple[str, ...]) -> bool:
        depth = 0
        for letter in word:
            depth += 1 if letter == "(" else -1
            if depth < 0:
                return False
        return depth == 0

    found = black_box_sides(Task.from_predicate(balanced, "()"), "mine", PROGRAM_SIDES)
    assert all(found[key].certificate.kind == "found-program" for key in PROGRAM_SIDES)
    mirrored = Task.from_predicate(lambda word: word == word[::-1], "ab")
    found = black_box_sides(mirrored, "mine", PROGRAM_SIDES, seconds=2.0)
    assert {each.answer for each in found.values()} == {Answer.NO}


def test_what_is_undecided_says_what_was_tried() -> None:
    def squares(word: tuple[str, ...]) -> bool:
        return round(len(word) ** 0.5) ** 2 == len(word)

    found = black_box_sides(Task.from_predicate(squares, "a"), "mine", ["ape"], seconds=1.0)["ape"]
    assert found.answer is Answer.UNDECIDED
    assert found.reason.startswith(
        "no automaton with at most 30 states gives the answers; of 15 inputs tried with 16 to 30 tokens all"
    )


def test_a_function_that_fails_is_undecided() -> None:
    def never(x: tuple[str, ...]) -> str:
        raise KeyError("oh")

    found = black_box_sides(Task.from_function(_word, never, tokens="ab", longest_answer=1), "mine", ["ape"])
    assert found["ape"].answer is Answer.UNDECIDED
    assert "KeyError" in found["ape"].reason


def test_a_function_that_changes_its_mind_is_undecided() -> None:
    """It answers every word the same way at first, and another way later."""
    asked = []

    def changing(x: tuple[str, ...]) -> bool:
        asked.append(x)
        return x.count("a") > x.count("b") if len(asked) < 3000 else x[0] == "a"

    for task in (
        Task.from_function(_word, changing),
        Task.from_predicate(lambda w: bool(w) and changing(w), "ab"),
    ):
        asked.clear()
        found = black_box_sides(task, "mine", ["nope"])["nope"]
        assert found.answer is Answer.UNDECIDED
        assert "has different answers, at first" in found.reason


def test_an_answer_without_tokens_has_a_name() -> None:
    found = black_box_sides(Task.from_function(_word, lambda x: []), "mine", ["ape"], seconds=1.0)["ape"]
    assert found.answer is Answer.UNDECIDED
    assert "have the answer ε" in found.reason


def test_positions_modulo_a_number_where_one_symbol_repeats() -> None:
    """Only a digit and ticks are inputs: without positions the ticks cannot be counted modulo 5."""

    def ticks(length: int, rng: np.random.Generator) -> list[str]:
        return [str(rng.integers(0, 5)), *"t" * (length - 1)]

    task = Task.from_function(ticks, lambda x: (int(x[0]) + len(x) - 1) % 5)
    found = black_box_sides(task, "mine", PROGRAM_SIDES)
    assert [found[key].answer.value for key in PROGRAM_SIDES] == ["no", "yes"]
    assert found["nope"].reason.startswith("of the inputs 0 (t)* an automaton with 5 states")


def test_an_empty_language_is_not_believed() -> None:
    found = black_box_sides(Task.from_predicate(lambda word: False, "ab"), "mine", ["nope"])["nope"]
    assert found.answer is Answer.UNDECIDED


def test_only_tasks_without_evidence_are_black_boxes() -> None:
    assert is_black_box(Task.from_function(_word, lambda x: "a"), trusted=False)
    assert not is_black_box(load_task("sort"), trusted=True)
    assert is_black_box(load_task("sort"), trusted=False)
    assert forecast("binary-majority-interleave").nope.answer is Answer.UNDECIDED


def test_no_seconds_no_search() -> None:
    assert forecast(Task.from_function(_word, lambda x: "a"), budget=0).nope.answer is Answer.UNDECIDED


def test_what_own_functions_do_wrong_is_said_in_plain_words() -> None:
    fails = Task.from_predicate(lambda word: 1 / 0, "ab", name="fails")
    one = Task.from_predicate(lambda word: False, "ab", name="one answer")
    assert black_box_sides(fails, "mine", ["nope"])["nope"].clause == (
        "it cannot be queried: ZeroDivisionError: division by zero"
    )
    said = black_box_sides(one, "mine", ["ape"])["ape"].clause
    assert re.fullmatch(r"all [\d,]+ words tried have the answer reject", said)


def _string(length: int, rng: np.random.Generator) -> str:
    return "".join(_word(length, rng))


@pytest.mark.parametrize(
    ("task", "says"),
    [
        (
            Task.from_function(_string, lambda x: {"a": 1}, name="mine"),
            "answer(b) gives {'a': 1}, a dict; expected a list of tokens, a string, a whole number or a",
        ),
        (
            Task.from_function(_string, lambda x: None, name="mine"),
            "answer(b) gives None; expected a list of",
        ),
        (Task.from_function(_string, lambda x: 0.5, name="mine"), "answer(b) gives 0.5, a float; expected a"),
        (
            Task.from_function(lambda n, rng: [1] * n, lambda x: x[0], name="mine"),
            "draw(1, rng): 1 is of type int; tokens are strings",
        ),
        (Task.from_predicate(lambda w: "no", "ab", name="mine"), "gives 'no', a str; expected True or False"),
    ],
    ids=["dict", "None", "float", "tokens", "str"],
)
def test_answers_that_cannot_be_used_are_named_on_the_first_line(task: Task, says: str) -> None:
    for verdict in black_box_sides(task, "mine", PROGRAM_SIDES).values():
        assert verdict.answer is Answer.UNDECIDED
        assert verdict.clause.startswith("it cannot be queried: ")
        assert says in verdict.clause


def test_answers_that_differ_between_calls_are_named() -> None:
    turns = cycle([True, False, False])
    language = Task.from_predicate(lambda w: next(turns), "ab", name="by turns")
    function = Task.from_function(_word, lambda x: next(turns), name="by turns")
    for task in (language, function):
        clause = black_box_sides(task, "mine", ["ape"])["ape"].clause
        assert clause.startswith("it cannot be queried: ")
        assert "has different answers, " in clause


# Answers that were hardly ever seen, or change beyond the lengths tried, are no evidence.


LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _any_word(length: int, rng: np.random.Generator) -> str:
    return "".join(LETTERS[k] for k in rng.integers(0, 26, length))


def _rarely_b(length: int, rng: np.random.Generator) -> str:
    return "".join("b" if share < 0.01 else "a" for share in rng.random(length))


def _even_thirds(word: str) -> bool:
    n = len(word) // 3
    return n % 2 == 0 and word == "a" * n + "b" * n + "c" * n


def _late(word: str) -> bool:
    return word.count("a") % 2 == 0 if len(word) > 70 else word.count("a") > word.count("b")


@pytest.mark.parametrize(
    ("task", "says"),
    [
        (Task.from_function(_any_word, lambda x: "stop" in x), r"all [\d,]+ inputs tried have the answer no"),
        pytest.param(
            Task.from_predicate(lambda w: "stop" in w, LETTERS),
            r"all [\d,]+ words tried have the answer reject",
            marks=pytest.mark.slow,
        ),
        (Task.from_function(_word, lambda x: "yes"), r"all [\d,]+ inputs tried have the answer yes"),
        (
            Task.from_predicate(_even_thirds, "abc"),
            "no automaton with at most 30 states gives the answers; .*",
        ),
        (
            Task.from_function(_string, _late),
            "no automaton with at most 30 states .*; no program was found.*",
        ),
        (
            Task.from_predicate(_late, "ab"),
            "no automaton with at most 30 states .*; no program was found.*",
        ),
        (
            Task.from_predicate(lambda w: "a" in w if len(w) <= 150 else w.count("a") % 2 == 0, "ab"),
            r"an automaton with 2 states gives the answers to length 100, but not to a word of \d+ lett",
        ),
        (
            Task.from_predicate(lambda w: w in ("ab", "ba"), "ab"),
            r"only 2 of [\d,]+ words tried have the answer accept, none with more than 2 letters; .*",
        ),
        pytest.param(
            Task.from_predicate(re.compile("((cca(a)*ccbbbbb)*)*").fullmatch, "abc"),
            r"only [\d,]+ of [\d,]+ words tried have the answer accept, .*",
            marks=pytest.mark.slow,
        ),
    ],
    ids=[
        "stop in inputs",
        "stop in words",
        "constant",
        "even thirds",
        "late function",
        "late predicate",
        "later than learned",
        "two words",
        "rare words",
    ],
)
def test_what_was_hardly_seen_is_not_known(task: Task, says: str) -> None:
    for verdict in black_box_sides(task, "mine", PROGRAM_SIDES, seconds=8.0).values():
        assert verdict.answer is Answer.UNDECIDED
        assert re.match(says, verdict.reason), verdict.reason


def test_the_parity_of_a_letter_that_is_rarely_drawn_is_no_program_of_counts() -> None:
    """Small counts would fit what is drawn."""
    task = Task.from_function(_rarely_b, lambda x: x.count("b") % 2 == 0)
    for verdict in black_box_sides(task, "mine", PROGRAM_SIDES, seconds=8.0).values():
        assert verdict.answer is not Answer.YES
        assert verdict.answer is Answer.UNDECIDED or verdict.reason.startswith("of the inputs ")


def test_a_language_that_is_finite_and_dense_is_believed() -> None:
    found = black_box_sides(Task.from_predicate(lambda w: len(w) <= 3, "ab"), "mine", ["nope"])["nope"]
    assert found.answer is Answer.YES
    assert "(15 accept, " in found.reason


def test_strings_are_counted_as_the_user_counts() -> None:
    task = Task.from_function(_string, lambda x: x.count("ab") % 2)
    assert black_box_sides(task, "mine", ["ape"])["ape"].answer is Answer.NO


@st.composite
def _sparse_expressions(draw: st.DrawFn) -> str:
    """Few of the words over three letters belong to such a language."""
    part = st.text("abc", min_size=2, max_size=4)
    base = st.recursive(
        part,
        lambda inner: st.one_of(
            inner.map(lambda each: f"({each})*"),
            st.tuples(inner, inner).map("".join),
            st.tuples(inner, inner).map(lambda two: f"({two[0]}|{two[1]})"),
        ),
        max_leaves=4,
    )
    return draw(st.tuples(base, part).map("".join))


@given(_sparse_expressions())
@settings(max_examples=4, deadline=None, derandomize=True)
def test_sparse_expressions_as_predicates_get_no_wrong_verdict(expression: str) -> None:
    automaton = from_expression(expression, "abc")
    task = Task.from_predicate(automaton.accepts, "abc")
    right = judge(automaton).sides
    found = black_box_sides(task, "mine", PROGRAM_SIDES)
    assert _wrong(found, right) == []


# Files of examples: always undecided, with what they speak for.


Word = tuple[str, ...]
WORDS = [word for size in range(1, 9) for word in product("ab", repeat=size)]


def _task(examples: list[tuple[Word, Word]]) -> DataTask:
    return DataTask("data:mine.jsonl", tuple(examples), "0" * 64)


@pytest.mark.parametrize(
    ("examples", "says"),
    [
        (
            [(w, (str(w.count("a") % 2),)) for w in WORDS],
            "these speak for a no: for an automaton with 2 states",
        ),
        ([(w, (str("a" in w),)) for w in WORDS], "these speak for a yes: for an automaton with 2 states"),
        (
            [(w, (str(2 * w.count("a") >= len(w)),)) for w in WORDS],
            "these speak for a yes: for a program with 14 operations there is no counter-example in 510 ",
        ),
        (
            [(w, w) for w in WORDS],
            "these speak for a no: the bits that a part of the input must pass on grow",
        ),
    ],
    ids=["parity", "contains", "majority", "copy"],
)
def test_what_examples_speak_for(examples: list[tuple[Word, Word]], says: str) -> None:
    for verdict in example_sides(_task(examples), ["nope", "ape"], seconds=3.0).values():
        assert verdict.answer is Answer.UNDECIDED
        assert verdict.reason.startswith(f"examples decide nothing, {says}")
        assert verdict.certificate.kind == "none"


def test_few_examples_speak_for_nothing() -> None:
    few = [(w, (str(w.count("a") % 2),)) for w in WORDS[:20]]
    verdict = example_sides(_task(few), ["ape"], seconds=5.0)["ape"]
    assert verdict.reason.startswith(
        "examples decide nothing: an automaton with 2 states agrees, made from 20 of 20"
    )


def test_many_examples_are_counted() -> None:
    many = [(w, (str(len(w) % 2),)) for w in WORDS]
    verdict = example_sides(_task(many), ["ape"], seconds=5.0)["ape"]
    assert f"no counter-example in {len(WORDS)} examples" in verdict.reason


def test_no_automaton_with_a_state_for_every_length() -> None:
    """A few differences of counts have no small program; up to a length an automaton does it."""
    words = [word for size in range(1, 11) for word in product("ab", repeat=size)]
    odd = [(w, (str(w.count("a") - w.count("b") in (3, 6, 7)),)) for w in words]
    verdict = example_sides(_task(odd), ["nope"], seconds=4.0)["nope"]
    assert verdict.reason.startswith("examples decide nothing: an automaton with ")
    assert verdict.reason.endswith(" states agrees, which are many for inputs to length 10")


def test_programs_of_few_examples_speak_for_nothing() -> None:
    few = [(w, (str(2 * w.count("a") >= len(w)),)) for w in WORDS if len(w) < 6]
    verdict = example_sides(_task(few), ["nope"], seconds=2.0)["nope"]
    assert "these speak for" not in verdict.reason


# A no from bits that were measured.


def test_the_verdict_and_what_it_rests_on() -> None:
    measured = rows_of_function(lambda word: word, "ab", most=256)
    assert measured is not None
    found = measured_verdict(measured, name="mine", key="nope")
    assert found.answer is Answer.NO
    assert found.checked_to == 8
    assert not found.by_communication
    assert found.proof.basis == "measured to length 8, followed to 100"
    assert found.reason.startswith("measured up to length 8 and followed to length 100: ")
    document = found.certificate.model_dump(mode="json", by_alias=True)
    assert document["rows"] == [2, 4, 8, 16, 32, 64, 128, 256]
    assert document["class"] == "C-RASP[∅]"
    assert [each["rows"] for each in document["spread"]] == [256, 256]
    assert not document["lower_bound"]


WINDOWS = {
    "first 8": Task.from_function(_word, lambda x: x[:8]),
    "last 8": Task.from_function(_word, lambda x: x[-8:]),
    "first 7 = last 7": Task.from_predicate(lambda w: w[:7] == w[-7:], "ab"),
}


@pytest.mark.parametrize(
    "name", ["first 8", "last 8", pytest.param("first 7 = last 7", marks=pytest.mark.slow)]
)
def test_a_window_is_no_growth(name: str) -> None:
    """Counted to length 6 or 12 they look linear; with positions they are within reach."""
    found = black_box_sides(WINDOWS[name], "mine", ["ape"])["ape"]
    assert found.answer is Answer.UNDECIDED
    assert "its communication " in found.reason


def test_the_growth_of_drawn_inputs_is_a_lower_bound() -> None:
    found = _found(load_task("addition"))["ape"]
    assert found.answer is Answer.NO
    assert " on drawn inputs, a lower bound, and followed to length 100: " in found.reason
    assert "grow linearly, at least " in found.reason
    document = found.certificate.model_dump(mode="json")
    assert document["lower_bound"]
    assert [each["same"] for each in document["drawn"]] == [0]
    finding = check_measured_rows(found.certificate, load_task("addition"), True)
    assert finding.status is Status.CHECKED


def _framed(length: int, rng: np.random.Generator) -> list[str]:
    return ["#", *_word(length - 2, rng), "#"]


def test_drawn_inputs_show_no_window_either() -> None:
    """What is copied grows at any length; of the last letters no more than they are."""
    copied = Task.from_function(_framed, lambda x: x[1:-1] or "none", least_length=2)
    last = Task.from_function(_framed, lambda x: x[-9:-1] or "none", least_length=2)
    assert black_box_sides(copied, "mine", ["ape"], seconds=8.0)["ape"].answer is Answer.NO
    assert black_box_sides(last, "mine", ["ape"], seconds=8.0)["ape"].answer is not Answer.NO
