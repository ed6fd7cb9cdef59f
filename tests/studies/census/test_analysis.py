"""Tests of `studies.census.analysis`."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.figures import figure_bytes
from longreach.studies.census.analysis import (
    CensusAnalysis,
    analyse,
    analysis_markdown,
    analysis_tables,
    failure_document,
    failures,
    spearman,
)
from longreach.studies.census.draw import bins
from longreach.studies.census.members import Member
from longreach.studies.census.odds import fit_odds
from longreach.studies.census.strata import OUTSIDE, group_of
from longreach.studies.census.study import GROUP_WORDS, census_figure, of_other_layers
from longreach.studies.census.tables import KINDS, cells, language_table
from tests.helpers.census_samples import synthetic_runs
from tools.census_page import digest

# One document of all, its tables and its figure.


@cache
def _analysis() -> CensusAnalysis:
    development = synthetic_runs("development", lengths=(20,), seeds=1)
    model = fit_odds(development, setting="drawn", replicates=5)
    held_out = synthetic_runs("held-out", lengths=(20,), seeds=2, failed=1)
    return analyse("held-out", held_out, development=development, model=model, samples=20)


def test_the_document_is_json_and_reports_all_runs() -> None:
    document = json.loads(json.dumps(_analysis().document(), allow_nan=False))
    counts = [document[name] for name in ("part", "languages", "runs", "failed")]
    assert counts == ["held-out", 126, 126 * 2 * 2, 1]
    assert document["odds"]["scores"][0]["languages"] == 126


def test_tables_are_whole_and_come_from_the_document_alone() -> None:
    document = json.loads(json.dumps(_analysis().document()))
    for table in analysis_tables(document):
        assert table.rows, table.title
        assert all(len(row) == len(table.columns) for row in table.rows)
    text = analysis_markdown(document)
    assert text.startswith("126 held-out languages, 504 runs, of which 1 failed")
    without = analysis_markdown({**document, "odds": None})
    assert len(without) < len(text)


def test_a_part_of_the_typed_census_and_other_layers_stand_beside_the_rest() -> None:
    """One seed, held-out languages alone, and a model that was run outside the class only."""
    encodings = ("nope", "ape", "reach")
    development = synthetic_runs("development", lengths=(20,), seeds=1, encodings=encodings)
    model = fit_odds(development, setting="drawn", replicates=5)
    drawn = synthetic_runs("held-out", lengths=(20,), seeds=2, encodings=encodings)
    typed = synthetic_runs("held-out", lengths=(20,), seeds=1, encodings=("reach",), kinds=("typed",))
    languages = language_table()
    deeper = [
        replace(run, recipe="4 layers")
        for run in drawn
        if run.encoding == "reach" and run.seed == 0 and group_of(languages[run.language]) == OUTSIDE
    ]
    whole = [*drawn, *typed, *deeper]
    held_out = tuple(
        replace(
            run, run=f"{number:016x}", accuracy=(*run.accuracy, 0.0), probing=(*run.accuracy, 0.0),
            worst_loop=(*run.accuracy, 0.0),
        )
        for number, run in enumerate(whole)
    )  # fmt: skip
    found = analyse("held-out", held_out, development=development, model=model, samples=20)
    document = json.loads(json.dumps(found.document(), allow_nan=False))
    assert document["languages"] == 126 + 120
    runs = {(each["model"], each["source"]): 0 for each in document["sure"]}
    assert set(runs) == {*((each, "drawn") for each in (*encodings, "reach, 4 layers")), ("reach", "typed")}
    (far,) = (each for each in document["sure"] if each["model"] == "reach, 4 layers")
    assert [far["in class, sure"], far["in class, not"], far["outside, sure"]] == [0, 0, 0]
    assert far["outside, not"] == len(deeper) == 31
    judged = {(each["encoding"], each["kind"]): 0 for each in document["odds"]["strata"]}
    assert set(judged) == {*((each, "drawn") for each in encodings), ("reach", "typed")}
    text = analysis_markdown(document)
    assert "| reach, 4 layers | drawn no/no, outside AC⁰ | 10N | 31 | 31 |" in text
    assert "| reach | typed no/yes | 10N |" in text
    rows = digest(document).rows
    assert [row[0] for row in rows] == [f"{kind} {group}" for kind in KINDS for group in GROUP_WORDS]
    assert all(row[1:3] == ["–", "–"] for row in rows if str(row[0]).startswith("typed"))
    assert fit_odds([*development, *deeper], setting="drawn", replicates=5) == model


def test_runs_of_other_layers_join_those_that_are_asked_for() -> None:
    (run, other, *_) = synthetic_runs("held-out", lengths=(20,), seeds=1, encodings=("reach",))
    wanted = [Member(run.language, run.encoding, run.trained_to, run.seed)]
    deeper, recipe = replace(run, recipe="4 layers"), replace(run, recipe="log-length")
    assert of_other_layers(wanted, [run, deeper, recipe, replace(other, recipe="4 layers")]) == [deeper]


def test_runs_of_another_part_are_refused() -> None:
    runs = synthetic_runs("held-out")
    with pytest.raises(InputError, match="is not of a development language"):
        analyse("development", runs, development=runs)


def test_the_figure_is_the_same_each_time() -> None:
    def drawn() -> bytes:
        return figure_bytes(lambda: census_figure(_analysis()), ".svg", salt="census")

    assert b"Reliability of the odds" in drawn()
    assert drawn() == drawn()


# Where a "no" ends, predicted and measured.


def test_every_no_is_there_once_with_its_first_failure() -> None:
    found = cells(synthetic_runs("development"))
    ends = failures(found)
    wanted = {(c.language.key, c.encoding, c.trained_to) for c in found if not c.says_yes}
    assert {(e.language.key, e.encoding, e.trained_to) for e in ends} == wanted
    assert len(ends) == len(wanted)
    bad: dict[tuple[str, str, int], list[int]] = {}
    for c in found:
        if not c.worked():
            bad.setdefault((c.language.key, c.encoding, c.trained_to), []).append(c.ratio)
    for each in ends:
        mine = bad.get((each.language.key, each.encoding, each.trained_to), [])
        assert each.measured == min(mine, default=None)
        length, summary = each.predicted()
        ratio = each.predicted_ratio()
        if length is None:
            assert (ratio, summary is None) == (None, False)
        else:
            assert length > each.trained_to
            assert ratio is not None
            assert length <= bins(each.trained_to)[ratio].last
        assert "modulo" not in (summary or "") or each.encoding == "ape"


def test_the_document_counts_all() -> None:
    ends = failures(cells(synthetic_runs("development")))
    found = failure_document(ends, samples=20)
    assert found["cells"] == len(found["each"]) == len(ends)
    assert found["predicted to fail"]["cells"] + found["predicted to last"]["cells"] == found["learned"]
    assert failure_document([], samples=5)["rank correlation"]["16 letters"]["value"] is None


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=12))
def test_ranks_in_the_middle_of_ties(pairs: list[tuple[int, int]]) -> None:
    one, other = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))

    def slow(values: np.ndarray) -> np.ndarray:
        return np.array([(values < each).sum() + ((values == each).sum() + 1) / 2 for each in values])

    found = spearman(one, other)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(np.corrcoef(slow(one), slow(other))[0, 1])


def test_the_rival_of_the_verdict_with_positions() -> None:
    """What README and the page say of the verdict without positions."""
    file = Path(__file__).parents[3] / "results/census/census.json"
    parts = json.loads(file.read_text(encoding="utf-8"))["parts"]
    (held_out,) = (each for each in parts if each["part"] == "held-out")
    found = {
        (each["trained_to"], each["ratio"]): each
        for each in held_out["scores"]
        if each["encoding"] == "ape" and each["source"] is None
    }
    for ratio, rival, own in ((3, 106, 100), (5, 124, 84)):
        score = found[20, ratio]
        shares = [score["without_positions"]["value"], score["agreement"]["half way"]["value"]]
        assert [round(share * score["cells"]) for share in shares] == [rival, own]
