"""How commands speak: JSON or text on standard output, messages on standard error, files."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import typer

from longreach.errors import Argument, InputError
from longreach.files import json_text
from longreach.wording import listed, visible

if TYPE_CHECKING:
    from longreach.cli.screen import Screen

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


def console() -> Screen:
    """A console for text and tables: coloured and cut to width in a terminal, plain and whole in a pipe."""
    from longreach.cli.screen import Screen

    plain = not sys.stdout.isatty()
    return Screen(highlight=False, emoji=False, soft_wrap=plain, width=10_000 if plain else None)


def error_console() -> Screen:
    """A console on standard error."""
    from longreach.cli.screen import Screen

    return Screen(stderr=True)


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


def figure_path(runs: Path, name: str) -> Path:
    """Where a figure goes if nothing is said."""
    path = runs / "figures" / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--runs: {path.parent}: cannot be created: {error.strerror}") from None
    return path


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
