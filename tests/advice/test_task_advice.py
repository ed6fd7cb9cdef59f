from __future__ import annotations

import json
from pathlib import Path

import pytest

from longreach.advice import advise
from tests.helpers.made_up_training import replace_training


def test_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: "index-hints" in member.task)
    found = advise("copy-repeat", runs=tmp_path)
    document = json.loads(json.dumps(found.document()))
    assert document["task"] == "copy-repeat"
    assert document["trained"] == {"nope": "no", "ape": "no"}
    assert document["original"]["work"] == 0
    assert [each["works"] for each in document["advice"]] == [False, True]
    assert document["best"] == "copy-repeat+index-hints with ape"
    for each in document["advice"]:
        assert {"change", "basis", "measured"} <= set(each)
        assert len(each["measured"]["accuracy"]) == 2


def test_without_trials_the_surest_is_best() -> None:
    found = advise("parity", minutes=0)
    assert found.best == found.remedies[0]
    assert all(each["measured"] is None for each in found.document()["advice"])
    assert "parity" in repr(found)


def test_what_failed_is_not_best(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: False)
    assert advise("parity", runs=tmp_path).best is None


def test_whether_it_is_needed() -> None:
    assert not advise("sort", minutes=0).is_needed
    assert advise("aa", minutes=0).is_needed


def test_the_sparsity_of_the_original_is_in_positions() -> None:
    document = advise("copy-repeat", minutes=0).document()
    assert document["original_sparsity"]["ids"] == "true"
    assert document["advice"][0]["sparsity"]["ids"] == "coupled"
    assert not document["original_sparsity"]["local"]
    assert document["advice"][0]["sparsity"]["local"]
