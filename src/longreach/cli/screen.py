"""What commands print for people: lines, paragraphs, tables, programs and verdicts."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from longreach.wording import Table, counted, visible

if TYPE_CHECKING:
    from longreach.theory.verdicts.verdict import Answer, Verdict

LONG = 200
"""Tables with more rows are printed without colours, which would take seconds."""


class Screen(Console):
    """A console that shows control characters of any text; its own, such as colours, are no text."""

    titles: ClassVar = {"nope": "NoPE", "ape": "APE", "local": "local", "reach": "reach"}
    styles: ClassVar = {"yes": "green", "no": "red", "undecided": "yellow"}

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        raise  # the one that is being handled: the exit code is not for a console to choose

    def text(self, text: str = "", style: str | None = None, *, end: str = "\n") -> None:
        """Text from any source: brackets in it are no markup."""
        self.print(text, style=style, markup=False, end=end)

    def command(self, text: str) -> None:
        """A line that can be copied, so it is never broken."""
        self.print(Text(text, "dim"), soft_wrap=True)

    def hanging(self, text: Text | str, indent: int = 2, then: int | None = None, style: str = "") -> None:
        """One paragraph: in a terminal its further lines are indented by `then`, in a pipe it is one line."""
        words = Text(text, style) if isinstance(text, str) else text
        later = indent if then is None else then
        first = words.wrap(self, max(20, self.width - indent))[0]
        rest = words[len(first) :]
        rest = rest[len(rest.plain) - len(rest.plain.lstrip()) :]
        lines = [first, *(rest.wrap(self, max(20, self.width - later)) if rest.plain else ())]
        for place, line in enumerate(lines):
            line.rstrip()
            self.print(Text(" " * (later if place else indent)).append_text(line))

    def heading(self, name: str, about: str) -> None:
        """A name and what it is."""
        self.hanging(Text.assemble((name, "bold"), ("   " + about if about else "", "dim")), 0, 2)

    def table(self, table: Table, *, heading: bool = True) -> None:
        """In a terminal the columns that fit, cells with their styles; columns that do not fit are named."""
        width = None if self.soft_wrap else self.width
        if len(table.rows) > LONG:
            for text in table.terminal(width):
                print(visible(text), file=self.file)
        else:
            for number, line in enumerate(table.laid_out(width)):
                if number or heading:
                    parts = [part for cell in line for part in cell]
                    shown = Text.assemble(*(part if isinstance(part, Text) else str(part) for part in parts))
                    shown.rstrip()
                    self.print(shown, style="bold" if not number else None)
        if width is not None and (left_out := table.left_out(width)) and sys.stderr is not None:
            print(visible(f"no room for: {', '.join(left_out)}"), file=sys.stderr)

    def program(self, about: str, text: str = "") -> None:
        """A program below a comment on it, with every line whole, so that it can be copied."""
        self.print(f"// {about}", style="dim", markup=False, soft_wrap=True)
        if text:
            self.print(text, markup=False, soft_wrap=True)

    def side(
        self, title: str, answer: Answer, why: str, basis: str, others: Sequence[tuple[str, Answer]] = ()
    ) -> None:
        """What is expected, then why and on what that rests, then other questions with other answers."""
        expected = answer.expectation
        heading = Text.assemble(f"{title:<29} ", (expected, f"bold {self.styles[answer.value]}"))
        self.hanging(heading, 2, 6)
        rests = "" if basis == expected else basis
        together = Text.assemble(why, (f" · {rests}" if rests else "", "dim"))
        if together.cell_len <= self.width - 4:
            self.hanging(together, 4)
        else:
            self.hanging(why, 4, 6)
            self.hanging(rests, 4, 6, "dim")
        for question, other in others:
            self.hanging(Text.assemble(f"{question}: ", (other.expectation, self.styles[other.value])), 4, 6)

    def terms(self, sides: Mapping[str, Verdict], *, trained: bool) -> None:
        """The papers' terms: class, verdict, reason, certificate, and what the program needs."""
        self.print(Text("in the terms of the papers", "bold"))
        for key, side in sides.items():
            answer = side.trained if trained else side.answer
            proof = side.trained_proof if trained else side.proof
            word = Text(answer.value, f"bold {self.styles[answer.value]}")
            self.hanging(Text.assemble(f"{self.titles[key]:<5} ", word, f"  {side.program_class}"), 2)
            self.hanging(proof.reason, 4, 6)
            self.hanging(_certificate(side, trained=trained), 4, 6, "dim")
            if trained and side.differs:
                self.hanging(f"as membership over all words: {side.answer.value}; {side.reason}", 4, 6)


def _certificate(side: Verdict, *, trained: bool) -> str:
    """The certificate in one line."""
    from longreach.answers.kinds import ArchitectureKind, kind_of

    certificate = side.trained_certificate if trained else side.certificate
    proof = side.trained_proof if trained else side.proof
    kind = kind_of(certificate)
    if isinstance(kind, ArchitectureKind):
        return kind.in_short(certificate)
    if kind.proves is None:
        return f"no certificate in {side.program_class}"
    if kind.proves == "no":
        return kind.in_short(certificate)
    assert proof.program is not None
    core = proof.program.core
    size = counted(core.size, "operation")
    return f"program in {core.class_name}, {size}, depth {core.depth}{_needs(side, trained)}"


def _needs(side: Verdict, trained: bool) -> str:
    own = side.proof.window, side.proof.modulus
    known = side.trained_needs if trained else own
    window, modulus = known if trained and side.differs else own
    if not window and modulus in (None, 1):
        return ""
    less = "" if (window, modulus) == known else f"; for what is trained {known[0]} and {known[1]}"
    return f" (window {window}, modulus {modulus}{less})"
