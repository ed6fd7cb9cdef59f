"""Studies of tasks under encodings: their cells, how they are judged, counted and drawn."""

from __future__ import annotations

import json

import pytest
from matplotlib.figure import Figure

from longreach.answers.agreement import ALGORITHMIC, REGULAR, Place, published_accuracy
from longreach.errors import InputError
from longreach.runs.index import Row
from longreach.studies.catalog import load_study
from longreach.studies.cells import (
    GROUPS,
    Outcome,
    agreement,
    counts_by_theory,
    group_of,
    outcomes,
    work_by_theory,
)
from longreach.studies.drawing import legend, panel
from longreach.studies.encodings import cell_text
from longreach.studies.study import Study, StudyOptions, study_members
from tests.helpers.study_members import members_of, outcomes_of, rows

CELLS = {
    "figure1": 58, "figure2": 34, "figure3": 50, "figure4": 34, "regularizer": 24, "encodings": 200,
    "state-tracking": 29,
}  # fmt: skip


def _drawn(study: Study, asked: StudyOptions, made: list[Row]) -> str:
    report = study.report(asked, made)
    assert report is not None
    return study.content(report, asked.scale, ".svg").decode()


def test_sizes() -> None:
    assert {name: len(members_of(load_study(name))) for name in CELLS} == CELLS
    assert {len(each) for each in members_of(load_study("figure2")).values()} == {3}
    assert {len(each) for each in members_of(load_study("figure4"), "paper").values()} == {5}


def test_figures_share_their_members() -> None:
    keys = {
        name: {config.key for config in study_members(load_study(name), StudyOptions(scale="smoke"))}
        for name in CELLS
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
    study = load_study("figure1")
    (members,) = members_of(study, "laptop", places=[Place("sort", "ape")]).values()
    assert [config.seed for config in members] == [3, 4, 5]
    documents = [{**config.document(), "seed": 0} for config in members]
    assert documents[0] == documents[1] == documents[2]
    assert len({config.key for config in members}) == 3


def test_some_tasks_and_encodings() -> None:
    study = load_study("figure1")
    found = study.members(StudyOptions(tasks=("aa", "sort"), encodings=("nope",)))
    assert list(found) == [Place("sort", "nope"), Place("aa", "nope")]
    for asked, message in (
        (StudyOptions(tasks=("srot",)), "tasks: figure1 has no 'srot'; did you mean 'sort'"),
        (StudyOptions(encodings=("rope",)), "encodings: figure1 has no 'rope'; it has ape, nope, mlp"),
        (StudyOptions(tasks=("aa",), encodings=("mlp",)), "encodings: no cell of figure1 is left"),
    ):
        with pytest.raises(InputError, match=message):
            study.members(asked)


def test_outcomes_use_the_study_s_own_results_only() -> None:
    study = load_study("regularizer")
    members = members_of(study, "laptop", places=[Place("sort", "ape", 1e-3), Place("parity", "ape")])
    found = rows(members, lambda place, seed: (1.0 if seed > 3 else 0.9, 0.8, 0.7))
    foreign = rows(
        {place: [configs[0].model_copy(update={"seed": 77})] for place, configs in members.items()},
        lambda place, seed: (1.0, 0.0, 0.0),
    )
    judged = {each.place: each for each in outcomes_of(study, [*found, *foreign], "laptop")}
    assert len(judged) == CELLS["regularizer"]
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
    study = load_study("figure2")
    wrong = Place("tomita-4", "ape")

    def accuracy(place: Place, seed: int) -> tuple[float, ...]:
        return (1.0, 0.1, 0.0) if place == wrong else published_accuracy(place) or ()

    judged = outcomes_of(study, rows(members_of(study, "laptop"), accuracy), "laptop")
    found = agreement(judged)
    assert (found["counted"], found["agrees"], found["disagrees"], found["not_run"]) == (34, 33, 1, 0)
    (cell,) = found["disagreeing"]
    assert (cell["task"], cell["encoding"], cell["forecast"]) == ("tomita-4", "ape", "yes")
    assert (cell["measured"], cell["published"], cell["published_lengths"]) == (0.0, 0.844, "101-150")
    assert found["apart"] == []
    assert cell["measured_random_offset"] is None  # these rows have none


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CELLS if name != "state-tracking"])
def test_figures_name_their_tasks(name: str) -> None:
    study = load_study(name)
    tasks = ["sort", "aa"] if name in ("figure1", "figure3") else [place.task for place in members_of(study)]
    asked = StudyOptions(scale="smoke", tasks=tuple(dict.fromkeys(tasks))[:2])

    members = study.members(asked)
    made = rows(members, lambda place, seed: published_accuracy(place) or (1.0, 0.5, 0.25))
    text = _drawn(study, asked, made[1:])  # one cell has not run
    for place in members:
        assert place.task in text
    assert "smoke scale: tiny models and 20 steps: no claim" in text
    assert _drawn(study, asked, rows(members, lambda place, seed: (1.0, 0.3, 0.1))) != text


