"""Algorithmic tasks: answers by other means, and exact distributions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial, perm
from typing import Any

import numpy as np
import pytest

from longreach.answers.certificates import ReductionCertificate
from longreach.answers.checkers import check_reduction
from longreach.answers.forecast import forecast
from longreach.answers.kinds import kind_of
from longreach.errors import InputError
from longreach.tasks import formal as shuffle_dyck
from longreach.tasks import layouts as draws
from longreach.tasks.arithmetic import (
    Addition,
    AdditionWithoutLeadingZeros,
    BooleanExpressions,
    Multiplication,
    ParityWithEmpty,
)
from longreach.tasks.catalog import load_task
from longreach.tasks.copying import CopyRepeat, RepeatedCopy, RepeatedSort, Sort
from longreach.tasks.counting import (
    EVERY_FIFTH,
    BinaryMajority,
    BinaryMajorityInterleave,
    Count,
    EvenPairs,
    ModularArithmetic,
    Parity,
    words_with_mode,
)
from longreach.tasks.formal import ShuffleDyck
from longreach.tasks.layouts import UNDEFINED
from longreach.tasks.task import EOS, SEP, SOS, TABLE_WIDTH, Task, draw_lengths, inside
from longreach.theory.automata.regex import from_expression
from longreach.theory.crasp.library import load
from tests.helpers.enumeration import chi_square_is_usual, distribution, normalized
from tests.helpers.task_oracles import balanced, even_pairs, formula, modular_arithmetic, multiplied

PROGRAMS = ["binary-majority", "binary-majority-interleave", "majority", "sort", "copy-unique"]


@pytest.mark.parametrize("name", [*PROGRAMS, "repeated-sort", "repeated-copy"])
def test_the_library_program_of_the_evidence_solves_the_task(name: str) -> None:
    task, rng = load_task(name), np.random.default_rng(8)
    assert task.ape.kind == "program"
    assert task.ape.name is not None
    program = load(task.ape.name)
    end = SEP if name.startswith("repeated") else EOS
    batch = task.sample(draw_lengths(task, 1, 12, 12, rng), rng)
    for row in range(len(batch)):
        read = task.decode(batch.tokens[row, : batch.sizes[row]].tolist())
        targets = task.decode(batch.targets[row][batch.mask[row]].tolist())
        predicted = program.predicts(read)[-len(targets) :]
        assert [[end if token == EOS else token for token in set_] for set_ in predicted] == [
            [token] for token in targets
        ]


def _input(task: Task, length: int) -> object:
    """A run of the sampler for one example."""

    def run(rng: np.random.Generator) -> tuple[str, ...]:
        batch = task.sample([length], rng)
        return tuple(task.decode(batch.tokens[0, 1 : 1 + length].tolist()))

    return run


def test_orders_are_exactly_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "KEY_BITS", 6)  # seven keys: ties are common
    found, again = distribution(lambda rng: tuple(draws.random_orders(np.array([4]), 4, rng)[0].tolist()), 4)
    assert normalized(found) == {order: Fraction(1, 24) for order in permutations(range(4))}
    assert again == 1 - Fraction(perm(7, 4), 7**4)  # the rows that are drawn again
    padded, _ = distribution(lambda rng: tuple(draws.random_orders(np.array([2]), 4, rng)[0].tolist()), 4)
    assert normalized(padded) == {(0, 1, 2, 3): Fraction(1, 2), (1, 0, 2, 3): Fraction(1, 2)}


@pytest.mark.parametrize("width", [1, 7, TABLE_WIDTH, TABLE_WIDTH + 1])
def test_orders_are_those_of_sorted_random_keys(width: int) -> None:
    """Old runs resume and repeat only if the same random numbers give the same orders."""
    sizes = np.random.default_rng(1).integers(0, width + 1, 20)
    keys = np.random.default_rng(2).integers(0, (1 << (62 - width.bit_length())) - 1, (20, width)).tolist()
    expected = [
        [*sorted(range(size), key=row.__getitem__), *range(size, width)]
        for row, size in zip(keys, sizes.tolist(), strict=True)
    ]
    assert draws.random_orders(sizes, width, np.random.default_rng(2)).tolist() == expected


@pytest.mark.parametrize("width", [1, 5, TABLE_WIDTH, TABLE_WIDTH + 1])
def test_columns_inside_rows(width: int) -> None:
    sizes = [0, 1, width // 2, width, width + 3]
    expected = [[column < size for column in range(width)] for size in sizes]
    assert inside(np.array(sizes), width).tolist() == expected


def test_orders_that_are_drawn_again_leave_the_other_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = np.full(4000, 4)
    monkeypatch.setattr(draws, "KEY_BITS", 6)
    orders = draws.random_orders(sizes, 4, np.random.default_rng(0))
    assert (np.sort(orders, axis=1) == np.arange(4)).all()
    counts = Counter(map(tuple, orders.tolist()))
    assert len(counts) == 24
    assert max(abs(count - 4000 / 24) for count in counts.values()) < 65


@pytest.mark.slow
def test_binary_majority_has_a_uniform_number_of_zeros_without_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "KEY_BITS", 6)
    for length in (1, 2, 3, 4):
        found, _ = distribution(_input(BinaryMajority(), length), 1 + length)
        zeros = [k for k in range(length + 1) if 2 * k != length]
        assert normalized(found) == {
            x: Fraction(1, len(zeros) * comb(length, x.count("0")))
            for x in product("01", repeat=length)
            if x.count("0") in zeros
        }


def test_binary_majority_at_usual_lengths() -> None:
    batch = BinaryMajority().sample([20] * 20_000, np.random.default_rng(9))
    zeros = np.bincount((batch.tokens[:, 1:21] == 4).sum(axis=1), minlength=21)
    assert zeros[10] == 0
    assert abs(np.delete(zeros, 10) - 1000).max() < 5 * 1000**0.5


def test_interleaved_sequences_are_independent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "KEY_BITS", 4)
    found, _ = distribution(_input(BinaryMajorityInterleave(), 6), 9)
    assert normalized(found) == {bits + bits: Fraction(1, 8) for bits in product("01", repeat=3)}


def test_words_with_a_mode_are_uniform() -> None:
    for length in (1, 2, 3, 4):
        found, again = distribution(
            lambda rng, length=length: tuple(words_with_mode(np.array([length]), 3, rng)[0][0].tolist()),
            length,
        )
        good = [w for w in product(range(3), repeat=length) if _single_mode(w)]
        assert found == {word: Fraction(1, 3**length) for word in good}
        assert again == 1 - Fraction(len(good), 3**length)


def _single_mode(word: tuple[int, ...]) -> bool:
    counts = sorted(Counter(word).values())
    return len(counts) < 2 or counts[-1] > counts[-2]


def test_the_first_good_one_of_several_tries_is_taken() -> None:
    # Two tries in the second round: the second counts only if the first has a tie.
    found, _ = distribution(lambda rng: tuple(words_with_mode(np.array([2]), 2, rng)[0][0].tolist()), 2 + 4)
    assert found == {(0, 0): Fraction(7, 16), (1, 1): Fraction(7, 16)}


def test_parity_has_a_uniform_number_of_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "KEY_BITS", 6)
    found, _ = distribution(_input(Parity(), 4), 5)
    assert normalized(found) == {x: Fraction(1, 5 * comb(4, x.count("1"))) for x in product("01", repeat=4)}


def test_copied_symbols_are_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    assert distribution(_input(CopyRepeat(), 3), 3)[0] == {x: Fraction(1, 8) for x in product("ab", repeat=3)}
    monkeypatch.setattr(draws, "KEY_BITS", 6)
    found, _ = distribution(_input(Sort(4), 2), 4)
    assert normalized(found) == {x: Fraction(1, 12) for x in permutations("0123", 2)}


def test_addition_has_a_uniform_first_length_and_uniform_bits() -> None:
    for length in (4, 5, 6):
        found, _ = distribution(_input(Addition(), length), 1 + length)
        splits = [(first, length - 2 - first) for first in range(1, length - 2)]
        assert found == {
            (*a, "+", *b, "="): Fraction(1, len(splits) * 2 ** (length - 2))
            for first, second in splits
            for a in product("01", repeat=first)
            for b in product("01", repeat=second)
        }


def _operands(size: int) -> list[tuple[str, ...]]:
    """All bits of that size as a script writes numbers: a zero stands first only if it stands alone."""
    return [tuple(f"{number:b}") for number in range(2**size) if len(f"{number:b}") == size]


def test_addition_without_leading_zeros_has_uniform_operands() -> None:
    for length in (4, 5, 6):
        found, _ = distribution(_input(AdditionWithoutLeadingZeros(), length), 1 + length)
        splits = [(_operands(first), _operands(length - 2 - first)) for first in range(1, length - 2)]
        assert found == {
            (*a, "+", *b, "="): Fraction(1, len(splits) * len(firsts) * len(seconds))
            for firsts, seconds in splits
            for a in firsts
            for b in seconds
        }


def test_three_in_four_inputs_of_addition_have_a_leading_zero() -> None:
    rng = np.random.default_rng(3)
    shares = {}
    for task in (Addition(), AdditionWithoutLeadingZeros()):
        batch = task.sample(draw_lengths(task, 40, 50, 4000, rng), rng)
        read = ["".join(task.decode(row.tolist())).removeprefix(SOS).split("=")[0] for row in batch.tokens]
        zeros = [any(len(part) > 1 and part[0] == "0" for part in text.split("+")) for text in read]
        shares[task.name] = sum(zeros) / len(zeros)
    assert shares["addition"] == pytest.approx(0.74, abs=0.03)
    assert shares["addition-no-leading-zeros"] == 0


@pytest.mark.slow
def test_parity_may_have_the_empty_input(monkeypatch: pytest.MonkeyPatch) -> None:
    task = ParityWithEmpty()
    assert task.lengths(0, 3).tolist() == [0, 1, 2, 3]
    assert Parity().lengths(0, 3).tolist() == [1, 2, 3]
    for lengths in ([0], [0, 2, 0]):
        batch = task.sample(lengths, np.random.default_rng(0))
        assert task.decode(batch.tokens[0, : batch.sizes[0]].tolist()) == [SOS, SEP, "even"]
        assert task.decode(batch.targets[0][batch.mask[0]].tolist()) == ["even", EOS]
    monkeypatch.setattr(draws, "KEY_BITS", 6)
    assert distribution(_input(task, 3), 4) == distribution(_input(Parity(), 3), 4)


@pytest.mark.parametrize("task", [RepeatedCopy(3), RepeatedSort(3)], ids=lambda task: task.name)
def test_repeated_tasks_have_words_of_uniform_size(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "KEY_BITS", 5)
    for length, largest in ((2, 1), (3, 2), (7, 3)):
        found, _ = distribution(_input(task, length), 4)
        expected = {}
        for size in range(1, largest + 1):
            for word in permutations("012", size):
                block = word if task.name == "repeated-copy" else tuple(sorted(word))
                whole = (*word, SEP, *((*block, SEP) * length))
                weight = Fraction(factorial(3 - size), 6 * largest)
                expected[whole[:length]] = weight
        assert normalized(found) == expected


def test_repeated_tasks_have_no_greatest_length() -> None:
    batch = RepeatedSort().sample([5000], np.random.default_rng(0))
    assert batch.sizes.tolist() == [5001]


SYMBOLS = ("0", "1", "and", "or", "not")


def _formulas(length: int) -> list[tuple[str, ...]]:
    found = []
    for word in product(SYMBOLS, repeat=length):
        try:
            formula(word)
        except (AssertionError, IndexError):
            continue
        found.append(word)
    return found


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_formulas_are_uniform_given_their_operators(length: int) -> None:
    task, formulas = BooleanExpressions(), _formulas(length)
    size = 100 * len(formulas)
    batch = task.sample([length] * size, np.random.default_rng(0))
    found = Counter(tuple(task.decode(row.tolist())) for row in batch.tokens[:, 1 : 1 + length])
    assert set(found) == set(formulas)
    groups: dict[int, list[int]] = {}
    for word in formulas:
        groups.setdefault(sum(token in ("and", "or") for token in word), []).append(found[word])
    # The number of binary operators is uniform, and so are the formulas with each.
    assert sorted(groups) == list(range((length - 1) // 2 + 1))
    for counts in groups.values():
        assert abs(sum(counts) - size / len(groups)) < 5 * size**0.5
        assert chi_square_is_usual(counts, sum(counts) / len(counts))


def test_what_comes_next_is_said_for_all_lengths() -> None:
    task = BooleanExpressions()
    letters = {"a": ("not", "and", "1"), "b": ("and", "not", "0"), "c": ("or", "not", "0"), "d": "not"}
    automaton = task.continuation(letters, ("or", "0", "1", "SEP"), "1")
    assert automaton is not None
    for length in range(5):
        for word in product("abcd", repeat=length):
            x = [s for letter in word for s in ([letters[letter]] if letter == "d" else letters[letter])]
            assert automaton.accepts(word) == (formula([*x, "or", "0", "1"]) == ["1"])
    for letters, after in (
        ({"a": "and"}, ("1", "SEP")), ({"a": "1"}, ("1", "SEP")), ({"a": "not"}, ("SEP",)),
        ({"a": "not"}, ("1",)), ({"a": "not"}, ("1", "1", "SEP")), ({"a": "x"}, ("1", "SEP")),
    ):  # fmt: skip
        assert task.continuation(letters, after, "1") is None


def test_short_factors() -> None:
    words = ["".join(bits) for size in (1, 2, 3) for bits in product("01", repeat=size)]
    for first in words:
        for second in words:
            x = f"{first}*{second}="
            assert list(Multiplication().answer(x)[:-1]) == multiplied(x)


def test_lengths_of_factors_are_uniform() -> None:
    batch = Multiplication().sample([8] * 3000, np.random.default_rng(0))
    firsts = (batch.tokens[:, 1:9] == Multiplication().tokens.index("*")).argmax(axis=1)
    assert np.bincount(firsts, minlength=6)[1:6].min() > 500


def test_the_number_is_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "KEY_BITS", 6)

    def run(rng: Any) -> tuple[str, ...]:
        return tuple(Count().decode(Count().sample([3], rng).tokens[0, 1:4].tolist()))

    expected = {x: Fraction(1, 4 * comb(3, x.count("a"))) for x in product("ab", repeat=3)}
    assert normalized(distribution(run, 4)[0]) == expected


def test_the_language_reduced_to() -> None:
    language = from_expression(EVERY_FIFTH.removeprefix("regex:"))
    for length in range(12):
        for word in product("ab", repeat=length):
            assert language.accepts(word) == (word.count("a") % 5 == 0)


@pytest.mark.parametrize("length", range(1, 8))
def test_the_answer_is_whether_the_ends_are_equal(length: int) -> None:
    machine, language = EvenPairs().machine, from_expression("a|b|a(a|b)*a|b(a|b)*b")
    for word in product("ab", repeat=length):
        assert [machine.class_of(word)] == even_pairs(word)
        assert language.accepts(word) == (even_pairs(word) == ["even"]) == (word[0] == word[-1])


def test_the_proof_is_about_reading_after_the_last_letter() -> None:
    certificate = forecast("even-pairs").sides["nope"].certificate
    assert isinstance(certificate, ReductionCertificate)
    assert getattr(certificate.certificate, "convention", None) == "end-of-sequence"
    assert (
        kind_of(certificate)
        .in_short(certificate)
        .endswith("in C-RASP[∅] that is read after the last letter (flow)")
    )
    assert check_reduction(certificate, EvenPairs(), True).valid
    # Read at the last letter there is a program: without SEP the same certificate proves nothing.
    read_before = certificate.reduction.model_copy(update={"after": ()})
    found = check_reduction(certificate.model_copy(update={"reduction": read_before}), EvenPairs(), True)
    assert (
        found.problem == "the language's certificate is about programs that are not read at the last letter"
    )


def test_examples_of_the_authors() -> None:
    for text, value in (("1+2*3", "2"), ("1-1-1", "4"), ("0*1+4*3-2", "0")):
        assert ModularArithmetic().answer(list(text)) == (value, "EOS") == (*modular_arithmetic(text), "EOS")


def test_the_automaton_knows_expressions() -> None:
    task = ModularArithmetic()
    assert task.lengths(1, 6).tolist() == [1, 3, 5]
    for length in (1, 2, 3, 4):
        for word in product("014+-*", repeat=length):
            try:
                right = modular_arithmetic(word)[0] if length % 2 and _is_expression(word) else UNDEFINED
            except (AssertionError, ValueError):
                right = UNDEFINED
            assert task.machine.class_of(word) == right
            if right == UNDEFINED:
                with pytest.raises(InputError, match="is not an expression"):
                    task.answer(word)


def _is_expression(word: Sequence[str]) -> bool:
    return all(token.isdigit() == (place % 2 == 0) for place, token in enumerate(word))


def _words(length: int) -> list[tuple[str, ...]]:
    return [word for word in product("()[]", repeat=length) if balanced(word)]


def test_the_number_of_words_is_counted() -> None:
    for pairs in range(5):
        by_kind = Counter(word.count("(") for word in _words(2 * pairs))
        assert shuffle_dyck._numbers(pairs) == tuple(by_kind[k] for k in range(pairs + 1))


def test_words_of_length_four_are_equally_frequent() -> None:
    words = _words(4)
    batch = ShuffleDyck().sample([4] * 200 * len(words), np.random.default_rng(1))
    rows, counts = np.unique(batch.tokens[:, 1:], axis=0, return_counts=True)
    assert {tuple(ShuffleDyck().decode(row.tolist())) for row in rows} == set(words)
    assert chi_square_is_usual(counts.tolist(), 200)
