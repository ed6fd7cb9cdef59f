from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.config.task_name import Origin, TaskName


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("sort", Origin.BUILT_IN),
        ("d-12", Origin.BUILT_IN),
        ("regex:(a|b)*", Origin.REGEX),
        ("regex:a", Origin.REGEX),
        ("crasp:mine", Origin.PROGRAM),
        ("crasp:lib:dyck-1", Origin.PROGRAM),
        ("my.tasks:reverse", Origin.ATTRIBUTE),
        ("my.tasks:1", Origin.BUILT_IN),
        ("", Origin.BUILT_IN),
    ],
)
def test_where_a_task_comes_from(text: str, origin: Origin) -> None:
    assert TaskName(text).origin is origin


@given(st.text())
def test_a_name_is_of_one_kind_and_its_short_form_of_one_line(text: str) -> None:
    name = TaskName(text)
    assert sum([name.is_regex, name.is_program, name.is_attribute]) <= 1
    program = TaskName(f"crasp:#alphabet a\n{text}")
    assert program.is_text
    assert program.source == f"#alphabet a\n{text}"
    assert len(program.short.splitlines()) == 1


@given(st.text())
def test_expressions_read_back(expression: str) -> None:
    assert TaskName(f"regex:{expression}").expression == expression
