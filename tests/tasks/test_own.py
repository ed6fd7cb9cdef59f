"""Tests of `tasks.own`."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from longreach.answers.forecast import forecast
from longreach.errors import InputError
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.changes import changed_task
from longreach.tasks.check import check_task
from longreach.tasks.copying import Sort
from longreach.tasks.layouts import OneToken
from longreach.tasks.own import FunctionTask, fingerprint, remember, session_task
from longreach.tasks.task import Batch, Evidence, IntArray, Split, Task
from longreach.theory.automata.named import named_automaton
from longreach.theory.names import TaskName
from longreach.theory.program_class import PROGRAM_SIDES
from tests.helpers.refusals import refusal
from tests.helpers.task_checks import assert_samples_are_right


def letters(length: int, rng: np.random.Generator) -> list[str]:
    return ["abc"[k] for k in rng.integers(0, 3, length)]


def doubled(x: Sequence[str]) -> list[str]:
    """Every letter twice."""
    return [letter for letter in x for _ in range(2)]


def test_the_layout_and_what_is_found() -> None:
    task = Task.from_function(letters, doubled)
    assert (task.name, task.about) == ("doubled", "Every letter twice")
    assert task.symbols == ("a", "b", "c")
    assert [task.answer_size(n) for n in (1, 7, 150)] == [2, 14, 300]
    assert_samples_are_right(task, doubled)


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (lambda x: x[-1], lambda x: [x[-1]]),
        (lambda x: "a" in x, lambda x: ["yes" if "a" in x else "no"]),
        (lambda x: len(x) % 3, lambda x: [str(len(x) % 3)]),
        (lambda x: [letter for letter in x if letter == "a"], lambda x: [s for s in x if s == "a"]),
    ],
)
def test_one_answer_and_many(answer: Callable[..., Any], right: Callable[..., Any]) -> None:
    task = Task.from_function(letters, answer, name="mine", about="mine")
    assert_samples_are_right(task, right)
    assert task.input_size(10) <= 22


def test_what_is_said_is_kept() -> None:
    task = Task.from_function(
        letters, doubled, tokens="cbax", least_length=2, has=lambda n: n % 2 == 0, longest_answer=300,
        chance=0.25,
    )  # fmt: skip
    assert task.tokens == ("PAD", "SOS", "EOS", "SEP", "c", "b", "a", "x")
    assert task.lengths(0, 7).tolist() == [2, 4, 6]
    assert (task.answer_size(2), task.chance) == (300, 0.25)
    assert Task.from_function(letters, doubled, longest_answer=lambda n: 2 * n).answer_size(4) == 8
    again = [task.sample([4, 6], np.random.default_rng(5)).tokens.tolist() for _ in range(2)]
    assert again[0] == again[1]


def short(length: int, rng: np.random.Generator) -> list[str]:
    return ["a"] * (length - 1)


def fails(x: object, rng: object = None) -> list[str]:
    raise KeyError("oh")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"draw": short}, "mine: short(3, rng) gives 2 tokens, not 3: a a"),
        ({"draw": fails}, "mine: fails(3, rng) fails: KeyError: 'oh'"),
        ({"draw": lambda n, rng: [7] * n}, "mine: draw(3, rng): 7 is of type int; tokens are strings"),
        ({"draw": lambda n, rng: None}, "mine: draw(3, rng) gives None; expected a list of tokens"),
        ({"draw": lambda n, rng: sys.exit(3)}, "mine: draw(3, rng) fails: SystemExit: 3"),
        ({"draw": lambda n, rng: ["a b"] * n}, "mine: draw(3, rng): the token 'a b' is empty or has a blank"),
        (
            {"draw": lambda n, rng: ["EOS"] * n},
            "mine: draw(3, rng): the token EOS is one that the task needs",
        ),
        ({"answer": fails}, "mine: fails(a a a) fails: KeyError: 'oh'"),
        (
            {"answer": lambda x: None},
            "mine: answer(a a a) gives None; expected a list of tokens, a string,",
        ),
        (
            {"answer": lambda x: 1.5},
            "mine: answer(a a a) gives 1.5, a float; expected a list of tokens, a string,",
        ),
        (
            {"answer": lambda x: {"a": 1}},
            "mine: answer(a a a) gives {'a': 1}, a dict; expected a list of tokens, a string,",
        ),
        ({"answer": set}, "mine: set(a a a) gives {'a'}, a set; expected a list of tokens, a string,"),
        ({"answer": lambda x: sys.exit(3)}, "mine: answer(a a a) fails: SystemExit: 3"),
        ({"answer": lambda x: [1.5]}, "mine: answer(a a a): 1.5 is of type float; tokens are strings"),
        ({"answer": lambda x: "z"}, "mine: answer(a a a) has 'z', which is not among the tokens a b; name"),
        (
            {"answer": lambda x: x * 9, "longest_answer": 4},
            "mine: answer(a a a) has 27 tokens, more than the 4",
        ),
    ],
)
def test_functions_that_do_not_fit(settings: dict[str, Any], message: str) -> None:
    usual = {"draw": lambda n, rng: ["a"] * n, "answer": lambda x: x[-1], "longest_answer": 1}
    given = {**usual, **settings}
    task = Task.from_function(given.pop("draw"), given.pop("answer"), name="mine", tokens=["a", "b"], **given)
    assert refusal(task.sample, [3], np.random.default_rng(0)).startswith(message)


def test_guessing_where_long_inputs_have_no_answer() -> None:
    def first(x: Sequence[str]) -> str:
        if len(x) > 40:
            raise ValueError("too long")
        return x[0]

    assert 0.25 < Task.from_function(letters, first, tokens="abc", longest_answer=1).chance < 0.45
    with pytest.raises(InputError, match="fails: KeyError"):
        _ = Task.from_function(letters, fails, tokens="abc", longest_answer=1).chance


def test_the_forecast_of_an_object() -> None:
    task = Task.from_function(letters, doubled)
    found = forecast(task)
    # Twice the word is a copy: what is measured of the answers says no, to a length.
    assert {found.sides[key].answer.value for key in PROGRAM_SIDES} == {"no"}
    assert found.sides["reach"].answer.value == "undecided"
    assert found.sides["ape"].checked_to is not None
    unasked = forecast(task, budget=0)
    assert {side.answer.value for side in unasked.sides.values()} == {"undecided"}
    assert unasked.sides["ape"].reason == "a Python function: a forecast looks for evidence in its answers"
    whole = Evidence("communication", None, "the word must be told", split=Split(("a", "b")))
    known = Task.from_function(letters, doubled, nope=whole, ape=whole)
    assert {forecast(known).sides[key].answer.value for key in PROGRAM_SIDES} == {"no"}
    assert isinstance(known, FunctionTask)


def test_guessing_is_tried_where_nothing_is_said() -> None:
    """One and the same answer to all long inputs."""

    def bits(length: int, rng: np.random.Generator) -> list[str]:
        return ["01"[k] for k in rng.integers(0, 2, length)]

    assert 0.4 < Task.from_function(bits, lambda x: x[0] == "1").chance < 0.65
    assert Task.from_function(bits, lambda x: "1" in x).chance == 1.0
    assert Task.from_function(bits, lambda x: x).chance == 0.0
    assert Task.from_function(bits, lambda x: x[0], chance=0.25).chance == 0.25


def test_membership_at_every_position_of_any_word() -> None:
    task = Task.from_predicate(lambda word: word.count("a") % 2 == 0, "ab", name="even")
    assert task.answer("aab") == ("{accept}", "{reject}", "{accept}", "{accept}")
    batch = task.sample([5] * 40, np.random.default_rng(0))
    for row, targets in zip(batch.tokens, batch.targets, strict=True):
        assert tuple(task.decode(targets.tolist())) == task.answer(task.decode(row[1:].tolist()))
    assert len({tuple(row) for row in batch.tokens.tolist()}) > 10


@pytest.mark.parametrize("name", ["tomita-3", "d-4", "abab"])
def test_what_may_follow_is_that_of_the_language(name: str) -> None:
    """The labels of the automaton itself, from the predicate alone."""
    automaton, own = named_automaton(name), load_task(name)
    task = Task.from_predicate(automaton.accepts, automaton.alphabet, labels="next")
    lengths = own.lengths(1, 14)
    assert task.lengths(1, 14).tolist() == lengths.tolist()
    batch = task.sample(np.repeat(lengths, 3), np.random.default_rng(0))
    for row, targets, size in zip(batch.tokens, batch.targets, batch.sizes, strict=True):
        word = task.decode(row[1:size].tolist())
        assert automaton.accepts(word)
        assert tuple(task.decode(targets[:size].tolist())) == own.answer(word)


def _balanced(word: tuple[str, ...]) -> bool:
    return _open(word) and word.count("(") == word.count(")")


def _open(word: tuple[str, ...]) -> bool:
    return all(word[:k].count("(") >= word[:k].count(")") for k in range(len(word) + 1))


def _nested(length: int, rng: np.random.Generator) -> list[str]:
    return ["("] * (length // 2) + [")"] * (length // 2)


def test_completions_and_words_may_be_given() -> None:
    task = Task.from_predicate(_balanced, "()", labels="next", completes=_open, draw=_nested, least_length=2)
    assert task.answer("(())") == load_task("dyck-1").answer("(())")
    assert task.sample([2, 6], np.random.default_rng(0)).sizes.tolist() == [3, 7]
    with pytest.raises(InputError, match=r"gives 2 letters, not 3"):
        task.sample([3], np.random.default_rng(0))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alphabet": ""}, "mine: the alphabet is empty"),
        ({"alphabet": "aa"}, "mine: alphabet: 'a' appears twice"),
        ({"alphabet": ["SOS"]}, "mine: alphabet: 'SOS' is one the task needs itself"),
        ({"alphabet": ["a b"]}, "mine: alphabet: 'a b' is not a token, a string without spaces"),
        ({"labels": "all"}, "mine: labels: 'all' is neither 'member' nor 'next'"),
        ({"least_length": -1}, "mine: least_length: must be at least 0, not -1"),
    ],
)
def test_bad_settings_predicate_language(settings: dict[str, Any], message: str) -> None:
    given = {"alphabet": "ab", "name": "mine", **settings}
    assert refusal(Task.from_predicate, lambda word: True, **given) == message


def _string(length: int, rng: np.random.Generator) -> str:
    return "".join("ab"[k] for k in rng.integers(0, 2, length))


@pytest.mark.parametrize(
    ("draw", "kind"),
    [(_string, str), (letters, list), (lambda n, rng: tuple(letters(n, rng)), tuple)],
)
def test_functions_read_the_type_that_was_drawn(draw: Any, kind: type) -> None:
    seen = []
    task = Task.from_function(draw, lambda x: seen.append(type(x)) or "a", steps=lambda x: [type(x).__name__])  # type: ignore[func-returns-value]
    task.answer(("a", "b"))
    assert {*seen} == {kind}
    assert changed_task(task, ["scratchpad"]).answer(("a", "b")) == (kind.__name__, "a", "EOS")


def test_strings_as_answers_are_one_token_or_words_over_the_same_letters() -> None:
    assert Task.from_function(_string, lambda x: x.count("ab") % 2).answer("abab") == ("0", "EOS")
    assert Task.from_function(_string, lambda x: "even" if "ab" in x else "odd").answer("ab") == (
        "even",
        "EOS",
    )
    assert Task.from_function(_string, lambda x: x[:2]).answer("abb") == ("ab", "EOS")
    backwards = Task.from_function(_string, lambda x: x[::-1], steps=lambda x: x)
    assert backwards.answer("abb") == ("b", "b", "a", "EOS")
    assert changed_task(backwards, ["scratchpad"]).answer("ab") == ("a", "b", "b", "a", "EOS")


@pytest.mark.parametrize(
    ("predicate", "word", "settings"),
    [
        (lambda w: "ab" in w, "aab", {}),
        (lambda w: w.count("ab") == 2, "abab", {}),
        (lambda w: w.endswith("b"), "ab", {}),
        (lambda w: re.fullmatch("(ab)*", w), "abab", {}),
        (lambda w: w == w[::-1], "aba", {}),
        (lambda w: w and w[0] == "a", "ab", {}),
        (lambda w: w[-1:] == ("b",), "ab", {}),
        (lambda w: w == tuple(sorted(w)), "aab", {}),
        (lambda w: isinstance(w, tuple), "ab", {"as_tuple": True}),
        (lambda w: isinstance(w, str), "ab", {"as_tuple": False}),
        (lambda w: w[:1] == ("a",), ("a", "bb"), {"alphabet": ("a", "bb")}),
    ],
)
def test_predicates_read_strings_or_the_tuples_they_expect(
    predicate: Any, word: Any, settings: dict[str, Any]
) -> None:
    task = Task.from_predicate(predicate, **{"alphabet": "ab", **settings})
    assert task.contains(tuple(word))
    assert not task.contains(("b", "b", "a")) or "as_tuple" in settings


@pytest.mark.parametrize(
    ("said", "shown"), [("no", "'no', a str"), (0.5, "0.5, a float"), ({}, "{}, a dict")]
)
def test_what_a_predicate_must_not_say(said: Any, shown: str) -> None:
    task = Task.from_predicate(lambda word: said, "ab", name="mine")
    assert refusal(task.contains, "ab") == f"mine: predicate(ab) gives {shown}; expected True or False"


class _Constant(OneToken):
    """A task of somebody's who states no chance."""

    name, about, kind = "constant", "always a", "algorithmic"
    symbols, least_length = ("a", "b"), 1
    nope = ape = Evidence("none", None, "nothing is known")

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return ("a", "EOS")

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = rng.integers(0, 2, (len(lengths), int(lengths.max())))
        return x, np.zeros((len(lengths), 1), np.int64), np.ones(len(lengths), np.int64)


