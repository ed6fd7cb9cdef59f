"""How commands speak: JSON or text on standard output, messages on standard error, tables, verdicts."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import typer

from longreach.errors import Argument, InputError
from longreach.files import json_text
from longreach.wording import Table, counted, listed, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from longreach.theory.automata.automaton import Automaton
    from longreach.theory.verdicts.verdict import Answer, Verdict

# What a terminal obeys instead of showing it, in JSON, where it stands in strings.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def say(text: str, end: str = "\n") -> None:
    """Plain text on standard output, from any source."""
    print(visible(text), end=end)


def say_data(text: str) -> None:
    """Data on standard output: unchanged in a pipe or a file, made visible in a terminal."""
    if sys.stdout.isatty():
        say(text, end="")
    else:
        sys.stdout.write(text)


def complain(message: str, details: str = "") -> None:
    """The whole message on the first line of standard error, never wrapped; source and caret may follow."""
    note(" ".join(message.splitlines()))
    if details:
        note(details)


def note(message: str) -> None:
    """A remark for people, on standard error."""
    if sys.stderr is not None:  # without one, `print` would turn to standard output
        print(visible(message), file=sys.stderr)


def print_json(document: Any) -> None:
    """Exactly one JSON document on standard output; numbers that JSON lacks are null."""
    unicode = (getattr(documents(), "encoding", None) or "utf-8").lower().startswith("utf")
    print_document(json_text(document, ascii_only=not unicode))


def print_document(text: str) -> None:
    """A JSON document that is text already. What a terminal would obey stands in strings, and is escaped."""
    print(_OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text), file=documents())


class _Aside:
    """Standard output while it is for documents alone: all else goes to standard error."""

    def __init__(self, documents: TextIO, messages: TextIO) -> None:
        self.documents, self._messages = documents, messages

    def __getattr__(self, name: str) -> Any:
        return getattr(self._messages, name)


def documents() -> TextIO:
    """Where documents go: standard output, whatever a user's own Python prints."""
    stream: TextIO = getattr(sys.stdout, "documents", sys.stdout)
    return stream


def documents_alone(wanted: bool) -> bool:
    """As the callback of --json: what else is printed, by a user's own Python too, goes to standard error."""
    if wanted and sys.stderr is not None:
        sys.stdout = cast(TextIO, _Aside(documents(), sys.stderr))
    return wanted


def silence_output() -> None:
    """Standard output fails: at interpreter exit nothing more is tried."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), documents().fileno())


@contextmanager
def exit_code(code: int, *, when: bool) -> Iterator[None]:
    """Prints an answer, then exits with the code when it says so, even if nobody reads the answer."""
    try:
        yield
        documents().flush()
    except BrokenPipeError:
        silence_output()
    if when:
        raise typer.Exit(code)


def set_up_streams() -> None:
    """A character that standard output cannot show is written as an escape; in JSON it then reads back."""
    if sys.stdout is None:  # closed by the caller, who wants to see nothing
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (for as long as the process)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


@contextmanager
def any_number_of_digits() -> Iterator[None]:
    """Counts are exact, and shown however long they are; Python by itself stops at 4300 digits."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)


def console() -> Console:
    """A console for text and tables: coloured and cut to width in a terminal, plain and whole in a pipe."""
    plain = not sys.stdout.isatty()
    return _safe_console()(highlight=False, emoji=False, soft_wrap=plain, width=10_000 if plain else None)


def error_console() -> Console:
    """A console on standard error."""
    return _safe_console()(stderr=True)


@cache
def _safe_console() -> type[Console]:
    """A console that shows control characters of any text; its own, such as colours, are no text."""
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class SafeConsole(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterable[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(visible(segment.text), segment.style)

        def on_broken_pipe(self) -> None:
            raise  # the one that is being handled: the exit code is not for a console to choose

    return SafeConsole


NOT_PAGES = (".pdf", ".png", ".svg", ".json", ".csv", ".md", ".txt")


def check_file(path: Path | None, option: str, endings: Sequence[str] = ()) -> None:
    """Refuse a file that cannot be written, or with another ending, before any work is done for it."""
    if path is None:
        return
    if endings and path.suffix.lower() not in endings:
        raise InputError(f"{option}: {path}: must end in {listed(endings, 'or')}")
    if path.is_dir():
        raise InputError(f"{option}: {path}: is a directory")
    if not path.parent.is_dir():
        raise InputError(f"{option}: {path}: no such directory")


def check_page(path: Path | None, option: str) -> None:
    """The same for a page, which is HTML whatever the name says; so the name must not say something else."""
    check_file(path, option)
    if path is not None and path.suffix.lower() in NOT_PAGES:
        raise InputError(f"{option}: {path}: must end in .html")


def check_directory(path: Path | None, option: str) -> None:
    """The same for a directory that files are written to, and that need not exist."""
    if path is not None and path.exists() and not path.is_dir():
        raise InputError(f"{option}: {path}: not a directory")


@contextmanager
def blamed_on(what: str) -> Iterator[None]:
    """Errors begin with the option, argument or file that they are about."""
    try:
        yield
    except InputError as error:
        message = f"{what}: {error.message}"
        raise InputError(message, source=error.source, column=error.column) from None


@contextmanager
def argument(place: str, usage: str) -> Iterator[None]:
    """Errors about an argument name it as the usage of the command does."""
    try:
        yield
    except InputError as error:
        if error.place != Argument(place):
            raise
        named = Argument(usage)
        raise InputError(error.reason, place=named, source=error.source, column=error.column) from None


def write_text(path: Path, text: str) -> None:
    """Writes a text file whole or not at all."""
    write_bytes(path, text.encode("utf-8", "replace"))


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all; a link stays a link, and a device or a pipe is written to."""
    from longreach.files import write_atomically

    if not path.exists() or path.is_file():
        write_atomically(Path(os.path.realpath(path)) if path.is_symlink() else path, content)
        return
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


LONG = 200
"""Tables with more rows are printed without colours, which would take seconds."""


def print_table(table: Table, *, heading: bool = True) -> None:
    """In a terminal with the columns that fit, cells with their styles; columns that do not fit are named."""
    from rich.text import Text

    out = console()
    width = None if out.soft_wrap else out.width
    if len(table.rows) > LONG:
        for text in table.terminal(width):
            say(text)
    else:
        for number, line in enumerate(table.laid_out(width)):
            if number or heading:
                parts = [part for cell in line for part in cell]
                shown = Text.assemble(*(part if isinstance(part, Text) else str(part) for part in parts))
                shown.rstrip()
                out.print(shown, style="bold" if not number else None)
    if width is not None and (left_out := table.left_out(width)):
        note(f"no room for: {', '.join(left_out)}")


# How verdicts are shown to people: plain words first, wrapped with hanging indentation.


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
    from longreach.theory.automata.automaton import longest_word

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

    expected = answer.expectation
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
        said = Text.assemble(f"{question}: ", (other.expectation, STYLES[other.value]))
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
    from longreach.answers.kinds import kind_of

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
    own = side.proof.window, side.proof.modulus
    known = side.trained_needs if trained else own
    window, modulus = known if trained and side.differs else own
    if not window and modulus in (None, 1):
        return ""
    less = "" if (window, modulus) == known else f"; for what is trained {known[0]} and {known[1]}"
    return f" (window {window}, modulus {modulus}{less})"
