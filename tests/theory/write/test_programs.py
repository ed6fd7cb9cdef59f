"""Programs from automata: right on short and on long random words, of the class that the verdict says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.theory.automata.automaton import Automaton, minimal, strong_components
from longreach.theory.automata.named import NAMED_LANGUAGES, named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import DEFAULT_BUDGET
from longreach.theory.crasp.compare import ProgramSide, compare
from longreach.theory.crasp.evaluate import accepts
from longreach.theory.crasp.library import load
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.program import Program, parse
from longreach.theory.decide.decisions import decide
from longreach.theory.decide.views import Analysis, component_of
from longreach.theory.decide.with_positions import decide_positional
from longreach.theory.decide.without_positions import plain_analysis
from longreach.theory.names import END
from longreach.theory.prove.induction import rightness
from longreach.theory.prove.step import automaton_side
from longreach.theory.write.blocks import Style, blocks_of
from longreach.theory.write.programs import acceptor, predictor
from tests.helpers.language_oracles import automata
from tests.helpers.small_automata import small_automata

CASES = [
    ("(a|b)*b", "ab"),
    ("(a|b)*ab(a|b)*", "ab"),
    ("(a|b|c)*ab(a|b|c)*", "abc"),
    ("(a|b)*bb(a|b)*", "ab"),
    ("a(a|b)*", "ab"),
    ("(a|b)*a(a|b)", "ab"),
    ("(a|b)*a(a|b)(a|b)", "ab"),
    ("()", "ab"),
    ("a&b", "ab"),
    ("(a|b)*", "ab"),
    ("a*", "a"),
    ("a{3}", "a"),
    ("b*ab*(ab)*", "ab"),
    ("(ab|ba)*", "ab"),
    ("((ab)*c(ba)*c)*", "abc"),
    ("(a(ab)*b)*c(b(ba)*a)*", "abc"),
    ("((a|b)(a|b)(a|b))*a", "ab"),
    ("(aab)*(a|c)*", "abc"),
    ("(bb)*(ab*)?", "ab"),
    ("(bb)*(b?ab*c)?", "abc"),
]


def final_analysis(automaton: Automaton) -> Analysis | None:
    return decide_positional(automaton).periodic_local.analysis


def assert_right(program: Program, automaton: Automaton, length: int = 8) -> None:
    sides = ProgramSide(program.core, automaton.alphabet), automaton_side(automaton)
    found = compare(*sides, automaton.alphabet, length)
    assert found.equal, f"{program.text}\nwrong on {found.witness}"
    rng = np.random.default_rng(0)
    letters = len(automaton.alphabet)
    words = [rng.integers(0, letters, n).astype(np.uint8) for n in (15, 40, 100, 700, 2000) for _ in range(8)]
    words += [
        np.tile(rng.integers(0, letters, k), 700 // k).astype(np.uint8) for k in range(1, 8) for _ in range(3)
    ]
    for word, answer in zip(words, accepts(program.core, words), strict=True):
        state = 0
        for letter in word:
            state = automaton.transitions[state][letter]
        assert answer == (state in automaton.accepting)


@pytest.mark.parametrize("name", NAMED_LANGUAGES)
def test_named_languages(name: str) -> None:
    automaton = named_automaton(name)
    plain = plain_analysis(automaton)
    if plain.holds():
        program = acceptor(plain)
        assert program.core.class_name == "C-RASP[∅]"
        assert_right(program, automaton)
    analysis = final_analysis(automaton)
    if analysis is not None:
        program = acceptor(analysis)
        assert_right(program, automaton)
        assert program.core.locality <= analysis.extended.window
        assert analysis.extended.modulus % program.core.modulus == 0
    assert plain.holds() <= (analysis is not None)


@pytest.mark.parametrize(("expression", "alphabet"), CASES)
def test_other_languages(expression: str, alphabet: str) -> None:
    automaton = from_expression(expression, alphabet)
    analysis = final_analysis(automaton)
    assert analysis is not None
    program = acceptor(analysis)
    assert_right(program, automaton)
    assert parse(program.text).core == program.core


@pytest.mark.parametrize(("every", "wanted"), [(4, None), pytest.param(1, 246, marks=pytest.mark.slow)])
def test_every_small_automaton(every: int, wanted: int | None) -> None:
    written = 0
    for automaton in list(small_automata(3, "ab"))[::every]:
        analysis = final_analysis(automaton)
        if analysis is None:
            continue
        program = acceptor(analysis)
        sides = ProgramSide(program.core, automaton.alphabet), automaton_side(automaton)
        assert compare(*sides, automaton.alphabet, 9).equal, program.text
        if plain_analysis(automaton).holds():
            assert program.core.class_name == "C-RASP[∅]"
        written += 1
    assert written == wanted if wanted is not None else written > 40


def test_a_run_that_has_left_does_not_enter_later() -> None:
    rows = [[1, 2], [1, 1], [3, 4], [5, 2], [0, 1], [6, 1], [6, 6]]
    automaton = minimal("ab", rows, 0, [1, 2, 3, 4, 5])
    analysis = final_analysis(automaton)
    assert analysis is not None
    assert_right(acceptor(analysis), automaton, length=10)


@pytest.mark.slow
def test_many_random_automata_with_sinks() -> None:
    # Automata in which many letters lead to a sink often have programs, of all kinds.
    rng = np.random.default_rng(5)
    written = 0
    for _ in range(500):
        states, letters, sink = (
            int(rng.integers(3, 9)),
            int(rng.integers(2, 4)),
            rng.choice([0.0, 0.3, 0.5, 0.7]),
        )
        table = rng.integers(0, states, (states, letters))
        table[rng.random((states, letters)) < sink] = states - 1
        table[-1] = states - 1
        accepting = np.flatnonzero(rng.random(states) < 0.4).tolist()
        automaton = minimal("abc"[:letters], table.tolist(), 0, accepting)
        analysis = final_analysis(automaton)
        if analysis is not None:
            program = acceptor(analysis)
            sides = ProgramSide(program.core, automaton.alphabet), automaton_side(automaton)
            assert compare(*sides, automaton.alphabet, 9).equal, program.text
            written += 1
    assert written > 350


@pytest.mark.parametrize("letters", ["a", "ab", "abc"])
@given(data=st.data())
def test_random_automata(data: st.DataObject, letters: str) -> None:
    automaton = data.draw(automata(6, letters))
    analysis = final_analysis(automaton)
    if analysis is not None:
        assert_right(acceptor(analysis), automaton, length=7)


@pytest.mark.parametrize(
    "name", ["d-2", "aa", "tomita-4", "aa-bb-cc-dd-ee", "abab", "tomita-2", "tomita-7", "ab-d-bc"]
)
def test_programs_are_about_as_short_as_by_hand(name: str) -> None:
    analysis = final_analysis(named_automaton(name))
    assert analysis is not None
    assert simplify(acceptor(analysis).core).size <= 2 * simplify(load(name).core).size


@pytest.mark.parametrize("name", ["d-3", "tomita-2", "tomita-4", "aa", "abab", "aa-bb-cc-dd-ee", "ab-d-bc"])
def test_predictors(name: str) -> None:
    automaton = named_automaton(name)
    analysis = final_analysis(automaton)
    assert analysis is not None
    program = predictor(analysis)
    live = automaton.live
    rng = np.random.default_rng(1)
    for length in (1, 2, 3, 5, 9, 30, 200):
        for _ in range(6):
            state, word, wanted = 0, [], []
            for _ in range(length):
                # Mostly along words that can still be accepted, sometimes beyond.
                good = [a for a, t in enumerate(automaton.transitions[state]) if t in live]
                pick = good if good and rng.random() < 0.97 else range(len(automaton.alphabet))
                letter = int(rng.choice(list(pick)))
                word.append(automaton.alphabet[letter])
                state = automaton.transitions[state][letter]
                following = [
                    automaton.alphabet[a] for a, t in enumerate(automaton.transitions[state]) if t in live
                ]
                wanted.append(following + [END] * (state in automaton.accepting))
            assert program.predicts(word) == wanted


def test_text_for_people() -> None:
    analysis = final_analysis(named_automaton("tomita-4"))
    assert analysis is not None
    assert acceptor(analysis).text.splitlines() == [
        "#alphabet 0 1",
        'wrong = "0" && #[i-1] "0" >= 1 && #[i-2] "0" >= 1',
        "L = # wrong == 0",
    ]


@pytest.mark.parametrize(
    ("expression", "size"),
    [
        ("(a)+(((b){3})+)*c", 60),
        ("(bccb){5,7}", 160),
        ("(aa|bbb)*", 120),
        ("(baa^baab)", 65),
        ("b[ab]?bb(ba|a?)", 85),
    ],
)
def test_cases_that_behave_alike_are_said_once(expression, size) -> None:
    automaton = from_expression(expression)
    verdict = decide(automaton).ape
    assert verdict.analysis is not None
    program = acceptor(verdict.analysis)
    assert simplify(program.core).size <= size
    assert rightness(program.core, automaton).proved


@pytest.mark.parametrize(("expression", "size"), [("a{1000}", 30), ("a{300}b{300}", 45)])
def test_long_chains_of_components_share_one_counter(expression: str, size: int) -> None:
    automaton = from_expression(expression)
    program = acceptor(plain_analysis(automaton))
    assert simplify(program.core).size <= size
    assert rightness(program.core, automaton).proved


# Blocks of a run: components that follow each other share counters as far as one set serves.


def test_joined_blocks_are_those_that_grow_by_one_component_at_a_time() -> None:
    long = ["a{7}b{5}(ab){4}", "(a|b){3}(aab){3}b*a{4}", "a*b*a*b*a*b*", "ab*a{3}b*ab{4}a*", "(a(ab)*b){5}"]
    split = 0
    for automaton in [*small_automata(3, "ab"), *map(from_expression, long)]:
        analysis = plain_analysis(automaton)
        if any(component.rounds is None for component in analysis.components):
            continue
        extended, alive = analysis.extended, automaton.live
        wanted: list[set[int]] = []
        for part in strong_components(automaton.transitions):
            if not alive & set(part):
                continue
            here = {number for number, state in enumerate(extended.states) if state.state in part}
            longer = tuple(sorted(wanted[-1] | here)) if wanted else ()
            if wanted and component_of(extended, longer, complete=False).rounds is not None:
                wanted[-1] |= here
            else:
                wanted.append(here)
        blocks = blocks_of(analysis, alive, Style(joined=True), DEFAULT_BUDGET)
        assert [set(block.states) for block in blocks] == wanted
        split += len(wanted) > 1
    assert split > 50
