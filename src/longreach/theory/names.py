"""How tasks and alphabets are written; names are taken apart only here."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from longreach.errors import InputError

REGEX = "regex:"
PROGRAM = "crasp:"
SESSION = "object:"
"""An object of a Python session: `object:NAME@HASH`."""
AUTOMATON = "dfa:"
DATA = "data:"
STATES = "states:"
"""The states of a regular expression's automaton, said at each letter."""
STATES_AFTER = "states-after:"
"""The same, said after each letter."""
_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_ATTRIBUTE = re.compile(rf"({_NAME}):({_NAME})")
_PINNED = re.compile(r"(.*)#([0-9a-f]{8,64})", re.DOTALL)
CHANGES = ("scratchpad", "change-log", "reversed", "index-hints")
"""What a name may end with, each behind a `+` or `::`: the task is changed so, in any order of the words."""
_CHANGES = re.compile(rf"(.*?)((?:(?:\+|::)(?:{'|'.join(CHANGES)}))+)", re.DOTALL)
END = "EOS"
"""How predictors name the end of a word."""
SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
"""What an automaton may be named in its file."""
FORMS = f"{REGEX}…, {STATES}…, {AUTOMATON}FILE, {PROGRAM}FILE, {DATA}FILE or module:attribute"
"""For errors: how a task is written that has no name of its own."""
EXPECTED = f"a task's name, {FORMS}"
"""For errors: what a task may be named."""


class Origin(Enum):
    """Where a task comes from."""

    BUILT_IN = "built-in"
    REGEX = "regex"
    STATES = "states"
    PROGRAM = "program"
    AUTOMATON = "automaton"
    DATA = "data"
    ATTRIBUTE = "attribute"


_PREFIXES = {
    REGEX: Origin.REGEX,
    STATES: Origin.STATES,
    STATES_AFTER: Origin.STATES,
    PROGRAM: Origin.PROGRAM,
    AUTOMATON: Origin.AUTOMATON,
    DATA: Origin.DATA,
}


