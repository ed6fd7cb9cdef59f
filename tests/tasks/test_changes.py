"""Tests of `tasks.changes`."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks import changes as changed_task_module
from longreach.tasks.catalog import load_task, name_of, name_of_task, self_contained
from longreach.tasks.changes import HINTS, IndexHints, changed_task
from longreach.tasks.task import EOS, SEP, SOS
from longreach.theory.names import CHANGES


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("sort+scratchpad", "no steps are known"),
        ("copy-repeat+scratchpad", "no steps are known"),
        ("dyck-1+scratchpad", "no steps are known"),
        ("aa+reversed", "no answer that could be written in another order"),
        ("parity+reversed", "one token"),
        ("parity+scratchpad+reversed", "one order"),
        ("parity-scratchpad:2+reversed", "no EOS"),
        ("parity-scratchpad:2+index-hints", "no EOS"),
        ("states-after:(ab)*+scratchpad", "no steps are known"),
        ("parity+scratchpads", "no task is named 'parity+scratchpads'"),
    ],
)
def test_what_cannot_be_changed(name: str, reason: str) -> None:
    with pytest.raises(InputError) as found:
        load_task(name)
    assert reason in str(found.value)


@pytest.mark.parametrize("name", ["parity+scratchpad", "regex:(ab)*+scratchpad", "addition+reversed"])
def test_changed_tasks_have_names(name: str) -> None:
    assert load_task(name).name == name
    assert load_task(name) == load_task(name)
    assert name_of(load_task(name)) == name
    assert name_of_task(load_task(name)) == (name, None)
    assert self_contained(name) == name


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
    with pytest.raises(InputError, match="does not have the hints that belong there"):
        task.answer(["#1", "a", "#3", "b"])
    assert task.answer(["#199", "a", "#0", "b"]) == ("#199", "a", "#0", "b", EOS)


def test_every_hint_is_met() -> None:
    task = load_task("copy-repeat+index-hints")
    batch = task.sample([3] * 2000, np.random.default_rng(0))
    assert len(set(batch.tokens.ravel().tolist()) - set(range(len(task.tokens) - HINTS))) == HINTS


def test_lengths() -> None:
    task = load_task("copy-repeat+index-hints")
    with pytest.raises(InputError, match=f"no input has length {HINTS}"):
        task.sample([HINTS], np.random.default_rng(0))
    with pytest.raises(InputError, match="no coupled ids"):
        load_task("sort+index-hints")
    with pytest.raises(InputError, match="no coupled ids"):
        load_task("aa+index-hints")


def test_where_nothing_is_read_no_hint_tells() -> None:
    task = load_task("parity-with-empty+index-hints")
    assert task.least_length == 1
    assert not task.has(np.array([0]))[0]
