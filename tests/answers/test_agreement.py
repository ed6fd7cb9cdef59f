""""""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.answers.agreement import (
    ALGORITHMIC,
    ENCODINGS,
    REGULAR,
    Budget,
    Judgement,
    Observation,
    Place,
    Verdict,
    count,
    forecast_of,
    judge,
    level,
    published_accuracy,
)
from longreach.config.model import hyperparameters
from longreach.tasks.catalog import TASKS

SMALL, LARGE = Budget(1000, 64, 1, 16), Budget(2000, 64, 2, 64)
# Chances and families written out again, for the recount.
CHANCES = {
    "binary-majority": 0.5, "parity": 0.5, "parity-with-empty": 0.5, "binary-majority-interleave": 0.125,
    "majority": 1 / 26, "mode": 1 / 5,
    "even-pairs": 1 / 2, "cycle-navigation": 1 / 5, "modular-arithmetic": 1 / 5, "boolean-expressions": 1 / 2,
    "sparse-parity": 1 / 2, "kgram-retrieval": 1 / 32,
}  # fmt: skip
FEW_TOKENS = {"binary-majority", "binary-majority-interleave", "majority", "parity"}
SEQUENCES = {"sort", "copy-unique", "copy-repeat", "addition"}
POOL = [
    Place(task, encoding)
    for task in ("parity", "majority", "sort", "addition", "aa", "tomita-5")
    for encoding in ENCODINGS
]


def _family(task: str) -> str:
    return "few" if task in FEW_TOKENS else "sequence" if task in SEQUENCES else "regular"


def _recount(
    cells: list[Observation], forecasts: dict[Place, Verdict | None], by_runs: bool
) -> dict[Place, tuple[str, bool | None]]:
    """The rule of the documentation, cell by cell."""
    found: dict[Place, tuple[str, bool | None]] = {}
    for cell in cells:
        task, encoding, forecast = cell.place.task, cell.place.encoding, forecasts[cell.place]
        if cell.last is None:
            found[cell.place] = ("not run", None)
            continue
        chance = CHANCES.get(task, 0.0)
        works = cell.work / cell.runs >= 0.5 if by_runs else cell.last - chance >= 1 - cell.last
        small_enough = []
        for other in cells:
            a, b = cell.budget, other.budget
            as_long = a.steps >= b.steps and a.batch >= b.batch
            as_large = a.layers >= b.layers and a.width >= b.width
            if other.learned and as_long and as_large:
                small_enough.append(other.place)
        evidence = (
            cell.learned
            or any(other.task == task and other.encoding != encoding for other in small_enough)
            or any(
                other.task != task and other.encoding == encoding and _family(other.task) == _family(task)
                for other in small_enough
            )
        )
        if cell.runs < 3 or (forecast == "no" and not works and not evidence):
            state = "not counted"
        elif forecast is None:
            state = "no forecast"
        elif forecast == "undecided":
            state = "undecided"
        else:
            state = "agrees" if (forecast == "yes") == works else "disagrees"
        found[cell.place] = (state, works)
    return found


@st.composite
def _observed(draw: st.DrawFn) -> tuple[list[Observation], dict[Place, Verdict | None]]:
    places = draw(st.lists(st.sampled_from(POOL), unique=True, min_size=1))
    cells = []
    for place in places:
        last = draw(st.none() | st.sampled_from([0.0, 0.4, 0.5, 0.51, 0.53, 0.74, 0.75, 0.76, 1.0]))
        runs = 0 if last is None else draw(st.integers(1, 5))
        learned = last is not None and draw(st.booleans())
        budget = Budget(
            draw(st.sampled_from([1000, 2000])), 64, draw(st.integers(1, 2)), draw(st.sampled_from([16, 64]))
        )
        work = draw(st.integers(0, runs))
        cells.append(Observation(place, runs, learned, last, budget, work))
    verdicts = st.sampled_from(["yes", "no", "undecided", None])
    return cells, {place: draw(verdicts) for place in places}


