"""The first difference of a program and an automaton, against listing words."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from longreach.errors import InputError, MissingExtra
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import Budget, OverBudget
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Algebra, Core
from longreach.theory.crasp.evaluate import accepts
from longreach.theory.crasp.program import parse
from longreach.theory.crasp.transform import complement, intersection, union
from longreach.theory.crasp.words import encode
from longreach.theory.prove import first_difference as module
from longreach.theory.prove.equivalence import empty_language
from longreach.theory.prove.first_difference import WindowGraph, first_difference, not_one_level
from tests.helpers.examples import examples
from tests.helpers.small_automata import small_automata
from tests.helpers.small_programs import ALL_CLASSES, literal_values, programs, words_up_to

# Exact answers for all lengths, against listing every short word.


WORDS = list(words_up_to("ab", 9))
AUTOMATA = list(small_automata(2, "ab"))


def listed(core: Core, automaton: Automaton) -> tuple[str, ...] | None:
    said = accepts(core, [encode(core, list(word)) for word in WORDS])
    wrong = [word for word, yes in zip(WORDS, said, strict=True) if bool(yes) != automaton.accepts(word)]
    return wrong[0] if wrong else None


@pytest.mark.parametrize("relations", ALL_CLASSES)
@settings(max_examples=examples(60))
@given(data=st.data())
def test_random_programs_and_automata(data: st.DataObject, relations) -> None:  # type: ignore[no-untyped-def]
    core = data.draw(programs(relations, layers=1))
    automaton = data.draw(st.sampled_from(AUTOMATA))
    kind = data.draw(st.sampled_from(["as it is", "rarely", "nearly always"]))
    if kind != "as it is":  # programs that agree with the automata of ∅ and Σ* on most words
        other = data.draw(programs(relations, layers=1))
        core = intersection(core, other) if kind == "rarely" else union(complement(core), other)
    found = first_difference(core, automaton)
    wanted = listed(core, automaton)
    if found.equal is None:
        assert "gave up" in found.reason
    assume(found.equal is not None)  # rarely: where it is not, hypothesis complains
    if found.equal:
        assert wanted is None
    elif wanted is not None:
        assert (found.witness, found.length) == (wanted, len(wanted))
    else:
        assert found.witness is not None
        assert found.length == len(found.witness) > 9
        differs = bool(accepts(core, [encode(core, list(found.witness))])[0])
        assert differs != automaton.accepts(found.witness)


@pytest.mark.parametrize(
    ("text", "language", "length", "witness"),
    [
        ('P = # "a" <= 30', "(a|b)*", 31, "a" * 31),
        ('P = "a" || # "a" + # "b" <= 20', "(a|b)*", 21, "a" * 20 + "b"),
        ('P = # "b" <= 12 || # "a" <= 3', "(a|b)*", 17, "a" * 4 + "b" * 13),
        ('P = # ("a" && i % 2 == 0) <= 8', "(a|b)*", 18, "a" * 18),
        ('P = # ("b" && i % 2 == 0) <= 8', "(a|b)*", 18, "ab" * 9),
        ('P = # ("b" && #[i-1] "a" >= 1) <= 7', "(a|b)*", 16, "ab" * 8),
        ('P = # ("b" && i % 2 == 0) <= 3 || # "b" != 5', "(a|b)*", 8, "ababab" + "bb"),
        ('P = # "b" <= 900', "(a|b)*", 901, "b" * 901),
        ('P = # "b" != 900 + # "a" || # "a" < 700', "(a|b)*", 2300, "a" * 700 + "b" * 1600),
        ('P = # (#[i-1] "b" >= 1) <= 7', "(a|b)*", 9, "b" * 8 + "a"),
        ('P = 3 * # "a" != 2 * # "b" || # "a" < 7', "(a|b)*", 20, "a" * 8 + "b" * 12),
        ('P = 3 * # "a" != 2 * # "b" + 1 || # "a" < 7', "((a|b)*a|(a|b)*b)?", 17, "a" * 7 + "b" * 10),
    ],
)
def test_long_first_differences(text: str, language: str, length: int, witness: str) -> None:
    core = parse(f"#alphabet a b\n{text}").core
    found = first_difference(core, from_expression(language, "ab"))
    assert (found.equal, found.length, "".join(found.witness or ())) == (False, length, witness)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ('P = 2 * # "a" != 2 * # "b" + 1', "(a|b)*"),
        ('P = # ("a" && i % 3 == 1) + # ("a" && i % 3 != 1) == # "a"', "(a|b)*"),
        ('D = # ("b" && #[i-1] "a" >= 1) - # ("a" && #[i-1] "b" >= 1)\nP = D <= 1 && 0 - D <= 1', "(a|b)*"),
        ('P = # ("b" && #[i-1] "a" >= 1) >= 1', "(a|b)*ab(a|b)*"),
        ('P = # "a" == # true && i % 2 == 0', "(aa)*"),
        # An island of b's that no path enters is no word: after a word of a's alone the last letter is an a.
        ('P = # ("b" && #[i-1] "b" >= 1) == 0 || # "b" >= 2', "(a|b)*"),
    ],
)
def test_proved_for_all_lengths(text: str, language: str) -> None:
    core = parse(f"#alphabet a b\n{text}").core
    assert first_difference(core, from_expression(language, "ab")).equal is True


def test_words_too_long_to_write_and_numbers_beyond_64_bits() -> None:
    core = parse(f'#alphabet a b\nP = # "a" != # "b" || # "a" <= {10**25}').core
    found = first_difference(core, from_expression("(a|b)*", "ab"))
    assert (found.equal, found.length, found.witness) == (False, 2 * (10**25 + 1), None)


def test_no_answer_is_said_to_be_none(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = from_expression("(a|b)*", "ab")
    nested = parse('#alphabet a b\nP = # (# "a" >= 1) <= 50').core
    assert first_difference(nested, everything).equal is None
    core = parse('#alphabet a b\nP = # "a" != 3 * # "b" + 40').core
    spent = first_difference(core, everything, Budget(seconds=-1))
    assert (spent.equal, spent.reason) == (None, "the budget of -1 s is spent")
    monkeypatch.setattr("longreach.theory.prove.step.SOLVER_STEPS", 1)
    gave_up = first_difference(core, everything)
    assert gave_up.equal is None
    assert "z3 gave up" in gave_up.reason


def test_a_budget_that_ends_the_search_for_the_word_keeps_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_WORD", 30)
    core = parse('#alphabet a b\nP = # "a" <= 30').core
    found = first_difference(core, from_expression("(a|b)*", "ab"))
    assert (found.equal, found.length, found.witness) == (False, 31, None)


def test_without_z3_and_predictors(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = from_expression("a*", "a")
    with pytest.raises(InputError, match="predictor"):
        first_difference(parse('output "a" = "a"').core, everything)
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="smt"):
        first_difference(parse('P = # "a" <= 30').core, everything)


# Counters as numbers of steps along edges, against the definition.


def walk(graph: WindowGraph, word: str) -> tuple[list[int], bool, int]:
    """The counters, the answer and the automaton's state after a word that is not empty."""
    vertex, totals = 0, [0] * len(graph.counters)
    for token in word:
        edge = graph.edges[graph.step[vertex, graph.automaton.alphabet.index(token)]]
        vertex = edge.target
        totals = [total + adds for total, adds in zip(totals, edge.adds, strict=True)]
    return totals, bool(graph.answer(edge, totals, Algebra())), edge.state