def test_the_baseline_is_drawn_and_judges_nothing() -> None:
    study = load_study("figure1")
    asked = StudyOptions(tasks=("parity", "aa"))
    members = study.members(asked)
    assert [place.task for place in members if place.is_baseline] == ["parity"]

    def accuracy(place: Place, seed: int) -> tuple[float, ...]:
        # Learned by the baseline alone: nothing shows that the budget of the others was enough.
        return (1.0, 1.0, 1.0) if place.is_baseline else (0.9, 0.1, 0.0)

    found = outcomes(members, rows(members, accuracy))
    states = {each.place: each.judgement.state for each in found}
    assert states[Place("parity", "mlp")] == "no forecast"
    assert states[Place("parity", "nope")] == "not counted"
    counts = agreement(found)
    assert (counts["no_forecast"], counts["not_counted"]) == (0, 3)  # and (aa)* with positions disagrees
    assert "baseline: the current token alone" in _drawn(study, asked, rows(members, accuracy))
    assert "not run" in _drawn(study, asked, [])


def test_figures_say_which_lengths_the_paper_has() -> None:
    study = load_study("figure2")
    text = _drawn(study, StudyOptions(scale="smoke", tasks=("aaaa", "aa", "d-4")), [])
    assert "paper: 1–500 · 501–700" in text
    assert "paper: 1–100 · 51–100* · 101–150*" in text
    assert "(paper: 1–50, 51–100, 101–150; the paper's files where they differ" in text


# Runs of all settings are counted once, in the group of their task.


TASKS = ("tomita-1", "aa", "copy-unique", "tomita-5")
NOT_RUN = Place("tomita-5", "alibi")


def _accuracy(place: Place, seed: int) -> tuple[float, ...]:
    """APE works where theory says so, but for one run of (aa)*; RoPE everywhere; the others nowhere."""
    if place.encoding == "rope":
        return (1.0, 1.0, 1.0)
    if place.encoding == "ape" and place.task != "tomita-5":
        return (1.0, 0.9, 0.2 if (place.task, seed) == ("aa", 4) else 0.8)
    return (0.9, 0.1, 0.04)


def _outcomes() -> list[Outcome]:
    study = load_study("encodings")
    asked = StudyOptions(tasks=TASKS, encodings=("ape", "nope", "rope", "alibi"))
    places = tuple(study.members(asked))
    run = [place for place in places if place != NOT_RUN]
    made = rows(members_of(study, places=run), _accuracy)
    return [each for each in outcomes_of(study, made) if each.place in places]


