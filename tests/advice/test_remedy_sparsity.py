from __future__ import annotations

import pytest

from longreach.advice.remedy_sparsity import StepSparsity, measured_sparsity
from longreach.advice.task_to_remedies import remedies
from longreach.forecast import forecast
from longreach.tasks.catalog import load_task
from longreach.tasks.local_steps import local_steps


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


def test_nothing_to_measure() -> None:
    assert measured_sparsity(forecast("sort"), (), None) == ()