@given(_observed(), st.booleans())
def test_against_a_literal_recount(
    case: tuple[list[Observation], dict[Place, Verdict | None]], by_runs: bool
) -> None:
    cells, forecasts = case
    judged = judge(cells, forecasts, by_runs=by_runs)
    found = {place: (each.state, each.works) for place, each in judged.items()}
    assert found == _recount(cells, forecasts, by_runs)
    assert sum(count(judged.values()).values()) == len(cells)


def _one(place: Place, forecast: Verdict | None, *others: Observation, **fields: object) -> Judgement:
    values: dict[str, object] = {"runs": 3, "learned": False, "last": 0.0, "budget": LARGE, **fields}
    cell = Observation(place, **values)  # type: ignore[arg-type]
    forecasts: dict[Place, Verdict | None] = {each.place: "yes" for each in others}
    return judge([cell, *others], {**forecasts, place: forecast})[place]


def test_a_no_that_was_not_learned_counts_only_with_a_reason() -> None:
    place = Place("tomita-3", "nope")

    def learned(other: Place, budget: Budget) -> Observation:
        return Observation(other, 3, True, 1.0, budget)

    assert _one(place, "no").state == "not counted"
    assert _one(place, "no", learned=True).state == "agrees"
    same_task = _one(place, "no", learned(Place("tomita-3", "ape"), LARGE))
    assert (same_task.state, "with ape" in same_task.reason) == ("agrees", True)
    sibling = _one(place, "no", learned(Place("aa", "nope"), SMALL))
    assert (sibling.state, "for aa" in sibling.reason) == ("agrees", True)
    for other in (
        learned(Place("aa", "nope"), Budget(3000, 64, 1, 16)),  # it had more steps
        learned(Place("aa", "nope"), Budget(2000, 64, 1, 128)),  # it was a larger model
        learned(Place("aa", "ape"), SMALL),  # a sibling, but another encoding
        learned(Place("sort", "nope"), SMALL),  # not a sibling
    ):
        assert _one(place, "no", other).state == "not counted"


def test_what_speaks_against_a_forecast_always_counts() -> None:
    assert _one(Place("tomita-3", "nope"), "no", last=0.9).state == "disagrees"
    failed = _one(Place("aa", "ape"), "yes")
    assert (failed.state, "not learned" in failed.reason) == ("disagrees", True)


@pytest.mark.parametrize(("last", "works"), [(0.75, True), (0.7499, False)])
def test_the_level_itself_works(last: float, works: bool) -> None:
    assert _one(Place("parity", "ape"), "yes", last=last).works is works


def test_chances() -> None:
    assert {name: make().chance for name, make in TASKS.items() if make().chance} == CHANCES
    assert (level("majority"), level("copy-repeat")) == (27 / 52, 0.5)


def test_the_published_numbers_under_the_rule() -> None:
    observed, forecasts = [], {}
    for task in (*ALGORITHMIC, *REGULAR):
        for encoding in ENCODINGS:
            place, given = Place(task, encoding), hyperparameters(task, encoding)
            shares = published_accuracy(place)
            assert shares is not None
            budget = Budget(given.max_steps, 64, given.layers, given.width)
            observed.append(Observation(place, 5, shares[0] == 1.0, shares[-1], budget))
            forecasts[place] = forecast_of(place)
    judged = judge(observed, forecasts)
    assert count(judged.values()) == {
        "agrees": 49, "disagrees": 0, "undecided": 1, "not counted": 0, "no forecast": 0, "not run": 0,
    }  # fmt: skip
    assert judged[Place("binary-majority-interleave", "nope")].state == "undecided"
    # The numbers that the justification of the rule names.
    last = {each.place: each.last or 0.0 for each in observed}
    assert min(last[place] for place, verdict in forecasts.items() if verdict == "yes") > 0.76
    failing = sorted((last[place], place.task) for place, verdict in forecasts.items() if verdict == "no")
    assert failing[-1] == (0.633, "parity")
    assert max(share for share, task in failing if task != "parity") < 0.02
