from __future__ import annotations

from longreach.advice.remedy_sparsity import StepSparsity, measured_sparsity
from longreach.advice.task_to_remedies import remedies
from longreach.forecast import forecast


def test_words() -> None:
    sparse = StepSparsity(task="a", name="a", lengths=(4, 6), parents=(1, 1), distances=(1, 1), coupled=True)
    assert sparse.words == "1 token, within 1 in coupled ids"
    assert (sparse.is_sparse, sparse.is_local) == (True, True)
    growing = StepSparsity(
        task="a", name="a", lengths=(4, 6), parents=(4, 6), distances=(4, 6), coupled=False
    )
    assert growing.words == (
        "4 tokens at length 4, 6 at 6: more and more, within 4 in positions at length 4, 6 at 6"
    )
    assert (growing.is_sparse, growing.is_local) == (False, False)
    assert growing.document()["ids"] == "true"


def test_each_form_once() -> None:
    known = forecast("copy-repeat")
    found = measured_sparsity(known, remedies(known), None)
    assert [(each.task, each.coupled) for each in found] == [
        ("copy-repeat", False),
        ("copy-repeat", True),
        ("copy-repeat+index-hints", False),
    ]
    assert [(each.is_sparse, each.is_local) for each in found] == [(True, False), (True, True), (True, False)]


def test_nothing_to_measure() -> None:
    assert measured_sparsity(forecast("sort"), (), None) == ()
