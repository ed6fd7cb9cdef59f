"""Tests of `studies.census.tables`."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.answers.odds_features import SUMMARIES
from longreach.errors import InputError
from longreach.studies.census.draw import (
    FAR,
    RATIOS,
    CensusLanguage,
    Stratum,
    canonical,
    draw_typed,
    key_of,
    part_of,
    refusal,
    size_class,
    verdict_pair,
)
from longreach.studies.census.tables import (
    AS_FAR,
    LANGUAGES,
    LENGTHS,
    TYPED,
    CensusCell,
    CensusRun,
    LanguageFacts,
    by_code,
    cells,
    code_of,
    failure_lengths,
    language_facts,
    language_table,
    longest_lasting,
    read_runs,
    runs_to_text,
    table_to_text,
)
from longreach.tasks.regular import RegularLanguage
from longreach.theory.automata.regex import from_expression
from longreach.theory.names import TaskName
from longreach.theory.shares.summaries import Summary
from tests.helpers.census_samples import synthetic_runs

# When a cell works, and which runs belong to it.


def _cell(*shares: float) -> CensusCell:
    facts = next(each for each in language_table().values() if each.chance(10, 2) > 0.1)
    first = next(run for run in synthetic_runs("development") if not run.failed)
    runs = [
        replace(
            first, run=f"r{n}", seed=n, language=facts.key, trained_to=10, accuracy=(1.0, share, 0.0, 0.0)
        )
        for n, share in enumerate(shares)
    ]
    return next(cell for cell in cells(runs) if cell.ratio == 2)


def test_a_run_works_half_way_from_chance_to_one() -> None:
    level = _cell(1.0).level
    assert level == (1 + _cell(1.0).chance) / 2
    assert _cell(level, level - 1e-9).works == (True, False)


def test_half_of_the_runs_decide() -> None:
    assert _cell(1.0, 0.0, 1.0).worked()
    assert _cell(1.0, 0.0).worked()
    assert not _cell(1.0, 0.0, 0.0).worked()
    low = _cell(1.0).level + 0.01
    assert _cell(low, low, low).worked()
    assert not _cell(low, low, low).worked("0.9")
    assert _cell(1.0, 1.0, 0.0).worked("0.9")
    assert _cell(1.0, low - 0.02, low - 0.02).worked("mean")
    assert not _cell(1.0, 0.0, 0.0, 0.0).worked("mean")


def test_every_run_stands_in_one_cell_of_each_ratio() -> None:
    runs = synthetic_runs("development", lengths=(10,), failed=4)
    found = cells(runs)
    done = [run for run in runs if not run.failed]
    for ratio in RATIOS:
        assert sum(len(cell.accuracies) for cell in found if cell.ratio == ratio) == len(done)
    # Three runs failed together and have no cell; the fourth is counted beside its fellows.
    assert sum(cell.failed for cell in found if cell.ratio == 2) == 1


def test_other_recipes_and_encodings_are_none_of_the_census() -> None:
    run: CensusRun = synthetic_runs("development")[0]
    assert not cells([replace(run, recipe="more steps"), replace(run, encoding="alibi")])
    with pytest.raises(InputError, match="not in the table: 0000"):
        cells([replace(run, language="0000")])


# The committed table of languages: what it says is what is computed.


TABLE = language_table(LANGUAGES)


def _drawn(facts: LanguageFacts) -> CensusLanguage:
    automaton = canonical(from_expression(TaskName(facts.task).expression))
    verdict, size = verdict_pair(automaton), size_class(len(automaton))
    assert verdict is not None
    assert size is not None
    stratum = Stratum(verdict, size)
    return CensusLanguage(
        automaton=automaton, source=facts.source, part=part_of(automaton), stratum=stratum, drawn=0
    )


def test_the_table_has_every_language_where_it_belongs() -> None:
    assert len(TABLE) == 189
    assert set(Counter((facts.stratum, facts.part) for facts in TABLE.values()).values()) == {7, 14}
    for key, facts in TABLE.items():
        assert tuple(map(int, facts.lengths)) == LENGTHS
        assert key == facts.key
        assert facts.verdict == f"{facts.sides['nope'].verdict}/{facts.sides['ape'].verdict}"


def test_what_people_type_is_drawn_by_rule_and_stands_in_one_table_only() -> None:
    typed = language_table(TYPED)
    assert Counter(facts.part for facts in typed.values()) == {"development": 60, "held-out": 120}
    assert not typed.keys() & TABLE.keys()
    first = draw_typed(1, 2, known=TABLE, most_drawn=60).languages
    for each in first:
        facts = typed[each.key]
        assert (facts.task, facts.part, facts.stratum) == (each.task, each.part, each.stratum)
    for facts in list(typed.values())[::20]:
        automaton = canonical(from_expression(TaskName(facts.task).expression))
        assert (key_of(automaton), part_of(automaton)) == (facts.key, facts.part)
        assert refusal(automaton) is None
        assert len(facts.facts(20).chance) == len(FAR)


@pytest.mark.parametrize("place", range(0, 189, 12))
def test_keys_and_parts_are_functions_of_the_language(place: int) -> None:
    facts = list(TABLE.values())[place]
    language = _drawn(facts)
    assert (facts.key, facts.part, facts.stratum) == (language.key, language.part, language.stratum)


@pytest.mark.parametrize("place", [0, 40, 140])
def test_numbers_are_those_that_are_computed(place: int) -> None:
    facts = sorted(TABLE.values(), key=lambda each: (each.states, each.key))[place]
    again = language_facts(_drawn(facts), lengths=[10])
    assert again == replace(facts, lengths={"10": facts.lengths["10"]})


def test_features_come_back_from_the_table() -> None:
    facts = next(iter(TABLE.values()))
    features = facts.features(20)
    assert [each.lengths.name for each in features.ranges] == ["1-20", "21-40", "41-60", "81-100", "181-200"]
    assert [each.summary for each in features.ranges[0].determined] == list(SUMMARIES)
    assert features.ranges[1].chance == facts.chance(20, 2)
    with pytest.raises(InputError, match="no numbers for training to 30"):
        facts.features(30)


def test_codes_name_every_summary_once() -> None:
    assert [by_code(code_of(each)) for each in SUMMARIES] == list(SUMMARIES)


def test_a_table_is_read_as_written_and_refused_in_one_line(tmp_path: Path) -> None:
    few = list(TABLE.values())[:2]
    path = tmp_path / "languages.json"
    path.write_text(table_to_text(few))
    assert list(language_table(path).values()) == few
    for text, reason in [
        (table_to_text([few[0], few[0]]), "a language appears twice"),
        ("[{}]", r"0\.key"),
        ("{", "Invalid JSON"),
        (table_to_text(few).replace('"w1"', '"w99"'), "no summary named 'w99'"),
    ]:
        bad = tmp_path / "bad.json"
        bad.write_text(text)
        with pytest.raises(InputError, match=reason) as caught:
            language_table(bad)
        assert "\n" not in caught.value.message
    with pytest.raises(InputError, match="no such file"):
        language_table(tmp_path / "none.json")


# Tables of runs: read as written, and refused by the line.


RUN = CensusRun(
    run="0123456789abcdef",
    language="8a9368b8db",
    encoding="ape",
    trained_to=20,
    seed=0,
    accuracy=(1.0, 0.5, 0.25, 0.0),
    code="1.0",
    seconds=3.5,
    settings="aa",
)
FAILED = replace(RUN, run="f" * 16, seed=1, accuracy=(), error="diverged — at step 5\nhere")


@given(
    st.permutations([RUN, FAILED, replace(RUN, run="a" * 16, language="0"), replace(RUN, run="z", seed=7)])
)
def test_a_table_does_not_depend_on_the_order(runs: list[CensusRun]) -> None:
    text = runs_to_text(runs)
    assert text == runs_to_text(reversed(runs))
    assert len(text.splitlines()) == len(runs)


def test_what_is_written_is_read_and_a_run_is_there_once(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(runs_to_text([FAILED, RUN]))
    assert read_runs(path) == (RUN, FAILED)
    assert '"error"' not in path.read_text().splitlines()[0]
    with pytest.raises(InputError, match="twice"):
        runs_to_text([RUN, replace(RUN, seed=3)])
    path.write_text(runs_to_text([RUN]) * 2)
    with pytest.raises(InputError, match=r"runs\.jsonl:2: the run 0123456789abcdef appears twice"):
        read_runs(path)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"accuracy": [1.0, 0.5, 0.2]}, "a run has 4 or 5 accuracies, a failed one an error instead"),
        ({"accuracy": [1.0, 0.5, 0.2, 1.5]}, "accuracy.3: must be at most 1, not 1.5"),
        ({"accuracy": [1.0, 0.5, 0.2, float("nan")]}, "accuracy.3: must be finite, not nan"),
        ({"error": "diverged"}, "a run has 4 or 5 accuracies, a failed one an error instead"),
        ({"encoding": "apes"}, "no encoding named 'apes'"),
        ({"seed": "0"}, "seed: expected a whole number, not '0'"),
        ({"trained_to": 0}, "trained_to: must be at least 1, not 0"),
        ({"more": 1}, "more: Unexpected keyword argument"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, changes: dict[str, object], reason: str) -> None:
    path = tmp_path / "runs.jsonl"
    document = {name: value for name, value in asdict(RUN).items() if value is not None}
    path.write_text(runs_to_text([FAILED]) + json.dumps({**document, **changes}) + "\n")
    with pytest.raises(InputError) as caught:
        read_runs(path)
    assert caught.value.message == f"{path}:2: {reason}"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        *(
            (text.encode(), r"runs\.jsonl:(1:)? ")
            for text in ("{", "[]", "null", "\x00", '{"run": "' + "9" * 50)
        ),
        (b"\xff\xfe", "not UTF-8"),
        (None, "no such file"),
    ],
)
def test_what_is_no_table_is_refused_in_one_line(tmp_path: Path, content: bytes | None, reason: str) -> None:
    path = tmp_path / "runs.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=reason) as caught:
        read_runs(path)
    assert "\n" not in caught.value.message


# Lengths of failure against the slow reading: a table of what training shows, tried on all words.


@pytest.mark.parametrize("expression", ["(a|bb)*", "a*b(a|b)*", "(b|ab*a)*", "(ab|b)*a?"])
@pytest.mark.parametrize("summary", [Summary(window=1), Summary(window=2), Summary(window=1, modulus=2)])
def test_it_is_where_a_table_from_training_is_wrong_on_most_words(expression: str, summary: Summary) -> None:
    automaton, trained_to, longest = from_expression(expression), 4, 12
    task = RegularLanguage("mine", automaton)
    words = {n: [w for w in product("ab", repeat=n) if automaton.accepts(w)] for n in range(longest + 1)}
    table: dict[object, set[str]] = {}
    for length in range(trained_to + 1):
        for word in words[length]:
            for place, label in enumerate(task.answer(word)):
                table.setdefault(summary.value(word[:place]), set()).add(label)
    shares = {
        length: sum(
            all(table.get(summary.value(w[:n])) == {each} for n, each in enumerate(task.answer(w)))
            for w in words[length]
        )
        / len(words[length])
        for length in range(trained_to + 1, longest + 1)
        if words[length]
    }
    slow = next((length for length, share in shares.items() if share < 0.5), None)
    found = failure_lengths(automaton, trained_to, [summary])[summary]
    assert slow == (found if found is None or found <= longest else None)
    assert found is None or trained_to < found <= AS_FAR * trained_to


def test_without_positions_no_summary_knows_one() -> None:
    fails = {Summary(window=8): 30, Summary(modulus=2): None, Summary(window=2, modulus=3): 50}
    assert longest_lasting(fails, 20, positions=False, most_letters=16) == (30, Summary(window=8))
    assert longest_lasting(fails, 20, positions=False, most_letters=4) == (21, None)
    assert longest_lasting(fails, 20, positions=True, most_letters=16) == (None, Summary(modulus=2))
    assert longest_lasting({}, 20, positions=True, most_letters=16) == (21, None)