@pytest.mark.parametrize("relations", ALL_CLASSES)
@settings(max_examples=20)
@given(data=st.data(), word=st.text("ab", min_size=1, max_size=9))
def test_counters_and_answers_are_those_of_the_definition(  # type: ignore[no-untyped-def]
    data: st.DataObject, word: str, relations
) -> None:
    core: Core = data.draw(programs(relations, layers=1))
    assert not_one_level(core) is None
    automaton = from_expression("(a|b)*ab*", "ab")
    graph = WindowGraph(core, automaton)
    totals, said, state = walk(graph, word)
    values = literal_values(core, word)
    assert totals == [values[k, len(word)] for k in graph.counters]
    assert core.accept is not None
    assert said == bool(values[core.accept, len(word)])
    assert state == automaton.run(word)


def test_counts_are_read_some_positions_back() -> None:
    text = '#alphabet a b\nN = # "a" >= 2\nP = #[{i-1, i-3}] (#[i-2] N >= 1 && "b") >= 1'
    program = parse(text)
    graph = WindowGraph(program.core, empty_language(("a", "b")))
    for number in range(2, 2**8):
        word = bin(number)[3:].replace("0", "a").replace("1", "b")
        assert word == "" or walk(graph, word)[1] == program.accepts(word)


def test_letters_that_nothing_tells_apart_are_one() -> None:
    core = parse('#alphabet z b a c\nP = # "a" >= 2').core
    assert WindowGraph(core, empty_language(core.alphabet)).letters == [0, 2]
    assert WindowGraph(core, from_expression("z*", "zbac")).letters == [0, 1, 2]


def test_nested_counts_are_refused_and_too_many_cases_are_a_budget() -> None:
    assert not_one_level(parse('N = # "a"\nP = # (N >= 1 && "b") >= 1').core) is not None
    ops = (c.Token("a"), c.Count(0, (0, 3)), c.One(), c.Leq(2, 1), c.Count(3), c.Leq(2, 4))
    assert not_one_level(Core(ops, ("a",), accept=5)) is None
    core = parse('#alphabet a b\nP = # (#[i-40..i] "a" >= 3) >= 2').core
    with pytest.raises(OverBudget, match="more than 4000 cases"):
        WindowGraph(core, empty_language(core.alphabet))
