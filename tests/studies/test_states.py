"""Tests of `studies.states`."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise, product, takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.answers.agreement import Place
from longreach.runs.index import Row
from longreach.studies.catalog import load_study
from longreach.studies.cells import Outcome
from longreach.studies.state_languages import SAMPLE, TESTS, sample
from longreach.studies.states import compare, exchange_test, language_distances, state_summary
from longreach.studies.study import StudyOptions
from longreach.theory.names import TaskName
from tests.helpers.study_members import members_of, outcomes_of, rows

# Distances from the published accuracies, and the exact test between encodings.


STUDY = load_study("state-tracking")
BY_EXPRESSION = {each.expression: each for each in sample().values()}


def measured(accuracy: Callable[[Place], tuple[float, ...]], seeds: int = 1) -> list[Outcome]:
    """The cells as if runs had given these accuracies on the test ranges, and all on the training range."""
    return outcomes_of(STUDY, made_up(accuracy, seeds), seeds=seeds)


def made_up(accuracy: Callable[[Place], tuple[float, ...]], seeds: int = 1) -> list[Row]:
    members = members_of(STUDY, seeds=seeds)
    return rows(members, lambda place, seed: (1.0, *accuracy(place)))


def theirs(place: Place) -> tuple[float, ...]:
    language = BY_EXPRESSION[TaskName(place.task).source]
    return tuple(language.accuracy[span.name] for span in TESTS)


def test_runs_like_the_published_ones() -> None:
    found = language_distances(
        measured(lambda place: theirs(place) if place.encoding == "nope" else (0.5, 0.5, 0.5, 0.5))
    )
    assert all(each.distance == 0 for each in found if each.encoding == "nope")
    # At letters three cells more, which the comparison leaves out.
    assert len(found) == 2 * len(SAMPLE) + 3
    compared = compare(found)
    assert compared is not None
    assert compared.languages == SAMPLE
    assert compared.nope == 0
    by_hand = [sum(abs(share - 0.5) for share in theirs(each.place)) / 4 for each in measured(theirs)[:26:2]]
    assert compared.ape == pytest.approx(sum(by_hand) / len(by_hand))
    assert compared.nearer == "nope"
    assert compared.chance == pytest.approx(2 / 2**13)


def test_equally_far_is_not_settled() -> None:
    compared = compare(language_distances(measured(lambda place: (1.0, 1.0, 1.0, 1.0))))
    assert compared is not None
    assert (compared.chance, compared.nearer) == (1.0, None)
    assert compare(()) is None


def test_the_best_run_counts_as_it_did_for_them() -> None:
    place = next(iter(members_of(STUDY)))
    members = members_of(STUDY, seeds=3, places=[place])
    shares = [(0.9, 1.0, 1.0, 1.0, 1.0), (1.0, 0.9, 0.8, 0.7, 0.2), (1.0, 0.5, 0.5, 0.5, 0.3)]
    made = rows(members, lambda place, seed: shares[seed])
    found = [each for each in outcomes_of(STUDY, made, seeds=3) if each.place == place]
    (distance,) = language_distances(found)
    assert list(distance.ours.values()) == [0.5, 0.5, 0.5, 0.3]  # the first is not perfect in distribution


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=8))
def test_the_exact_test_by_enumeration(differences) -> None:
    seen = [
        abs(sum(sign * each for sign, each in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    observed = abs(sum(differences))
    assert exchange_test(differences) == sum(each >= observed - 1e-12 for each in seen) / len(seen)


# What the study says, in all its forms.


def test_before_anything_has_run() -> None:
    found = state_summary(outcomes_of(STUDY, []))
    document = json.loads(json.dumps(found.document()))
    assert document["agreement"]["levels"]["0.99"]["nope_after_letter"] == 169
    assert (document["encodings"], document["distances"]) == (None, [])
    assert len(document["languages"]) == 175
    assert document["conclusion"].startswith("Open: ")
    assert "neither their positional encoding" in document["question"]
    assert len(document["disagreeing"]) == 8
    assert "1 of 2" not in found.depths
    assert "0 of 2 work that need depth 2" in found.depths


def test_with_runs() -> None:
    made = made_up(lambda place: theirs(place) if place.encoding == "ape" else (0.4, 0.4, 0.4, 0.4))
    found = state_summary(outcomes_of(STUDY, made))
    assert found.document()["encodings"]["nearer"] == "ape"
    assert found.conclusion.startswith("Our runs with learned positions reproduce")
    report = STUDY.report(StudyOptions(seeds=1), made)
    assert report is not None
    markdown = report.markdown()
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
    report = STUDY.report(StudyOptions(seeds=1), made_up(theirs))
    assert report is not None
    text = STUDY.content(report, "laptop", ".svg").decode()
    for part in ("trained to 50", "25 with a program, 25 without", "ours, without positions", "451–500"):
        assert part in text
