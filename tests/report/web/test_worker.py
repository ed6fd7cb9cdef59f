"""What a worker answers, whatever happens to it."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from longreach.report.web import playground as playground_parts
from longreach.report.web.worker import answer, serve_calls

CALL = {"part": "verdicts", "document": {"kind": "regex", "text": "(aa)*"}}


@pytest.mark.parametrize(
    ("error", "status"), [(MemoryError(), 413), (RecursionError(), 413), (KeyError("x"), 500)]
)
def test_what_goes_wrong_is_a_status(
    error: BaseException, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(part: str, document: Any) -> None:
        raise error

    monkeypatch.setattr(playground_parts, "part_of", fails)
    found = answer(CALL)
    assert found["status"] == status
    assert found["document"]["error"]
    assert capsys.readouterr().out == ""


def test_calls_are_answered_line_by_line() -> None:
    bad = {"part": "verdicts", "document": {"kind": "regex", "text": "(a"}}
    calls, answers = (
        io.StringIO("".join(json.dumps(each) + "\n" for each in (CALL, bad, CALL))),
        io.StringIO(),
    )
    serve_calls(calls, answers)
    found = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert [each["status"] for each in found] == [200, 422, 200]
    assert found[0] == found[2]
