"""Tests of `answers.forecast`."""

from __future__ import annotations

from itertools import pairwise, permutations, product
from pathlib import Path
from typing import Any

import pytest

from longreach.answers.forecast import MEANING_BY_COMMUNICATION, Forecast, forecast, forecast_all
from longreach.answers.published import FIGURE_1_TASKS, published
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.copying import CopyUnique
from longreach.tasks.positions import local_steps
from longreach.theory.automata.named import NAMED_LANGUAGES, named_automaton
from longreach.theory.crasp.library import load
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import MEANING_OF_NO
from longreach.training.result import write_result
from tests.helpers.result_samples import sample, sample_failure


@pytest.mark.parametrize("name", [*FIGURE_1_TASKS, "regex:a*b", "crasp:lib:dyck-1", "repeated-sort"])
def test_a_forecast_is_a_heading_and_three_lines_of_plain_words(name: str) -> None:
    found = forecast(name)
    lines = repr(found).splitlines()
    sides = (found.nope, found.ape, found.sides["reach"])
    titles = ("without positions", "with learned positions", "with last matches")
    for line, side, title in zip(lines[1:], sides, titles, strict=True):
        assert line.startswith(f"  {title} ")
        assert f": {side.trained.expectation}: " in line


def test_notebooks_get_the_same_as_a_table() -> None:
    html = forecast("regex:(a|b)*", "ab<")._repr_html_()
    assert "expected to work" in html
    assert "(a|b)*" in html
    assert html.count("<tr>") == 4


def test_a_verdict_says_what_is_expected_and_of_which_class() -> None:
    found = forecast("aa")
    assert repr(found.nope).startswith("expected to fail: ")
    assert repr(found.ape).endswith("(C-RASP[periodic, local])")
    assert "expected to work" in found.ape._repr_html_()
    assert "&quot;" in found.nope._repr_html_()  # words are quoted, and quotes are escaped


# Forecasts: the published verdicts, evidence checked from the outside, and documents.


# Tables 2 and 3 of Huang et al., arXiv 2410.02140, typed from the paper: without positions, with them.
YES_YES = "binary-majority majority sort d-2 d-3 d-4 d-12 tomita-1 tomita-2 tomita-7 aa-bb-cc-dd-ee ab-d-bc"
NO_YES = "copy-unique tomita-4 aa aaaa abab"
NO_NO = "copy-repeat parity addition tomita-3 tomita-5 tomita-6 012-0-2"
PUBLISHED = {
    **dict.fromkeys(YES_YES.split(), ("yes", "yes")),
    **dict.fromkeys(NO_YES.split(), ("no", "yes")),
    **dict.fromkeys(NO_NO.split(), ("no", "no")),
    "binary-majority-interleave": ("undecided", "yes"),
}


def verdicts(found: Forecast) -> tuple[str, str]:
    return found.sides["nope"].answer.value, found.sides["ape"].answer.value


def test_all_verdicts_are_the_published_ones() -> None:
    found = forecast_all()
    assert [each.name for each in found] == list(FIGURE_1_TASKS)
    assert {each.name: verdicts(each) for each in found} == PUBLISHED
    assert all(each.agreement == {"nope": True, "ape": True} for each in found)


def test_the_other_built_in_tasks() -> None:
    found = {name: verdicts(forecast(name)) for name in TASKS if name not in FIGURE_1_TASKS}
    assert found == {
        "repeated-copy": ("undecided", "yes"),
        "repeated-sort": ("yes", "yes"),
        "parity-language": ("no", "no"),
        "sigma-be": ("no", "no"),
        "l-bb": ("no", "no"),
        "dyck-1": ("yes", "yes"),
        "anbncn": ("yes", "yes"),
        "addition-no-leading-zeros": ("no", "no"),
        "parity-with-empty": ("no", "no"),
        **dict.fromkeys(["count", "mode", "bucket-sort", "shuffle-dyck", "anbn"], ("yes", "yes")),
        "even-pairs": ("no", "yes"),
        **dict.fromkeys(["reverse", "duplicate-string", "cycle-navigation", "multiplication"], ("no", "no")),
        **dict.fromkeys(["modular-arithmetic", "boolean-expressions", "parity-scratchpad"], ("no", "no")),
        "kgram-retrieval": ("undecided", "undecided"),
        "word-problem": ("no", "no"),
        "flip-flop": ("no", "no"),
        "mqar": ("undecided", "yes"),
        "selective-copy": ("yes", "yes"),
        "recall-then-fold": ("no", "no"),
        **dict.fromkeys(["sparse-parity", "variable-assignment"], ("undecided", "yes")),
    }
    assert forecast("parity-language").agreement == {"nope": True, "ape": True}
    assert forecast("dyck-1").paper is None


