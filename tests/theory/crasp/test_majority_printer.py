""""""

from __future__ import annotations

from longreach.theory.crasp.library import load_program
from longreach.theory.crasp.majority import ForAll, FormulaBuilder, Less, Mod, Succ, to_majority_logic
from longreach.theory.crasp.majority_printer import formula_latex, formula_text
from longreach.theory.crasp.program import parse


def test_a_part_used_twice_is_written_once() -> None:
    lines = formula_text(to_majority_logic(load_program("lib:dyck-1").core)).splitlines()
    assert lines == [
        "φ1(x, y) := y ≤ x ∧ Q_)(y)",
        "φ2(x, y) := y ≤ x ∧ Q_((y)",
        "φ3(x) := M̂aj y ⟨φ1(x, y), ¬φ2(x, y)⟩",
        "¬∃x ⊤ ∨ ∃x (¬∃y (x < y) ∧ ¬M̂aj y ⟨y ≤ x ∧ φ3(y), ⊤⟩ ∧ ¬φ3(x) ∧ ¬M̂aj y ⟨¬φ1(x, y), φ2(x, y)⟩)",
    ]


def test_every_construct() -> None:
    b = FormulaBuilder()
    either = b.or_(b.letter("a", "x"), b.add(Mod(3, 2, "x")))
    both = b.and_(either, b.not_(b.add(Less("x", "y"))), b.not_(b.equal("x", "y")))
    every = b.add(ForAll("y", b.and_(both, b.add(Succ("y", "x")))))
    text = "∀y ((Q_a(x) ∨ Mod_{3,2}(x)) ∧ y ≤ x ∧ ¬(x = y) ∧ Succ(y, x))"
    assert formula_text(b.formula(every)) == text
    many = b.formula(b.majority("x", [(2, every), (7, b.and_(every, b.letter("b", "x"))), (1, b.bottom())]))
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
