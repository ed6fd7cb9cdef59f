"""Tests of `studies.study`."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache

import pytest

from longreach.answers.agreement import Place, published_accuracy
from longreach.errors import InputError
from longreach.runs.index import Row
from longreach.studies.catalog import COMPUTED_STUDIES, STUDIES, load_study
from longreach.studies.cells import agreement, outcomes
from longreach.studies.study import ComputedReport, ComputedStudy
from tests.helpers.study_members import rows


@cache
def _smoke(name: str) -> ComputedReport:
    return COMPUTED_STUDIES[name].compute("smoke")


def test_they_are_studies() -> None:
    assert list(COMPUTED_STUDIES) == ["planted", "counter-examples", "coupling-operator"]
    for name, study in COMPUTED_STUDIES.items():
        assert load_study(name) is study
        assert isinstance(study, ComputedStudy)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(COMPUTED_STUDIES))
def test_reports_are_whole(name: str) -> None:
    study, report = COMPUTED_STUDIES[name], _smoke(name)
    assert all(len(line) == len(report.columns) for line in report.lines)
    assert len(report.document["rows"]) >= len(report.lines) - 1
    json.dumps(report.document, allow_nan=False)
    assert study.content(report, "smoke", ".md").decode().count("\n| ") == len(report.lines)
    drawn = study.content(report, "smoke", ".svg")
    assert drawn.startswith(b"<?xml")
    assert drawn == study.content(report, "smoke", ".svg")
    assert study.heading("smoke").endswith("(smoke scale)")


def test_the_bound_holds() -> None:
    for row in _smoke("planted").document["rows"]:
        assert row["error"]["value"] <= row["bound"]
        assert row["bound"] == pytest.approx(
            row["eta_train"] * row["eta_test"] * row["train_length"] * row["test_length"] ** 2 * row["delta"]
        )


def test_each_assumption_is_dropped_alone() -> None:
    document = _smoke("counter-examples").document
    for row in document["rows"]:
        assert row["missing"] == ([row["dropped"]] if row["version"] == "broken" else [])
        assert (row["error"]["value"] > 0.8) == (row["version"] == "broken")
        assert Fraction(row["error"]["fraction"]) >= 0
    assert document["defeat"]["error"]["value"] > 0.5


def test_coupling_turns_failure_into_success() -> None:
    rows = _smoke("coupling-operator").document["rows"]
    assert {row["class"] for row in rows} == {"as it is", "windowed", "neighbours", "one id"}
    for row in rows:
        if row["class"] in ("as it is", "windowed"):
            assert row["error"]["value"] > 0.3
            assert row["span"] >= row["train_length"]
        else:
            assert row["error"]["value"] == 0
            assert row["span"] <= 3
            assert row["eta_test"] is not None


def test_tables_as_text() -> None:
    report = ComputedReport(
        columns=("a", "b"),
        lines=(("1", "2"),),
        remarks=("So.",),
        document={},
        figure=lambda title: pytest.fail("not asked for"),
    )
    assert report.markdown() == "| a | b |\n|---|---|\n| 1 | 2 |\n\nSo.\n"


SEEDS = {"smoke": 1, "laptop": 3, "paper": 5}
PLACES = {
    "figure1": 58, "figure2": 34, "figure3": 50, "figure4": 34, "regularizer": 24, "encodings": 200,
    "table2": 0, "table3": 0, "thresholds": 0, "thresholds-held-out": 0, "state-tracking": 29,
    "sparse-parity": 0, "parity-scratchpad": 0, "variable-assignment": 0, "advice": 0,
    "inference": 0,
}  # fmt: skip


def test_sizes() -> None:
    assert {name: len(study.places) for name, study in STUDIES.items()} == PLACES
    for name in ("figure2", "regularizer", "table2"):
        assert len(STUDIES[name].members("laptop")) == SEEDS["laptop"] * PLACES[name]
    assert len(STUDIES["figure4"].members("paper", seeds=2)) == 2 * PLACES["figure4"]


def test_figures_share_their_members() -> None:
    keys = {
        name: {config.key for config in STUDIES[name].members("smoke")} for name in PLACES if PLACES[name]
    }
    assert len(keys["figure3"]) == 50
    assert keys["figure3"] < keys["figure1"]
    assert keys["figure2"] == keys["figure4"]
    assert keys["figure2"] < keys["figure1"]
    assert keys["figure3"] < keys["encodings"]
    assert len(keys["encodings"]) == 200
    assert len(keys["regularizer"] & keys["figure1"]) == 8
    assert len(keys["regularizer"]) == 24


def test_seeds_differ_in_nothing_else() -> None:
    study = STUDIES["figure1"]
    (members,) = study.members_by_place("laptop", places=[Place("sort", "ape")]).values()
    assert [config.seed for config in members] == [3, 4, 5]
    documents = [{**config.document(), "seed": 0} for config in members]
    assert documents[0] == documents[1] == documents[2]
    assert len({config.key for config in members}) == 3


def test_select() -> None:
    study = STUDIES["figure1"]
    assert study.select(["aa", "sort"], ["nope"]) == (Place("sort", "nope"), Place("aa", "nope"))
    with pytest.raises(InputError, match="tasks: figure1 has no 'srot'; did you mean 'sort'"):
        study.select(["srot"], None)
    with pytest.raises(InputError, match="encodings: figure1 has no 'rope'; it has ape, nope, mlp"):
        study.select(None, ["rope"])
    with pytest.raises(InputError, match="name: no study is named 'figure9'; did you mean"):
        load_study("figure9")


def test_outcomes_use_the_study_s_own_results_only() -> None:
    study = STUDIES["regularizer"]
    members = study.members_by_place("laptop", places=[Place("sort", "ape", 1e-3), Place("parity", "ape")])
    found = rows(members, lambda place, seed: (1.0 if seed > 3 else 0.9, 0.8, 0.7))
    foreign = rows(
        {place: [configs[0].model_copy(update={"seed": 77})] for place, configs in members.items()},
        lambda place, seed: (1.0, 0.0, 0.0),
    )
    judged = {each.place: each for each in study.outcomes([*found, *foreign], "laptop")}
    assert len(judged) == len(study.places)
    each = judged[Place("sort", "ape", 1e-3)]
    document = each.document()
    assert (document["runs"], document["successful"], document["success"]) == (3, 2, 2 / 3)
    assert [spread and (spread.mean, spread.count) for spread in each.accuracy] == [
        (1.0, 2), (pytest.approx(0.8), 2), (pytest.approx(0.7), 2),
    ]  # fmt: skip
    assert document["accuracy_all"][each.ranges[0]]["mean"] == pytest.approx(2.9 / 3)
    assert (document["forecast"], document["judgement"], document["works"]) == ("yes", "agrees", True)
    assert document["published"] is None
    assert judged[Place("parity", "ape")].judgement.state == "agrees"
    assert judged[Place("sort", "ape")].judgement.state == "not run"
    assert json.loads(json.dumps(document)) == document


def test_agreement_lists_what_disagrees_with_the_paper_beside_it() -> None:
    study = STUDIES["figure2"]
    wrong = Place("tomita-4", "ape")

    def accuracy(place: Place, seed: int) -> tuple[float, ...]:
        return (1.0, 0.1, 0.0) if place == wrong else published_accuracy(place) or ()

    judged = study.outcomes(rows(study.members_by_place("laptop"), accuracy), "laptop")
    found = agreement(judged)
    assert (found["counted"], found["agrees"], found["disagrees"], found["not_run"]) == (34, 33, 1, 0)
    (cell,) = found["disagreeing"]
    assert (cell["task"], cell["encoding"], cell["forecast"]) == ("tomita-4", "ape", "yes")
    assert (cell["measured"], cell["published"], cell["published_lengths"]) == (0.0, 0.844, "101-150")
    assert found["apart"] == []
    assert cell["measured_random_offset"] is None  # these rows have none


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PLACES if PLACES[name] and name != "state-tracking"])
def test_figures_name_their_tasks(name: str) -> None:
    study = STUDIES[name]
    places = study.select(["sort", "aa"] if name in ("figure1", "figure3") else study.tasks[:2], None)
    members = study.members_by_place("smoke", places=places)

    def drawn(made: list[Row]) -> bytes:
        found = outcomes(members, dict.fromkeys(members, ""), made)
        return study.content(found, "smoke", ".svg")

    made = rows(members, lambda place, seed: published_accuracy(place) or (1.0, 0.5, 0.25))
    first = drawn(made[1:])  # one cell has not run
    text = first.decode()
    for place in places:
        assert place.task in text
    assert "smoke scale: tiny models and 20 steps: no claim" in text
    assert drawn(made[1:]) == first
    assert drawn(rows(members, lambda place, seed: (1.0, 0.3, 0.1))) != first


def test_the_baseline_is_drawn_and_judges_nothing() -> None:
    study = STUDIES["figure1"]
    members = study.members_by_place("laptop", places=study.select(["parity", "aa"], None))
    assert [place.task for place in members if place.is_baseline] == ["parity"]

    def accuracy(place: Place, seed: int) -> tuple[float, ...]:
        # Learned by the baseline alone: nothing shows that the budget of the others was enough.
        return (1.0, 1.0, 1.0) if place.is_baseline else (0.9, 0.1, 0.0)

    found = outcomes(members, dict.fromkeys(members, ""), rows(members, accuracy))
    states = {each.place: each.judgement.state for each in found}
    assert states[Place("parity", "mlp")] == "no forecast"
    assert states[Place("parity", "nope")] == "not counted"
    counts = agreement(found)
    assert (counts["no_forecast"], counts["not_counted"]) == (0, 3)  # and (aa)* with positions disagrees
    assert "baseline: the current token alone" in study.content(found, "laptop", ".svg").decode()
    without = [each for each in study.outcomes([], "laptop") if each.place.task == "parity"]
    assert b"not run" in study.content(without, "laptop", ".svg")


def test_figures_say_which_lengths_the_paper_has() -> None:
    study = STUDIES["figure2"]
    found = [each for each in study.outcomes([], "smoke") if each.place.task in ("aaaa", "aa", "d-4")]
    text = study.content(found, "smoke", ".svg").decode()
    assert "paper: 1–500 · 501–700" in text
    assert "paper: 1–100 · 51–100* · 101–150*" in text
    assert "(paper: 1–50, 51–100, 101–150; the paper's files where they differ" in text


def test_formats() -> None:
    study = STUDIES["figure2"]
    found = [each for each in study.outcomes([], "smoke") if each.place.task == "aa"]
    assert study.content(found, "smoke", ".png").startswith(b"\x89PNG")
    assert b"not run" in study.content(found, "smoke", ".svg")
    with pytest.raises(InputError, match="out: the name must end in"):
        study.content(found, "smoke", ".txt")
    table = STUDIES["table3"]
    assert b"| 8 | addition | no | no | yes |" in table.content((), "paper", ".md")
    document = json.loads(table.content((), "paper", ".json"))
    assert document["disagreeing"] == []
    entry = document["rows"][1]["entries"]["C-RASP[∅]"]
    assert entry == {"ours": "undecided", "published": "none found", "agrees": True}
    with pytest.raises(InputError, match="out: the name must end in"):
        table.content((), "paper", ".svg")
