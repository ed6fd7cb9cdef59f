"""The published languages, as the file has them."""

from __future__ import annotations

from collections import Counter

from longreach.comparison.state_languages import TRAINED_TO, state_languages


def test_counts() -> None:
    found = state_languages()
    assert Counter(each.suite for each in found) == {"main": 125, "secondary": 50}
    assert Counter((each.suite, each.c_rasp) for each in found) == {
        ("main", True): 65, ("main", False): 60, ("secondary", True): 25, ("secondary", False): 25,
    }  # fmt: skip
    assert len({(each.suite, each.name) for each in found}) == len({each.expression for each in found}) == 175


def test_every_number_is_a_share_of_a_range() -> None:
    for each in state_languages():
        assert each.accuracy.keys() == state_languages()[0 if each.suite == "main" else -1].accuracy.keys()
        assert all(0 <= share <= 1 for share in each.accuracy.values())
        assert next(iter(each.accuracy)) == f"0-{TRAINED_TO[each.suite]}"
        assert 0 < each.perfect <= each.runs
        assert each.c_rasp or not each.r_trivial  # R-trivial languages are in C-RASP
        assert each.ratio == {"main": 10, "secondary": 2.5}[each.suite]
