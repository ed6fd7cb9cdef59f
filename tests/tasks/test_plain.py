"""Plain functions as tasks: what kind each becomes, and where the letters come from."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.own import FunctionTask
from longreach.tasks.plain import plain_task, python_task, takes_words
from longreach.tasks.predicates import PredicateLanguage

MODULE = """
def even_a(word):
    return word.count("a") % 2 == 0
"""
WITH_DRAW = """
def draw(length, rng):
    return "".join("xy"[k] for k in rng.integers(0, 2, length))
def last(word):
    return word[-1]
"""


def hinted(word: Sequence[Literal["a", "b"]]) -> bool:
    return len(word) > 2


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name, text in (("plain_functions", MODULE), ("plain_draw", WITH_DRAW)):
        monkeypatch.delitem(sys.modules, name, raising=False)
        (tmp_path / f"{name}.py").write_text(text)


def test_a_predicate_reads_text() -> None:
    task = plain_task(lambda word: "ab" in word, "abc")
    assert isinstance(task, PredicateLanguage)
    assert task.contains(("c", "a", "b"))
    assert not task.contains(("b", "a"))


def test_longer_letters_are_read_as_tuples() -> None:
    task = plain_task(lambda word: word[-1:] == ("go",), ["go", "stop"])
    assert isinstance(task, PredicateLanguage)
    assert task.contains(("stop", "go"))


@pytest.mark.parametrize(
    ("text", "word", "answer"),
    [
        ("lambda w: w[::-1]", "abb", ("b", "b", "a", "EOS")),
        ("lambda w: w.count('a') % 3", "aab", ("2", "EOS")),
        ("lambda w: w[0] == w[-1]", "ab", ("no", "EOS")),
        ("sorted", "bab", ("a", "b", "b", "EOS")),
    ],
)
def test_other_functions_answer(text: str, word: str, answer: tuple[str, ...]) -> None:
    task = python_task(text, "ab")
    assert isinstance(task, FunctionTask)
    assert task.answer(word) == answer


def test_letters_of_hints() -> None:
    task = plain_task(hinted)
    assert isinstance(task, PredicateLanguage)
    assert task.letters == ("a", "b")


@pytest.mark.usefixtures("modules")
def test_letters_and_words_of_a_draw_beside_it() -> None:
    task = load_task("plain_draw:last")
    assert isinstance(task, FunctionTask)
    assert task.answer("xxy") == ("y", "EOS")
    assert set(task.symbols) == {"x", "y"}


@pytest.mark.usefixtures("modules")
def test_a_name_with_an_alphabet() -> None:
    task = load_task("plain_functions:even_a", "ab")
    assert isinstance(task, PredicateLanguage)
    assert task.letters == ("a", "b")
    with pytest.raises(InputError, match="alphabet: missing; give the letters"):
        load_task("plain_functions:even_a")
    with pytest.raises(InputError, match="its own letters"):
        load_task("longreach.tasks.copying:Sort", "ab")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("lambda w: w.count(", "python: column"),
        ("3", "python: expected a function of a word"),
        ("lambda: 3", "python: expected a function of a word"),
        ("nothing", "python: NameError"),
        ("import os", "python: column"),
        ("lambda w: w.nothing", "task: <lambda> fails on every short word over a b, such as"),
    ],
)
def test_refusals(text: str, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        python_task(text, "ab")
    assert str(refused.value).startswith(problem)


def test_what_takes_words() -> None:
    def two(word: Any, other: Any) -> None: ...

    def one(word: Any, other: int = 3) -> None: ...

    assert not takes_words(two)
    assert takes_words(one)
    assert takes_words(sorted)
    assert not takes_words(dict)
