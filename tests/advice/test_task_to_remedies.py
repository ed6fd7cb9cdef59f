from __future__ import annotations

import numpy as np
import pytest

from longreach.advice.task_to_remedies import has_coupled_ids, program_needs, remedies, seems_local
from longreach.advice.trial_members import AdviceQuestion, remedy_members
from longreach.config.task_name import TaskName
from longreach.forecast import forecast
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.local_steps import local_steps
from longreach.tasks.task import Task
from longreach.verdicts.verdict import Answer


@pytest.mark.parametrize(
    ("task", "names"),
    [
        ("parity", ["parity+scratchpad with coupled-local", "parity+scratchpad+index-hints with ape"]),
        ("copy-repeat", ["copy-repeat with coupled-local", "copy-repeat+index-hints with ape"]),
        (
            "parity+scratchpad",
            ["parity+scratchpad with coupled-local", "parity+scratchpad+index-hints with ape"],
        ),
        ("copy-repeat+index-hints", []),
        ("multiplication", ["multiplication+reversed with coupled", "multiplication with coupled"]),
        ("multiplication+reversed", ["multiplication+reversed with coupled"]),
        ("boolean-expressions", ["boolean-expressions+scratchpad with coupled"]),
        ("duplicate-string", ["duplicate-string with coupled"]),
        (
            "reverse",
            [
                "reverse+reversed with coupled-local",
                "reverse with coupled",
                "reverse+reversed+index-hints with ape",
                "reverse+index-hints with ape",
            ],
        ),
        ("parity-scratchpad:2", ["parity-scratchpad:2 with coupled-local"]),
        ("kgram-retrieval", []),
        ("regex:(a|b)*bb(a|b)*", ["regex:(a|b)*bb(a|b)* with ape", "regex:(a|b)*bb(a|b)* with alibi"]),
        ("sort", []),
    ],
)
def test_remedies(task: str, names: list[str]) -> None:
    assert [each.name for each in remedies(forecast(task))] == names


def test_the_language_of_parity_gets_its_run_written_down() -> None:
    first = remedies(forecast("parity-language"))[0]
    assert (first.task, first.encoding, first.ground) == (
        "parity-language+scratchpad",
        "coupled-local",
        "local steps",
    )
    assert "depends on 2 tokens" in first.basis


@pytest.mark.parametrize("name", [name for name in TASKS if not name.startswith(("d-", "tomita"))])
def test_whatever_is_said_is_so(name: str) -> None:
    """Every remedy is a task that loads; a program exists where one is claimed, local steps likewise."""
    known = forecast(name)
    found = remedies(known)
    if known.sides["nope"].trained is Answer.YES:
        assert found == ()
    for each in found:
        task = load_task(each.task)
        assert TaskName(each.task).base == name
        if each.ground == "program":
            assert known.sides["ape"].trained is Answer.YES
        else:
            assert known.sides["ape"].trained is not Answer.YES
        if each.ground == "local steps":
            assert local_steps(task) is not None
        if each.encoding in ("coupled", "coupled-local"):
            assert has_coupled_ids(task)
        assert each.change
        assert each.basis


def test_what_a_program_needs() -> None:
    assert program_needs(0, 1) == program_needs(None, None) == "a program with positions exists"
    assert program_needs(2, 1) == "a program needs the last 3 symbols"


def _bits(length: int, rng: np.random.Generator) -> list[str]:
    return [str(bit) for bit in rng.integers(0, 2, length)]


def test_a_function_without_ids_has_no_known_remedy() -> None:
    task = Task.from_function(_bits, lambda x: x[::-1], name="turned")
    assert remedies(forecast(task)) == ()


def test_steps_of_one_s_own_are_worth_a_try() -> None:
    """Without ids they are written down under learned positions; with ids these are taken."""
    steps = {"steps": lambda x: x, "name": "turned"}
    task = Task.from_function(_bits, lambda x: x[::-1], **steps)
    (found,) = remedies(forecast(task))
    assert (found.encoding, found.ground, found.task.endswith("+scratchpad")) == ("ape", "open", True)
    assert "coupled" not in found.change
    with_ids = Task.from_function(
        _bits, lambda x: x[::-1], ids=lambda x, y: list(range(len(x) + len(y) + 3)), **steps
    )
    assert [each.encoding for each in remedies(forecast(with_ids))] == ["coupled", "coupled"]


def test_steps_of_one_s_own_that_are_near_are_seen_nearby() -> None:
    """The ones so far modulo three, each with the id of its bit: what a step needs is next to it."""
    task = Task.from_function(
        _bits,
        lambda x: str(x.count("1") % 3),
        name="ones-modulo-3",
        steps=lambda x: [f"s{x[: end + 1].count('1') % 3}" for end in range(len(x))],
        ids=lambda x, y: [0, *range(1, len(x) + 1), 0, *range(1, len(y) + 1), 0],
    )
    first = remedies(forecast(task))[0]
    assert (first.encoding, first.ground) == ("coupled-local", "open")
    assert "in examples" in first.basis
    assert [seems_local(load_task(name)) for name in ("reverse", "duplicate-string")] == [False] * 2


def test_a_try_says_what_is_far() -> None:
    found = remedies(forecast("boolean-expressions"))[0]
    assert found.ground == "open"
    assert "a value depends on 3 tokens" in found.basis


def test_a_family_is_advised_to_write_its_steps() -> None:
    (remedy,) = remedies(forecast("parity-scratchpad:scratchpad=no"))
    assert (remedy.task, remedy.encoding) == ("parity-scratchpad", "coupled-local")
    assert remedy.change.startswith("its steps written down before the answer")
    (remedy,) = remedies(forecast("variable-assignment:2,variables=20,scratchpad=no"))
    assert remedy.task == "variable-assignment:variables=20"
    assert remedy.change.startswith("its steps written down before the answer")


def test_ids_that_tell_the_answer_are_predicted() -> None:
    (remedy,) = remedies(forecast("variable-assignment:3,variables=60"))
    assert (remedy.encoding, remedy.predict_ids) == ("coupled", True)
    assert remedy.name == "variable-assignment:3,variables=60 with coupled+predicted"
    assert "--predict-ids" in remedy.command
    assert "tell part of it" in remedy.basis
    (member,) = remedy_members(AdviceQuestion(task=remedy.task, seeds=1), remedy, 1.0)
    assert member.predict_ids
    assert not any(each.predict_ids for each in remedies(forecast("copy-repeat")))