@pytest.mark.parametrize("name", ["tomita-3", "tomita-4", "d-2", "sigma-be"])
def test_languages_get_exactly_what_language_says(name: str) -> None:
    document = forecast(name).document()
    expected = judge(named_automaton(name)).document(name)
    assert {key: document[key] for key in expected} == expected


@pytest.mark.parametrize("name", TASKS)
def test_documents(name: str) -> None:
    document = forecast(name).document()
    assert (document["task"], document["convention"]) == (name, "last-letter")
    assert document["alphabet"]
    for key in ("nope", "ape"):
        side = document[key]
        assert side["verdict"] in ("yes", "no", "undecided")
        assert side["class"] == {"nope": "C-RASP[∅]", "ape": "C-RASP[periodic, local]"}[key]
        assert side["reason"]
        assert {side["end_of_sequence"], side["prediction"]} <= {"yes", "no", "undecided"}
        kinds = {
            "yes": {"program"},
            "no": {"flow", "sampled-flow", "communication", "reduction"},
            "undecided": {"none"},
        }
        assert side["certificate"]["kind"] in kinds[side["verdict"]]
        assert ("window" in side) == ("modulus" in side) == (side["verdict"] == "yes")
    assert {bound["name"] for bound in document["bounds"]} <= {"automaton", "depth-one"}
    assert ("states" in document) == ("automaton" in {bound["name"] for bound in document["bounds"]})
    assert document["bounds_note"]
    assert document["measured"] == []


def test_what_a_no_means() -> None:
    assert forecast("addition").meaning_of_no == MEANING_BY_COMMUNICATION
    assert forecast("parity").meaning_of_no == MEANING_OF_NO


def test_the_paper() -> None:
    paper = forecast("copy-unique").document()["paper"]
    assert paper["accuracy"]["ape"] == {"1-50": 1.0, "51-100": 0.999, "101-150": 0.987}
    assert paper["verdicts"] == {"nope": "no", "ape": "yes"}
    assert paper["agrees"] == {"nope": True, "ape": True}
    assert "2410.02140" in paper["source"]


def test_other_encodings() -> None:
    others = ["window", "fox", "stick-breaking", "cope"]
    names = ["sinusoidal", "rope", "alibi", "t5", "fire", "randomized", "coupled", "coupled-local", *others]
    for task in FIGURE_1_TASKS:
        found = forecast(task).encodings
        assert list(found) == names
        coupled = [local_steps(load_task(task)) is not None] * 2
        known = [True] * 3 + [False] * 3 + coupled + [True, False, True, False]
        assert [note.known for note in found.values()] == known
        assert all(note.source and note.statement for note in found.values())
    aa, tomita = forecast("aa").encodings, forecast("tomita-4").encodings
    assert aa["rope"].statement.endswith("a program with modulus 2 exists")
    # For what is trained: membership needs the two letters before the present one.
    assert tomita["alibi"].statement.endswith("a program with window 1 exists")
    for note in (aa["alibi"], tomita["sinusoidal"]):
        assert note.statement.endswith("so this is not decided")
    assert forecast("sort").encodings["rope"].statement.endswith("without positions exists already")
    assert "no program with such positions exists" in forecast("parity").encodings["sinusoidal"].statement


# The evidence of algorithmic tasks against literal definitions


def test_parity_reduces_to_its_language() -> None:
    reduction, automaton = load_task("parity").nope.reduction, named_automaton("parity-language")
    assert reduction is not None
    for length in range(1, 9):
        for word in product("ab", repeat=length):
            read = reduction.inputs(word)
            assert (read[0], read[-1]) == ("SOS", "SEP")
            answer = load_task("parity").answer(read[1:-1])
            assert (answer[0] == reduction.token) == automaton.accepts(word)


