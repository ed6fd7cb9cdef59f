"""The census: every language once, in its stratum and part, and none of the benchmark."""

from __future__ import annotations

from collections import Counter

import pytest

from longreach.studies.census.canonical_form import canonical, in_benchmark, is_finite, part_of
from longreach.studies.census.census_draw import Census, draw_census
from longreach.studies.census.random_languages import draws
from longreach.studies.census.strata import STRATA, stratum_of
from longreach.studies.census.worthwhile import refusal
from longreach.tasks.catalog import load_task
from longreach.tasks.language_task import RegularLanguage

DRAWN = 90


@pytest.fixture(scope="module")
def census() -> Census:
    return draw_census(2, 3, most_drawn=DRAWN)


def test_every_language_is_what_it_says(census: Census) -> None:
    assert len(census.languages) > 20
    for each in census.languages:
        assert canonical(each.automaton) == each.automaton
        assert (stratum_of(each.automaton), part_of(each.automaton)) == (each.stratum, each.part)
        assert refusal(each.automaton) is None
        assert not in_benchmark(each.automaton)
        assert not is_finite(each.automaton)


def test_each_is_there_once(census: Census) -> None:
    assert len({each.automaton for each in census.languages}) == len(census.languages)
    assert len({each.key for each in census.languages}) == len(census.languages)


def test_quotas_are_filled_or_missing(census: Census) -> None:
    found = Counter((each.stratum, each.part) for each in census.languages)
    for stratum in STRATA:
        for part, quota in (("development", 2), ("held-out", 3)):
            assert found[stratum, part] + census.missing.get((stratum, part), 0) == quota  # type: ignore[index, call-overload]
    assert len(census.of("development")) + len(census.of("held-out")) == len(census.languages)


def test_every_draw_is_accounted_for(census: Census) -> None:
    assert census.drawn == sum(census.left_out.values()) + len(census.languages) <= DRAWN


def test_the_first_drawn_are_taken(census: Census) -> None:
    """A smaller census is part of a larger one."""
    smaller = draw_census(1, 1, most_drawn=DRAWN)
    assert set(smaller.languages) <= set(census.languages)
    by_number = dict(enumerate(zip(range(DRAWN), draws(2026), strict=False)))
    for each in smaller.languages:
        assert canonical(by_number[each.drawn][1].automaton) == each.automaton


def test_languages_are_trained_by_their_names(census: Census) -> None:
    for each in census.languages[:12]:
        task = load_task(each.task)
        assert isinstance(task, RegularLanguage)
        assert task.automaton == each.automaton


def test_the_census_is_pinned(census: Census) -> None:
    """Whoever changes what is drawn, kept or how it is split makes another census."""
    assert [(each.key, each.part) for each in census.languages[:6]] == [
        ("8a9368b8db", "held-out"),
        ("1ba31d9256", "held-out"),
        ("fdada37bc5", "held-out"),
        ("37a0e67c2e", "development"),
        ("2db3cff12d", "development"),
        ("6308ff784a", "held-out"),
    ]
