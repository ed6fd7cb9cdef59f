"""What runs in a process of its own: calls come as lines of JSON on standard input, answers leave so."""

from __future__ import annotations

import json
import resource
import sys
import traceback
from typing import Any, TextIO

from longreach.errors import InputError

BAD_INPUT, TOO_LARGE, BROKEN = 422, 413, 500


def answer(message: Any) -> dict[str, Any]:
    """The answer to one call: a status as of HTTP, and a document.

    >>> answer({"part": "verdicts", "document": {"kind": "regex", "text": "(a"}})["status"]
    422
    """
    from longreach.report.web.playground import part_of, plain_message

    try:
        return {"status": 200, "document": part_of(message["part"], message["document"])}
    except InputError as error:
        found: dict[str, Any] = {"error": plain_message(error)}
        if error.column is not None:
            found["column"] = error.column
        return {"status": BAD_INPUT, "document": found}
    except (MemoryError, RecursionError):
        return {"status": TOO_LARGE, "document": {"error": "too large to be looked at here"}}
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        return {"status": BROKEN, "document": {"error": f"a mistake of ours: {type(error).__name__}"}}


def serve_calls(calls: TextIO, answers: TextIO) -> None:
    """Answer calls until there are no more."""
    for line in calls:
        answers.write(json.dumps(answer(json.loads(line)), ensure_ascii=True) + "\n")
        answers.flush()


def main() -> None:
    """With the bytes of address space as the only argument."""
    limit = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # it writes no file
    answers = sys.stdout
    sys.stdout = sys.stderr  # whatever prints does not disturb the answers
    from longreach.report.web import playground as playground_parts  # noqa: F401 (loaded before the first call)

    answers.write("ready\n")
    answers.flush()
    serve_calls(sys.stdin, answers)


if __name__ == "__main__":
    main()