def test_copying_reduces_to_whether_a_pair_occurred() -> None:
    evidence = CopyUnique.nope
    reduction = evidence.reduction
    assert reduction is not None
    automaton = load_task(evidence.name or "").automaton
    program = load("induction-all")  # what may follow the current token: symbols may repeat (C.2.2)
    for length in range(1, 7):
        for word in product("abc", repeat=length):
            *given, last = reduction.inputs(word)
            x = given[1 : given.index("SEP")]
            letters = {symbol: letter for letter, symbol in reduction.letters.items()}
            # Read after the word as after SEP: the pair (last letter, a) must not count.
            followed = {b for a, b in pairwise(x) if a == last}
            assert (reduction.token in followed) == automaton.accepts(word)
            said = program.predicts([letters[symbol] for symbol in x])
            if x[-1] == last:
                assert (letters[reduction.token] in said[-1]) == automaton.accepts(word)
    task = CopyUnique(3)
    for size in (1, 2, 3):
        for order in permutations("012", size):
            answer = task.answer(order)
            word = [{"0": "a", "1": "b", "2": "c"}[symbol] for symbol in order]
            follows = "0" in order and answer[answer.index("0") + 1] == "1"
            assert follows == automaton.accepts(word)


def test_communication_of_copying_and_addition_by_brute_force() -> None:
    for name in ("copy-repeat", "addition"):
        certificate: Any = forecast(name).sides["ape"].certificate
        assert certificate.lengths == tuple(range(1, 11))
        assert certificate.growth == "linear"
        for n in range(1, 6):
            halves = ["".join(half) for half in product("01", repeat=n)]
            rows = set()
            for half in halves:
                if name == "addition":
                    rows.add(tuple(int(half, 2) + int(other, 2) for other in halves))
                else:  # whether a symbol follows a part of the copy, and which
                    rows.add(tuple((half[:k], half[k]) for k in range(n)))
            assert certificate.rows[n - 1] == len(rows)
            assert certificate.bits[n - 1] == pytest.approx(n)


# Own runs


def test_own_runs(tmp_path: Path) -> None:
    write_result(tmp_path, sample(0))
    write_result(tmp_path, sample(1))
    write_result(tmp_path, sample_failure(2))
    write_result(tmp_path, sample(0, config={"encoding": "nope"}))
    write_result(tmp_path, sample(0, config={"task": "sort"}))
    found = forecast("parity", runs=tmp_path)
    assert [each.encoding for each in found.measured] == ["ape", "nope"]
    document = found.document()["measured"][0]
    assert (document["runs"], document["finished"], document["successful"]) == (3, 2, 2)
    assert document["accuracy"]["101-150"] == {"mean": 0.25, "low": 0.25, "high": 0.25, "count": 2}
    assert len(document["keys"]) == 3
    assert "seed" not in document["config"]
    by_name = {each.name: each for each in forecast_all(tmp_path)}
    assert [len(by_name[name].measured) for name in ("parity", "sort", "aa")] == [2, 1, 0]


def test_runs_over_another_alphabet_are_other_runs(tmp_path: Path) -> None:
    task = "regex:a*b"
    for letters in (None, ["a", "b"], ["a", "b", "c"]):
        write_result(tmp_path, sample(0, config={"task": task, "alphabet": letters}))
    assert sum(len(each.rows) for each in forecast(task, runs=tmp_path).measured) == 2
    assert sum(len(each.rows) for each in forecast(task, list("abc"), tmp_path).measured) == 1


# Names


def test_the_published_numbers() -> None:
    assert len(FIGURE_1_TASKS) == 25
    assert set(FIGURE_1_TASKS) <= set(TASKS)
    for number, name in enumerate(FIGURE_1_TASKS):
        found = published(name)
        assert found is not None
        assert (number < 8) == (name not in NAMED_LANGUAGES) == ("ape-regularized" in found.accuracy)
        for accuracy in found.accuracy.values():
            assert list(accuracy) == ["1-50", "51-100", "101-150"]
            assert all(0 <= share <= 1 for share in accuracy.values())
    assert published("dyck-1") is None
