from __future__ import annotations

import pytest

from longreach.advice import same_layout
from longreach.advice.remedy_sparsity import StepSparsity, measured_sparsity, step_sparsity
from longreach.advice.task_to_remedies import remedies
from longreach.forecast import forecast
from longreach.tasks.catalog import load_task
from longreach.tasks.local_steps import local_steps
from longreach.tasks.task import Task


def test_words() -> None:
    sparse = StepSparsity(task="a", name="a", lengths=(4, 6), parents=(1, 1), distances=(1, 1), coupled=True)
    assert sparse.words == "1 token, within 1 in coupled ids"
    assert (sparse.is_sparse, sparse.is_local) == (True, True)
    growing = StepSparsity(
        task="a", name="a", lengths=(4, 6), parents=(4, 6), distances=(4, 6), coupled=False
    )
    assert growing.words == "4 tokens at length 4, 6 at 6, within 4 in positions at length 4, 6 at 6"
    assert (growing.is_sparse, growing.is_local) == (False, False)
    assert growing.document()["ids"] == "true"


@pytest.mark.parametrize("name", ["parity", "copy-repeat", "addition"])
def test_what_is_said_of_steps_is_measured(name: str) -> None:
    known = forecast(name)
    original, changed = measured_sparsity(known, remedies(known)[:1], None)
    said = local_steps(load_task(changed.task))
    assert said is not None
    assert changed.coupled
    assert all(each is not None and each <= said.parents for each in changed.parents)
    assert all(each is not None and each <= said.distance for each in changed.distances)
    assert not (original.is_sparse and original.is_local)


def test_each_form_once() -> None:
    known = forecast("copy-repeat")
    found = measured_sparsity(known, remedies(known), None)
    assert [(each.task, each.coupled) for each in found] == [
        ("copy-repeat", False),
        ("copy-repeat", True),
        ("copy-repeat+index-hints", False),
    ]


def test_what_is_not_tested_is_no_sparsity() -> None:
    found = StepSparsity(
        task="a", name="a", lengths=(4, 6), parents=(2, 2), distances=(1, 1), coupled=True,
        tested=(True, False),
    )  # fmt: skip
    assert found.words == "2 tokens at length 4, at least 2 at 6"
    assert not found.is_sparse
    assert not found.is_local
    assert found.document()["tested"] == [True, False]


def test_many_symbols_do_not_hide_what_matters() -> None:
    """The parity of four bits behind special symbols depends on all of these, 2k tokens."""
    found = step_sparsity(load_task("sparse-parity:4-4"), "sparse-parity:4-4", coupled=False)
    assert found.parents == (None, None)


@pytest.mark.parametrize("name", ["variable-assignment:8", "variable-assignment:20"])
def test_tasks_with_few_lengths(name: str) -> None:
    found = step_sparsity(load_task(name), name, coupled=False)
    assert found.lengths[0] <= found.lengths[1]


def test_a_layout_for_nearly_every_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids that are ranks: hardly two inputs stand alike."""
    monkeypatch.setattr(same_layout, "MOST_DRAWS", 4)
    ranks = Task.from_function(
        lambda n, rng: [str(each) for each in rng.permutation(20)[:n]],
        lambda x: sorted(x, key=int),
        name="ranks",
        tokens=tuple(map(str, range(20))),
        longest_answer=lambda n: n,
        ids=lambda x, y: [
            0,
            *(1 + sorted(x, key=int).index(each) for each in x),
            0,
            *range(1, len(y) + 1),
            0,
        ],
    )
    found = step_sparsity(ranks, "ranks", coupled=True)
    assert found.coupled
    assert not all(found.tested)


def test_nothing_to_measure() -> None:
    assert measured_sparsity(forecast("sort"), (), None) == ()
