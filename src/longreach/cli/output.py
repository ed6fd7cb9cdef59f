"""How commands speak: one JSON document or text on standard output, messages on standard error."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console


def complain(message: str, details: str = "") -> None:
    """The whole message on the first line of standard error, never wrapped; source and caret may follow."""
    first, *rest = message.splitlines() or [""]
    print(" ".join([first, *rest]), file=sys.stderr)
    if details:
        print(details, file=sys.stderr)


def note(message: str) -> None:
    """A remark for people, on standard error."""
    print(message, file=sys.stderr)


def print_json(document: Any) -> None:
    """Exactly one JSON document on standard output."""
    print(json.dumps(document, ensure_ascii=False))


def console() -> Console:
    """A console for text and tables: coloured and cut to width in a terminal, plain and whole in a pipe."""
    from rich.console import Console

    plain = not sys.stdout.isatty()
    return Console(highlight=False, soft_wrap=plain, width=10_000 if plain else None)


def write_text(path: Path, text: str) -> None:
    """Writes a text file whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
