"""How a task is named on the command line, in results and certificates; only here names are taken apart."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import Enum

REGEX = "regex:"
PROGRAM = "crasp:"
SESSION = "object:"
"""An object of a Python session: `object:NAME@HASH`."""
_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_ATTRIBUTE = re.compile(rf"({_NAME}):({_NAME})")


class Origin(Enum):
    """Where a task comes from."""

    BUILT_IN = "built-in"
    REGEX = "regex"
    PROGRAM = "program"
    ATTRIBUTE = "attribute"


@dataclass(frozen=True)
class TaskName:
    """A name of a task, read.

    >>> TaskName("regex:(aa)*").expression, TaskName("my.tasks:reverse").origin.value
    ('(aa)*', 'attribute')
    >>> TaskName("crasp:mine.cr").short, TaskName("crasp:#alphabet a\\nL = true").short
    ('crasp:mine.cr', 'crasp:909b09ec79')
    """

    text: str

    @property
    def origin(self) -> Origin:
        if self.text.startswith(REGEX):
            return Origin.REGEX
        if self.text.startswith(PROGRAM):
            return Origin.PROGRAM
        return Origin.ATTRIBUTE if _ATTRIBUTE.fullmatch(self.text) else Origin.BUILT_IN

    @property
    def is_regex(self) -> bool:
        return self.origin is Origin.REGEX

    @property
    def is_program(self) -> bool:
        return self.origin is Origin.PROGRAM

    @property
    def is_attribute(self) -> bool:
        """Whether it is that of a Python object, which must not be imported because a file says so."""
        return self.origin is Origin.ATTRIBUTE

    @property
    def is_session(self) -> bool:
        """Whether it is that of an object that only the process which made it can find."""
        return self.text.startswith(SESSION) and "@" in self.text

    @property
    def is_text(self) -> bool:
        """Whether it holds a program itself: a text has an alphabet and more lines."""
        return self.text.startswith(f"{PROGRAM}#alphabet") and "\n" in self.text

    @property
    def expression(self) -> str:
        """The regular expression of `regex:…`; any other name as it is, for people to read.

        >>> TaskName("object:mine@0123456789ab").expression
        'mine@0123456789ab'
        """
        return self.text.removeprefix(SESSION if self.is_session else REGEX)

    @property
    def source(self) -> str:
        """What stands behind `crasp:`: a file, a library program, or a text."""
        return self.text.removeprefix(PROGRAM)

    @property
    def attribute(self) -> tuple[str, str]:
        """Module and attribute of a Python object.

        >>> TaskName("my.tasks:reverse").attribute
        ('my.tasks', 'reverse')
        """
        found = _ATTRIBUTE.fullmatch(self.text)
        assert found is not None, self.text
        return found[1], found[2]

    @property
    def short(self) -> str:
        """On one line: a program's text is shortened to a hash."""
        if not self.is_text:
            return self.text
        return PROGRAM + hashlib.sha256(self.text.encode()).hexdigest()[:10]
