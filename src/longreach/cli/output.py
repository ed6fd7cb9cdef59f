"""How commands speak: one JSON document or text on standard output, messages on standard error."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from longreach.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console


# Boxed help is for terminals: in a pipe plain text is easier to read on, and starts faster.
HELP_MARKUP: Literal["rich"] | None = "rich" if sys.stdout is not None and sys.stdout.isatty() else None


def complain(message: str, details: str = "") -> None:
    """The whole message on the first line of standard error, never wrapped; source and caret may follow."""
    note(" ".join(message.splitlines()))
    if details:
        note(details)


def note(message: str) -> None:
    """A remark for people, on standard error."""
    if sys.stderr is not None:  # without one, `print` would turn to standard output
        print(message, file=sys.stderr)


def print_json(document: Any) -> None:
    """Exactly one JSON document on standard output."""
    unicode = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    print(json.dumps(document, ensure_ascii=not unicode))


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
    from rich.console import Console

    plain = not sys.stdout.isatty()
    return Console(highlight=False, emoji=False, soft_wrap=plain, width=10_000 if plain else None)


def write_text(path: Path, text: str) -> None:
    """Writes a text file whole or not at all."""
    write_bytes(path, text.encode("utf-8", "replace"))


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all; a link stays a link, and a device or a pipe is written to."""
    from longreach.results.atomic import write_atomically

    if not path.exists() or path.is_file():
        write_atomically(Path(os.path.realpath(path)) if path.is_symlink() else path, content)
        return
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
