"""Cascades and groups among words of one length, against the definition of AC⁰ and literal readings."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from importlib import resources
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.theory.architectures.cascades import grow
from longreach.theory.architectures.check import check_architecture
from longreach.theory.architectures.classes import AC0, ArchitectureVerdict, judge_architecture
from longreach.theory.architectures.documents import NOTHING, CascadeCertificate, Question
from longreach.theory.architectures.levels import Asked
from longreach.theory.automata.automaton import labelled
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import Budget
from tests.helpers.semigroup_oracle import Map, then
from tests.helpers.small_automata import small_automata
from tests.theory.architectures.test_classes import accepted, predicted

REACH = {"encoding": "reach"}


def judged(question: Question) -> ArchitectureVerdict:
    found = judge_architecture("decoder", REACH, question)
    if found.certificate is not None:
        assert check_architecture(found.certificate, question.table).valid
        assert AC0.proves(found.certificate) == found.answer
    return found


def has_group_of_one_length(transitions: Sequence[Sequence[int]]) -> bool:
    """Whether the maps of all words of some one length have a group of two elements or more among them."""
    letters = {tuple(column) for column in zip(*transitions, strict=True)}
    layer: frozenset[Map] = frozenset(letters)
    seen: set[frozenset[Map]] = set()
    while layer not in seen:
        seen.add(layer)
        for one in layer:
            powers = [one]
            while (power := then(powers[-1], one)) not in powers:
                powers.append(power)
            if len(powers) > 1 and power == one and set(powers) <= layer:
                return True
        layer = frozenset(then(one, letter) for one in layer for letter in letters)
    return False


def answers_of(found: CascadeCertificate, word: str) -> list[str | None]:
    """What a cascade says after each beginning, read literally; None for a state that it does not list."""
    said = dict(zip(found.states, found.answers, strict=True))
    clock, memories = 0, [[0] * len(level.memories) for level in found.levels]
    result = []
    for place in range(len(word) + 1):
        result.append(said.get((clock, *(value for values in memories for value in values))))
        if place == len(word):
            break
        before: list[int] = []
        changed = []
        for level, values in zip(found.levels, memories, strict=True):
            event = (clock, *before, found.machine.alphabet.index(word[place]))
            which = level.events.index(event) if event in level.events else None
            new = [0] * len(values) if which is None else [memory[which] for memory in level.memories]
            before += values
            changed.append([b or a for a, b in zip(values, new, strict=True)])
        memories, clock = changed, (clock + 1) % found.modulus
    return result


def test_all_small_automata() -> None:
    count = 0
    for automaton in small_automata(3, "ab"):
        answer = "no" if has_group_of_one_length(automaton.transitions) else "yes"
        assert judged(predicted(automaton)).answer == answer, automaton
        if count % 4 == 0:
            assert judged(accepted(automaton)).answer == answer, automaton
        count += 1
    assert count == 1054


CENSUS = resources.files("longreach.studies.census") / "languages.json"
CENSUS_LANGUAGES = {
    "3e918b8819": ("yes", 8, 9),
    "96d8c66169": ("yes", 2, 2),
    "04df9a1d4a": ("no", None, None),
    "9426c3b9f3": ("yes", 1, 3),
    "2b5fb177a4": ("yes", 4, 2),
}
KNOWN = {  # the answer, the modulus, the layers of attention
    "(a|b)*a": ("yes", 1, 0),
    "(aa)*": ("yes", 2, 1),
    "(a|b|e)*be*": ("yes", 1, 1),
    "b*(ab*ab*)*": ("no", None, None),
    "((a|b)(a|b))*": ("yes", 2, 1),
}


@pytest.mark.parametrize("expression", KNOWN)
def test_known_languages(expression: str) -> None:
    found = judged(predicted(from_expression(expression)))
    assert (found.answer, found.modulus, found.levels) == KNOWN[expression]


@pytest.mark.parametrize("name", ["012-0-2", "tomita-5", "tomita-7", "d-4", "d-12"])
def test_a_cascade_answers_words(name: str) -> None:
    automaton = named_automaton(name)
    question, found = predicted(automaton), judged(predicted(automaton))
    if found.answer == "no":
        assert name == "tomita-5"
        return
    rng = random.Random(0)
    for _ in range(20):
        word = "".join(rng.choices(question.machine.alphabet, k=rng.randrange(40)))
        wanted = [question.machine.class_of(word[:place]) for place in range(len(word) + 1)]
        for output, said in zip(wanted, answers_of(found.certificate, word), strict=True):
            if output == NOTHING:
                break
            assert said == output


def test_groups_without_the_monoid() -> None:
    """Cycles of two and three states are found without writing maps down; other verdicts stay as they are."""
    for automaton in list(small_automata(3, "ab"))[::200]:
        question = predicted(automaton)
        found = judge_architecture("decoder", REACH, question, Budget(monoid=1))
        if found.certificate is not None:
            assert check_architecture(found.certificate, question.table).valid
        assert found.answer == judged(question).answer


@pytest.mark.parametrize("key", ["3e918b8819", "96d8c66169", "04df9a1d4a", "9426c3b9f3", "2b5fb177a4"])
def test_languages_of_the_census(key: str) -> None:
    """One with many levels, ones with a clock, one with too many maps, one whose levels count letters."""
    rows = json.loads(CENSUS.read_text())
    task = next(row["task"] for row in rows if row["key"] == key)
    found = judged(predicted(from_expression(task.removeprefix("regex:"))))
    answer, modulus, levels = CENSUS_LANGUAGES[key]
    assert (found.answer, found.modulus) == (answer, modulus)
    assert levels is None or (found.levels is not None and found.levels <= levels)


def test_many_letters() -> None:
    """Letters that do the same are remembered as one; sets of many letters are not all remembered."""
    found = judged(predicted(from_expression("[a-z]+@[a-z]+[.](com|org)")))
    assert (found.answer, found.levels) == ("yes", 1)
    found = judged(predicted(from_expression("(a|b|c|d|e|f)*abcdef(a|b|c|d|e|f)*")))
    assert found.answer == "yes"


def test_without_time_images_are_enough() -> None:
    question = predicted(from_expression("(a|b)ba(b|aa)(ba|a(a|b)ba(b|aa))*"))
    asked = Asked.of(question)
    for modulus in (1, 2, 4, 8):
        levels = grow(asked, asked.clock(modulus), 40, colours=False)
        assert (levels is None) == (modulus < 8)


def random_question(rows: list[list[int]], outputs: list[str], at_end: bool) -> Question:
    return Question(labelled("abc"[: len(rows[0])], rows, 0, outputs), at_end)


questions = st.integers(1, 5).flatmap(
    lambda states: st.integers(1, 3).flatmap(
        lambda letters: st.builds(
            random_question,
            st.lists(
                st.lists(st.integers(0, states - 1), min_size=letters, max_size=letters),
                min_size=states,
                max_size=states,
            ),
            st.lists(st.sampled_from([NOTHING, "x", "y"]), min_size=states, max_size=states),
            st.booleans(),
        )
    )
)


@settings(max_examples=60, deadline=None)
@given(questions)
def test_answers_agree_with_the_definition(question: Question) -> None:
    """Where something is asked after every word, the answer is the definition's."""
    found = judged(question)
    groups = has_group_of_one_length(question.machine.transitions)
    if found.answer != "yes":
        assert groups
    if NOTHING not in question.machine.outputs:
        assert found.answer == ("no" if groups else "yes")


