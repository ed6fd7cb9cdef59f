"""Distances from the published accuracies, and the exact test between encodings."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.comparison.outcome import Outcome
from longreach.comparison.places import Place
from longreach.config.task_name import TaskName
from longreach.studies.all_studies import STUDIES
from longreach.studies.states.state_cells import SAMPLE, TESTS, sample
from longreach.studies.states.state_distance import compare, exchange_test, language_distances
from tests.helpers.study_members import rows

STUDY = STUDIES["state-tracking"]
BY_EXPRESSION = {each.expression: each for each in sample().values()}


def measured(accuracy: Callable[[Place], tuple[float, ...]], seeds: int = 1) -> list[Outcome]:
    """The cells as if runs had given these accuracies on the test ranges, and all on the training range."""
    members = STUDY.members_by_place("laptop", seeds)
    return STUDY.outcomes(rows(members, lambda place, seed: (1.0, *accuracy(place))), "laptop", seeds)


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
    place = STUDY.places[0]
    members = STUDY.members_by_place("laptop", 3, [place])
    shares = [(0.9, 1.0, 1.0, 1.0, 1.0), (1.0, 0.9, 0.8, 0.7, 0.2), (1.0, 0.5, 0.5, 0.5, 0.3)]
    made = rows(members, lambda place, seed: shares[seed])
    found = [each for each in STUDY.outcomes(made, "laptop", 3) if each.place == place]
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
