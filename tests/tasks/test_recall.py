"""Tests of `tasks.recall`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np
import pytest

from longreach.answers.certificates import ReductionCertificate
from longreach.answers.checkers import check_reduction
from longreach.answers.forecast import forecast
from longreach.answers.oracle import follows
from longreach.tasks.catalog import load_task
from longreach.tasks.recall import Mqar, RecallThenFold, SelectiveCopy, flip_flop
from longreach.tasks.task import EOS, SEP, SOS
from longreach.theory.crasp.library import load
from tests.helpers.refusals import refusal
from tests.helpers.task_oracles import product_of, recalled

# Flip-flops


def _is_flip_flop(word: Sequence[str]) -> bool:
    if len(word) < 4 or len(word) % 2 or word[0] != "w" or word[-2] != "r":
        return False
    kept = ""
    for instruction, bit in zip(word[::2], word[1::2], strict=True):
        if instruction not in "wri" or bit not in "01" or (instruction == "r" and bit != kept):
            return False
        kept = bit if instruction == "w" else kept
    return True


def test_the_flip_flop_language() -> None:
    automaton = flip_flop().automaton
    for length in range(7):
        for word in product("wri01", repeat=length):
            assert automaton.accepts(word) == _is_flip_flop(word), word
    pairs = list(product("wri", "01"))
    for chosen in product(pairs, repeat=4):
        word = [letter for pair in chosen for letter in pair]
        assert automaton.accepts(word) == _is_flip_flop(word), word


@pytest.mark.parametrize("ignore", [0.0, 0.5, 0.98])
def test_instructions_of_flip_flops(ignore: float) -> None:
    task = flip_flop(ignore)
    batch = task.sample([40] * 2000, np.random.default_rng(0))
    rows = [task.decode(row[1:].tolist()) for row in batch.tokens]
    inner = Counter(letter for row in rows for letter in row[2:-2:2])
    for letter, share in (("i", ignore), ("w", (1 - ignore) / 2), ("r", (1 - ignore) / 2)):
        assert abs(inner[letter] / 36_000 - share) < 0.015
    free = Counter(bit for row in rows for does, bit in zip(row[::2], row[1::2], strict=True) if does != "r")
    assert abs(free["1"] / free.total() - 0.5) < 0.02


def test_lengths_of_flip_flops() -> None:
    task = flip_flop()
    span = np.arange(30)
    assert (task.has(span) == task.words.has(span)).all()
    assert task.least_length == 4


# Associative recall


@pytest.mark.parametrize("power", [0.01, 0.4, 1.0])
def test_gaps_follow_the_power_law(power: float) -> None:
    """Slots of two keys, in the order of the keys, against the probabilities of draws one by one."""
    task, count = Mqar(2, 8, power), 20_000
    batch = task.sample([14] * count, np.random.default_rng(2))
    weights = np.arange(1, 6) ** (power - 1)  # five slots: 14 tokens without two pairs, every other one
    weights /= weights.sum()
    found: Counter[tuple[int, int]] = Counter()
    for row in batch.tokens.tolist():
        first, second = (row[5:].index(key) // 2 for key in (row[1], row[3]))
        found[first, second] += 1
    for pair in permutations(range(5), 2):
        first, second = weights[list(pair)]
        expected = count * first * second / (1 - first)
        assert abs(found[pair] - expected) < 5 * np.sqrt(expected)


def test_keys_values_and_numbers_of_pairs_are_uniform() -> None:
    task = Mqar(0, 16)
    batch = task.sample([24] * 4000, np.random.default_rng(3))
    pairs = np.bincount(batch.mask.sum(axis=1))
    assert len(pairs) == 7
    assert pairs[0] == 0
    assert (abs(pairs[1:] - 4000 / 6) < 120).all()
    for column, least in ((1, 3), (2, 11)):
        assert (abs(np.bincount(batch.tokens[:, column] - least, minlength=8) - 500) < 110).all()
    # Never more pairs than keys.
    assert int(task.sample([200] * 500, np.random.default_rng(4)).mask.sum(axis=1).max()) == 8


def _inputs(pairs: int, size: int, length: int) -> Iterator[list[str]]:
    """All inputs with so many pairs, by the definition."""
    numbers, slots = range(1, size + 1), (length - 2 * pairs) // 2
    for keys, values in product(permutations(numbers, pairs), permutations(numbers, pairs)):
        for chosen in permutations(range(slots), pairs):
            rest = ["."] * (2 * slots)
            for key, slot in zip(keys, chosen, strict=True):
                rest[2 * slot] = f"k{key}"
            table = [token for k, v in zip(keys, values, strict=True) for token in (f"k{k}", f"v{v}")]
            yield table + rest


@pytest.mark.parametrize("program", ["mqar-3", "mqar-numbers-3"])
def test_programs_of_recall_on_all_short_inputs(program: str) -> None:
    core, task, tried = load(program), Mqar(0, 6), 0
    for pairs, length in ((1, 4), (1, 8), (2, 8), (2, 10), (3, 12)):
        for x in _inputs(pairs, 3, length):
            right = recalled(pairs)(x)
            asked = [place for place, token in enumerate(x) if token in x[:place] and token != "."]
            said = core.predicts([SOS, *x])
            assert [said[1 + place] for place in asked] == [[value] for value in right]
            assert list(task.answer(x)) == right
            tried += 1
    assert tried > 500
    assert load("mqar-numbers-3").core.class_name == "C-RASP[∅]"


def test_what_recall_refuses() -> None:
    assert refusal(Mqar().answer, ["k1", "."]) == "mqar: no value stands behind k1"
    assert refusal(Mqar().answer, ["v1"]) == "mqar: no key stands before v1"


def test_chances() -> None:
    assert Mqar(2, 8).chance == pytest.approx(1 / 12)  # four values, three are left for the second
    assert SelectiveCopy(2, 5).chance == pytest.approx(1 / 25)
    # All four keys stand for one element in 1 of 8 inputs, and then an even number of them is neutral.
    assert RecallThenFold("Z2").chance == pytest.approx(9 / 16, abs=0.02)
    assert load_task("recall-then-fold:A5").chance == pytest.approx(1 / 60, abs=0.01)


# Selective copying


def test_places_of_data_are_uniform() -> None:
    task = SelectiveCopy(2, 3)
    batch = task.sample([5] * 5000, np.random.default_rng(5))
    places = Counter(tuple(np.flatnonzero(row != 7).tolist()) for row in batch.tokens[:, 1:6])
    assert len(places) == 10
    assert all(abs(times - 500) < 110 for times in places.values())
    assert (abs(np.bincount(batch.targets[:, 6] - 4) - 5000 / 3) < 170).all()
    assert task.is_drawn([".", "0", "1"])
    assert not task.is_drawn(["2", "0", "1"])
    assert not SelectiveCopy(0).is_drawn(["."])


def test_the_program_of_selective_copying_on_all_short_inputs() -> None:
    program, tried = load("selective-copy-2"), 0
    for x in product((".", "0", "7"), repeat=6):
        right = [token for token in x if token != "."]
        if len(right) == 2:
            said = program.predicts([SOS, *x, SEP, *right])[-3:]
            assert said == [[token] for token in (*right, EOS)]
            tried += 1
    assert tried == 60


def test_the_noise_of_training() -> None:
    assert SelectiveCopy(16).train_range(20).name == "16-32"
    assert SelectiveCopy(16).train_range(50).name == "16-50"


# Recall, then the product


@pytest.mark.parametrize(("group", "pairs"), [("S3", 2), ("Z3", 3), ("Q8", 2)])
def test_what_follows_behind_the_pairs(group: str, pairs: int) -> None:
    """The automaton of a reduction, against the answers to all short words."""
    task = RecallThenFold(group, pairs, 4)
    elements = task.own_group.elements
    before = [token for place in range(pairs) for token in (f"k{place + 1}", elements[-1 - place])]
    letters = {"x": "k1", "y": ("k2", "k1")}
    for token in elements:
        automaton = task.continuation_behind(before, letters, (SEP,), token)
        assert automaton is not None
        for length in range(1, 6):
            for word in product("xy", repeat=length):
                keys = [key for letter in word for key in ([letters["x"]] if letter == "x" else letters["y"])]
                value = dict(zip(before[::2], before[1::2], strict=True))
                right = product_of(group)([value[key] for key in keys]) == token
                assert automaton.accepts(word) == right == follows(task, (*before, *keys), (SEP,), token)
    for wrong in (before[:-1], before[2:], [*before, "k1"], [*before[:-1], "k1"]):
        assert task.continuation_behind(wrong, letters, (SEP,), elements[0]) is None
    assert task.continuation_behind(before, letters, (), elements[0]) is None
    assert task.continuation_behind(before, {"x": "k4"}, (SEP,), elements[0]) is None
    assert load_task("parity").continuation_behind(["1"], {"a": "1"}, (SEP,), "even") is None


def test_a_reduction_is_checked_with_what_stands_before() -> None:
    task = RecallThenFold()
    certificate = forecast("recall-then-fold").ape.certificate
    assert isinstance(certificate, ReductionCertificate)
    assert check_reduction(certificate, task, True).valid
    assert ReductionCertificate.model_validate_json(certificate.model_dump_json()) == certificate
    before = certificate.reduction.before
    for changed in ((), before[2:], ("k1", "123", *before[2:]), ("k1", "231", *before[2:])):
        reduction = certificate.reduction.model_copy(update={"before": changed})
        found = check_reduction(certificate.model_copy(update={"reduction": reduction}), task, True)
        assert not found.valid


def test_what_a_fold_refuses() -> None:
    task = RecallThenFold("S3", 2)
    message = "recall-then-fold:pairs=2: x begins with 2 keys that differ, an element behind each"
    for x in ("k1 213 k1 231 k1", "k1 k2 k2 231 k1", "k1 213", "213 k1 132 k2 k1"):
        assert refusal(task.answer, x.split()) == message
    unknown = ["k1", "213", "k2", "231", "k3"]
    assert refusal(task.answer, unknown) == "recall-then-fold:pairs=2: nothing belongs to k3"
