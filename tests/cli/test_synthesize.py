"""`longreach crasp synthesize`: documents, exit codes, and what bad input gets."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from longreach import Task
from tests.cli.conftest import Outcome

Call = Callable[..., Outcome]


def test_an_expression(longreach: Call) -> None:
    done = longreach("crasp", "synthesize", "--regex", "1*", "--alphabet", "01", "--json")
    document = json.loads(done.out)
    assert done.code == 0
    assert (document["size"], document["status"], document["smallest"]) == (4, "proved", True)
    assert (document["class"], document["alphabet"], document["method"]) == (
        "C-RASP[∅]",
        ["0", "1"],
        "enumeration",
    )
    assert document["program"].startswith("#alphabet 0 1\n")


def test_for_people(longreach: Call) -> None:
    done = longreach("crasp", "synthesize", "--regex", "(aa)*", "--class", "periodic")
    assert done.code == 0
    assert done.out == (
        "#alphabet a\nL = i % 2 == 0\n"
        "// 1 operation, proved for all lengths; none smaller in C-RASP[periodic ≤ 2] (by construction)\n"
    )


def test_what_is_impossible_has_exit_code_1(longreach: Call) -> None:
    done = longreach("crasp", "synthesize", "--regex", "(aa)*", "--json")
    document = json.loads(done.out)
    assert done.code == 1
    assert (document["status"], document["program"], document["size"]) == ("impossible", None, None)
    shown = longreach("crasp", "synthesize", "--task", "parity-language", "--class", "both")
    assert shown.code == 1
    assert shown.out.startswith("impossible: no program in C-RASP[periodic, local]: ")


def test_examples(longreach: Call, tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text(
        '// labelled\nab\t1\nε\tno\na b b\ttrue\n{"input": "ba", "output": "0"}\n', encoding="utf-8"
    )
    done = longreach("crasp", "synthesize", "--examples", file, "--json")
    document = json.loads(done.out)
    assert (done.code, document["status"], document["examples"], document["size"]) == (0, "consistent", 4, 1)


def test_one_example(longreach: Call, tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("ab\t1\n", encoding="utf-8")
    shown = longreach("crasp", "synthesize", "--examples", file).out
    assert "agrees with the one example; nothing is known beyond it; " in shown


def test_letters_of_examples_are_those_of_the_alphabet(longreach: Call, tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("ab\t1\nac\t0\n", encoding="utf-8")
    done = longreach("crasp", "synthesize", "--examples", file, "--alphabet", "ab")
    assert (done.code, done.out) == (2, "")
    assert done.first_error == "--alphabet: 'c' stands in an example, and not among a b"


def test_what_a_search_did_not_find_is_said_of_its_numbers_alone(longreach: Call) -> None:
    arguments = ("--task", "tests.cli.test_synthesize:even", "--alphabet", "ab", "--class", "periodic")
    done = longreach("crasp", "synthesize", *arguments, "--max-size", 3, "--seconds", 1)
    assert done.code == 1
    assert done.out.startswith("none found: no program in C-RASP[periodic ≤ 2] up to size 3; ")


def even(word: tuple[str, ...]) -> bool:
    return word.count("a") % 2 == 0


def threes(word: tuple[str, ...]) -> bool:
    return len(word) % 3 == 0


THREES = Task.from_predicate(threes, "a")


def test_a_task_of_a_predicate_is_asked(longreach: Call) -> None:
    arguments = ("--task", "tests.cli.test_synthesize:THREES", "--class", "periodic", "--modulus", 3)
    document = json.loads(longreach("crasp", "synthesize", *arguments, "--json").out)
    assert (document["size"], document["status"], document["modulus"]) == (1, "checked", 3)


def test_none_found_has_exit_code_1(longreach: Call) -> None:
    arguments = ("--task", "lib:dyck-1", "--max-size", 3, "--seconds", 0.5, "--json")
    done = longreach("crasp", "synthesize", *arguments)
    document = json.loads(done.out)
    assert (done.code, document["status"], document["none_up_to"]) == (1, "none found", 3)
    assert document["reason"] == "none up to size 3"


def test_a_function_is_asked(longreach: Call) -> None:
    arguments = ("--task", "tests.cli.test_synthesize:ends_in_b", "--alphabet", "ab", "--length", 6, "--json")
    document = json.loads(longreach("crasp", "synthesize", *arguments).out)
    assert (document["size"], document["status"], document["checked_to"]) == (1, "checked", 6)


def ends_in_b(word: tuple[str, ...]) -> bool:
    return word[-1:] == ("b",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--regex, --examples or --task: give exactly one of the three"),
        (("--regex", "a", "--task", "aa"), "--regex and --task: give exactly one of the three"),
        (("--regex", "(a"), "--regex: "),
        (("--task", "addition"), "says more of a word than yes or no"),
        (("--task", "lib:sort"), "is a predictor"),
        (("--task", "tests.cli.test_synthesize:ends_in_b"), "a function needs its letters: --alphabet"),
        (("--examples", "nowhere.txt"), "nowhere.txt: "),
        (("--regex", "a*", "--max-size", "0"), "--max-size"),
        (("--regex", "a*", "--class", "locl"), "--class"),
    ],
)
def test_bad_input(longreach: Call, arguments: tuple[str, ...], message: str) -> None:
    done = longreach("crasp", "synthesize", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert message in done.first_error


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ab", "words.txt:2: no tab; expected a word, a tab and a label"),
        ("ab\tmaybe", "words.txt:2: 'maybe' is no label"),
        ("a\t0", "words.txt:2: the word of line 1 again, with another label"),
        ('{"input": "a"', "words.txt:2:"),
        ('{"input": "a"}', "words.txt:2: output: missing"),
        ('{"input": "ab", "output": "2"}', "words.txt:2: output: '2' is no label"),
        ("a\tb\t1", "words.txt:2: more than one tab"),
    ],
)
def test_a_bad_line_is_named(longreach: Call, tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "words.txt"
    file.write_text(f"a\t1\n{line}\n", encoding="utf-8")
    done = longreach("crasp", "synthesize", "--examples", file)
    assert done.code == 2
    assert message in done.first_error