@dataclass(frozen=True)
class TaskName:
    """A name of a task, read.

    >>> TaskName("regex:(aa)*").expression, TaskName("my.tasks:reverse").origin.value
    ('(aa)*', 'attribute')
    >>> TaskName("crasp:mine.cr").short, TaskName("crasp:#alphabet a\\nL = true").short
    ('crasp:mine.cr', 'crasp:909b09ec79')
    >>> TaskName("data:sums.jsonl#0123456789abcdef").file, TaskName("dfa:mod3.json").origin.value
    ('sums.jsonl', 'automaton')
    >>> TaskName("addition+index-hints+reversed").changes, TaskName("regex:a(b|a)+scratchpad").base
    (('reversed', 'index-hints'), 'regex:a(b|a)')
    """

    text: str

    @property
    def _parts(self) -> tuple[str, tuple[str, ...]]:
        found = _CHANGES.fullmatch(self.text)
        return (self.text, ()) if found is None else (found[1], tuple(re.split(r"\+|::", found[2])[1:]))

    @property
    def base(self) -> str:
        """The name of the task that is changed; of others their own."""
        return self._parts[0]

    @property
    def changes(self) -> tuple[str, ...]:
        """How it is changed, each once and in one order.

        >>> TaskName("sort").changes
        ()
        """
        return tuple(change for change in CHANGES if change in self._parts[1])

    def changed(self, *changes: str) -> str:
        """The name of the task changed further.

        >>> TaskName("addition+index-hints").changed("reversed")
        'addition+reversed+index-hints'
        """
        wanted = [each for each in CHANGES if each in (*changes, *self.changes)]
        return "+".join([self.base, *wanted])

    @property
    def argument(self) -> str:
        """The same name so that no `+` of an expression can be meant.

        >>> TaskName("regex:(a|b)+scratchpad").argument, TaskName("sort+reversed").argument
        ('regex:(a|b)::scratchpad', 'sort+reversed')
        """
        return "::".join([self.base, *self.changes]) if self.has_alphabet else self.text

    @property
    def is_ambiguous(self) -> bool:
        """Whether its `+scratchpad` may also be a part of its expression."""
        return self.has_alphabet and bool(self.changes) and self.text[len(self.base)] == "+"

    @property
    def prefix(self) -> str:
        """`regex:`, `states:`, `states-after:`, `crasp:`, `dfa:`, `data:`, or nothing."""
        return next((prefix for prefix in _PREFIXES if self.text.startswith(prefix)), "")

    @property
    def origin(self) -> Origin:
        if self.prefix:
            return _PREFIXES[self.prefix]
        return Origin.ATTRIBUTE if _ATTRIBUTE.fullmatch(self.base) else Origin.BUILT_IN

    @property
    def is_regex(self) -> bool:
        return self.origin is Origin.REGEX

    @property
    def is_states(self) -> bool:
        return self.origin is Origin.STATES

    @property
    def has_alphabet(self) -> bool:
        """Whether it holds a regular expression, with which an alphabet may be given.

        >>> TaskName("states:(aa)*").has_alphabet, TaskName("sort").has_alphabet
        (True, False)
        """
        return self.is_regex or self.is_states

    @property
    def takes_alphabet(self) -> bool:
        """Whether an alphabet may stand beside it: with an expression, or for a plain function.

        >>> TaskName("mine:even").takes_alphabet, TaskName("sort").takes_alphabet
        (True, False)
        """
        return self.has_alphabet or self.is_attribute

    @property
    def is_program(self) -> bool:
        return self.origin is Origin.PROGRAM

    @property
    def is_automaton(self) -> bool:
        return self.origin is Origin.AUTOMATON

    @property
    def is_data(self) -> bool:
        return self.origin is Origin.DATA

    @property
    def is_attribute(self) -> bool:
        """Whether it is that of a Python object, which must not be imported because a file says so."""
        return self.origin is Origin.ATTRIBUTE

    @property
    def is_session(self) -> bool:
        """Whether it is that of an object that only the process which made it can find."""
        return self.text.startswith(SESSION) and "@" in self.text

    @property
    def is_file(self) -> bool:
        """Whether it is that of a file, whose name errors begin with."""
        return self.prefix in (PROGRAM, AUTOMATON, DATA) and not self.is_text

    @property
    def is_text(self) -> bool:
        """Whether it holds a program itself, which has an alphabet and more lines, or an automaton."""
        if self.is_automaton:
            return self.source.startswith("{")
        return self.base.startswith(f"{PROGRAM}#alphabet") and "\n" in self.base

    @property
    def expression(self) -> str:
        """The regular expression of `regex:…`, with its changes; any other name as it is, for people to read.

        >>> TaskName("object:mine@0123456789ab").expression
        'mine@0123456789ab'
        """
        return self.text.removeprefix(SESSION if self.is_session else REGEX)

    @property
    def source(self) -> str:
        """What stands behind any prefix but `regex:`: a file, a library program, a text, an expression."""
        return self.base.removeprefix(self.prefix) if self.prefix != REGEX else self.base

    @property
    def file(self) -> str:
        """The file of `data:FILE`, without the hash of its content."""
        found = _PINNED.fullmatch(self.source)
        return self.source if found is None else found[1]

    @property
    def content(self) -> str | None:
        """The first digits of the hash that the file of `data:FILE#HASH` must have; None: any."""
        found = _PINNED.fullmatch(self.source) if self.is_data else None
        return None if found is None else found[2]

    @property
    def attribute(self) -> tuple[str, str]:
        """Module and attribute of a Python object.

        >>> TaskName("my.tasks:reverse").attribute
        ('my.tasks', 'reverse')
        """
        found = _ATTRIBUTE.fullmatch(self.base)
        assert found is not None, self.text
        return found[1], found[2]

    @property
    def short(self) -> str:
        """On one line: the text of a program or of an automaton is shortened to a hash.

        >>> TaskName('dfa:{"alphabet":["a"],"transitions":[[1],[0]],"accepting":[0]}').short
        'dfa:2-states-136c795b'
        """
        if self.changes:
            return "+".join([TaskName(self.base).short, *self.changes])
        if self.content is not None:
            return f"{DATA}{self.file}#{self.content[:8]}"
        if not self.is_text:
            return self.text
        digits = hashlib.sha256(self.text.encode("utf-8", "backslashreplace")).hexdigest()
        if self.is_automaton:
            return f"{AUTOMATON}{_called(self.source)}-{digits[:8]}"
        return PROGRAM + digits[:10]


