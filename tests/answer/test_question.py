from __future__ import annotations

import math
from typing import Any

import pytest

from longreach.answer.question import Question
from longreach.errors import InputError


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"minutes": -1.0}, "minutes: -1 is less than 0"),
        ({"minutes": math.nan}, "minutes: nan is no number of minutes"),
        ({"minutes": math.inf}, "minutes: inf is no number of minutes"),
        ({"seeds": 0}, "seeds: 0 is less than 1"),
        ({"encodings": ()}, "encoding: none is given"),
        ({"encodings": ("ape", "ape")}, "encoding: 'ape' stands twice"),
    ],
)
def test_what_cannot_be_asked(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Question(task="aa", **given)
    assert str(caught.value) == message


def test_an_unknown_encoding_is_named_with_its_like() -> None:
    with pytest.raises(InputError, match=r"'ropee'.*did you mean 'rope'"):
        Question(task="aa", encodings=("ropee",))


def test_files_of_different_tasks_have_different_names() -> None:
    asked = [
        Question(task="aa"),
        Question(task="regex:(aa)*"),
        Question(task="regex:(aa)*", alphabet=("a", "b")),
        Question(task="regex:aa*"),
        Question(task="regex:" + "(ab)*" * 50),
    ]
    stems = [question.file_stem for question in asked]
    assert len(set(stems)) == len(stems)
    assert all(len(stem) < 60 and stem.replace("-", "").isalnum() for stem in stems)
    assert asked[0].file_stem == "ask-aa"


def test_the_same_question_has_the_same_document() -> None:
    assert Question(task="aa").document() == Question(task="aa").document()
    assert Question(task="aa").document() != Question(task="aa", minutes=1).document()
