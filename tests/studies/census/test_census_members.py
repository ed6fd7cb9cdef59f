"""The members of the census: which languages, in which order, with which configuration."""

from __future__ import annotations

from collections import Counter

import pytest

from longreach.errors import InputError
from longreach.studies.census.census_members import in_turn, language_table, members
from longreach.studies.census.census_settings import settings
from longreach.studies.census.strata import STRATA


def test_a_census_that_is_ended_early_has_a_bit_of_everything() -> None:
    found = list(
        members(language_table().values(), settings(), parts=("held-out",), trained_to=(20,), seeds=3)
    )
    assert len(found) == len(set(found)) == 126 * 2 * 3
    first = [language_table()[each.language].stratum for each in found[: 2 * len(STRATA)]]
    assert Counter(first) == dict.fromkeys(STRATA, 2)
    assert [each.seed for each in found] == sorted(each.seed for each in found)


def test_parts_are_kept_apart_and_each_has_its_seeds() -> None:
    found = members(
        language_table().values(), settings(), parts=("development", "held-out"), trained_to=(10, 20, 50)
    )
    counts = Counter((language_table()[each.language].part, each.trained_to, each.seed) for each in found)
    for (part, trained_to, seed), count in counts.items():
        assert count == 2 * len(STRATA) * settings().count(trained_to, part)
        assert seed < settings().seeds[part]


def test_the_configuration_is_that_of_the_settings() -> None:
    chosen = members(language_table().values(), settings(), parts=("development",), trained_to=(20,))
    for member, config in list(chosen.items())[:4]:
        assert config.task == language_table()[member.language].task
        assert [each.name for each in config.ranges] == ["1-20", "21-40", "41-60", "81-100"]
        assert (config.encoding, config.seed) == (member.encoding, member.seed)
        assert {name: getattr(config, name) for name in settings().setting.given} == settings().setting.given


def test_a_smaller_census_is_the_beginning_of_a_larger_one() -> None:
    table = language_table().values()
    assert in_turn(table, "held-out", 14)[:27] == in_turn(table, "held-out", 3)


def test_an_unknown_length_is_refused() -> None:
    with pytest.raises(InputError, match="trains to 10, 20, 50, not to 7"):
        members(language_table().values(), settings(), parts=("development",), trained_to=(7,))
