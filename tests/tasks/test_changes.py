"""Tests of `tasks.changes`."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, product

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks import changes as changed_task_module
from longreach.tasks.arithmetic import BooleanExpressions, part_values
from longreach.tasks.catalog import load_task, name_of, name_of_task, self_contained
from longreach.tasks.change_log import SAME, ChangeLog
from longreach.tasks.changes import HINTS, IndexHints, changed_task
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.own import written
from longreach.tasks.positions import locality
from longreach.tasks.scratchpads import FormulaScratchpad, RunScratchpad, branches
from longreach.tasks.task import EOS, EOS_ID, SEP, SEP_ID, SOS, Task, draw_lengths
from longreach.theory.automata.regex import from_expression
from longreach.theory.names import CHANGES
from tests.helpers.task_checks import assert_samples_are_right, statuses
from tests.helpers.task_oracles import formula_at


@pytest.mark.parametrize("name", ["parity+scratchpad", "regex:(ab)*+scratchpad", "addition+reversed"])
def test_changed_tasks_have_names(name: str) -> None:
    assert load_task(name).name == name
    assert load_task(name) == load_task(name)
    assert name_of(load_task(name)) == name
    assert name_of_task(load_task(name)) == (name, None)
    assert self_contained(name) == name


@pytest.mark.parametrize("name", ["parity", "tomita-5", "cycle-navigation", "regex:(ab)*"])
def test_the_present_state_can_be_counted_from_a_log_of_changes(name: str) -> None:
    """It is the one that was entered once more often than it was left; the first one counts as entered."""
    base = load_task(f"{name}+scratchpad")
    task = load_task(f"{name}+scratchpad+change-log")
    assert isinstance(base, RunScratchpad)
    assert isinstance(task, ChangeLog)
    names = base.state_names
    rng = np.random.default_rng(0)
    batch = task.sample(draw_lengths(task, task.least_length, 15, 60, rng), rng)
    ids = task.coupled_ids(batch)
    assert ids is not None
    for row, size in enumerate(batch.sizes.tolist()):
        tokens = task.decode(batch.tokens[row, :size].tolist())
        x, y = tokens[1 : tokens.index(SEP)], tokens[tokens.index(SEP) + 1 :]
        counts = Counter({names[0]: 1})
        found, steps = list[str](), base.answer(x)[: len(x)]
        mine = ids[row, len(x) + 2 : size].tolist()
        for number in range(1, len(x) + 1):
            for token, own in zip(y, mine, strict=True):
                if own == number and token != SAME:
                    counts[token[1:]] += 1 if token[0] == "+" else -1
            (present,) = [state for state in counts if counts[state] == 1]
            found.append(present)
        assert tuple(found) == steps
        assert y[-1] == base.answer(x)[-2]
        assert (*y, EOS) == task.answer(x)


def test_a_log_is_one_of_states() -> None:
    with pytest.raises(
        InputError, match=r"a log is made of the states of a scratchpad: …\+scratchpad\+change-log"
    ):
        load_task("parity+change-log")
    own = Task.from_function(
        lambda n, rng: [str(bit) for bit in rng.integers(0, 2, n)], lambda x: x.count("1") % 3
    )
    logged = changed_task(own, ["scratchpad", "change-log"])
    assert logged.answer("101")[-2:] == ("2", EOS)
    hinted = changed_task(logged, ["index-hints"])
    first = hinted.sample([4], np.random.default_rng(0))
    tokens = hinted.decode(first.tokens[0].tolist())
    x = tokens[1 : tokens.index(SEP)]
    assert (*tokens[tokens.index(SEP) + 1 :], EOS) == hinted.answer(x)


def test_the_order_of_the_words_makes_no_other_task() -> None:
    assert self_contained("addition+reversed+reversed") == "addition+reversed"


def test_changes_are_made_in_one_order() -> None:
    assert tuple(changed_task_module._CHANGES) == CHANGES
    found = changed_task(load_task("addition+index-hints"), ["reversed"])
    assert found == load_task("addition+reversed+index-hints")


def test_an_alphabet_goes_to_the_expression() -> None:
    assert load_task("regex:a*+scratchpad", "ab").run.letters == ("a", "b")  # type: ignore[attr-defined]


def _literally(base_read: list[str], ids: list[int], start: int) -> list[str]:
    """Each token behind its hint, unless its id is 0."""
    found = []
    for token, each in zip(base_read, ids, strict=True):
        if each != 0:
            found.append(f"#{(each + start) % HINTS}")
        found.append(token)
    return found


@pytest.mark.parametrize(
    "name", ["copy-repeat", "reverse", "addition", "addition+reversed", "parity+scratchpad"]
)
def test_samples(name: str) -> None:
    task, base = load_task(f"{name}+index-hints"), load_task(name)
    assert isinstance(task, IndexHints)
    lengths = np.array([5, 4, 9, 30, 12, 12, 60])
    batch = task.sample(lengths, np.random.default_rng(5))
    again = base.sample(lengths, np.random.default_rng(5))  # the same inputs, before the hints are drawn
    ids = base.coupled_ids(again)
    assert ids is not None
    starts = set()
    for row, size in enumerate(again.sizes.tolist()):
        read = task.decode(batch.tokens[row, : batch.sizes[row]].tolist())
        plain = base.decode(again.tokens[row, :size].tolist())
        first = next(token for token in read if token.startswith("#"))
        known = next(each for each in ids[row].tolist() if each)
        start = (int(first[1:]) - known) % HINTS
        starts.add(start)
        assert read == _literally(plain, ids[row, :size].tolist(), start)
        assert [token for token in read if not token.startswith("#")] == plain
        cut = read.index(SEP if SEP in read else "=")
        targets = task.decode(batch.targets[row][batch.mask[row]].tolist())
        assert targets == [*read[cut + 1 :], EOS]
        assert np.flatnonzero(batch.mask[row])[0] == cut
        x = read[1 : cut + (SEP not in read)]
        assert task.answer(x) == tuple(targets)
        assert read[0] == SOS
        assert len(read) <= task.input_size(int(lengths[row]))
        assert not batch.tokens[row, batch.sizes[row] :].any()
    assert len(starts) > 3


def test_hints_of_an_input_are_checked() -> None:
    task = load_task("copy-repeat+index-hints")
    assert task.answer(["#199", "a", "#0", "b"]) == ("#199", "a", "#0", "b", EOS)


def test_every_hint_is_met() -> None:
    task = load_task("copy-repeat+index-hints")
    batch = task.sample([3] * 2000, np.random.default_rng(0))
    assert len(set(batch.tokens.ravel().tolist()) - set(range(len(task.tokens) - HINTS))) == HINTS


def test_where_nothing_is_read_no_hint_tells() -> None:
    task = load_task("parity-with-empty+index-hints")
    assert task.least_length == 1
    assert not task.has(np.array([0]))[0]


TASK = FormulaScratchpad(BooleanExpressions())


def test_the_last_value_is_the_answer_of_the_base() -> None:
    rng = np.random.default_rng(0)
    x, y, _ = TASK.base.draw(np.arange(1, 60), rng)
    values = part_values(x, np.arange(1, 60))
    assert (values[:, 0] == y[:, 0]).all()
    assert (values[0, 1:] == 0).all()


def test_ids_begin_where_evaluation_does() -> None:
    """and not 0 1: a value shares its id with its token, counted from the end."""
    batch = TASK.sample([4], np.random.default_rng(0))
    assert TASK.coupled_ids(batch).tolist() == [[0, 4, 3, 2, 1, 0, 1, 2, 3, 4, 0]]


def test_three_tokens_decide_each_value() -> None:
    """Its token, the value of what follows, and of `and`, `or` the value behind the first part."""
    batch = TASK.sample([9] * 200, np.random.default_rng(1))
    seen: dict[tuple[str, ...], str] = {}
    for row in range(len(batch)):
        x = TASK.decode(batch.tokens[row, 1:10])
        written = TASK.decode(batch.tokens[row, 11 : batch.sizes[row]])
        for place in range(9):
            value = {start: written[8 - start] for start in range(place + 1, 9)}
            parents = [x[place]]
            if x[place] in ("not", "and", "or"):
                parents.append(value[place + 1])
            if x[place] in ("and", "or"):
                parents.append(value[place + 1 + len(formula_at(x[place + 1 :]))])
            key = tuple(parents)
            assert seen.setdefault(key, written[8 - place]) == written[8 - place]
    assert len(seen) == 2 + 2 + 4 + 4


def test_what_is_said_of_it() -> None:
    assert load_task("boolean-expressions+scratchpad") == TASK
    assert {answer for answer, _ in statuses("boolean-expressions+scratchpad").values()} == {"undecided"}
    assert locality(TASK, TASK.coupled_ids, lengths=(4, 7)).grows
    hinted = load_task("boolean-expressions+scratchpad+index-hints")
    assert isinstance(hinted, SequenceTask)
    batch = hinted.sample([3], np.random.default_rng(0))
    read = hinted.decode(batch.tokens[0, 1 : batch.tokens[0].tolist().index(SEP_ID)])
    assert batch.targets[0][batch.mask[0]][-1] == EOS_ID
    assert hinted.decode(batch.targets[0][batch.mask[0]]) == list(hinted.answer(read))


def _bits(length: int, rng: np.random.Generator) -> list[str]:
    return [str(bit) for bit in rng.integers(0, 2, length)]


def _total(x: tuple[str, ...]) -> int:
    return sum(map(int, x)) % 3


def _totals(x: tuple[str, ...]) -> list[str]:
    return [f"s{total % 3}" for total in accumulate(map(int, x))]


def test_steps_then_the_answer() -> None:
    task = changed_task(Task.from_function(_bits, _total, name="modulo-3", steps=_totals), ["scratchpad"])
    assert task.name == "modulo-3+scratchpad"
    assert set(task.tokens) >= {"s0", "s1", "s2", "0", "1", "2"}

    def oracle(x: list[str]) -> list[str]:
        ones = [x[: end + 1].count("1") for end in range(len(x))]
        return [*(f"s{count % 3}" for count in ones), str(ones[-1] % 3)]

    assert_samples_are_right(task, oracle)


def test_steps_that_fail_are_named() -> None:
    def broken(x: tuple[str, ...]) -> list[str]:
        raise ValueError("no steps today")

    task = changed_task(Task.from_function(_bits, _total, name="mine", steps=broken), ["scratchpad"])
    with pytest.raises(InputError, match=r"broken\(.*\) fails: ValueError: no steps today"):
        task.answer(("0", "1"))


def test_what_functions_may_give() -> None:
    assert written("ab") == ("ab",)
    assert written(False) == ("no",)
    assert written(np.array(["a"])) == ("a",)


MODULO_3 = 'dfa:{"alphabet":["a","b"],"transitions":[[1,0],[2,1],[0,2]],"outputs":["zero","one","two"]}'


def test_as_many_words_are_in_the_language_as_are_not() -> None:
    task = load_task("regex:(ab)*+scratchpad")
    batch = task.sample([4] * 4000, np.random.default_rng(0))
    words = Counter("".join(task.decode(row[1:5].tolist())) for row in batch.tokens)
    assert abs(words["abab"] / 4000 - 0.5) < 0.04
    others = [words["".join(word)] for word in product("ab", repeat=4) if "".join(word) != "abab"]
    assert len(others) == 15
    assert min(others) > 80  # 133 are expected of each
    odd = task.sample([3] * 50, np.random.default_rng(0))  # no word of the language has three letters
    assert {task.decode(row[mask].tolist())[-2] for row, mask in zip(odd.targets, odd.mask, strict=True)} == {
        "no"
    }


def test_states_of_words() -> None:
    automaton = from_expression("(ab|ba)*")
    task = load_task("states:(ab|ba)*+scratchpad")
    lengths = [2, 4, 8]
    batch = task.sample(lengths, np.random.default_rng(1))
    for row, length in enumerate(lengths):
        read = task.decode(batch.tokens[row, : batch.sizes[row]].tolist())
        x = read[1 : 1 + length]
        assert automaton.accepts(x)
        assert read == [SOS, *x, SEP, *(f"q{automaton.run(x[: end + 1])}" for end in range(length))]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["even-pairs", "cycle-navigation", "modular-arithmetic"])
def test_runs_that_end_in_an_answer(name: str) -> None:
    base = load_task(name)
    machine = base.machine  # type: ignore[attr-defined]

    def oracle(x: list[str]) -> list[str]:
        return [*(f"q{machine.run(x[: end + 1])}" for end in range(len(x))), base.answer(x)[0]]

    assert_samples_are_right(load_task(f"{name}+scratchpad"), oracle)


def _runs(task: RunScratchpad, length: int) -> int:
    return len({task.answer(word) for word in product(task.run.letters, repeat=length)})


@pytest.mark.parametrize(
    "expression", ["(aa)*", "(ab)*", "(ab|ba)*", "a*b*", "(a|b)*abb", "a(a|b)", "(abc)*", "(a|b)*"]
)
def test_runs_branch_where_their_number_grows_exponentially(expression: str) -> None:
    task = load_task(f"regex:{expression}+scratchpad")
    assert isinstance(task, RunScratchpad)
    counts = [_runs(task, length) for length in range(1, 9)]
    # A choice at every second letter is four times as many; polynomials of these degrees have fewer.
    assert branches(task.run.table) == (counts[7] >= 4 * counts[3])


def test_no_word_is_empty() -> None:
    assert load_task("parity-with-empty+scratchpad").least_length == 1
