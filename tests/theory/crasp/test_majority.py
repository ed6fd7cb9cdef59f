"""Majority logic: its evaluation, the translation of programs into it, and its notation."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.theory.crasp import core as c
from longreach.theory.crasp import majority as majority_translation
from longreach.theory.crasp.core import Core, CoreBuilder
from longreach.theory.crasp.library import load_program
from longreach.theory.crasp.majority import (
    And,
    Exists,
    Formula,
    FormulaBuilder,
    Less,
    Letter,
    Majority,
    Mod,
    Not,
    Or,
    Succ,
    Top,
    parts_of,
    satisfies,
    to_majority_logic,
)
from longreach.theory.crasp.majority_printer import formula_latex, formula_text
from longreach.theory.crasp.morphisms import remove_relations
from longreach.theory.crasp.program import parse
from tests.helpers.examples import at_most
from tests.helpers.small_programs import ALL_CLASSES, least_padding, literally_accepts, programs, words_up_to


def literal(formula: Formula, index: int, word: Sequence[str], at: dict[str, int]) -> bool:
    """The truth of a node by the definition of the logic, one assignment at a time."""

    def holds(part: int, **changed: int) -> bool:
        return literal(formula, part, word, at | changed)

    positions = range(1, len(word) + 1)
    match formula.nodes[index]:
        case Top():
            return True
        case Letter(symbol, variable):
            return word[at[variable] - 1] == symbol
        case Mod(modulus, residue, variable):
            return at[variable] % modulus == residue
        case Succ(left, right):
            return at[left] + 1 == at[right]
        case Less(left, right):
            return at[left] < at[right]
        case Not(body):
            return not holds(body)
        case And(parts):
            return all(holds(part) for part in parts)
        case Or(parts):
            return any(holds(part) for part in parts)
        case Exists(variable, body):
            return any(holds(body, **{variable: i}) for i in positions)
        case Majority(variable, weighted):
            signs = ((1 if holds(p, **{variable: i}) else -1) * n for i in positions for n, p in weighted)
            return sum(signs) > 0


VARIABLES = st.sampled_from(["x", "y"])


@st.composite
def sentences(draw: st.DrawFn) -> Formula:
    b = FormulaBuilder()
    nodes = [b.letter("a", "x"), b.letter("b", "y"), b.add(Less("x", "y")), b.add(Succ("y", "x"))]
    for _ in range(draw(st.integers(1, 9))):
        last = [nodes[-1 - draw(st.integers(0, min(5, len(nodes) - 1)))] for _ in range(2)]
        variable = draw(VARIABLES)
        match draw(st.sampled_from(["mod", "not", "and", "or", "exists", "majority", "majority"])):
            case "mod":
                nodes.append(b.add(Mod(3, draw(st.integers(0, 2)), variable)))
            case "not":
                nodes.append(b.not_(last[0]))
            case "and":
                nodes.append(b.and_(*last))
            case "or":
                nodes.append(b.or_(*last))
            case "exists":
                nodes.append(b.exists(variable, last[0]))
            case _:
                nodes.append(b.majority(variable, [(draw(st.integers(1, 3)), part) for part in last]))
    closed = b.exists("x", b.majority("y", [(1, nodes[-1]), (1, nodes[-2])]))
    return b.sentence(b.or_(closed, b.majority("x", [(1, b.exists("y", nodes[-1]))])))


@given(sentences())
@settings(deadline=None, max_examples=at_most(80))
def test_evaluation_is_the_definition(sentence: Formula) -> None:
    for word in words_up_to("ab", 4):
        assert satisfies(word, sentence) == literal(sentence, sentence.root, word, {}), word


def test_quantifiers_on_the_empty_word() -> None:
    b = FormulaBuilder()
    assert not satisfies("", b.sentence(b.exists("x", b.top())))
    assert not satisfies("", b.sentence(b.majority("x", [(1, b.top())])))


def test_huge_numbers_of_copies_are_exact() -> None:
    b = FormulaBuilder()
    many = 2**200
    sentence = b.sentence(b.majority("x", [(many + 1, b.letter("a", "x")), (many, b.bottom())]))
    assert satisfies("a", sentence)
    assert not satisfies("ab", sentence)


def test_sharing_depth_and_logic() -> None:
    b = FormulaBuilder()
    succ = b.exists("y", b.and_(b.add(Succ("y", "x")), b.letter("a", "y")))
    sentence = b.sentence(b.exists("x", b.and_(succ, b.add(Mod(2, 1, "x")))))
    assert (sentence.depth, sentence.logic) == (2, "MAJ₂[<, +1, Mod]")
    assert all(part < index for index, node in enumerate(sentence.nodes) for part in parts_of(node))
    assert b.letter("a", "y") == b.letter("a", "y")


WORDS = list(words_up_to("ab", 5))


@pytest.mark.slow
@pytest.mark.parametrize("relations", ALL_CLASSES)
@given(data=st.data())
@settings(deadline=None, max_examples=25)
def test_translation_of_random_programs(data: st.DataObject, relations) -> None:  # type: ignore[no-untyped-def]
    core = data.draw(programs(relations))
    sentence = to_majority_logic(core)
    for word in WORDS:
        assert satisfies(word, sentence) == literally_accepts(core, word), word
    assert "local" in relations or not any(isinstance(node, Succ) for node in sentence.nodes)
    assert "periodic" in relations or not any(isinstance(node, Mod) for node in sentence.nodes)


@given(programs(alphabet=("a",), closed=False))
@settings(deadline=None, max_examples=15)
def test_other_tokens_of_an_open_alphabet(core: Core) -> None:
    sentence = to_majority_logic(core)
    for word in words_up_to("az", 4):
        assert satisfies(word, sentence) == literally_accepts(core, word)


@pytest.mark.parametrize("name", ["majority", "dyck-1", "contains-bb", "aaaa", "tomita-4", "tomita-7"])
def test_translation_of_library_programs(name: str) -> None:
    core = load_program(f"lib:{name}").core
    sentence = to_majority_logic(core)
    for word in words_up_to(core.alphabet, 7):
        assert satisfies(word, sentence) == literally_accepts(core, word), word


def nested_conditionals(levels: int) -> Core:
    """C_{k+1} = P_k ? C_k + C_k : C_k + #b: read along 2^levels paths, each with its own conditions."""
    b = CoreBuilder()
    a, other = b.count(b.add_op(c.Token("a"))), b.count(b.add_op(c.Token("b")))
    value = a
    for level in range(levels):
        test = b.leq(b.integer(level % 5), b.add_op(c.Add(a, b.scale(level % 3, other))))
        value = b.conditional(test, b.add_op(c.Add(value, value)), b.add_op(c.Add(value, other)))
    accept = b.leq(value, b.integer(40))
    return Core(tuple(b.ops), ("a", "b"), True, accept)


