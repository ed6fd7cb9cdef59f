"""What `--help` says, in a terminal and in a pipe alike: examples to copy, and lists of whole sentences."""

from __future__ import annotations

from typing import Any

EXAMPLE = "Example: "
VERBATIM = "\b\n"
"""Before a paragraph whose lines are kept as they are."""


def readable_help(command: Any) -> Any:
    """The command, and those of its group, with each example on one line and no sentence cut short."""
    paragraphs = [" ".join(each.split()) for each in (command.help or "").split("\n\n")]
    command.short_help = paragraphs[0]
    command.help = "\n\n".join(VERBATIM + each if each.startswith(EXAMPLE) else each for each in paragraphs)
    for each in getattr(command, "commands", {}).values():
        readable_help(each)
    return command
