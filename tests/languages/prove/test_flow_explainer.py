"""The words of an explanation really differ in the language."""

from __future__ import annotations

import re

import pytest

from longreach.forecast.certificate_kinds import kind_of
from longreach.languages.regular.named_languages import NAMED_LANGUAGES, named_automaton
from longreach.verdicts.automaton_to_verdicts import judge


@pytest.mark.parametrize("name", NAMED_LANGUAGES)
def test_the_two_words_differ(name: str) -> None:
    automaton = named_automaton(name)
    verdicts = judge(automaton)
    for verdict in (verdicts.nope, verdicts.ape):
        lines = kind_of(verdict.certificate).explain(verdict.certificate)
        if verdict.answer.value != "no":
            assert lines == ()
            continue
        words = [line.strip() for line in lines if line.startswith("    ")]
        assert len(words) == 2
        for power in (1, 2, 5):
            answers = []
            for word in words:
                # p is a product of loops; the empty one is among them.
                spelled = re.sub(r"\((\w+)\)ᴺ", r"\1" * power, word.replace("p", "", 1))
                answers.append(automaton.accepts(spelled.replace(" ", "")))
            assert answers[0] != answers[1]
