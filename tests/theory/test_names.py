"""Tests of `theory.names`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.theory.names import CHANGES, Origin, TaskName, read_letters, written

ALPHABETS = st.lists(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6, unique=True)


@given(ALPHABETS)
def test_what_is_written_reads_back(letters) -> None:
    assert read_letters(written(letters)) == tuple(letters)


@given(ALPHABETS, st.sampled_from([",", " ", ", ", "\t", " , "]))
def test_letters_may_be_divided(letters, divider) -> None:
    text = divider.join(written([letter]) for letter in letters)
    assert read_letters(text) == tuple(letters)


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("ab", "ab"),
        ("a b", "ab"),
        ("a,b", "ab"),
        (" a, b ,c ", "abc"),
        ("a,b,", "ab"),
        (r"a\,b", "a,b"),
        (r"\ a", " a"),
        (r"\\", "\\"),
        ("()", "()"),
    ],
)
def test_ways_to_write_them(text, letters) -> None:
    assert read_letters(text) == tuple(letters)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        (",", "a comma divides letters"),
        ("aba", "the letter 'a' appears twice in 'aba'"),
        ("a b a", "the letter 'a' appears twice"),
        ("ab cd", "'ab' is not a letter"),
        ("a,bc", "'bc' is not a letter"),
    ],
)
def test_bad_alphabets(text, message) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        read_letters(text)


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("sort", Origin.BUILT_IN),
        ("d-12", Origin.BUILT_IN),
        ("regex:(a|b)*", Origin.REGEX),
        ("regex:a", Origin.REGEX),
        ("crasp:mine", Origin.PROGRAM),
        ("crasp:lib:dyck-1", Origin.PROGRAM),
        ("dfa:mine.json", Origin.AUTOMATON),
        ("dfa:mine", Origin.AUTOMATON),
        ("data:mine", Origin.DATA),
        ("database:mine", Origin.ATTRIBUTE),
        ("my.tasks:reverse+reversed+index-hints", Origin.ATTRIBUTE),
        ("parity+scratchpad", Origin.BUILT_IN),
        ("regex:(a|b)++scratchpad", Origin.REGEX),
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
    kinds = [name.is_regex, name.is_program, name.is_automaton, name.is_data, name.is_attribute]
    assert sum(kinds) <= 1
    automaton = TaskName(f"dfa:{{{text}")
    assert automaton.is_text
    assert len(automaton.short.splitlines()) == 1
    program = TaskName(f"crasp:#alphabet a\n{text}")
    assert program.is_text
    assert program.source == f"#alphabet a\n{text}"
    assert len(program.short.splitlines()) == 1


@given(st.text())
def test_expressions_read_back(expression: str) -> None:
    assert TaskName(f"regex:{expression}").expression == expression


def test_the_content_of_a_file_of_examples() -> None:
    pinned = TaskName("data:a b#c.jsonl#0123456789abcdef")
    assert (pinned.file, pinned.content, pinned.short) == (
        "a b#c.jsonl", "0123456789abcdef", "data:a b#c.jsonl#01234567",
    )  # fmt: skip
    for name in ("data:mine.jsonl", "data:mine#cafe", "data:mine#xyzxyzxyz"):
        assert (TaskName(name).file, TaskName(name).content) == (name.removeprefix("data:"), None)
    assert TaskName("dfa:mine#0123456789abcdef").content is None


def test_an_automaton_is_called_by_its_name_or_its_states() -> None:
    text = '"alphabet":["a"],"transitions":[[1],[0]],"accepting":[0]}'
    assert TaskName(f"dfa:{{{text}").short.startswith("dfa:2-states-")
    assert TaskName(f'dfa:{{"name":"even",{text}').short.startswith("dfa:even-")
    assert TaskName(f'dfa:{{"name":"a\\nb",{text}').short.startswith("dfa:2-states-")
    assert TaskName("dfa:{").short.startswith("dfa:automaton-")
    assert TaskName("dfa:mine.json").short == "dfa:mine.json"


@pytest.mark.parametrize(
    ("text", "base", "changes"),
    [
        ("parity+scratchpad", "parity", ("scratchpad",)),
        ("a+index-hints+reversed", "a", ("reversed", "index-hints")),
        ("a+reversed+reversed", "a", ("reversed",)),
        ("regex:a+", "regex:a+", ()),
        ("regex:(a|b)++scratchpad", "regex:(a|b)+", ("scratchpad",)),
        ("regex:a+scratchpad+b", "regex:a+scratchpad+b", ()),
        ("regex:(a|b)+::scratchpad", "regex:(a|b)+", ("scratchpad",)),
        ("addition::index-hints::reversed", "addition", ("reversed", "index-hints")),
        ("a+scratchpads", "a+scratchpads", ()),
        ("scratchpad", "scratchpad", ()),
    ],
)
def test_changes_stand_at_the_very_end(text: str, base: str, changes: tuple[str, ...]) -> None:
    assert (TaskName(text).base, TaskName(text).changes) == (base, changes)


@given(st.text(), st.sets(st.sampled_from(CHANGES)))
def test_changes_read_back(base: str, changes: set[str]) -> None:
    if TaskName(base).changes:
        return
    name = TaskName(TaskName(base).changed(*changes))
    assert (name.base, set(name.changes)) == (base, changes)
    assert TaskName(name.base).changed(*name.changes) == name.text
    assert name.origin is TaskName(base).origin


def test_short_names_keep_their_changes() -> None:
    text = 'dfa:{"alphabet":["a"],"transitions":[[1],[0]],"accepting":[0]}'
    assert TaskName(f"{text}+scratchpad").short == f"{TaskName(text).short}+scratchpad"
    assert TaskName(f"{text}+scratchpad").source == text.removeprefix("dfa:")
    assert TaskName("data:a.jsonl#0123456789abcdef+reversed").content == "0123456789abcdef"
