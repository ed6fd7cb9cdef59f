import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.crasp import core as c
from longreach.crasp import parse
from longreach.crasp.closure.transform import (
    complement,
    difference,
    intersection,
    predictor_of,
    strict_masks,
    symmetric_difference,
    union,
    with_empty_word,
)
from longreach.crasp.core import Core
from longreach.crasp.program import raise_core
from longreach.errors import InputError
from tests.helpers.examples import at_most
from tests.helpers.small_programs import literally_accepts, programs, words_up_to

PREDICTOR = parse('output "a" = "b"').core
WORDS = list(words_up_to("ab", 5))


def accepted(core: Core) -> list[bool]:
    return [literally_accepts(core, word) for word in WORDS]


def within(core: Core, *originals: Core) -> bool:
    return set(core.relations) <= {kind for original in originals for kind in original.relations}


@pytest.mark.slow
@given(programs(), programs())
@settings(deadline=None, max_examples=at_most(60))
def test_boolean_combinations(left: Core, right: Core) -> None:
    first, second = accepted(left), accepted(right)
    both = list(zip(first, second, strict=True))
    for core, wanted in (
        (complement(left), [not p for p in first]),
        (intersection(left, right), [p and q for p, q in both]),
        (union(left, right), [p or q for p, q in both]),
        (difference(left, right), [p and not q for p, q in both]),
        (symmetric_difference(left, right), [p != q for p, q in both]),
    ):
        assert accepted(core) == wanted
        assert within(core, left, right)
        assert core.size <= left.size + right.size + 8


@given(st.lists(programs(layers=1), min_size=1, max_size=4))
@settings(deadline=None, max_examples=20)
def test_combinations_of_many(cores: list[Core]) -> None:
    columns = list(zip(*(accepted(core) for core in cores), strict=True))
    assert accepted(intersection(*cores)) == [all(column) for column in columns]
    assert accepted(union(*cores)) == [any(column) for column in columns]


@settings(deadline=None, max_examples=30)
@given(st.lists(programs(), min_size=1, max_size=3))
def test_predictors_say_each_token_where_its_program_accepts(cores: list[Core]) -> None:
    labels = ["x", "y", "z"][: len(cores)]
    predictor = raise_core(predictor_of(dict(zip(labels, cores, strict=True))))
    for word in words_up_to("ab", 4):
        if word:
            said = predictor.predicts(word)[-1]
            wanted = [
                label for label, core in zip(labels, cores, strict=True) if literally_accepts(core, word)
            ]
            assert said == wanted, word


def test_alphabets_are_merged_or_must_agree() -> None:
    closed = parse('#alphabet a b\nP = # "a" >= 1').core
    assert intersection(closed, parse('P = # "b" >= 1').core).closed
    merged = union(parse('P = # "a" >= 1').core, parse('P = # "c" >= 1').core)
    assert (merged.alphabet, merged.closed) == (("a", "c"), False)
    with pytest.raises(InputError, match="'c'"):
        union(closed, parse('P = # "c" >= 1').core)
    with pytest.raises(InputError, match="'c'"):
        difference(closed, parse('#alphabet a b c\nP = # "a" >= 1').core)


def test_names_stay_and_stay_distinct() -> None:
    core = intersection(parse('P = # "a" >= 1').core, parse('P = # "b" >= 1').core)
    assert dict(core.names).keys() == {"P", "P_2"}
    assert parse(raise_core(core).text).core == core


@given(programs(), st.booleans())
@settings(deadline=None, max_examples=at_most(40))
def test_with_empty_word(core: Core, value: bool) -> None:
    changed = with_empty_word(core, value)
    assert accepted(changed) == [value, *accepted(core)[1:]]
    assert within(changed, core)


@pytest.mark.slow
@given(programs())
@settings(deadline=None, max_examples=at_most(100))
def test_strict_masks(core: Core) -> None:
    strict = strict_masks(core)
    assert accepted(strict) == [literally_accepts(core, word, strict=True) for word in WORDS]
    assert within(strict, core)
    assert strict.depth <= max(1, core.depth)
    assert strict.size <= 3 * core.size + 8


def test_strict_mask_at_position_0_counts_nothing() -> None:
    # # ⊤ − 1 would be −1 at position 0.
    core = Core((c.Top(), c.Count(0), c.One(), c.Subtract(2, 2), c.Leq(3, 1)), ("a",), True, 4)
    assert literally_accepts(strict_masks(core), ())


@pytest.mark.parametrize(
    "transform",
    [complement, strict_masks, lambda p: with_empty_word(p, True), lambda p: union(p, p)],
)
def test_predictors_are_rejected(transform) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match="predictor"):
        transform(PREDICTOR)
