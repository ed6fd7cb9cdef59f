"""Tests of `cli.programs`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from longreach.tasks.task import Task
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.program import parse, raise_core
from tests.cli.conftest import Call, Outcome
from tests.helpers.small_programs import ALL_CLASSES, literally_accepts, random_program, words_up_to

# `longreach crasp infer` and `limit infer`: documents and what people see.


def test_document(longreach: Call) -> None:
    done = longreach("crasp", "infer", "lib:majority", "--to", 6, "--json")
    document = done.document
    assert done.code == 0
    assert (document["target"], document["n0"], document["errors"]) == ("lib:majority", 3, 5)
    assert [step["complexity"] for step in document["steps"]] == [1, 2, 2, 5, 5, 5]
    assert document["class"] == "C-RASP[∅]"


def test_for_people(longreach: Call) -> None:
    done = longreach("crasp", "infer", "regex:(aa)*", "--class", "periodic", "--to", 4)
    lines = [line.rstrip() for line in done.out.splitlines()]
    assert lines[1].split() == ["1", "0", "1", "1", "2"]
    assert "N₀ = 1: right from n = 2 on, as far as n = 4 (1 whichever smallest program is taken)" in lines
    assert "T_4 is right, proved for all lengths:" in lines
    assert lines[-1] == "P1 = i % 2 == 0"


def test_a_slow_training_length(longreach: Call) -> None:
    done = longreach("crasp", "infer", "parity-language", "--schedule", "log", "--to", 5, "--json")
    document = done.document
    assert [step["trained_to"] for step in document["steps"]] == [0, 1, 1, 2, 2]
    assert document["n0"] is None
    assert all(step["errors"] for step in document["steps"])


def test_bad_input(longreach: Call) -> None:
    done = longreach("crasp", "infer", "lib:majority", "--schedule", "quick")
    assert done.code == 2
    assert "--schedule" in done.first_error
    done = longreach("crasp", "infer", "nothing-like-it")
    assert done.code == 2
    assert "no task named" in done.first_error


def test_examples_are_no_target(longreach: Call, tmp_path: Path) -> None:
    file = tmp_path / "words.jsonl"
    file.write_text('{"input": "ab", "output": "1"}\n', encoding="utf-8")
    for group in ("crasp", "limit"):
        done = longreach(group, "infer", f"data:{file}", "--to", 3)
        assert (done.code, done.out) == (2, "")
        assert done.first_error.startswith("TARGET: examples leave most words open; ")


def test_limit_transformers(longreach: Call) -> None:
    done = longreach("limit", "infer", "lib:majority", "--to", 8, "--json")
    document = done.document
    assert done.code == 0
    assert (document["n0"], document["stopped"]) == (5, None)
    assert [step["complexity"] for step in document["steps"]] == [8] * 8
    assert document["model"]["values"] == [1, -1, 1]
    shown = longreach("limit", "infer", "aa", "--to", 10).out.splitlines()
    assert "N₀ = 9: right from n = 10 on, as far as n = 10" in shown
    assert shown[-1].startswith("places ")
    outside = longreach("limit", "infer", "parity-language", "--max-complexity", 9, "--to", 6)
    assert outside.code == 0
    assert "the search ended: none up to R_∞ = 9" in outside.out.splitlines()
    assert longreach("limit", "infer", "lib:majority", "--to", 0).code == 2
    assert longreach("limit", "infer", "lib:majority", "--max-complexity", 1000).code == 2


def test_too_many_words(longreach: Call) -> None:
    for group in ("crasp", "limit"):
        done = longreach(group, "infer", "lib:majority", "--to", 30)
        assert done.code == 2
        assert done.first_error.startswith("--to: 2,147,483,647 words up to length 30 are more than")


# `longreach crasp synthesize`: documents, exit codes, and what bad input gets.


def test_an_expression(longreach: Call) -> None:
    done = longreach("crasp", "synthesize", "--regex", "1*", "--alphabet", "01", "--json")
    document = done.document
    assert done.code == 0
    assert (document["size"], document["status"], document["smallest"]) == (4, "proved", True)
    assert (document["class"], document["alphabet"], document["method"]) == (
        "C-RASP[∅]",
        ["0", "1"],
        "enumeration",
    )
    assert document["program"].startswith("#alphabet 0 1\n")


def test_for_people_synthesize(longreach: Call) -> None:
    done = longreach("crasp", "synthesize", "--regex", "(aa)*", "--class", "periodic")
    assert done.code == 0
    assert done.out == (
        "#alphabet a\nL = i % 2 == 0\n"
        "// 1 operation, proved for all lengths; none smaller in C-RASP[periodic ≤ 2] (by construction)\n"
    )


def test_what_is_impossible_has_exit_code_1(longreach: Call) -> None:
    done = longreach("crasp", "synthesize", "--regex", "(aa)*", "--json")
    document = done.document
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
    document = done.document
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
    arguments = ("--task", "tests.cli.test_programs:even", "--alphabet", "ab", "--class", "periodic")
    done = longreach("crasp", "synthesize", *arguments, "--max-size", 3, "--seconds", 1)
    assert done.code == 1
    assert done.out.startswith("none found: no program in C-RASP[periodic ≤ 2] up to size 3; ")


def even(word: tuple[str, ...]) -> bool:
    return word.count("a") % 2 == 0


def threes(word: tuple[str, ...]) -> bool:
    return len(word) % 3 == 0


THREES = Task.from_predicate(threes, "a")


def test_a_task_of_a_predicate_is_asked(longreach: Call) -> None:
    arguments = ("--task", "tests.cli.test_programs:THREES", "--class", "periodic", "--modulus", 3)
    document = longreach("crasp", "synthesize", *arguments, "--json").document
    assert (document["size"], document["status"], document["modulus"]) == (1, "checked", 3)


def test_none_found_has_exit_code_1(longreach: Call) -> None:
    arguments = ("--task", "lib:dyck-1", "--max-size", 3, "--seconds", 0.5, "--json")
    done = longreach("crasp", "synthesize", *arguments)
    document = done.document
    assert (done.code, document["status"], document["none_up_to"]) == (1, "none found", 3)
    assert document["reason"] == "none up to size 3"


def test_a_function_is_asked(longreach: Call) -> None:
    arguments = (
        "--task",
        "tests.cli.test_programs:ends_in_b",
        "--alphabet",
        "ab",
        "--length",
        6,
        "--json",
    )
    document = longreach("crasp", "synthesize", *arguments).document
    assert (document["size"], document["status"], document["checked_to"]) == (1, "checked", 6)


def ends_in_b(word: tuple[str, ...]) -> bool:
    return word[-1:] == ("b",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ab", "words.txt:2: no tab; expected a word, a tab and a label"),
        ("ab\tmaybe", "words.txt:2: 'maybe' is not a label"),
        ("a\t0", "words.txt:2: the word of line 1 again, with another label"),
        ('{"input": "a"', "words.txt:2:"),
        ('{"input": "a"}', "words.txt:2: output: missing"),
        ('{"input": "ab", "output": "2"}', "words.txt:2: output: '2' is not a label"),
        ("a\tb\t1", "words.txt:2: more than one tab"),
    ],
)
def test_a_bad_line_is_named(longreach: Call, tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "words.txt"
    file.write_text(f"a\t1\n{line}\n", encoding="utf-8")
    done = longreach("crasp", "synthesize", "--examples", file)
    assert done.code == 2
    assert message in done.first_error


# What `crasp transform` prints is a program again, and means what the definition says.


WORDS = list(words_up_to("ab", 5))


def random_cores() -> Iterator[Core]:
    for number, relations in enumerate(ALL_CLASSES):
        yield random_program(random.Random(number), relations, ("a", "b"), True, 2)


@pytest.fixture(params=random_cores(), ids=lambda core: core.class_name)
def core(request: pytest.FixtureRequest) -> Core:
    made: Core = request.param
    return made


@pytest.fixture
def file(core: Core, tmp_path: Path) -> Path:
    path = tmp_path / "program.cr"
    path.write_text(raise_core(core).text, encoding="utf-8")
    return path


def printed(done: Outcome) -> Core:
    assert (done.code, done.err) == (0, "")
    return parse(done.out).core


def said(core: Core, words: list[tuple[str, ...]] = WORDS) -> list[bool]:
    return [literally_accepts(core, word) for word in words]


def test_boolean_combinations(longreach: Call, core: Core, file: Path, tmp_path: Path) -> None:
    others = [tmp_path / f"{k}.cr" for k in range(2)]
    cores = [random_program(random.Random(20 + k), None, ("a", "b"), True, 1) for k in range(2)]
    for path, other in zip(others, cores, strict=True):
        path.write_text(raise_core(other).text, encoding="utf-8")
    mine, first, second = (said(each) for each in (core, *cores))
    both = printed(longreach("crasp", "transform", file, "--and", others[0], "--and", others[1]))
    assert said(both) == [x and y and z for x, y, z in zip(mine, first, second, strict=True)]
    either = printed(longreach("crasp", "transform", file, "--or", others[0], "--or", others[1]))
    assert said(either) == [x or y or z for x, y, z in zip(mine, first, second, strict=True)]
    assert said(printed(longreach("crasp", "transform", file, "--not"))) == [not x for x in mine]


@pytest.mark.parametrize("word", ["ε", "a", "abb"])
def test_quotients(longreach: Call, core: Core, file: Path, word: str) -> None:
    tokens = () if word == "ε" else tuple(word)
    left = printed(longreach("crasp", "transform", file, "--left-quotient", word))
    assert said(left) == said(core, [(*tokens, *rest) for rest in WORDS])
    right = printed(longreach("crasp", "transform", file, "--right-quotient", word))
    assert said(right) == said(core, [(*rest, *tokens) for rest in WORDS])


def test_inverse_images(longreach: Call, core: Core, file: Path) -> None:
    images = {"x": "ab", "y": "bb", "long": "ba"}
    options = [part for letter, word in images.items() for part in ("--inverse-image", f"{letter}={word}")]
    found = printed(longreach("crasp", "transform", file, *options))
    assert found.alphabet == ("x", "y", "long")
    words = list(words_up_to(list(images), 4))
    assert said(found, words) == said(core, [tuple("".join(images[x] for x in word)) for word in words])


@pytest.mark.parametrize("relations", ["periodic", "local", "both"])
def test_relations_are_removed(longreach: Call, core: Core, file: Path, relations: str) -> None:
    done = longreach(
        "crasp", "transform", file, "--remove-relations", "b", "--relations", relations, "--json"
    )
    document = done.document
    padding = document["padding"]
    found = parse(document["text"]).core
    assert not set(found.relations) & ({"periodic", "local"} if relations == "both" else {relations})
    assert set(found.relations) <= set(core.relations)
    words = list(words_up_to("ab", 2))
    before, after = ["b"] * padding["before"], ["b"] * padding["after"]
    padded = [tuple(t for letter in word for t in (*before, letter, *after)) for word in words]
    assert said(found, words) == said(core, padded)


def test_strict_masks(longreach: Call, core: Core, file: Path) -> None:
    found = printed(longreach("crasp", "transform", file, "--strict"))
    assert said(found) == [literally_accepts(core, word, strict=True) for word in WORDS]


def test_majority_logic(longreach: Call, core: Core, file: Path) -> None:
    words = WORDS[:20]
    options = [part for word in words for part in ("--word", "".join(word) or "ε")]
    done = longreach("crasp", "transform", file, "--to", "majority-logic", *options, "--json")
    document = done.document
    assert document["satisfied"] == said(core, words)
    assert document["logic"].startswith("MAJ₂[<")
    assert "∃" in document["text"]


def test_majority_logic_for_people(longreach: Call, tmp_path: Path) -> None:
    done = longreach("crasp", "transform", "lib:majority", "--to", "majority-logic", "--word", "01")
    assert done.out.splitlines()[-1] == "satisfied  01"
    assert "M̂aj" in done.out
    out = tmp_path / "sentence.tex"
    done = longreach("crasp", "transform", "lib:majority", "--to", "majority-latex", "--out", out)
    assert (done.code, done.out) == (0, "")
    assert "\\exists" in out.read_text(encoding="utf-8")


def test_documents_and_files(longreach: Call, tmp_path: Path) -> None:
    out = tmp_path / "rest.cr"
    done = longreach("crasp", "transform", "lib:dyck-1", "--left-quotient", "((", "--out", out, "--json")
    document = done.document
    assert (document["program"], document["transformation"], document["word"]) == (
        "lib:dyck-1", "left-quotient", ["(", "("],
    )  # fmt: skip
    assert (document["class"], document["out"]) == ("C-RASP[∅]", str(out))
    rest = parse(out.read_text(encoding="utf-8"))
    assert rest.core == parse(document["text"]).core
    assert [rest.accepts(word) for word in ("))", ")", ")()())")] == [True, False, True]
    assert longreach("crasp", "run", out, "))").out == "accept  ))\n"
