from __future__ import annotations

import pytest

from longreach.config.task_name import CHANGES
from longreach.errors import InputError
from longreach.tasks import changed_task as changed_task_module
from longreach.tasks.catalog import load_task, name_of, self_contained
from longreach.tasks.changed_task import changed_task
from longreach.tasks.task_to_name import name_of_task


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
    assert load_task("regex:a*+scratchpad", "ab").letters == ("a", "b")  # type: ignore[attr-defined]
