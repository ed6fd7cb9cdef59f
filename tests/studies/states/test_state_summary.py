"""What the study says, in all its forms."""

from __future__ import annotations

import json
from itertools import pairwise, takewhile

import pytest

from longreach.studies.all_studies import STUDIES
from longreach.studies.states.state_summary import state_summary
from tests.studies.states.test_state_distance import measured, theirs

STUDY = STUDIES["state-tracking"]


def test_before_anything_has_run() -> None:
    found = state_summary(STUDY.outcomes([], "laptop"))
    document = json.loads(json.dumps(found.document()))
    assert document["agreement"]["levels"]["0.99"]["nope_after_letter"] == 169
    assert (document["encodings"], document["distances"]) == (None, [])
    assert len(document["languages"]) == 175
    assert document["conclusion"].startswith("Open: ")
    assert "neither their positional encoding" in document["question"]
    assert len(document["disagreeing"]) == 8
    assert "1 of 2" not in found.depths
    assert "0 of 2 work that need depth 2" in found.text()


def test_with_runs() -> None:
    cells = measured(lambda place: theirs(place) if place.encoding == "ape" else (0.4, 0.4, 0.4, 0.4))
    found = state_summary(cells)
    assert found.document()["encodings"]["nearer"] == "ape"
    assert found.conclusion.startswith("Our runs with learned positions reproduce")
    markdown = STUDY.content(cells, "laptop", ".md").decode()
    lines = markdown.splitlines()
    assert sum(line.startswith(("| main | ", "| secondary | ")) for line in lines) == 175 + 8
    assert "| dyck2 | `(a(ab)*b)*` | after | ape | yes | 0.000 | 1 1 1 0 | 1 1 1 0 |" in lines
    # Every table has as many cells in each row as in its head.
    for head, rule in pairwise(lines):
        if rule.startswith("|---"):
            width = head.count(" | ")
            rows = lines[lines.index(head) + 2 :]
            for row in takewhile(lambda each: each.startswith("|"), rows):
                assert row.replace("\\|", "").count(" | ") == width, row


@pytest.mark.slow
def test_the_figure() -> None:
    drawn = STUDY.content(measured(theirs), "laptop", ".svg")
    text = drawn.decode()
    for part in (
        "trained to 50",
        "25 with a program, 25 without",
        "ours, without positions",
        "451–500",
    ):
        assert part in text
    assert STUDY.content(measured(theirs), "laptop", ".svg") == drawn
    assert "not run" in STUDY.content(STUDY.outcomes([], "laptop"), "laptop", ".svg").decode()
