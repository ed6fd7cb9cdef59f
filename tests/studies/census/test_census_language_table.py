"""The committed table of languages: what it says is what is computed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from longreach.config.task_name import TaskName
from longreach.errors import InputError
from longreach.forecast.language_features import SUMMARIES
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.studies.census.canonical_form import canonical, part_of
from longreach.studies.census.census_draw import CensusLanguage
from longreach.studies.census.census_language_table import (
    LENGTHS,
    LanguageFacts,
    by_code,
    code_of,
    language_facts,
    read_language_table,
    table_to_text,
)
from longreach.studies.census.census_members import LANGUAGES
from longreach.studies.census.strata import stratum_of

TABLE = LANGUAGES


def _drawn(facts: LanguageFacts) -> CensusLanguage:
    automaton = canonical(from_expression(TaskName(facts.task).expression))
    stratum = stratum_of(automaton)
    assert stratum is not None
    return CensusLanguage(
        automaton=automaton, source=facts.source, part=part_of(automaton), stratum=stratum, drawn=0
    )


@pytest.fixture(scope="module")
def table() -> dict[str, LanguageFacts]:
    return read_language_table(TABLE)


def test_the_table_has_every_language_where_it_belongs(table: dict[str, LanguageFacts]) -> None:
    assert len(table) == 189
    assert set(Counter((facts.stratum, facts.part) for facts in table.values()).values()) == {7, 14}
    for key, facts in table.items():
        assert tuple(map(int, facts.lengths)) == LENGTHS
        assert key == facts.key
        assert facts.verdict == f"{facts.sides['nope'].verdict}/{facts.sides['ape'].verdict}"


@pytest.mark.parametrize("place", range(0, 189, 12))
def test_keys_and_parts_are_functions_of_the_language(table: dict[str, LanguageFacts], place: int) -> None:
    facts = list(table.values())[place]
    language = _drawn(facts)
    assert (facts.key, facts.part, facts.stratum) == (language.key, language.part, language.stratum)


@pytest.mark.parametrize("place", [0, 40, 140])
def test_numbers_are_those_that_are_computed(table: dict[str, LanguageFacts], place: int) -> None:
    facts = sorted(table.values(), key=lambda each: (each.states, each.key))[place]
    again = language_facts(_drawn(facts), lengths=[10])
    assert again == replace(facts, lengths={"10": facts.lengths["10"]})


def test_features_come_back_from_the_table(table: dict[str, LanguageFacts]) -> None:
    facts = next(iter(table.values()))
    features = facts.features(20)
    assert [each.lengths.name for each in features.ranges] == ["1-20", "21-40", "41-60", "81-100"]
    assert [each.summary for each in features.ranges[0].determined] == list(SUMMARIES)
    assert features.ranges[1].chance == facts.chance(20, 2)
    with pytest.raises(InputError, match="no numbers for training to 30"):
        facts.features(30)


def test_codes_name_every_summary_once() -> None:
    assert [by_code(code_of(each)) for each in SUMMARIES] == list(SUMMARIES)


def test_a_table_is_read_as_written_and_refused_in_one_line(
    table: dict[str, LanguageFacts], tmp_path: Path
) -> None:
    few = list(table.values())[:2]
    path = tmp_path / "languages.json"
    path.write_text(table_to_text(few))
    assert list(read_language_table(path).values()) == few
    for text, reason in [
        (table_to_text([few[0], few[0]]), "a language is there twice"),
        ("[{}]", r"0\.key"),
        ("{", "Invalid JSON"),
        (table_to_text(few).replace('"w1"', '"w99"'), "no summary is named 'w99'"),
    ]:
        path.write_text(text)
        with pytest.raises(InputError, match=reason) as caught:
            read_language_table(path)
        assert "\n" not in caught.value.message
    with pytest.raises(InputError, match="cannot be read"):
        read_language_table(tmp_path / "none.json")
