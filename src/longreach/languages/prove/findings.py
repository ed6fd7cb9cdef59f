"""What checking a certificate comes to: one word for each outcome, and only "valid" is a yes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The words of `longreach verify`."""

    VALID = "valid"
    """The statement holds for inputs of all lengths: about this task, alphabet, class and convention."""
    INVALID = "invalid"
    """The certificate does not prove the statement, or is refuted by an input."""
    NOT_PROVED = "not proved"
    """A program that no input refutes, among all short and many long ones, and that no proof confirms."""
    CHECKED = "checked to a length"
    """What can be counted or tried is as claimed, up to a length; nothing says that it goes on."""
    CLAIMED = "claimed, not checked"
    """There is nothing to check, or the task cannot be asked."""


@dataclass(frozen=True)
class Finding:
    """The outcome for one certificate.

    >>> Finding.invalid("the flows do not balance").valid
    False
    """

    status: Status
    how: str = ""
    """What was done."""
    problem: str | None = None
    """Why it is not valid; None if it is."""

    @property
    def valid(self) -> bool:
        return self.status is Status.VALID

    @staticmethod
    def invalid(problem: str) -> Finding:
        return Finding(Status.INVALID, "", problem)

    @staticmethod
    def claimed(problem: str) -> Finding:
        return Finding(Status.CLAIMED, "", problem)


BELIEVED = (Status.VALID, Status.CHECKED)
"""What a forecast says no for; `longreach verify` tells the two apart."""
