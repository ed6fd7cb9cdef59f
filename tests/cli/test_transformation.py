"""What `crasp transform` prints is a program again, and means what the definition says."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from longreach.crasp import parse
from longreach.crasp.core import Core
from longreach.crasp.program import raise_core
from tests.cli.conftest import Outcome
from tests.helpers.small_programs import ALL_CLASSES, literally_accepts, random_program, words_up_to

Call = Callable[..., Outcome]
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
    document = json.loads(done.out)
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
    document = json.loads(done.out)
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
    document = json.loads(done.out)
    assert (document["program"], document["transformation"], document["word"]) == (
        "lib:dyck-1", "left-quotient", ["(", "("],
    )  # fmt: skip
    assert (document["class"], document["out"]) == ("C-RASP[∅]", str(out))
    rest = parse(out.read_text(encoding="utf-8"))
    assert rest.core == parse(document["text"]).core
    assert [rest.accepts(word) for word in ("))", ")", ")()())")] == [True, False, True]
    assert longreach("crasp", "run", out, "))").out == "accept  ))\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lib:dyck-1"], "--not, --and, …: give one transformation"),
        (["lib:dyck-1", "--not", "--strict"], "--not, --strict: one transformation at a time"),
        (["lib:sort", "--not"], "lib:sort: is a predictor"),
        (["lib:aa", "--and", "lib:dyck-1"], "--and: the alphabets differ"),
        (["lib:aa", "--or", "nothing.cr"], "--or: nothing.cr: no such file"),
        (["lib:aa", "--left-quotient", "ab"], "--left-quotient: 1:2: token 'b' is not in the alphabet"),
        (["lib:aa", "--inverse-image", "x"], "--inverse-image: 'x' is not LETTER=WORD"),
        (["lib:aa", "--inverse-image", "x=a", "--inverse-image", "x=a"], "--inverse-image: letter 'x'"),
        (["lib:aa", "--inverse-image", "x=a", "--inverse-image", "y=aa"], "--inverse-image: the morphism"),
        (["lib:aa", "--remove-relations", "e"], "--remove-relations: the neutral letter 'e'"),
        (["lib:aa", "--word", "a", "--not"], "--word: is for --to"),
        (["lib:aa", "--to", "first-order"], "--to: 'first-order' is not one of"),
        (["lib:aa", "--to", "majority-logic", "--word", "b"], "--word:1:1: token 'b'"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(longreach: Call, arguments: list[str], message: str) -> None:
    done = longreach("crasp", "transform", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(message)
