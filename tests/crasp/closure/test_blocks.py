import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.crasp import parse
from longreach.crasp.closure.blocks import (
    Padding,
    inverse_image,
    least_padding,
    lemma_padding,
    reach,
    remove_relations,
)
from longreach.crasp.core import Core
from longreach.errors import InputError
from tests.helpers.examples import at_most
from tests.helpers.small_programs import ALL_CLASSES, agree, literally_accepts, programs, words_up_to


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


def test_morphism_errors() -> None:
    core = parse('#alphabet a b\nP = # "a" >= 1').core
    with pytest.raises(InputError, match="one length"):
        inverse_image(core, {"x": "a", "y": "ab"})
    with pytest.raises(InputError, match="'c'"):
        inverse_image(core, {"x": "c"})
    with pytest.raises(InputError, match="at least one"):
        inverse_image(core, {})
    with pytest.raises(InputError, match="predictor"):
        inverse_image(parse('output "a" = "b"').core, {"x": "a"})


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
    with pytest.raises(InputError, match="reach 2 positions back"):
        remove_relations(core, "b", padding=Padding("b", 1, 1))
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


def test_padding_errors() -> None:
    core = parse("#alphabet a b\nP = i % 2 == 0").core
    with pytest.raises(InputError, match="multiple of the modulus 2"):
        remove_relations(core, "b", padding=Padding("b", 1, 1))
    with pytest.raises(InputError, match="not in the alphabet"):
        remove_relations(core, "c")
    with pytest.raises(InputError, match="made of"):
        remove_relations(core, "b", padding=Padding("a", 1, 0))
    with pytest.raises(InputError, match="at least 0"):
        Padding("b", -1, 0)
    with pytest.raises(InputError, match="non-empty"):
        Padding("", 1, 0)
    with pytest.raises(InputError, match="predictor"):
        remove_relations(parse('output "a" = "b"').core, "b")
