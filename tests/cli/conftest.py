from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import pytest

from longreach.cli.main import run


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def first_error(self) -> str:
        return self.err.splitlines()[0] if self.err else ""

    @property
    def document(self) -> Any:
        """What --json printed."""
        return json.loads(self.out)


Call: TypeAlias = Callable[..., Outcome]


@pytest.fixture
def longreach(capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs the command line in this process."""

    def call(*arguments: object) -> Outcome:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call
