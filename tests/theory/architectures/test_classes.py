"""What theory says of architectures, against groups by the definition, and certificates that are changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.theory.architectures.check import check_architecture
from longreach.theory.architectures.classes import (
    ARCHITECTURES,
    SILENT,
    judge_architecture,
    model_class,
)
from longreach.theory.architectures.documents import NOTHING, Question
from longreach.theory.architectures.groups import Groups
from longreach.theory.automata.automaton import Automaton, labelled
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import Budget
from tests.helpers.semigroup_oracle import all_maps, group_rows, is_solvable, subgroups
from tests.helpers.small_automata import small_automata

SIGNED = {"signed": True, "reflections": 1}
ASKED = [*((name, {}) for name in ARCHITECTURES if name not in ("decoder", "looped")), ("deltanet", SIGNED),
         ("looped", {"loops": "log"})]  # fmt: skip
S3 = [(1, 0, 2), (1, 2, 0)]
A4 = [(1, 2, 0, 3), (1, 0, 3, 2)]
S4 = [(1, 2, 3, 0), (1, 0, 2, 3)]
A5 = [(1, 2, 3, 4, 0), (1, 2, 0, 3, 4)]
S5 = [(1, 2, 3, 4, 0), (1, 0, 2, 3, 4)]
D4 = [(1, 2, 3, 0), (3, 2, 1, 0)]
Z4 = [(1, 2, 3, 0)]


def accepted(automaton: Automaton) -> Question:
    outputs = ["in" if state in automaton.accepting else "out" for state in range(len(automaton))]
    return Question(labelled(automaton.alphabet, automaton.transitions, 0, outputs))


def predicted(automaton: Automaton) -> Question:
    """What may follow, asked on beginnings of words only."""
    outputs = []
    for state, row in enumerate(automaton.transitions):
        legal = [str(target in automaton.live) for target in row]
        outputs.append(f"{legal}{state in automaton.accepting}" if state in automaton.live else NOTHING)
    return Question(labelled(automaton.alphabet, automaton.transitions, 0, outputs))


def word_problem(generators: list[tuple[int, ...]]) -> Question:
    rows = group_rows(generators)
    letters = "abcdefgh"[: len(generators)]
    return Question(labelled(letters, rows, 0, [str(state) for state in range(len(rows))]))


def language(expression: str, alphabet: str | None = None) -> Question:
    return accepted(from_expression(expression, None if alphabet is None else list(alphabet)))


NAMED = {
    "(aa)*": language("(aa)*"),
    "(aaa)*": language("(aaa)*"),
    "(aaaaaa)*": language("(aaaaaa)*"),
    "parity": accepted(named_automaton("parity-language")),
    "contains bb": language("(a|b)*bb(a|b)*"),
    "flip-flop": language("(a|b|e)*be*"),
    "012-0-2": accepted(named_automaton("012-0-2")),
    "last letter": language("(a|b)*b"),
    "Z4": word_problem(Z4),
    "D4": word_problem(D4),
    "S3": word_problem(S3),
    "A4": word_problem(A4),
    "S4": word_problem(S4),
    "A5": word_problem(A5),
    "S5": word_problem(S5),
}
GROUPS = {  # by what is known of each: aperiodic, all 2-groups, all solvable
    "(aa)*": (False, True, True),
    "(aaa)*": (False, False, True),
    "(aaaaaa)*": (False, False, True),
    "parity": (False, True, True),
    "contains bb": (True, True, True),
    "flip-flop": (True, True, True),
    "012-0-2": (True, True, True),
    "last letter": (True, True, True),
    "Z4": (False, True, True),
    "D4": (False, True, True),
    "S3": (False, False, True),
    "A4": (False, False, True),
    "S4": (False, False, True),
    "A5": (False, False, False),
    "S5": (False, False, False),
}


def expected(aperiodic: bool, two: bool, solvable: bool) -> dict[str, str]:
    word = {True: "yes", False: "no"}
    return {
        "ssm": word[aperiodic],
        "hybrid": "yes" if aperiodic else "not known",
        "ssm-signed": word[two],
        "ssm-complex": word[solvable],
        "rnn": "yes",
        "gru": "yes",
        "lstm": "yes",
    }


@pytest.mark.parametrize("name", NAMED)
def test_known_examples(name: str) -> None:
    for architecture, answer in expected(*GROUPS[name]).items():
        found = judge_architecture(architecture, {}, NAMED[name])
        assert found.answer == answer, architecture
        if found.certificate is not None:
            assert check_architecture(found.certificate, NAMED[name].table).valid
        assert (found.certificate is None) == (answer == "not known")


@cache
def oracle(transitions: tuple[tuple[int, ...], ...]) -> tuple[bool, bool, bool]:
    groups = subgroups(all_maps(transitions))
    orders = {len(group) for group in groups}
    return (
        orders == {1},
        all(order & (order - 1) == 0 for order in orders),
        all(is_solvable(group) for group in groups),
    )


def test_all_small_automata() -> None:
    count = 0
    for automaton in small_automata(3, "ab"):
        wanted = expected(*oracle(automaton.transitions))
        for question in (accepted(automaton), predicted(automaton)):
            for name, answer in wanted.items():
                found = judge_architecture(name, {}, question)
                assert found.answer == answer, (automaton, name)
                if found.certificate is not None:
                    assert check_architecture(found.certificate, question.table).valid
                    assert model_class(name, {}).proves(found.certificate) == answer
        count += 1
    assert count == 1054


@given(st.lists(st.permutations(range(5)), min_size=1, max_size=3))
def test_permutations_of_five(generators: list[list[int]]) -> None:
    question = word_problem([tuple(each) for each in generators])
    order = len(question.machine)
    wanted = expected(order == 1, order & (order - 1) == 0, order < 60)  # the least that is not solvable
    for name, answer in wanted.items():
        found = judge_architecture(name, {}, question)
        assert found.answer == answer
        if found.certificate is not None:
            assert check_architecture(found.certificate, question.table).valid


@given(
    st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=1, max_size=2),
    st.lists(st.sampled_from("xy-"), min_size=4, max_size=4),
)
def test_questions_with_gaps(letters: list[tuple[int, ...]], outputs: list[str]) -> None:
    """Where nothing is asked, a no still has two words that are asked; a yes holds whatever is asked."""
    rows = list(zip(*letters, strict=True))
    question = Question(labelled("ab"[: len(letters)], rows, 0, [each.strip("-") for each in outputs]))
    aperiodic, two, solvable = oracle(question.machine.transitions)
    for name, inside in (("ssm", aperiodic), ("ssm-signed", two), ("ssm-complex", solvable)):
        found = judge_architecture(name, {}, question)
        assert (found.answer == "yes") == inside
        if found.certificate is not None:
            assert check_architecture(found.certificate, question.table).valid


# The current token


def test_the_last_token() -> None:
    for automaton in small_automata(3, "ab"):
        question = predicted(automaton)
        machine = question.machine
        asked: dict[str, set[str]] = {"a": set(), "b": set()}
        for length in range(1, 5):
            for number in range(2**length):
                word = "".join("ab"[number >> place & 1] for place in range(length))
                asked[word[-1]].add(machine.class_of(word))
        determined = all(len(outputs - {NOTHING}) <= 1 for outputs in asked.values())
        found = judge_architecture("mlp", {}, question)
        assert found.answer == ("yes" if determined else "no")
        assert check_architecture(found.certificate, question.table).valid


def test_an_answer_at_the_end_is_the_same_for_all_words() -> None:
    last = from_expression("(a|b)*b")
    assert judge_architecture("mlp", {}, accepted(last)).answer == "yes"
    at_end = Question(accepted(last).machine, at_end=True)
    assert judge_architecture("mlp", {}, at_end).answer == "no"


# Reflections


@pytest.mark.parametrize(
    ("name", "needed"),
    [("(aa)*", 1), ("(aaa)*", 2), ("S3", 2), ("D4", 3), ("A5", 4), ("S5", 4), ("contains bb", 3)],
)
def test_reflections(name: str, needed: int) -> None:
    certificate = Groups(NAMED[name]).reflected()
    assert certificate.reflections == needed
    enough = {"signed": True, "reflections": needed}
    assert judge_architecture("deltanet", enough, NAMED[name]).answer == "yes"
    fewer = judge_architecture("deltanet", SIGNED, NAMED[name])
    assert fewer.answer == "yes"
    assert check_architecture(fewer.certificate, NAMED[name].table).valid


def test_deltanet_without_reflections() -> None:
    """No by a word of one or two factors only; a state may turn under three (test_arguments)."""
    short, long = NAMED["(aa)*"], language("(abcabc)*")
    assert judge_architecture("deltanet", {}, NAMED["contains bb"]).answer == "yes"
    assert judge_architecture("deltanet", {}, short).answer == "no"
    assert judge_architecture("deltanet", {"reflections": 2}, short).answer == "no"
    assert judge_architecture("deltanet", {"reflections": 3}, short).answer == "not known"
    assert judge_architecture("deltanet", {}, language("(abab)*")).answer == "no"
    assert judge_architecture("deltanet", {"reflections": 2}, language("(abab)*")).answer == "not known"
    found = judge_architecture("deltanet", {}, long)
    assert (found.answer, found.certificate) == ("not known", None)
    assert found.reason.endswith("products of three factors may turn a state")
    assert judge_architecture("ssm", {}, long).answer == "no"


def test_deltanet_on_all_small_automata() -> None:
    for automaton in small_automata(3, "ab"):
        question = accepted(automaton)
        found, diagonal = (judge_architecture(name, {}, question) for name in ("deltanet", "ssm"))
        if found.answer == "not known":
            assert diagonal.answer == "no"
            assert len(diagonal.certificate.word) > 2
        else:
            assert found.answer == diagonal.answer
        assert judge_architecture("deltanet", SIGNED, question).answer == "yes"


def test_reflections_are_transpositions() -> None:
    """Every letter of S5 is a product of so many exchanges of blocks, and these blocks tell words apart."""
    certificate = Groups(NAMED["S5"]).reflected()
    assert len(certificate.blocks) == 5
    place = {state: number for number, block in enumerate(certificate.blocks) for state in block}
    rows = certificate.machine.transitions
    acting = [[place[rows[block[0]][letter]] for block in certificate.blocks] for letter in range(2)]
    assert len(all_maps(list(zip(*acting, strict=True)))) == 120


# Changed certificates


CHANGED = ["(aa)*", "(aaa)*", "contains bb", "S3", "A5"]


def certificates(question: Question) -> Iterator[Any]:
    groups = Groups(question)
    for find in (groups.periods, groups.cycle, groups.odd_cycle, groups.series, groups.reflected):
        if (certificate := find()) is not None:
            yield certificate
    yield groups.token()


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for number, (key, value) in enumerate(items):
        if number < 8:
            yield (*path, key)
            yield from places(value, (*path, key))


def others(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1, 2 * value, 0, 1)
    elif isinstance(value, str):
        yield from ("a", "b", "", "in", "out", value + "x")
    elif isinstance(value, list):
        yield from (value[1:], value[:-1], value[::-1], value * 2, [])


@pytest.mark.parametrize("name", CHANGED)
def test_changed_certificates_prove_nothing_false(name: str) -> None:
    question = NAMED[name]
    truth = {json.dumps(each): judge_architecture(*each, question).answer for each in ASKED}
    tried = 0
    for certificate in certificates(question):
        document = json.loads(certificate.model_dump_json())
        for path in places(document):
            node = document
            for key in path[:-1]:
                node = node[key]
            genuine = node[path[-1]]
            for other in others(genuine):
                node[path[-1]] = other
                tried += 1
                try:
                    changed = type(certificate).model_validate_json(json.dumps(document), strict=True)
                except ValueError:
                    continue
                if check_architecture(changed, question.table).valid:
                    for architecture in ASKED:
                        said = model_class(*architecture).proves(changed)
                        assert said in (None, truth[json.dumps(architecture)]), (path, other)
            node[path[-1]] = genuine
    assert tried > 300


def test_a_certificate_is_about_its_task() -> None:
    for certificate in certificates(NAMED["(aa)*"]):
        found = check_architecture(certificate, NAMED["(aaa)*"].table)
        assert found.problem == "the automaton is not that of the task"


def test_a_machine_that_is_not_minimal_is_refused() -> None:
    certificate = Groups(NAMED["(aa)*"]).periods()
    assert certificate is not None
    double = certificate.machine.model_copy(
        update={"transitions": ((1,), (2,), (3,), (0,)), "outputs": ("in", "out", "in", "out")}
    )
    found = check_architecture(certificate.model_copy(update={"machine": double, "period": 4, "elements": 4}))
    assert found.problem == "the automaton is not minimal"


# Names and options


def test_unknown_names_and_options() -> None:
    with pytest.raises(InputError, match="unknown architecture 'sm'; did you mean 'ssm'"):
        model_class("sm", {})
    with pytest.raises(InputError, match="signed: must be true or false"):
        model_class("deltanet", {"signed": 1})
    with pytest.raises(InputError, match="reflections must be at least 1"):
        model_class("deltanet", {"signed": True, "reflections": 0})
    with pytest.raises(InputError, match='loops must be "log"'):
        model_class("looped", {"loops": 0})
    with pytest.raises(InputError, match="theory: unknown architecture"):
        model_class("my:make", {"theory": "mine"})


def test_own_models_are_silent_unless_they_say_whose_theory_applies() -> None:
    question = NAMED["(aa)*"]
    assert judge_architecture("my:make", {"width": 3}, question).reason == SILENT
    assert judge_architecture("my:make", {"theory": "ssm"}, question).answer == "no"


def test_encodings_of_the_decoder() -> None:
    def about(encoding: str) -> str | None:
        found = model_class("decoder", {"encoding": encoding})
        return None if found is None else found.title

    assert [about(each) for each in ("nope", "window", "fox", "cope", "rope")] == [
        "C-RASP[∅]", "C-RASP[local]", None, None, None,
    ]  # fmt: skip
    hard = {"encoding": "stick-breaking"}
    assert judge_architecture("decoder", hard, NAMED["flip-flop"]).answer == "yes"
    assert judge_architecture("decoder", hard, NAMED["(aa)*"]).answer == "not known"


def test_beyond_the_budget_nothing_is_claimed() -> None:
    few = Budget(monoid=5)
    assert judge_architecture("ssm", {}, NAMED["S3"], few).answer == "not known"
    assert "more than 5 maps" in judge_architecture("ssm", {}, NAMED["S3"], few).reason
    assert judge_architecture("rnn", {}, NAMED["S3"], few).answer == "yes"
