"""What a member that trains says of itself, in its directory, whichever engine runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PROGRESS = "progress.json"


def progress_of(directory: Path) -> dict[str, Any] | None:
    """What it last said, if anything: at least its step.

    >>> progress_of(Path("no-such-directory")) is None
    True
    """
    try:
        found = json.loads((directory / PROGRESS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("step"), int) else None
