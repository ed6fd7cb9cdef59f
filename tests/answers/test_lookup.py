"""Which earlier token is the answer, by literal rules, and the program for keys that keep their values."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from longreach.answers.lookup import lookup_of, value_program

Word = tuple[str, ...]


def drawn(count: int = 300, *, consistent: bool, keys: str = "abc", seed: int = 0) -> list[Word]:
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        value = {key: "01"[rng.integers(2)] for key in keys}
        pairs = [
            (key, value[key] if consistent else "01"[rng.integers(2)])
            for key in rng.choice(list(keys), int(rng.integers(1, 12))).tolist()
        ]
        query = pairs[int(rng.integers(len(pairs)))][0]
        found.append((*(symbol for pair in pairs for symbol in pair), query))
    return found


def last_value(x: Word) -> str | None:
    said = dict(zip(x[:-1:2], x[1:-1:2], strict=True))
    return said.get(x[-1])


def first_value(x: Word) -> str | None:
    said = dict(reversed(list(zip(x[:-1:2], x[1:-1:2], strict=True))))
    return said.get(x[-1])


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (last_value, "the token after the last earlier occurrence of the query"),
        (first_value, "the token after the first earlier occurrence of the query"),
        (lambda x: x[-2], "the second to last token"),
        (lambda x: x[1], "the second token"),
    ],
)
def test_rules(answer: Callable[[Word], str | None], words: str) -> None:
    def asked(x: Word) -> Word | None:
        said = answer(x)
        return None if said is None else (said, "EOS")

    known = {x: said for x in drawn(consistent=False) if (said := asked(x)) is not None}
    found = lookup_of(known, asked, lambda: 1.0)
    assert found is not None
    assert found.rule.words.startswith(words)
    assert not found.alone


def test_no_rule_for_a_count() -> None:
    def asked(x: Word) -> Word:
        return str(x.count("0") % 2), "EOS"

    known = {x: asked(x) for x in drawn(consistent=False)}
    assert lookup_of(known, asked, lambda: 1.0) is None


def test_a_rule_that_changes_contradict_is_none() -> None:
    """The second token is always the answer, but only because it is the fourth as well."""

    def asked(x: Word) -> Word:
        return x[3], "EOS"

    words = [(a, b, a, b, *rest) for a, b, *rest in product("ab", "01", "ab", "01", "ab", "01")]
    known = {x: asked(x) for x in words}
    found = lookup_of(known, asked, lambda: 1.0)
    assert found is None or "second token" not in found.rule.words


@pytest.mark.parametrize("keys", ["ab", "abc", "abcd"])
def test_the_program_for_keys_that_keep_their_values(keys: str) -> None:
    inputs = drawn(60, consistent=True, keys=keys)
    program = value_program(inputs)
    assert program is not None
    assert not program.core.relations
    for x in drawn(200, consistent=True, keys=keys, seed=1):
        if {*x[::2]} <= {*keys}:
            right = last_value(x)
            assert right is not None
            assert program.predicts(["SOS", *x, "SEP", right])[-2:] == [[right], ["EOS"]]


def test_no_such_program_for_keys_that_change() -> None:
    assert value_program(drawn(consistent=False)) is None
    assert value_program([("a", "0", "b")] * 3 + [("a", "0")]) is None