def test_counts() -> None:
    found = counts_by_theory(_outcomes())
    work = {name: [(count.work, count.runs) for count in groups.values()] for name, groups in found.items()}
    assert work == {
        "ape": [(3, 3), (5, 6), (0, 3)],
        "nope": [(0, 3), (0, 6), (0, 3)],
        "rope": [(3, 3), (6, 6), (3, 3)],
        "alibi": [(0, 3), (0, 6), (0, 0)],
    }
    assert [sum(count.learned for count in found[name].values()) for name in ("ape", "nope")] == [9, 0]
    report = work_by_theory(_outcomes())
    document = json.loads(json.dumps(report.document))
    assert document["tasks"] == {"without positions": 1, "with positions": 2, "none": 1}
    counts = {"runs": 6, "learned": 6, "work": 5, "unfit": 0}
    assert document["settings"]["ape"]["with positions"] == counts
    assert "| ape | 3 of 3 | 5 of 6 | 0 of 3 | 9 of 12 |" in report.markdown().splitlines()
    assert "| alibi | 0 of 3 | 0 of 6 | – | 0 of 9 |" in report.markdown().splitlines()


def test_groups_are_those_of_the_tables_of_the_paper() -> None:
    tasks = (*ALGORITHMIC, *REGULAR)
    groups = {group: {task for task in tasks if group_of(task) == group} for group in GROUPS}
    with_positions = {"binary-majority-interleave", "copy-unique", "tomita-4", "aa", "aaaa", "abab"}
    without_program = {"copy-repeat", "parity", "addition", "tomita-3", "tomita-5", "tomita-6", "012-0-2"}
    assert groups["with positions"] == with_positions
    assert groups["none"] == without_program
    assert len(groups["without positions"]) == 12


def test_a_cell_shows_a_mean_only_where_all_runs_do_the_same() -> None:
    texts = {each.place: cell_text(each) for each in _outcomes()}
    assert texts[Place("tomita-1", "ape")] == "80 ✓"
    assert texts[Place("aa", "ape")] == "2 of 3 ✓"
    assert texts[Place("aa", "nope")] == "(4) ✗"
    assert texts[Place("tomita-5", "rope")] == "100"
    assert texts[NOT_RUN] == "–"


# Figures show a mean only where all runs do the same thing.


PLACE = Place("aa", "ape")
OPPOSITE, ALIKE = [(1.0, 1.0, 1.0), (1.0, 0.6, 0.0), (1.0, 0.9, 0.0)], [(1.0, 1.0, 0.9)] * 3


def _cell(shares: list[tuple[float, float, float]]) -> Outcome:
    study = load_study("figure1")
    found = rows(members_of(study, places=[PLACE]), lambda place, seed: shares[seed - 3])
    (cell,) = [each for each in outcomes_of(study, found) if each.place == PLACE]
    return cell


@pytest.mark.parametrize("shares", [OPPOSITE, ALIKE], ids=["opposite", "alike"])
def test_runs_that_do_opposite_things_have_a_line_each(shares: list[tuple[float, float, float]]) -> None:
    figure, cell = Figure(), _cell(shares)
    axis = figure.subplots()
    panel(axis, [cell], "aa")
    legend(figure, [cell])
    drawn = [[float(y) for y in line.get_ydata()] for line in axis.lines]  # type: ignore[union-attr]
    ends = [ys[-1] for ys in drawn if len(ys) == 3]
    mean = sum(share[-1] for share in shares) / 3
    names = {text.get_text() for text in figure.legends[0].get_texts()}
    if shares is OPPOSITE:
        assert all(list(share) in drawn for share in shares)
        assert mean not in [pytest.approx(end) for end in ends]
    else:
        assert pytest.approx(mean) in ends
    assert ("single runs that differ" in names) is (shares is OPPOSITE)


# Tables of theory.


def test_tables_of_theory() -> None:
    found = {name: load_study(name).report(StudyOptions(), ()) for name in ("table2", "table3")}
    for report in found.values():
        assert report is not None
        assert report.document["disagreeing"] == []
    table = found["table3"]
    assert table is not None
    assert "| 8 | addition | no | no | yes |" in table.markdown()
    entry = table.document["rows"][1]["entries"]["C-RASP[∅]"]
    assert entry == {"ours": "undecided", "published": "none found", "agrees": True}
