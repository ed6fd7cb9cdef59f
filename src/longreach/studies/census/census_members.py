"""What the census trains: each language with each encoding, to each length, with each seed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from longreach.config.training import TrainConfig
from longreach.studies.census.canonical_form import Part
from longreach.studies.census.census_language_table import LanguageFacts, read_language_table
from longreach.studies.census.census_settings import CensusSettings
from longreach.studies.census.strata import Stratum
from longreach.studies.census.worthwhile import ranges_tested

LANGUAGES = Path(__file__).with_name("languages.json")
"""All languages of the census with their exact numbers, as `write_language_table` makes it."""


@cache
def language_table() -> dict[str, LanguageFacts]:
    """The languages of the census by their keys."""
    return read_language_table(LANGUAGES)


class Member(NamedTuple):
    """One run of the census."""

    language: str
    """Its key."""
    encoding: str
    trained_to: int
    seed: int


def members(
    languages: Iterable[LanguageFacts],
    settings: CensusSettings,
    *,
    parts: Iterable[Part],
    trained_to: Iterable[int],
    encodings: Iterable[str] | None = None,
    seeds: int | None = None,
) -> dict[Member, TrainConfig]:
    """The configuration of each run, in the order in which they are trained.

    The first seed of all languages comes first, with strata in turn, so that a census that was ended halfway
    still has a bit of everything.
    """
    wanted, lengths, listed = tuple(parts), tuple(trained_to), tuple(languages)
    names = settings.encodings if encodings is None else tuple(encodings)
    numbers = {part: settings.seeds[part] if seeds is None else seeds for part in wanted}
    found: dict[Member, TrainConfig] = {}
    for seed in range(max(numbers.values(), default=0)):
        for part in wanted:
            if seed >= numbers[part]:
                continue
            for length in lengths:
                for each in in_turn(listed, part, settings.count(length, part)):
                    for encoding in names:
                        member = Member(each.key, encoding, length, seed)
                        found[member] = config_of_member(each.task, member, settings)
    return found


def in_turn(languages: Iterable[LanguageFacts], part: Part, count: int) -> list[LanguageFacts]:
    """The first so many languages of each stratum by their keys: one of each, then another, and so on."""
    ranks: dict[Stratum, int] = {}
    ranked: list[tuple[int, Stratum, LanguageFacts]] = []
    for each in sorted(languages, key=lambda language: language.key):
        if each.part == part:
            rank = ranks[each.stratum] = ranks.get(each.stratum, -1) + 1
            ranked.append((rank, each.stratum, each))
    chosen = [entry for entry in ranked if entry[0] < count]
    return [each for _, _, each in sorted(chosen, key=lambda entry: entry[:2])]


def config_of_member(task: str, member: Member, settings: CensusSettings) -> TrainConfig:
    """The configuration of one run."""
    first, *others = ranges_tested(member.trained_to)
    return TrainConfig.read(
        {
            "task": task,
            "encoding": member.encoding,
            **settings.setting.given,
            "train_lengths": first,
            "test_lengths": others,
            "seed": member.seed,
        }
    )
