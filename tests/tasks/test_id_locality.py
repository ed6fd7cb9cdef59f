from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.id_locality import determining, ids_tell, locality, true_ids
from longreach.tasks.task import Batch, Task


def _bits(length: int, rng: np.random.Generator) -> list[str]:
    return [str(bit) for bit in rng.integers(0, 2, length)]


def _prefixes(x: Sequence[str]) -> list[str]:
    return ["eo"[x[: place + 1].count("1") % 2] for place in range(len(x))]


def _ids(x: Sequence[str], y: Sequence[str]) -> list[int]:
    """Parity with a scratchpad (Golowich et al., arXiv 2502.16792, E.2.1)."""
    return [0, *range(1, len(x) + 1), 0, *range(1, len(y) + 1), 0]


PADDED = Task.from_function(_bits, _prefixes, tokens=["0", "1", "e", "o"], name="padded", ids=_ids)


def _by_trying_all(batch: Batch, place: int, most: int) -> int | None:
    """The least number of earlier tokens that determine one, read off all rows literally."""
    for count in range(most + 1):
        for choice in combinations(range(place), count):
            seen: dict[tuple[int, ...], set[int]] = {}
            for row in range(len(batch)):
                key = tuple(int(batch.tokens[row, each]) for each in choice)
                seen.setdefault(key, set()).add(int(batch.targets[row, place - 1]))
            if all(len(each) == 1 for each in seen.values()):
                return count
    return None


@pytest.mark.parametrize("name", ["reverse", "copy-repeat", "duplicate-string", "parity", "padded"])
def test_the_fewest_places_that_determine_a_token(name: str) -> None:
    task = PADDED if name == "padded" else load_task(name)
    batch = task.sample([4] * 300, np.random.default_rng(0))
    found = determining(batch, true_ids(batch))[0]
    assert [*found] == (np.flatnonzero(batch.mask[0]) + 1).tolist()
    for place, parents in found.items():
        wanted = _by_trying_all(batch, place, most=2)
        assert (None if parents is None else len(parents)) == wanted


def test_a_scratchpad_is_local_under_its_ids_and_not_without() -> None:
    coupled = locality(PADDED, lengths=(4, 8))
    assert coupled.far == ()
    assert coupled.reaches == {4: 1, 8: 1}
    assert not coupled.grows
    # The token before, which has the id before, and the bit with the same id.
    third = coupled.tokens[2]
    assert (third.number, third.parents, third.distances, third.spread) == (2, (3, 7), (0, -1), 1)
    true = locality(PADDED, true_ids, lengths=(4, 8))
    assert true.grows
    assert true.reaches == {4: 5, 8: 9}
    assert {each.number for each in true.far if each.length == 8} == set(range(8))


def test_tokens_with_too_many_parents_are_never_local() -> None:
    found = locality(load_task("parity"), lengths=(5,), window=100)
    (answer,) = found.far
    assert (answer.number, answer.parents, answer.reach, answer.spread) == (0, None, None, None)
    assert found.grows


def test_copies_that_go_on() -> None:
    """Every token follows its last copy, in rows of different layouts."""
    task = load_task("repeated-copy")
    true, coupled = (
        locality(task, scheme, lengths=(12,), examples=20_000, window=1)
        for scheme in (true_ids, task.coupled_ids)
    )
    assert [each.number for each in coupled.far] == []
    assert len(true.far) > 5


def test_parents_that_a_function_says() -> None:
    def parents(batch: Batch) -> list[dict[int, list[int]]]:
        return [{int(place) + 1: [1] for place in np.flatnonzero(row)} for row in batch.mask]

    found = locality(load_task("reverse"), lengths=(3,), parents=parents, examples=2)
    assert [each.distances for each in found.tokens] == [(-2,), (-1,), (0,), (1,)]
    assert [each.token for each in found.tokens][-1] == "EOS"
    with pytest.raises(InputError, match="reverse: no parents for the supervised token at place 5"):
        locality(load_task("reverse"), lengths=(3,), parents=lambda batch: [{}] * len(batch), examples=2)


def test_ids_that_are_not_there_or_do_not_fit() -> None:
    with pytest.raises(InputError, match="sort has no position ids of its own; give a function"):
        locality(load_task("sort"), lengths=(3,))
    with pytest.raises(InputError, match="a column more than tokens is needed"):
        locality(load_task("sort"), lambda batch: batch.position_ids, lengths=(3,), examples=5)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("variable-assignment:2,variables=30", True),
        ("variable-assignment:20", True),
        ("copy-repeat", False),
        ("reverse", False),
        ("addition+reversed", False),
        ("parity+scratchpad", False),
        ("parity-scratchpad:3", False),
        ("sort", False),
    ],
)
def test_ids_that_tell_part_of_the_answer(name: str, told: bool) -> None:
    assert ids_tell(load_task(name)) is told
