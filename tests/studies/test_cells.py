"""Runs of all settings are counted once, in the group of their task."""

from __future__ import annotations

import json

from longreach.answers.agreement import ALGORITHMIC, REGULAR, Place
from longreach.studies.catalog import STUDIES
from longreach.studies.cells import GROUPS, Outcome, group_of, work_by_theory
from longreach.studies.encodings import cell_text
from tests.helpers.study_members import rows

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
    study = STUDIES["encodings"]
    places = study.select(TASKS, ("ape", "nope", "rope", "alibi"))
    run = [place for place in places if place != NOT_RUN]
    made = rows(study.members_by_place("laptop", places=run), _accuracy)
    return [each for each in study.outcomes(made, "laptop") if each.place in places]


def test_counts() -> None:
    found = work_by_theory(_outcomes())
    assert found.tasks == {"without positions": 1, "with positions": 2, "none": 1}
    work = {
        setting: [(count.work, count.runs) for count in groups.values()]
        for setting, groups in found.counts.items()
    }
    assert work == {
        "ape": [(3, 3), (5, 6), (0, 3)],
        "nope": [(0, 3), (0, 6), (0, 3)],
        "rope": [(3, 3), (6, 6), (3, 3)],
        "alibi": [(0, 3), (0, 6), (0, 0)],
    }
    assert [sum(count.learned for count in found.counts[name].values()) for name in ("ape", "nope")] == [9, 0]


def test_every_form_says_the_same() -> None:
    found = work_by_theory(_outcomes())
    document = found.document()
    assert json.loads(json.dumps(document)) == document
    assert document["settings"]["ape"]["with positions"] == {"runs": 6, "learned": 6, "work": 5}
    lines = found.text().splitlines()
    assert lines[1].split("  ")[0] == "setting"
    assert lines[2].split()[1:] == ["3", "of", "3", "5", "of", "6", "0", "of", "3", "9", "of", "12"]
    assert len({len(line) for line in lines[1:]}) == 1
    assert "| ape | 3 of 3 | 5 of 6 | 0 of 3 | 9 of 12 |" in found.markdown().splitlines()
    assert "| alibi | 0 of 3 | 0 of 6 | – | 0 of 9 |" in found.markdown().splitlines()


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
