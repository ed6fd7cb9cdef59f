"""Tests of `answers.remedies`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longreach.answers import remedies as remedies_module
from longreach.answers import step_sparsity as same_layout
from longreach.answers.advice import advise, measured_sparsity, remedy_members
from longreach.answers.ask import ask
from longreach.answers.forecast import forecast
from longreach.answers.question import Question
from longreach.answers.remedies import (
    NO_INTEGER_PERIOD,
    Remedy,
    has_coupled_ids,
    program_needs,
    remedies,
)
from longreach.answers.step_sparsity import SameLayout, StepSparsity, seems_local, step_sparsity
from longreach.answers.suggestions import known_runs
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.positions import local_steps
from longreach.tasks.task import Task
from longreach.theory.names import TaskName
from longreach.theory.verdicts.verdict import Answer
from tests.helpers.asked_results import write_results


def test_command_and_document() -> None:
    remedy = Remedy(
        task="regex:(aa)*+scratchpad", encoding="coupled", change="change", basis="why", ground="local steps"
    )
    assert remedy.command == "longreach train 'regex:(aa)*::scratchpad' --encoding coupled --seeds 3"
    assert remedy.name == "regex:(aa)*+scratchpad with coupled"
    document = remedy.document()
    assert {"change", "task", "encoding", "ground", "basis", "command"} <= set(document)


def test_runs_of_the_best_setting_are_counted(tmp_path: Path) -> None:
    remedy = remedies(forecast("parity"))[0]
    assert known_runs(remedy, tmp_path, 0.0) is None
    assert known_runs(remedy, tmp_path / "none", 0.0) is None
    question = Question(task="parity", seeds=3)
    write_results(tmp_path, remedy_members(question, remedy, 0.1), lambda member: False)
    whole = remedy_members(question, remedy, 1.0)
    longest = whole[0].test_lengths[-1].name.replace("-", "–")
    assert known_runs(remedy, tmp_path, 0.0) == f"0 of 3 runs work at {longest}"
    write_results(tmp_path, whole, lambda member: member.seed < 2)
    assert known_runs(remedy, tmp_path, 0.0) == f"2 of 3 runs work at {longest}"
    assert known_runs(remedies(forecast("addition"))[0], tmp_path, 0.0) is None


@pytest.mark.parametrize(
    ("given", "words", "sparse"),
    [
        ({"parents": (1, 1), "distances": (1, 1)}, "1 token, within 1 in coupled ids", True),
        (
            {"parents": (4, 6), "distances": (4, 6), "coupled": False},
            "4 tokens at length 4, 6 at 6, within 4 in positions at length 4, 6 at 6",
            False,
        ),
        (  # not tested is no sparsity
            {"parents": (2, 2), "distances": (1, 1), "tested": (True, False)},
            "2 tokens at length 4, at least 2 at 6",
            False,
        ),
    ],
)
def test_sparsity_in_words(given: dict[str, Any], words: str, sparse: bool) -> None:
    found = StepSparsity(**{"task": "a", "name": "a", "lengths": (4, 6), "coupled": True, **given})
    assert (found.words, found.is_sparse, found.is_local) == (words, sparse, sparse)
    document = found.document()
    assert document["ids"] == ("coupled" if found.coupled else "true")
    assert document["tested"] == list(found.tested)


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


@pytest.mark.parametrize("name", ["addition", "addition+reversed", "copy-repeat", "aa"])
def test_inputs_stand_alike_and_are_the_task_s(name: str) -> None:
    task = load_task(name)
    alike = SameLayout(task, 8)
    batch = alike.sample([8] * 300, np.random.default_rng(1))
    assert len(batch) == 300
    assert len({mask.tobytes() for mask in batch.mask}) == len(set(batch.sizes.tolist())) == 1
    ids = alike.coupled_ids(batch)
    assert ids is None or len({row.tobytes() for row in ids}) == 1
    for row in range(10):
        read = task.decode(batch.tokens[row, 1:9].tolist())
        assert task.decode(batch.targets[row][batch.mask[row]].tolist()) == list(task.answer(read))


def test_all_inputs_of_the_layout_come_up() -> None:
    """Four bits copied: all sixteen words."""
    batch = SameLayout(load_task("copy-repeat"), 4).sample([4] * 400, np.random.default_rng(0))
    assert len({row[1:5].tobytes() for row in batch.tokens}) == 16


def test_products_are_not_all_zero() -> None:
    """The commonest layout has an answer of one bit, nearly always 0: it is passed over."""
    task = load_task("multiplication")
    batch = SameLayout(task, 9).sample([9] * 200, np.random.default_rng(0))
    assert len({row.tobytes() for row in batch.targets}) > 8


PARITY = ["parity+scratchpad with coupled-local", "parity+scratchpad+index-hints with ape"]


@pytest.mark.parametrize(
    ("task", "names"),
    [
        ("parity", PARITY),
        ("copy-repeat", ["copy-repeat with coupled-local", "copy-repeat+index-hints with ape"]),
        ("parity+scratchpad", PARITY),
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
        ("regex:(a|b)*bb(a|b)*", [f"regex:(a|b)*bb(a|b)* with {each}" for each in ("reach", "ape", "alibi")]),
        ("sort", []),
    ],
)
def test_remedies(task: str, names: list[str]) -> None:
    assert [each.name for each in remedies(forecast(task))] == names


def test_the_language_of_parity_gets_its_run_written_down() -> None:
    first = remedies(forecast("parity-language"))[0]
    assert (first.name, first.ground) == ("parity-language+scratchpad with coupled-local", "local steps")
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
            assert known.sides["reach" if each.encoding == "reach" else "ape"].trained is Answer.YES
        else:
            assert known.sides["ape"].trained is not Answer.YES
        if each.ground == "local steps":
            assert local_steps(task) is not None
        if each.encoding in ("coupled", "coupled-local"):
            assert has_coupled_ids(task)
        assert each.change
        assert each.basis


def test_a_period_is_advised_as_it_was_measured() -> None:
    """Only learned positions are tried: RoPE and sinusoidal positions have no integer period."""
    last, learned, other = remedies(forecast("regex:(aa)*"))
    assert (learned.encoding, other.can_be_tried) == ("ape", False)
    assert NO_INTEGER_PERIOD in learned.basis
    assert NO_INTEGER_PERIOD in other.basis
    advised = advise("regex:(aa)*", minutes=0)
    assert advised.remedies == (last, learned)
    asked = ask("regex:(aa)*", minutes=0)
    assert [each.change for each in asked.advice] == [last.change, learned.change, other.change]


def test_what_a_program_needs() -> None:
    assert program_needs(0, 1) == program_needs(None, None) == "a program with positions exists"
    assert program_needs(2, 1) == "a program needs the last 3 symbols"


def _bits(length: int, rng: np.random.Generator) -> list[str]:
    return [str(bit) for bit in rng.integers(0, 2, length)]


def test_a_function_without_ids_has_no_known_remedy() -> None:
    task = Task.from_function(_bits, lambda x: x + x, name="twice")
    assert remedies(forecast(task, budget=0)) == ()


def test_a_function_that_does_not_return_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remedies_module, "LOOKING", 0.3)

    def answer(x: list[str]) -> list[str]:
        while x == ["0"] * 7:
            pass
        return x

    task = Task.from_function(_bits, answer)
    remedies_module._look_for_steps(task)
    assert vars(task)["aligned"] is None
    monkeypatch.setattr(remedies_module, "LOOKING", 600.0)
    copied = Task.from_function(_bits, lambda x: x)
    remedies_module._look_for_steps(copied)
    assert vars(copied)["aligned"].is_map


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
    assert remedy.change.startswith("write intermediate steps before the answer")
    (remedy,) = remedies(forecast("variable-assignment:2,variables=20,scratchpad=no"))
    assert remedy.task == "variable-assignment:variables=20"
    assert remedy.change.startswith("write intermediate steps before the answer")


def test_ids_that_tell_the_answer_are_predicted() -> None:
    (remedy,) = remedies(forecast("variable-assignment:3,variables=60"))
    assert (remedy.encoding, remedy.predict_ids) == ("coupled", True)
    assert remedy.name == "variable-assignment:3,variables=60 with coupled+predicted"
    assert "--predict-ids" in remedy.command
    assert "reveal part of it" in remedy.basis
    (member,) = remedy_members(Question(task=remedy.task, seeds=1), remedy, 1.0)
    assert member.predict_ids
    assert not any(each.predict_ids for each in remedies(forecast("copy-repeat")))