@pytest.mark.slow
def test_conditionals_do_not_multiply() -> None:
    sizes = []
    for levels in (10, 20, 40):
        core = nested_conditionals(levels)
        sentence = to_majority_logic(core)
        sizes.append(sentence.size)
        for word in WORDS[::3]:
            assert satisfies(word, sentence) == literally_accepts(core, word), word
    assert sizes[2] < 5 * sizes[1] < 25 * sizes[0]


@given(data=st.data())
@settings(deadline=None, max_examples=25)
def test_conditions_added_up_in_binary(data: st.DataObject) -> None:
    core = data.draw(programs())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(majority_translation, "MAX_GUARDS", 1)
        sentence = to_majority_logic(core)
    for word in WORDS:
        assert satisfies(word, sentence) == literally_accepts(core, word), word


def test_large_factors_stay_short() -> None:
    core = parse(f'P = {2**80} * # "a" <= {2**80 + 1} * # "b"').core
    sentence = to_majority_logic(core)
    assert sentence.size < 30
    assert [satisfies(word, sentence) for word in ("", "a", "b", "ab", "aab")] == [
        True,
        False,
        True,
        True,
        False,
    ]


def test_padded_words_lead_into_the_logic_of_order_alone() -> None:
    # Lemma 34 for formulas that come from programs: h(w) ⊨ φ exactly when w ⊨ ψ, and ψ has order alone.
    core = parse('#alphabet a b\nP = # (#[i-1] "a" >= 1 && i % 2 == 0) >= 1').core
    removal = remove_relations(core, "b", padding=least_padding(core, "b"))
    before, after = to_majority_logic(core), to_majority_logic(removal.core)
    assert (before.logic, after.logic) == ("MAJ₂[<, +1, Mod]", "MAJ₂[<]")
    for word in WORDS:
        assert satisfies(removal.padding.pad(word), before) == satisfies(word, after)


# Notation


def test_a_part_used_twice_is_written_once() -> None:
    lines = formula_text(to_majority_logic(load_program("lib:dyck-1").core)).splitlines()
    assert lines == [
        "φ1(x, y) := y ≤ x ∧ Q_)(y)",
        "φ2(x, y) := y ≤ x ∧ Q_((y)",
        "φ3(x) := M̂aj y ⟨φ1(x, y), ¬φ2(x, y)⟩",
        "¬∃x ⊤ ∨ ∃x (¬∃y (x < y) ∧ ¬M̂aj y ⟨y ≤ x ∧ φ3(y), ⊤⟩ ∧ ¬φ3(x) ∧ ¬M̂aj y ⟨¬φ1(x, y), φ2(x, y)⟩)",
    ]


def test_some_construct() -> None:
    b = FormulaBuilder()
    either = b.or_(b.letter("a", "x"), b.add(Mod(3, 2, "x")))
    both = b.and_(either, b.not_(b.add(Less("x", "y"))), b.not_(b.equal("x", "y")))
    some = b.exists("y", b.and_(both, b.add(Succ("y", "x"))))
    text = "∃y ((Q_a(x) ∨ Mod_{3,2}(x)) ∧ y ≤ x ∧ ¬(x = y) ∧ Succ(y, x))"
    assert formula_text(b.formula(some)) == text
    many = b.formula(b.majority("x", [(2, some), (7, b.and_(some, b.letter("b", "x"))), (1, b.bottom())]))
    shown = formula_text(many).splitlines()
    assert shown == [f"φ1(x) := {text}", "M̂aj x ⟨φ1(x), φ1(x), 7 × (φ1(x) ∧ Q_b(x)), ⊥⟩"]


def test_latex_escapes_and_balances() -> None:
    latex = formula_latex(to_majority_logic(parse('P = #[i-1] "#_" >= 1 && i % 2 == 0').core))
    assert r"Q_{\texttt{\#\_}}(y)" in latex
    assert r"\mathrm{Mod}_{2,0}(x)" in latex
    plain = latex.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")


def test_long_formulas_are_written_without_recursion() -> None:
    b = FormulaBuilder()
    formula = b.letter("a", "x")
    for _ in range(3000):
        formula = b.exists("x", b.and_(b.letter("a", "x"), formula))
    assert formula_text(b.formula(formula)).startswith("∃x (Q_a(x) ∧ ∃x (")
