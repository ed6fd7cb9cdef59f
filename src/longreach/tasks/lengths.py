"""Ranges of lengths: one type, and one way each to name them in documents and on a command line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from longreach.errors import InputError

# The lengths that a name can have are far below: more digits are none of ours, and slow to read.
_NAME = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_OPTION = re.compile(r"([0-9]+):([0-9]+)")


class LengthRange(NamedTuple):
    """Lengths from the first to the last, both included; in JSON a list of the two.

    >>> tests = LengthRange(51, 100)
    >>> tests.name, tests.option, tests.words, tests == (51, 100)
    ('51-100', '51:100', '51–100', True)
    """

    first: int
    last: int

    @property
    def name(self) -> str:
        """As documents name it."""
        return f"{self.first}-{self.last}"

    @property
    def words(self) -> str:
        """As people read it: 51–100, and 36 of one length alone."""
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"

    @property
    def option(self) -> str:
        """As command lines name it."""
        return f"{self.first}:{self.last}"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        length = Annotated[int, Field(ge=0)]
        pair = handler.generate_schema(tuple[length, length])
        return core_schema.no_info_after_validator_function(cls._make, pair)


def read_name(name: str) -> LengthRange | None:
    """The range that a document names; None if it is another name.

    >>> read_name("51-100"), read_name("all")
    (LengthRange(first=51, last=100), None)
    """
    found = _NAME.fullmatch(name)
    return None if found is None else LengthRange(int(found[1]), int(found[2]))


def name_order(name: str) -> tuple[LengthRange, str]:
    """For sorting the names of a document: ranges by their lengths, after what is no range.

    >>> sorted(["51-100", "101-150", "all", "1-50"], key=name_order)
    ['all', '1-50', '51-100', '101-150']
    """
    return read_name(name) or LengthRange(-1, -1), name


def read_option(text: str) -> LengthRange:
    """The range that a command line names.

    >>> read_option("51:100")
    LengthRange(first=51, last=100)
    >>> read_option("51-100")
    Traceback (most recent call last):
    longreach.errors.InputError: '51-100' is not a range of lengths, as in 1:50
    """
    found = _OPTION.fullmatch(text.strip())
    if found is None:
        raise InputError(f"{text!r} is not a range of lengths, as in 1:50")
    return LengthRange(int(found[1]), int(found[2]))


def read_options(text: str) -> tuple[LengthRange, ...]:
    """The ranges that a command line names.

    >>> [each.name for each in read_options("51:100,101:150")]
    ['51-100', '101-150']
    """
    return tuple(map(read_option, text.split(",")))


def write_options(ranges: Iterable[LengthRange]) -> str:
    """Several ranges as a command line names them.

    >>> write_options([LengthRange(51, 100), LengthRange(101, 150)])
    '51:100,101:150'
    """
    return ",".join(each.option for each in ranges)
