"""Tables of runs: read as written, and refused by the line."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.studies.census.census_run import CensusRun, bins, read_runs, runs_to_text

RUN = CensusRun(
    run="0123456789abcdef",
    language="8a9368b8db",
    encoding="ape",
    trained_to=20,
    seed=0,
    accuracy=(1.0, 0.5, 0.25, 0.0),
    code="1.0",
    seconds=3.5,
    settings="aa",
)
FAILED = replace(RUN, run="f" * 16, seed=1, accuracy=(), error="diverged — at step 5\nhere")


def test_bins_are_those_that_the_census_was_drawn_for() -> None:
    assert [each.name for each in bins(50).values()] == ["1-50", "51-100", "101-150", "201-250"]


@given(
    st.permutations([RUN, FAILED, replace(RUN, run="a" * 16, language="0"), replace(RUN, run="z", seed=7)])
)
def test_a_table_does_not_depend_on_the_order(runs: list[CensusRun]) -> None:
    text = runs_to_text(runs)
    assert text == runs_to_text(reversed(runs))
    assert len(text.splitlines()) == len(runs)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(runs_to_text([FAILED, RUN]))
    assert read_runs(path) == (RUN, FAILED)
    assert '"error"' not in path.read_text().splitlines()[0]


def test_a_run_is_there_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="twice"):
        runs_to_text([RUN, replace(RUN, seed=3)])
    path = tmp_path / "runs.jsonl"
    path.write_text(runs_to_text([RUN]) * 2)
    with pytest.raises(InputError, match=r"runs\.jsonl:2: the run 0123456789abcdef is there twice"):
        read_runs(path)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"accuracy": [1.0, 0.5, 0.2]}, "a run has 4 accuracies, a failed one an error instead"),
        ({"accuracy": [1.0, 0.5, 0.2, 1.5]}, "accuracy.3: Input should be less than or equal to 1"),
        ({"accuracy": [1.0, 0.5, 0.2, float("nan")]}, "accuracy.3: Input should be a finite number"),
        ({"error": "diverged"}, "a run has 4 accuracies, a failed one an error instead"),
        ({"encoding": "apes"}, "no encoding is named 'apes'"),
        ({"seed": "0"}, "seed: Input should be a valid integer"),
        ({"trained_to": 0}, "trained_to: Input should be greater than or equal to 1"),
        ({"more": 1}, "more: Unexpected keyword argument"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, changes: dict[str, object], reason: str) -> None:
    path = tmp_path / "runs.jsonl"
    document = {name: value for name, value in asdict(RUN).items() if value is not None}
    path.write_text(runs_to_text([FAILED]) + json.dumps({**document, **changes}) + "\n")
    with pytest.raises(InputError) as caught:
        read_runs(path)
    assert caught.value.message == f"{path}:2: {reason}"


@pytest.mark.parametrize("text", ["{", "[]", "null", "\x00", '{"run": "' + "9" * 50])
def test_what_is_no_run_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=r"runs\.jsonl:1: ") as caught:
        read_runs(path)
    assert "\n" not in caught.value.message


def test_files_that_are_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_runs(tmp_path / "none.jsonl")
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_runs(path)
