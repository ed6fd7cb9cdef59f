from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.crasp.closure.majority_logic import (
    And,
    Exists,
    ForAll,
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
)
from longreach.errors import InputError
from tests.helpers.examples import at_most
from tests.helpers.small_programs import words_up_to


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
        case ForAll(variable, body):
            return all(holds(body, **{variable: i}) for i in positions)
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
        match draw(st.sampled_from(["mod", "not", "and", "or", "exists", "all", "majority", "majority"])):
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
            case "all":
                nodes.append(b.add(ForAll(variable, last[0])))
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
    assert satisfies("", b.sentence(b.add(ForAll("x", b.bottom()))))
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


def test_errors() -> None:
    b = FormulaBuilder()
    with pytest.raises(InputError, match="x is free"):
        b.sentence(b.letter("a", "x"))
    with pytest.raises(InputError, match="free variable"):
        satisfies("a", b.formula(b.letter("a", "x")))
    with pytest.raises(InputError, match="residue"):
        Formula((Mod(2, 2, "x"),), 0)
    with pytest.raises(InputError, match="before"):
        Formula((Not(0),), 0)
    with pytest.raises(InputError, match="at least once"):
        Formula((Top(), Majority("x", ((0, 0),))), 1)
    with pytest.raises(InputError, match="no node"):
        Formula((Top(),), 1)
