"""The papers' notation, LaTeX, and the text format exactly."""

from __future__ import annotations

import pytest
from hypothesis import given

from longreach.errors import InputError
from longreach.theory.crasp import library
from longreach.theory.crasp.printer import to_latex, to_paper, to_text, write
from longreach.theory.crasp.program import Builder, Program, parse
from longreach.theory.crasp.syntax import count, token
from tests.helpers import crasp_strategies as strategies

EVERYTHING = """\
#import pos_even
C = #[i-3..i-1] ("a" || !"b") + 2 * #[{i, i-4}] "a"
D = min(C, 3) - #[<] (# "a_%" >= 1)
E = C if exists "b" else D
P = i % 5 in {1, 3} => (i % 2 == 0 <=> E != 4 && true)
Q = !pos_even && # pos_even < max(D, #[i-2] "b")
output "b" = P || false"""

PAPER = """\
C(i) := #[i−3 ≤ j ≤ i−1] (Q_a(j) ∨ ¬Q_b(j)) + 2 · #[j ≤ i, i−j ∈ {0, 4}] Q_a(j)
D(i) := min(C(i), 3) − #[j < i] (#[k ≤ j] Q_a_%(k) ≥ 1)
E(i) := ∃[j ≤ i] Q_b(j) ? C(i) : D(i)
P(i) := i mod 5 ∈ {1, 3} → (i ≡ 0 (mod 2) ↔ E(i) ≠ 4 ∧ ⊤)
Q(i) := ¬(i ≡ 1 (mod 2)) ∧ #[j ≤ i] (j ≡ 1 (mod 2)) < max(D(i), #[j ≤ i, j = i−2] Q_b(j))
NEXT_b(i) := P(i) ∨ ⊥"""

LATEX = r"""\begin{align*}
\mathit{C}(i) &:= \#[i-3 \le j \le i-1]\; (Q_{\texttt{a}}(j) \lor \lnot Q_{\texttt{b}}(j)) + 2 \cdot \#[j \le i, i-j \in \{0, 4\}]\; Q_{\texttt{a}}(j) \\
\mathit{D}(i) &:= \min(\mathit{C}(i), 3) - \#[j < i]\; (\#[k \le j]\; Q_{\texttt{a\_\%}}(k) \ge 1) \\
\mathit{E}(i) &:= \exists[j \le i]\; Q_{\texttt{b}}(j) \mathbin{?} \mathit{C}(i) : \mathit{D}(i) \\
\mathit{P}(i) &:= i \bmod 5 \in \{1, 3\} \to (i \equiv 0 \pmod{2} \leftrightarrow \mathit{E}(i) \neq 4 \land \top) \\
\mathit{Q}(i) &:= \lnot (i \equiv 1 \pmod{2}) \land \#[j \le i]\; (j \equiv 1 \pmod{2}) < \max(\mathit{D}(i), \#[j \le i, j = i-2]\; Q_{\texttt{b}}(j)) \\
\mathrm{NEXT}_{\texttt{b}}(i) &:= \mathit{P}(i) \lor \bot
\end{align*}"""  # noqa: E501


def test_every_construct_in_every_notation() -> None:
    program = parse(EVERYTHING)
    assert to_text(program) == program.text == write(program, "text") == EVERYTHING
    assert to_paper(program) == write(program, "paper") == PAPER
    assert to_latex(program) == write(program, "latex") == LATEX


def test_the_example_of_the_paper() -> None:
    program = parse('#import pred\nC = #[pred] "a"\nP = C >= 1\nQ = "b" && P\nL = # Q >= 1')
    assert to_paper(program).split("\n") == [
        "C(i) := #[j ≤ i, j = i−1] Q_a(j)",
        "P(i) := C(i) ≥ 1",
        "Q(i) := Q_b(i) ∧ P(i)",
        "L(i) := #[j ≤ i] Q(j) ≥ 1",
    ]


def test_dyck_1_in_the_papers_notation() -> None:
    assert to_paper(library.load("dyck-1")).split("\n") == [
        "C_open(i) := #[j ≤ i] Q_((j)",
        "C_close(i) := #[j ≤ i] Q_)(j)",
        "V(i) := C_open(i) < C_close(i)",
        "M(i) := #[j ≤ i] V(j) = 0",
        "B(i) := C_open(i) = C_close(i)",
        "D(i) := M(i) ∧ B(i)",
    ]
    assert to_latex(library.load("majority")) == (
        "\\begin{align*}\n"
        "\\mathit{C\\_1}(i) &:= \\#[j \\le i]\\; Q_{\\texttt{1}}(j) \\\\\n"
        "\\mathit{C\\_0}(i) &:= \\#[j \\le i]\\; Q_{\\texttt{0}}(j) \\\\\n"
        "\\mathit{M}(i) &:= \\mathit{C\\_1}(i) \\ge \\mathit{C\\_0}(i)\n"
        "\\end{align*}"
    )


def test_variables_of_nested_counts() -> None:
    inner = "#[l ≤ k] (#[j_{4} ≤ l] (#[j_{5} ≤ j_{4}] Q_a(j_{5}) > 1) > 2) > 3"
    program = parse('P = # (# (# (# (# "a" > 1) > 2) > 3) > 4) > 5')
    assert to_paper(program) == f"P(i) := #[j ≤ i] (#[k ≤ j] ({inner}) > 4) > 5"


@pytest.mark.parametrize(
    "text",
    [
        "P = (1 - (2 - 3)) == 0",
        'P = ("a" => "b") => "c"',
        'P = "a" => "b" => "c"',
        'P = ("a" <=> "b") => "c"',
        'P = !("a" && "b") || !!"c"',
        'C = (1 if "a" else 2) if "b" else 3\nP = C == 1',
        'C = 1 if "a" else 2 if "b" else 3\nP = C == 1',
        'C = 2 * (3 + # "a")\nP = C == 1',
        'P = exists exists ("a" || "b")',
        'P = !(# "a" == 1)',
        "P = !(i % 2 == 0)",
        "P = 'say \"x\"'",
    ],
)
def test_text_is_written_with_the_brackets_it_needs(text: str) -> None:
    again = parse(text).text
    assert parse(again).text == again
    assert parse(again).core == parse(text).core
    assert len(again) <= len(text)


@pytest.mark.parametrize("symbol", ["both \" and '", "two\nlines"])
def test_tokens_that_the_text_format_cannot_hold(symbol: str) -> None:
    builder = Builder()
    builder.let("P", token(symbol) & (count("a") > 1))
    program = builder.program()
    assert program.accepts(["a", symbol]) is False
    with pytest.raises(InputError, match="cannot be written in the text format"):
        to_text(program)


@given(strategies.programs())
def test_every_program_has_one_line_per_statement_in_each_notation(program: Program) -> None:
    assert len(to_paper(program).split("\n")) == len(program.statements)
    latex = to_latex(program).split("\n")
    assert len(latex) == len(program.statements) + 2
    for line in latex[1:-1]:
        plain = line.replace("\\{", "").replace("\\}", "")
        assert plain.count("{") == plain.count("}")
