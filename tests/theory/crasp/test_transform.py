"""Transformations of programs, against what they mean word by word."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.library import load_program
from longreach.theory.crasp.morphisms import (
    Padding,
    inverse_image,
    lemma_padding,
    reach,
    remove_relations,
)
from longreach.theory.crasp.program import parse, raise_core
from longreach.theory.crasp.transform import (
    complement,
    difference,
    intersection,
    left_quotient,
    predictor_of,
    right_quotient,
    strict_masks,
    symmetric_difference,
    union,
    with_empty_word,
)
from tests.helpers.examples import at_most
from tests.helpers.small_programs import (
    ALL_CLASSES,
    agree,
    least_padding,
    literally_accepts,
    programs,
    words_up_to,
)


@st.composite
def morphisms(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    length = draw(st.integers(0, 4))
    image = st.tuples(*[st.sampled_from("ab")] * length)
    return {letter: draw(image) for letter in "xyz"[: draw(st.integers(1, 2))]}


@pytest.mark.slow
@pytest.mark.parametrize("relations", ALL_CLASSES)
@given(data=st.data(), morphism=morphisms())
@settings(deadline=None, max_examples=at_most(40))
def test_inverse_images(data: st.DataObject, morphism: dict[str, tuple[str, ...]], relations) -> None:  # type: ignore[no-untyped-def]
    core = data.draw(programs(relations))
    inverse = inverse_image(core, morphism)
    words = list(words_up_to(list(morphism), 5))
    images = [[token for letter in word for token in morphism[letter]] for word in words]
    agree(inverse, words, [literally_accepts(core, image) for image in images])
    assert set(inverse.relations) <= set(core.relations)
    assert inverse.depth <= max(1, core.depth)
    assert inverse.locality <= core.locality
    assert core.modulus % inverse.modulus == 0


def test_inverse_image_may_lead_to_other_tokens() -> None:
    core = parse('P = # "a" >= 2').core  # an undeclared alphabet: c satisfies no test
    inverse = inverse_image(core, {"x": ["a", "c"]})
    assert [literally_accepts(inverse, "x" * n) for n in range(4)] == [False, False, True, True]
    assert inverse.closed


def test_inverse_image_grows_linearly() -> None:
    core = parse('A = #[{i-1, i-4}] "a" >= 1\nP = # (A && i % 3 == 1) >= # "b"').core
    for n in (10, 20, 40):
        assert inverse_image(core, {"x": "ab" * n, "y": "ba" * n}).size <= 4 * core.size * n


def check_removal(core: Core, relations, padding: Padding | None, length: int) -> None:  # type: ignore[no-untyped-def]
    removal = remove_relations(core, "b", relations, padding)
    assert padding is None or removal.padding == padding
    assert set(removal.core.relations) <= set(core.relations) - set(relations)
    words = list(words_up_to("ab", length))
    agree(removal.core, words, [literally_accepts(core, removal.padding.pad(word)) for word in words])


@pytest.mark.slow
@pytest.mark.parametrize("relations", [("periodic",), ("local",), ("periodic", "local")])
@given(data=st.data(), extra=st.integers(0, 2), before=st.integers(0, 2))
@settings(deadline=None, max_examples=at_most(40))
def test_removal_with_short_paddings(data: st.DataObject, extra: int, before: int, relations) -> None:  # type: ignore[no-untyped-def]
    core = data.draw(programs(layers=2))
    least = least_padding(core, "b", relations)
    check_removal(core, relations, least, 5 if least.length < 8 else 3)
    if "periodic" not in relations:
        check_removal(core, relations, Padding("b", before, least.after + extra), 3)


@given(data=st.data())
@settings(deadline=None, max_examples=30)
def test_removal_with_the_padding_of_the_lemma(data: st.DataObject) -> None:
    core = data.draw(programs(layers=2))
    padding = lemma_padding(core, "b")
    assert padding.after == padding.before - 1
    check_removal(core, ("periodic", "local"), None, 5 if padding.length < 8 else 2)


def test_nested_distances_add_up() -> None:
    # Two steps of distance 1 reach two back: one neutral letter after each letter hides only one of them.
    core = parse('#alphabet a b\nP = #[i-1] "a" >= 1\nQ = #[i-1] P >= 1\nR = # Q >= 1').core
    assert reach(core) == 2
    check_removal(core, ("local",), Padding("b", 0, 2), 6)


def test_the_first_block_has_none_before_it() -> None:
    core = parse('#alphabet a b\nP = # (#[i-1] true < 1) >= # "a"').core
    check_removal(core, ("local",), Padding("b", 0, 1), 7)
    check_removal(core, ("local",), None, 7)


def test_removal_grows_linearly() -> None:
    for modulus in (10, 20, 40):
        core = parse(f'A = #[i-1] "a" >= 1\nP = # (A && i % {modulus} == 1) >= # "b"').core
        removal = remove_relations(core, "b", padding=least_padding(core, "b"))
        assert removal.padding.length == modulus
        assert removal.core.size <= 4 * core.size * modulus


WORDS = list(words_up_to("ab", 5))
FACTORS = st.lists(st.sampled_from("ab"), max_size=5)


@pytest.mark.slow
@pytest.mark.parametrize("relations", ALL_CLASSES)
@given(data=st.data(), factor=FACTORS)
@settings(deadline=None, max_examples=at_most(40))
def test_quotients_agree_with_the_definition(data: st.DataObject, factor: list[str], relations) -> None:  # type: ignore[no-untyped-def]
    core = data.draw(programs(relations))
    left, right = left_quotient(core, factor), right_quotient(core, factor)
    agree(left, WORDS, [literally_accepts(core, (*factor, *word)) for word in WORDS])
    agree(right, WORDS, [literally_accepts(core, (*word, *factor)) for word in WORDS])
    for quotient in (left, right):
        assert set(quotient.relations) <= set(core.relations)
        assert quotient.depth <= max(1, core.depth)
        assert quotient.locality <= core.locality
        assert core.modulus % quotient.modulus == 0


@given(programs(alphabet=("a",), closed=False), st.lists(st.sampled_from("az"), max_size=3))
@settings(deadline=None, max_examples=30)
def test_other_tokens_of_an_open_alphabet(core: Core, factor: list[str]) -> None:
    left, right = left_quotient(core, factor), right_quotient(core, factor)
    words = list(words_up_to("az", 4))
    agree(left, words, [literally_accepts(core, (*factor, *word)) for word in words])
    agree(right, words, [literally_accepts(core, (*word, *factor)) for word in words])


def test_quotients_of_dyck() -> None:
    dyck = load_program("lib:dyck-1").core
    for word in words_up_to("()", 6):
        text = "".join(word)
        balanced = literally_accepts(dyck, "((" + text)
        assert literally_accepts(left_quotient(dyck, "(("), word) == balanced
        assert literally_accepts(right_quotient(dyck, "))"), word) == literally_accepts(dyck, text + "))")


@pytest.mark.parametrize("length", [20, 40, 80])
def test_sizes_grow_as_stated(length: int) -> None:
    core = parse('A = #[{i-1, i-4}] "a" >= 1\nP = # (A && i % 3 == 1) >= # "b"').core
    assert left_quotient(core, "ab" * length).size <= core.size + 2 * (2 * 4 + 2 * length.bit_length() + 8)
    assert right_quotient(core, "ab" * length).size <= 2 * core.size * (2 * length + 1)


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
