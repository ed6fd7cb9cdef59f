"""Tests of `studies.census.strata`: counts over a table that one can count by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from longreach.answers.odds_features import GROUPS
from longreach.errors import InputError
from longreach.studies.census.draw import FAR
from longreach.studies.census.strata import (
    group_of,
    level_counts,
    level_table,
    miss_table,
    misses,
    stratum_scores,
    stratum_table,
    sure_counts,
    sure_table,
)
from longreach.studies.census.study import STUDY, _groups
from longreach.studies.census.tables import LANGUAGES, CensusRun, language_table
from longreach.studies.statistics import rounded

DRAWN = language_table(LANGUAGES)


def _keys(group: str) -> list[str]:
    found = sorted(key for key, facts in language_table().items() if group_of(facts) == group)
    # At chance 0 the level is one half.
    return [key for key in found if language_table()[key].chance(20, 10) == 0.0 and key in DRAWN]


def _run(
    language: str, seed: int, random: float, worst: float | None, *, encoding: str = "ape",
    recipe: str | None = None, ratios: int = 5,
) -> CensusRun:  # fmt: skip
    probed = None if worst is None else (1.0,) * (ratios - 1) + (worst,)
    return CensusRun(
        run=f"{encoding} {recipe} {language} {seed}", language=language, encoding=encoding, trained_to=20,
        seed=seed, accuracy=(1.0,) * (ratios - 1) + (random,), probing=probed, worst_loop=probed, code="1",
        seconds=1.0, settings="x", recipe=recipe,
    )  # fmt: skip


def test_the_languages_of_each_group() -> None:
    found = Counter((facts.part, group_of(facts)) for facts in DRAWN.values())
    assert found == {
        ("held-out", "yes/yes"): 42, ("held-out", "no/yes"): 42,
        ("held-out", "no/no, in AC⁰"): 11, ("held-out", "no/no, outside AC⁰"): 31,
        ("development", "yes/yes"): 21, ("development", "no/yes"): 21,
        ("development", "no/no, in AC⁰"): 3, ("development", "no/no, outside AC⁰"): 18,
    }  # fmt: skip
    assert {group for _, group in found} <= set(GROUPS)


def test_sure_is_counted_in_the_class_and_outside_it() -> None:
    inside, outside = _keys("no/no, in AC⁰")[0], _keys("no/no, outside AC⁰")[0]
    runs = [
        _run(inside, 0, 1.0, 0.5),
        _run(inside, 1, 1.0, 0.49),
        _run(inside, 2, 0.49, 1.0),
        _run(inside, 3, 1.0, None),  # not probed
        _run(inside, 4, 1.0, 1.0, ratios=4),  # not tested so far
        _run(outside, 0, 1.0, 1.0),
        _run(outside, 0, 1.0, 0.2, recipe="4 layers"),
        _run(outside, 0, 1.0, 0.2, encoding="nope"),
    ]
    found = {each["model"]: [each[name] for name in list(each)[4:]] for each in sure_counts(runs)}
    assert found == {"nope": [0, 0, 0, 1], "ape": [1, 2, 1, 0], "ape, 4 layers": [0, 0, 0, 1]}
    table = sure_table(sure_counts(runs))
    assert [row[0] for row in table.rows] == ["NoPE", "APE", "APE, 4 layers"]


def test_levels_of_cascades_against_runs() -> None:
    needs: dict[int | None, list[str]] = {levels: [] for levels in (1, 2)}
    for key in _keys("no/yes"):
        needs.setdefault(DRAWN[key].sides["reach"].levels, []).append(key)
    one, two = needs[1][:2], needs[2][0]
    runs = [
        _run(one[0], 0, 1.0, 1.0, encoding="reach"),
        _run(one[1], 0, 1.0, 0.1, encoding="reach"),
        _run(two, 0, 0.1, 0.1, encoding="reach"),
        _run(two, 0, 1.0, 1.0),  # another mechanism
        _run(_keys("no/no, outside AC⁰")[0], 0, 1.0, 1.0, encoding="reach"),  # no cascade
    ]
    found = level_counts(runs)
    columns = ("model", "levels", "languages", "runs", "work", "sure")
    assert [tuple(each[name] for name in columns) for each in found] == [
        ("reach", 1, 2, 2, 2, 1),
        ("reach", 2, 1, 1, 0, 0),
    ]
    failed = misses(runs)
    assert [(each["language"], each["levels"], each["accuracy"]) for each in failed] == sorted(
        [(one[1], 1, [1.0, 1.0, 1.0]), (two, 2, [1.0, 1.0, 0.1])]
    )
    assert {row[-1] for row in miss_table(failed).rows} == {"10"}
    assert [row[2:] for row in level_table(found).rows] == [
        ["1", "2", "2", "2", "1"],
        ["2", "1", "1", "0", "0"],
    ]


def test_shares_by_stratum_and_ratio() -> None:
    one, other = _keys("no/yes")[:2]
    runs = [
        _run(one, 0, 1.0, 1.0),
        _run(one, 1, 0.6, 0.4),
        _run(other, 0, 0.2, 0.8),
        _run(other, 1, 0.2, None),
    ]
    scores = {each.ratio: each for each in stratum_scores(runs, samples=20)}
    assert list(scores) == [*FAR]
    far = scores[10]
    assert (far.group, far.source, far.languages, far.runs, far.probed) == ("no/yes", "drawn", 2, 4, 3)
    assert far.works.value == 0.5
    assert far.accuracy == pytest.approx(0.5)
    values = [each.value for each in (far.probing, far.sure, far.exact)]
    assert values == pytest.approx([2 / 3, 1 / 3, 1 / 3])
    documents = rounded(tuple(scores.values()))
    assert len(stratum_table(documents).rows) == 4


def test_a_stratum_that_there_is_not_is_refused() -> None:
    assert _groups(["no/no-outside", "yes/yes"]) == ["no/no, outside AC⁰", "yes/yes"]
    assert "--strata" in STUDY.options
    with pytest.raises(InputError, match="--strata: 'maybe' is not a stratum; choose from yes/yes, no/yes"):
        _groups(["maybe"])
