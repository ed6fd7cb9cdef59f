"""How verdicts are shown to people: plain words first, wrapped with hanging indentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from longreach.wording import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from longreach.languages.regular.automaton import Automaton
    from longreach.verdicts.verdict import Answer, Verdict

TITLES = {"nope": "NoPE", "ape": "APE", "local": "local"}
STYLES = {"yes": "green", "no": "red", "undecided": "yellow"}
CAVEAT = '"expected to fail" is a prediction, not a proof that no run can work.'


def print_hanging(out: Console, text: Text | str, indent: int = 2, then: int | None = None) -> None:
    """One paragraph: in a terminal its further lines are indented by `then`, in a pipe it is one line."""
    from rich.text import Text

    words = Text(text) if isinstance(text, str) else text
    later = indent if then is None else then
    first = words.wrap(out, max(20, out.width - indent))[0]
    rest = words[len(first) :]
    rest = rest[len(rest.plain) - len(rest.plain.lstrip()) :]
    lines = [first, *(rest.wrap(out, max(20, out.width - later)) if rest.plain else ())]
    for place, line in enumerate(lines):
        line.rstrip()
        out.print(Text(" " * (later if place else indent)).append_text(line))


def print_heading(out: Console, name: str, about: str) -> None:
    """A name and what it is."""
    from rich.text import Text

    print_hanging(out, Text.assemble((name, "bold"), ("   " + about if about else "", "dim")), 0, 2)


def about_language(automaton: Automaton) -> str:
    """What a language's words are made of.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> about_language(from_expression("a*"))
    'words over a, 1 state'
    """
    return f"words over {' '.join(automaton.alphabet)}, {counted(len(automaton), 'state')}"


def print_program(out: Console, about: str, text: str = "") -> None:
    """A program below a comment on it, with every line whole, so that it can be copied."""
    out.print(f"// {about}", style="dim", markup=False, soft_wrap=True)
    if text:
        out.print(text, markup=False, soft_wrap=True)


def finite_note(automaton: Automaton) -> str | None:
    """What is to be said of a finite language."""
    from longreach.languages.regular.longest_word import longest_word

    longest = longest_word(automaton)
    if longest is None:
        return None
    if longest < 0:
        return "empty: no word is in the language, so there is nothing to learn"
    return f"finite: its longest word has {counted(longest, 'letter')}; no question of longer inputs"


def print_side(
    out: Console, title: str, answer: Answer, why: str, basis: str, others: Sequence[tuple[str, Answer]] = ()
) -> None:
    """What is expected, then why and on what that rests, then other questions with other answers."""
    from rich.text import Text

    from longreach.verdicts.plain_words import expectation

    expected = expectation(answer)
    heading = Text.assemble(f"{title:<29} ", (expected, f"bold {STYLES[answer.value]}"))
    print_hanging(out, heading, 2, 6)
    rests = "" if basis == expected else basis
    together = Text.assemble(why, (f" · {rests}" if rests else "", "dim"))
    if together.cell_len <= out.width - 4:
        print_hanging(out, together, 4)
    else:
        print_hanging(out, why, 4, 6)
        print_hanging(out, Text(rests, "dim"), 4, 6)
    for question, other in others:
        said = Text.assemble(f"{question}: ", (expectation(other), STYLES[other.value]))
        print_hanging(out, said, 4, 6)


def print_terms(out: Console, sides: Mapping[str, Verdict], *, trained: bool) -> None:
    """The papers' terms: class, verdict, reason, certificate, and what the program needs."""
    from rich.text import Text

    for key, side in sides.items():
        answer = side.trained if trained else side.answer
        proof = side.trained_proof if trained else side.proof
        word = Text(answer.value, f"bold {STYLES[answer.value]}")
        print_hanging(out, Text.assemble(f"{TITLES[key]:<5} ", word, f"  {side.program_class}"), 2)
        print_hanging(out, proof.reason, 4, 6)
        print_hanging(out, Text(in_short(side, trained=trained), "dim"), 4, 6)
        if trained and side.differs:
            print_hanging(out, f"as membership over all words: {side.answer.value}; {side.reason}", 4, 6)


def in_short(side: Verdict, *, trained: bool) -> str:
    """The certificate in one line."""
    from longreach.forecast.certificate_kinds import kind_of

    certificate = side.trained_certificate if trained else side.certificate
    proof = side.trained_proof if trained else side.proof
    kind = kind_of(certificate)
    if kind.proves is None:
        return f"no certificate in {side.program_class}"
    if kind.proves == "no":
        return kind.in_short(certificate)
    assert proof.program is not None
    core = proof.program.core
    size = counted(core.size, "operation")
    return f"program in {core.class_name}, {size}, depth {core.depth}{_needs(side, trained)}"


def _needs(side: Verdict, trained: bool) -> str:
    known = side.trained_needs if trained else (side.window, side.modulus)
    window, modulus = known if trained and side.differs else (side.window, side.modulus)
    if not window and modulus in (None, 1):
        return ""
    less = "" if (window, modulus) == known else f"; for what is trained {known[0]} and {known[1]}"
    return f" (window {window}, modulus {modulus}{less})"


def fitting_table(out: Console, columns: Sequence[Sequence[Text]], keep: Sequence[int]) -> Table:
    """A table of columns, the first line its heading; where it is too wide, whole columns are left out.

    `keep` says of each column how much it matters: the least goes first, and of equals the last.
    """
    from rich.table import Table

    widths = [max(cell.cell_len for cell in column) for column in columns]
    shown = list(range(len(columns)))
    while len(shown) > 1 and sum(widths[place] + 2 for place in shown) - 2 > out.width:
        shown.remove(min(shown, key=lambda place: (keep[place], -place)))
    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in shown:
        table.add_column(no_wrap=True)
    for row in zip(*(columns[place] for place in shown), strict=True):
        table.add_row(*row)
    return table
