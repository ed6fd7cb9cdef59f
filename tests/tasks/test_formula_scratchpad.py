from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.boolean_expressions import BooleanExpressions, part_values
from longreach.tasks.catalog import load_task
from longreach.tasks.formula_scratchpad import FormulaScratchpad
from longreach.tasks.id_locality import locality
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS_ID, SEP_ID
from tests.helpers.task_checks import assert_samples_are_right, statuses

TASK = FormulaScratchpad(BooleanExpressions())


def _whole(x: Sequence[str]) -> tuple[str, ...]:
    """The formula that x begins with."""
    need = 1
    for place, token in enumerate(x):
        need += {"and": 1, "or": 1, "not": 0}.get(token, -1)
        if not need:
            return tuple(x[: place + 1])
    raise AssertionError(x)


def _python(x: Sequence[str]) -> bool:
    """The value by Python's own operators."""

    def written(place: int) -> tuple[str, int]:
        if x[place] in "01":
            return str(x[place] == "1"), place + 1
        first, place_2 = written(place + 1)
        if x[place] == "not":
            return f"(not {first})", place_2
        second, end = written(place_2)
        return f"({first} {x[place]} {second})", end

    return bool(eval(written(0)[0]))


def _values(x: Sequence[str]) -> list[str]:
    return [f"={int(_python(_whole(x[place:])))}" for place in range(len(x) - 1, -1, -1)]


def test_samples() -> None:
    assert_samples_are_right(TASK, _values)


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
                parents.append(value[place + 1 + len(_whole(x[place + 1 :]))])
            key = tuple(parents)
            assert seen.setdefault(key, written[8 - place]) == written[8 - place]
    assert len(seen) == 2 + 2 + 4 + 4


def test_what_is_said_of_it() -> None:
    assert load_task("boolean-expressions+scratchpad") == TASK
    assert {answer for answer, _ in statuses("boolean-expressions+scratchpad").values()} == {"undecided"}
    assert locality(TASK, TASK.coupled_ids, lengths=(4, 7)).grows
    with pytest.raises(InputError, match="goes on after the formula"):
        TASK.answer(["0", "1"])
    with pytest.raises(InputError, match="one order"):
        load_task("boolean-expressions+scratchpad+reversed")
    hinted = load_task("boolean-expressions+scratchpad+index-hints")
    assert isinstance(hinted, SequenceTask)
    batch = hinted.sample([3], np.random.default_rng(0))
    read = hinted.decode(batch.tokens[0, 1 : batch.tokens[0].tolist().index(SEP_ID)])
    assert batch.targets[0][batch.mask[0]][-1] == EOS_ID
    assert hinted.decode(batch.targets[0][batch.mask[0]]) == list(hinted.answer(read))