def mutations(document: Any) -> list[Any]:
    """A document with one number or text changed, or one element left out or doubled."""
    found: list[Any] = []

    def change(node: Any, rebuild: Any) -> None:
        if isinstance(node, bool):
            found.append(rebuild(not node))
        elif isinstance(node, int):
            found.extend(rebuild(node + step) for step in (-1, 1))
        elif isinstance(node, str):
            found.append(rebuild(node + "x"))
        elif isinstance(node, list):
            for place, each in enumerate(node):
                found.append(rebuild([*node[:place], *node[place + 1 :]]))
                change(each, lambda new, p=place: rebuild([*node[:p], new, *node[p + 1 :]]))
        elif isinstance(node, dict):
            for key, each in node.items():
                if key not in ("kind", "machine"):
                    change(each, lambda new, k=key: rebuild({**node, k: new}))

    change(document, lambda new: new)
    return found


@pytest.mark.parametrize("expression", ["(a|bb)*", "(ab*c)*", "b*(ab*ab*)*"])
def test_changed_certificates_are_refused(expression: str) -> None:
    """Unless what is changed still proves it: an event that never happens, another value for a memory."""
    question = predicted(from_expression(expression))
    certificate = judged(question).certificate
    kept = total = 0
    for changed in mutations(json.loads(certificate.model_dump_json())):
        try:
            read = type(certificate).model_validate_json(json.dumps(changed), strict=True)
        except ValueError:
            continue
        total += 1
        if check_architecture(read, question.table).valid:
            kept += 1
            if isinstance(read, CascadeCertificate):
                assert _is_right(read, question.machine.alphabet)
    assert total > 10
    assert kept <= total / 10


def _is_right(found: CascadeCertificate, alphabet: tuple[str, ...]) -> bool:
    words = [""]
    for word in words:
        if len(word) < 6:
            words += [word + letter for letter in alphabet]
    for word in words:
        state = 0
        for letter, said in zip((*word, None), answers_of(found, word), strict=True):
            output = found.machine.outputs[state]
            if output not in (NOTHING, said):
                return False
            if letter is not None:
                state = found.machine.transitions[state][alphabet.index(letter)]
    return True
