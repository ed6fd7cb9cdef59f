"""Product functions of trained models: which heads are read, and what is claimed of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from longreach.inspection.attention import softness
from longreach.inspection.positions import PositionProduct, window_weights
from longreach.inspection.report import report_head
from longreach.models.decoder import initialise
from longreach.studies.catalog import load_study
from longreach.studies.product_functions import (
    GPT2,
    INTERLEAVED,
    STUDY,
    TRAINED,
    ReadHead,
    claims,
    most_attended,
    shown,
    summary,
    untrained_gpt2,
)
from longreach.studies.study import StudyOptions, run_study, study_members
from longreach.theory.limit.model import Array
from tests.helpers.inspected_runs import write_run

SIZE, WINDOW = 40, 10
DISTANCES = np.subtract.outer(np.arange(SIZE), np.arange(SIZE))


def head(matrix: Array, model: str = "sort", kind: str = TRAINED, number: int = 0) -> ReadHead:
    found = report_head(
        PositionProduct(0, number, matrix), window=WINDOW, trained=WINDOW,
        softness=softness(np.full((1, 2, 2), 0.5) * np.tri(2)),
    )  # fmt: skip
    return ReadHead(kind=kind, model=model, head=found)


CONSTANT = np.ones((SIZE, SIZE))
PARITY = np.where(DISTANCES % 2 == 0, 2.0, -1.5)
PREVIOUS = np.where(DISTANCES == 1, 9.0, 0.0)
NOISE = np.random.default_rng(0).normal(0, 0.25, (SIZE, SIZE))
DRIFTING = PREVIOUS + 0.3 * np.arange(SIZE)[:, None]  # a constant for each query: a softmax does not see it


def test_heads_are_sorted_by_what_they_depend_on() -> None:
    named = {"nothing": CONSTANT, "distance": PARITY, "both positions": NOISE}
    assert {name: head(matrix).depends_on for name, matrix in named.items()} == {name: name for name in named}
    found = summary([head(CONSTANT), head(PARITY), head(NOISE), head(NOISE, kind=GPT2)], TRAINED)
    assert found["depends_on"] == {"nothing": 1, "distance": 1, "both positions": 1}
    assert (found["heads"], found["low"]) == (3, 3)
    lower = [(i, j) for i in range(SIZE) for j in range(i + 1)]
    left = [NOISE[i, j] - np.diagonal(NOISE, j - i).mean() for i, j in lower]
    assert found["largest"] == pytest.approx(np.mean(np.square(left)))


def test_what_the_paper_found() -> None:
    heads = [head(CONSTANT), head(PARITY, INTERLEAVED), head(DRIFTING, "copy-unique"), head(NOISE, kind=GPT2)]
    *judged, gpt2 = claims(heads)
    assert [claim.holds for claim in judged] == [True] * 6
    assert gpt2.holds is None
    assert [each.model for each in shown(heads)] == ["sort", INTERLEAVED, "copy-unique", "sort"]


@pytest.mark.parametrize(
    ("heads", "wrong"),
    [
        ([head(CONSTANT), head(NOISE * 9), head(NOISE * 9)], {0, 2, 3, 4, 5}),
        ([head(PARITY), head(DRIFTING)], {0, 2}),
        ([head(PREVIOUS, INTERLEAVED), head(DRIFTING), head(CONSTANT)], {1, 2}),
        ([head(PARITY, INTERLEAVED)], {3, 5}),
    ],
)
def test_what_would_not_bear_the_paper_out(heads: list[ReadHead], wrong: set[int]) -> None:
    judged = claims(heads)[:6]
    assert {place for place, claim in enumerate(judged) if not claim.holds} == wrong, judged


def test_the_distance_that_is_attended_most() -> None:
    for matrix in (PREVIOUS, NOISE, np.where(DISTANCES == 3, 1.0, 0.0)):
        read = head(matrix).head
        counts: dict[int, int] = {}
        for offset in read.shift.offsets:
            weights = window_weights(matrix, WINDOW, offset)
            for query in range(1, WINDOW):
                best = max(range(query + 1), key=lambda key: weights[query, key])
                counts[query - best] = counts.get(query - best, 0) + 1
        distance, share = most_attended(read)
        assert counts[distance] == max(counts.values())
        assert share == counts[distance] / sum(counts.values())


def test_its_runs_are_those_of_figure1() -> None:
    for scale in ("smoke", "laptop", "paper"):
        figure1 = {each.key for each in study_members(load_study("figure1"), StudyOptions(scale=scale))}
        own = {each.key for each in study_members(STUDY, StudyOptions(scale=scale))}
        assert len(own) == 5
        assert own <= figure1


def test_models_are_read_before_and_after_training(tmp_path: Path) -> None:
    options = StudyOptions(scale="smoke", runs=tmp_path, train=False, tasks=("sort", "majority"))
    (config,) = next(each for place, each in STUDY.members(options).items() if place.task == "sort")
    write_run(tmp_path, config, (1.0, 1.0, 0.0))
    report = run_study(STUDY, options).report
    assert report is not None
    assert [run["key"] for run in report.document["runs"]] == [config.key]
    assert report.document["missing"] == 1
    kinds = [each["kind"] for each in report.document["heads"]]
    assert kinds == ["trained", "before training"]
    trained, before = (each["offset_variance"] for each in report.document["heads"])
    assert trained != before
    (row,) = report.tables[0].rows
    assert row[0] == "sort 0.0"
    assert "1 of 2 models not in" in report.remarks[0]


def test_gpt2s_configuration() -> None:
    found = untrained_gpt2("smoke")
    assert (found.config.layers, found.config.positions) == (2, 64)
    again = initialise(found.config, 0)
    assert all(bool((found.parameters[name] == again[name]).all()) for name in again)
