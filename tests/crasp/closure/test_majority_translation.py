import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.crasp import core as c
from longreach.crasp import parse
from longreach.crasp.closure import majority_translation
from longreach.crasp.closure.blocks import least_padding, remove_relations
from longreach.crasp.closure.majority_logic import Mod, Succ, satisfies
from longreach.crasp.closure.majority_translation import to_majority_logic
from longreach.crasp.core import Core, CoreBuilder
from longreach.crasp.library import load_program
from longreach.errors import InputError
from tests.helpers.small_programs import ALL_CLASSES, literally_accepts, programs, words_up_to

WORDS = list(words_up_to("ab", 5))


@pytest.mark.slow
@pytest.mark.parametrize("relations", ALL_CLASSES)
@given(data=st.data())
@settings(deadline=None, max_examples=25)
def test_translation_of_random_programs(data: st.DataObject, relations) -> None:  # type: ignore[no-untyped-def]
    core = data.draw(programs(relations))
    sentence = to_majority_logic(core)
    for word in WORDS:
        assert satisfies(word, sentence) == literally_accepts(core, word), word
    assert "local" in relations or not any(isinstance(node, Succ) for node in sentence.nodes)
    assert "periodic" in relations or not any(isinstance(node, Mod) for node in sentence.nodes)


@given(programs(alphabet=("a",), closed=False))
@settings(deadline=None, max_examples=15)
def test_other_tokens_of_an_open_alphabet(core: Core) -> None:
    sentence = to_majority_logic(core)
    for word in words_up_to("az", 4):
        assert satisfies(word, sentence) == literally_accepts(core, word)


@pytest.mark.parametrize("name", ["majority", "dyck-1", "contains-bb", "aaaa", "tomita-4", "tomita-7"])
def test_translation_of_library_programs(name: str) -> None:
    core = load_program(f"lib:{name}").core
    sentence = to_majority_logic(core)
    for word in words_up_to(core.alphabet, 7):
        assert satisfies(word, sentence) == literally_accepts(core, word), word


def nested_conditionals(levels: int) -> Core:
    """C_{k+1} = P_k ? C_k + C_k : C_k + #b: read along 2^levels paths, each with its own conditions."""
    b = CoreBuilder()
    a, other = b.count(b.add_op(c.Token("a"))), b.count(b.add_op(c.Token("b")))
    value = a
    for level in range(levels):
        test = b.leq(b.integer(level % 5), b.add_op(c.Add(a, b.scale(level % 3, other))))
        value = b.conditional(test, b.add_op(c.Add(value, value)), b.add_op(c.Add(value, other)))
    accept = b.leq(value, b.integer(40))
    return Core(tuple(b.ops), ("a", "b"), True, accept)


@pytest.mark.slow
def test_conditionals_do_not_multiply() -> None:
    sizes = []
    for levels in (10, 20, 40):
        core = nested_conditionals(levels)
        sentence = to_majority_logic(core)
        sizes.append(sentence.size)
        for word in WORDS[::3]:
            assert satisfies(word, sentence) == literally_accepts(core, word), word
    assert sizes[2] < 5 * sizes[1] < 25 * sizes[0]


@given(data=st.data())
@settings(deadline=None, max_examples=25)
def test_conditions_added_up_in_binary(data: st.DataObject) -> None:
    core = data.draw(programs())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(majority_translation, "MAX_GUARDS", 1)
        sentence = to_majority_logic(core)
    for word in WORDS:
        assert satisfies(word, sentence) == literally_accepts(core, word), word


def test_large_factors_stay_short() -> None:
    core = parse(f'P = {2**80} * # "a" <= {2**80 + 1} * # "b"').core
    sentence = to_majority_logic(core)
    assert sentence.size < 30
    assert [satisfies(word, sentence) for word in ("", "a", "b", "ab", "aab")] == [
        True,
        False,
        True,
        True,
        False,
    ]


def test_padded_words_lead_into_the_logic_of_order_alone() -> None:
    # Lemma 34 for formulas that come from programs: h(w) ⊨ φ exactly when w ⊨ ψ, and ψ has order alone.
    core = parse('#alphabet a b\nP = # (#[i-1] "a" >= 1 && i % 2 == 0) >= 1').core
    removal = remove_relations(core, "b", padding=least_padding(core, "b"))
    before, after = to_majority_logic(core), to_majority_logic(removal.core)
    assert (before.logic, after.logic) == ("MAJ₂[<, +1, Mod]", "MAJ₂[<]")
    for word in WORDS:
        assert satisfies(removal.padding.pad(word), before) == satisfies(word, after)


def test_predictors_are_rejected() -> None:
    with pytest.raises(InputError, match="predictor"):
        to_majority_logic(parse('output "a" = "b"').core)