def test_chance_is_stated_or_measured() -> None:
    assert _Constant().chance == 1.0
    assert Task.from_predicate(lambda w: False, "ab").chance == 1.0
    assert Task.from_predicate(lambda w: w.endswith("b"), "ab").chance == 0.0


def test_the_usual_checks_of_a_task() -> None:
    task = Task.from_predicate(lambda word: word[-1:] == ("b",), "ab", name="ends")
    assert [check for check in check_task(task).checks if check.status == "failed"] == []


@dataclass(frozen=True)
class _Downwards(Sort):
    """Sort, the other way round, under the same name."""

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x, y, sizes = super().draw(lengths, rng)
        inside = np.arange(y.shape[1]) < sizes[:, None]
        return x, np.where(inside, self.size - 1 - y, y), sizes


class _Broken(Sort):
    def _sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        raise ZeroDivisionError("no\nluck")


def test_a_name_leads_back_to_the_object() -> None:
    task = Sort(7)
    name = remember(task)
    assert TaskName(name).is_session
    assert not TaskName(name).is_attribute
    assert session_task(name) is task
    assert load_task(name) is task


def test_tasks_of_one_name_are_told_apart_by_what_they_are() -> None:
    names = {remember(Sort(20)), remember(Sort(21)), remember(_Downwards(20))}
    assert len(names) == 3
    assert {name.split("@")[0] for name in names} == {"object:sort"}


def test_all_tasks_have_their_own_fingerprint_and_keep_it() -> None:
    found = {name: fingerprint(make()) for name, make in TASKS.items()}
    assert found == {name: fingerprint(make()) for name, make in TASKS.items()}
    assert len(set(found.values())) == len(found)


def test_a_fingerprint_is_the_same_in_another_process() -> None:
    code = (
        "from longreach.tasks.own import remember\n"
        "from longreach.tasks.copying import Sort\n"
        "print(remember(Sort(9)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == remember(Sort(9))


def test_another_process_says_why_it_finds_no_such_task() -> None:
    name = remember(Sort(6))
    done = subprocess.run(
        [sys.executable, "-m", "longreach", "forecast", name], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert name in line
    assert "is an object of another Python session; put it into a module and name it module:attribute" in line


def test_a_task_that_cannot_draw_is_refused_in_one_line() -> None:
    assert refusal(remember, _Broken()) == "sort: drawing examples fails: ZeroDivisionError: no luck"


def test_names_stay_names() -> None:
    task = Sort(5)
    object.__setattr__(task, "name", "my: own\ntask/" + "x" * 100)
    name = remember(task)
    assert name.startswith("object:my-own-task-xxx")
    assert len(name) < 80
    assert "\n" not in name