def _called(text: str) -> str:
    """The name that an automaton has in its document, or its number of states."""
    try:
        document = json.loads(text)
        name = document.get("name")
        if isinstance(name, str) and SLUG.fullmatch(name):
            return name
        return f"{len(document['transitions'])}-states"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "automaton"


_LETTER = re.compile(r"\\[\\,\s]|[^\\,\s]|\\", re.DOTALL)
"""One letter: a backslash makes letters of a comma, a blank and itself."""
_DIVIDED = re.compile(r"\s*,\s*|\s+")


def python_hint(name: str) -> str:
    """How a function is named if somebody named its file.

    >>> python_hint("./mine.py:even"), python_hint("in/mine.py")
    ("; did you mean 'mine:even'?", '; for a function in this file write in.mine:FUNCTION')
    """
    path, _, attribute = name.partition(":")
    module = re.sub(r"^(\./)+", "", path).removesuffix(".py").replace("/", ".")
    if not re.fullmatch(_NAME, module):
        return ""
    if not path.endswith(".py") and (attribute or not Path(f"{path}.py").is_file()):
        return ""
    if attribute:
        return f"; did you mean {f'{module}:{attribute}'!r}?"
    return f"; for a function in this file write {module}:FUNCTION"


def read_letters(text: str) -> tuple[str, ...]:
    r"""The letters of an alphabet: `abc`, `a b c` or `a,b,c`.

    A comma, a blank or a backslash as a letter has a backslash before it, as in expressions.

    >>> read_letters("ab"), read_letters("a b"), read_letters("a, b"), read_letters(r"a\,")
    (('a', 'b'), ('a', 'b'), ('a', 'b'), ('a', ','))
    >>> read_letters("ab,c")
    Traceback (most recent call last):
    longreach.errors.InputError: 'ab' is not a letter: letters are single characters
    """
    parts = _parts(text)
    letters: list[str] = []
    for part in parts:
        found = _LETTER.findall(part)
        if len(parts) > 1 and len(found) > 1:
            raise InputError(f"{part!r} is not a letter: letters are single characters")
        letters += (letter[-1] for letter in found)
    if not letters:
        divider = text.strip()[:1] == ","
        raise InputError(
            "a comma divides letters; write '\\,' for the letter"
            if divider
            else "is empty; a language needs at least one letter"
        )
    twice = next((letter for place, letter in enumerate(letters) if letter in letters[:place]), None)
    if twice is not None:
        raise InputError(f"the letter {twice!r} appears twice in {text!r}")
    return tuple(letters)


def _parts(text: str) -> list[str]:
    """What stands between commas and blanks; those behind a backslash divide nothing."""
    parts, place = [""], 0
    while place < len(text):
        divider = _DIVIDED.match(text, place)
        if divider is not None:
            parts.append("")
            place = divider.end()
        else:
            width = 2 if text[place] == "\\" and place + 1 < len(text) else 1
            parts[-1] += text[place : place + width]
            place += width
    return [part for part in parts if part]


def written(letters: tuple[str, ...] | list[str]) -> str:
    r"""The same letters as `read_letters` reads them.

    >>> written(("a", "b")), written(("a", ","))
    ('ab', 'a\\,')
    """
    return "".join(f"\\{letter}" if letter in "\\," or letter.isspace() else letter for letter in letters)
