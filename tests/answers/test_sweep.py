"""Tests of `answers.sweep`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from hypothesis import given
from hypothesis import strategies as st

from longreach.answers.judge import MeasuredCell
from longreach.answers.sweep import Doubling, Grid, Strategy, Threshold, decided, more_seeds, start_of
from longreach.runs.cells import ByAccuracy, Cell
from longreach.runs.index import Row
from longreach.runs.resolve import resolve
from longreach.tasks.lengths import LengthRange

TESTED = LengthRange(41, 60)


def _cell(train_to: int, work: int, runs: int = 3, tested: LengthRange = TESTED) -> MeasuredCell:
    config = resolve("aa", train_lengths=(2, train_to), test_lengths=(tested,))
    rows = [
        Row(key=str(seed), status="done", reached=True, accuracy={tested.name: float(seed < work)})
        for seed in range(runs)
    ]
    cell = Cell.of(config.document(), rows)
    return MeasuredCell(config=config, cell=cell, criterion=ByAccuracy(0.0), planned=3)


def test_the_example_of_the_manual() -> None:
    found = Threshold.of([_cell(20, 3), _cell(16, 3), _cell(12, 1), _cell(8, 0)])
    assert found is not None
    assert (found.start, found.words) == (16, "from about 16 on")
    assert found.counts == "8: 0 of 3 · 12: 1 of 3 · 16: 3 of 3 · 20: 3 of 3"


def test_all_work_or_none() -> None:
    every = Threshold.of([_cell(20, 3), _cell(8, 2)])
    assert every is not None
    assert every.words == "from 8 on, or less"
    none = Threshold.of([_cell(20, 0), _cell(30, 1), _cell(40, 0)])
    assert none is not None
    assert (none.start, none.words) == (None, "none up to 40")
    assert none.document()["from"] is None


def test_an_exact_start_says_so() -> None:
    found = Threshold.of([_cell(16, 3), _cell(15, 1), _cell(32, 3)])
    assert found is not None
    assert (found.words, found.is_exact, found.remark) == ("from 16 on", True, "")
    least = Threshold.of([_cell(2, 3), _cell(4, 2)], least=2)
    assert least is not None
    assert (least.words, least.is_exact, least.is_open_below) == (
        "from 2 on, the shortest possible",
        True,
        False,
    )


def test_what_is_not_monotone_is_said() -> None:
    found = Threshold.of([_cell(8, 3), _cell(12, 0), _cell(16, 3)])
    assert found is not None
    assert (found.start, found.worked_below) == (16, (8,))
    assert found.remark == "not monotone: 8 works, 12 does not"
    none = Threshold.of([_cell(8, 3), _cell(10, 2), _cell(12, 0)])
    assert none is not None
    assert (none.words, none.remark) == ("none up to 12", "not monotone: 8, 10 work, 12 does not")
    assert none.document()["worked_below"] == [8, 10]


def test_what_works_has_to_work_at_longer_lengths() -> None:
    """Trained to 5 or 10 it works, trained to 20 or 40 not: whichever lengths are tried, none is named."""
    rule = Doubling(first=5, least=2, most=40, far=40)
    known = _swept(rule, lambda length: length <= 10)
    assert known == {5: True, 10: True, 40: False}
    searched = Threshold.of([_cell(5, 3), _cell(10, 3), _cell(40, 0)], least=2)
    given = Threshold.of([_cell(20, 0), _cell(40, 0)], least=2)
    assert searched is not None
    assert given is not None
    assert searched.words == given.words == "none up to 40"
    assert searched.remark == "not monotone: 5, 10 work, 40 does not"


def test_how_right_runs_are_from_where_on() -> None:
    def cell(train_to: int, *shares: float) -> MeasuredCell:
        config = resolve("aa", train_lengths=(2, train_to), test_lengths=(TESTED,))
        rows = [
            Row(key=str(seed), status="done", reached=True, accuracy={TESTED.name: share})
            for seed, share in enumerate(shares)
        ]
        found = Cell.of(config.document(), rows)
        return MeasuredCell(config=config, cell=found, criterion=ByAccuracy(0.0), planned=3)

    cells = [cell(2, 0.0, 0.1), cell(3, 0.6, 0.7), cell(10, 0.96, 0.5), cell(20, 1.0, 1.0)]
    found = Threshold.of(cells)
    assert found is not None
    assert found.right_words == "half right from 3, 95 % right from 10"
    assert found.document()["right_from"] == {"0.5": 3, "0.95": 10}
    less = Threshold.of(cells[:2])
    assert less is not None
    assert less.right_words == "half right from 3, 95 % right from none up to 3"


def test_lengths_that_depend_on_the_training_length() -> None:
    found = Threshold.of([_cell(20, 3), _cell(10, 3, tested=LengthRange(21, 30))])
    assert found is not None
    assert found.tested is None
    assert found.document()["tested"] is None


def test_without_finished_runs_there_is_none() -> None:
    assert Threshold.of([]) is None
    assert Threshold.of([_cell(16, 0, runs=0)]) is None


@given(st.dictionaries(st.integers(3, 40), st.integers(0, 3), min_size=2))
def test_the_start_by_its_definition(work: dict[int, int]) -> None:
    found = Threshold.of([_cell(length, number) for length, number in work.items()])
    assert found is not None
    starts = [
        length for length in work if all(2 * number >= 3 for other, number in work.items() if other >= length)
    ]
    assert found.start == min(starts, default=None)


LEAST, MOST = 3, 70


def _swept(rule: Strategy, works: Callable[[int], bool]) -> dict[int, bool]:
    """What a sweep knows at its end."""
    known: dict[int, bool] = {}
    while lengths := rule.next_lengths(known):
        assert not set(lengths) & known.keys(), "a length is measured once"
        known |= {length: works(length) for length in lengths}
    return known


def _at_most(rule: Doubling) -> int:
    """Up from the first length, down from it, one bisection, and one that is far."""
    up = math.ceil(math.log2(rule.most / rule.first)) + 1
    down = math.ceil(math.log2(rule.first / rule.least)) + 1
    return up + down + math.ceil(math.log2(rule.most)) + 1


rules = st.builds(
    Doubling,
    first=st.integers(LEAST, MOST),
    least=st.just(LEAST),
    most=st.just(MOST),
    within=st.just(1),
    twice=st.booleans(),
    far=st.integers(0, MOST + 5),
)


@given(rules, st.integers(LEAST, MOST + 1))
def test_monotone_outcomes_give_what_measuring_every_length_gives(rule: Doubling, start: int) -> None:
    every = {length: length >= start for length in range(LEAST, MOST + 1)}
    known = _swept(rule, every.__getitem__)
    assert start_of(known) == start_of(every) == (start if start <= MOST else None)
    assert len(known) <= _at_most(rule)


@given(rules, st.lists(st.booleans(), min_size=MOST + 1, max_size=MOST + 1))
def test_other_outcomes_give_a_true_statement_on_what_was_measured(
    rule: Doubling, outcomes: list[bool]
) -> None:
    """From the start on all measured lengths work, and the length before it fails or there is none."""
    known = _swept(rule, outcomes.__getitem__)
    assert all(known[length] == outcomes[length] for length in known)
    assert all(LEAST <= length <= MOST for length in known)
    assert len(known) <= _at_most(rule)
    start = start_of(known)
    if start is None:
        assert not outcomes[MOST]
        assert MOST in known
        return
    assert all(works for length, works in known.items() if length >= start)
    assert start == LEAST or known[start - 1] is False
    assert max(known) >= min(rule.far, MOST)
    if rule.twice:
        assert any(length >= min(2 * start, MOST) for length in known)


@given(rules, st.integers(LEAST, MOST), st.integers(1, 30))
def test_a_coarser_answer_is_off_by_less_than_it_says(rule: Doubling, start: int, within: int) -> None:
    coarse = Doubling(first=rule.first, least=LEAST, most=MOST, within=within, twice=rule.twice)
    found = start_of(_swept(coarse, lambda length: length >= start))
    assert found is not None
    assert start <= found < start + within


@given(rules, st.integers(LEAST, MOST + 1), st.integers(0, 20))
def test_what_was_interrupted_goes_on_as_if_it_had_not_been(rule: Doubling, start: int, after: int) -> None:
    whole = _swept(rule, lambda length: length >= start)
    part = dict(list(whole.items())[:after])
    if after < len(whole):
        assert rule.next_lengths(part) == (list(whole)[after],)


def test_it_gives_up_where_nothing_is_learned() -> None:
    rule = Doubling(first=5, least=1, most=80)
    assert rule.next_lengths({5: False, 10: False}) == (20,)
    assert rule.next_lengths({5: False, 10: False}, hopeless={10}) == ()
    assert rule.next_lengths({5: False, 10: True, 20: True}, hopeless={5}) == (7,)


def test_bounds_on_the_first_length() -> None:
    assert Doubling(first=5, least=8, most=20).next_lengths({}) == (8,)
    assert Doubling(first=50, least=8, most=20).next_lengths({}) == (20,)


def test_a_grid_is_measured_whole() -> None:
    known = _swept(Grid(lengths=(5, 10, 20)), lambda length: length == 10)
    assert known == {5: False, 10: True, 20: False}
    assert start_of(known) is None


@given(st.integers(1, 9), st.data())
def test_decided_seeds_say_what_all_seeds_say(seeds: int, data: st.DataObject) -> None:
    outcomes = data.draw(st.lists(st.booleans(), min_size=seeds, max_size=seeds))
    work = fail = trained = 0
    while more := more_seeds(work, fail, seeds):
        before = (work, fail)
        for outcome in outcomes[trained : trained + more - 1]:
            before = (before[0] + outcome, before[1] + (not outcome))
            assert decided(*before, seeds) is None, "fewer runs could not have decided it"
        new = outcomes[trained : trained + more]
        trained += more
        work, fail = work + sum(new), fail + len(new) - sum(new)
    assert trained <= seeds
    assert decided(work, fail, seeds) is (2 * sum(outcomes) >= seeds)
    # The same by the share of the runs that there are, which is how cells are counted.
    assert (2 * work >= trained) is (2 * sum(outcomes) >= seeds)


@given(st.dictionaries(st.integers(1, 40), st.booleans()))
def test_the_start_by_its_definition_threshold_rule(known: Mapping[int, bool]) -> None:
    starts = [length for length in known if all(works for other, works in known.items() if other >= length)]
    assert start_of(known) == min(starts, default=None)
