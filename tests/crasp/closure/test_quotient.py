import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.crasp import parse
from longreach.crasp.closure.quotient import left_quotient, right_quotient
from longreach.crasp.core import Core
from longreach.crasp.library import load_program
from longreach.errors import InputError
from tests.helpers.examples import at_most
from tests.helpers.small_programs import ALL_CLASSES, agree, literally_accepts, programs, words_up_to

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


@pytest.mark.parametrize("quotient", [left_quotient, right_quotient])
def test_errors(quotient) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match="predictor"):
        quotient(parse('output "a" = "b"').core, "a")
    with pytest.raises(InputError, match="'c'"):
        quotient(parse('#alphabet a b\nP = # "a" >= 1').core, "ac")
