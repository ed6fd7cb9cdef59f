"""Files of the field: read as their interpreter reads them, and a warning exactly where that differs."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError, ReadingWarning
from longreach.theory.crasp.evaluate import accepts
from longreach.theory.crasp.library import ENTRIES, load_program
from longreach.theory.crasp.peer import differences, parse_peer
from longreach.theory.crasp.program import Program, parse
from longreach.theory.crasp.syntax import Expr
from longreach.theory.crasp.words import Encoder
from tests.helpers import peer_oracle as oracle
from tests.helpers.examples import at_most, examples

WORDS = [list(word) for length in (1, 2, 3, 4) for word in itertools.product("ab", repeat=length)]

# As ANTLR 4.13.1 groups them with the interpreter's own tables.
GROUPED = {
    "! p && q": "!(p && q)",
    "p && ! q || r": "p && !(q || r)",
    "# p >= 1": "# p >= 1",
    "# p && q": "# (p && q)",
    "# p >= 1 && q >= 1": "# ((p >= 1) && q) >= 1",
    "# p >= 1 && q < 2": "# ((p >= 1) && q) < 2",
    "# p < 1 && q >= 2": "# p < 1 && q >= 2",
    "# p + # q >= 1 && r": "# p + # q >= 1 && r",
    "p && # q >= 1 && r >= 1 && s": "p && # ((q >= 1) && r) >= 1 && s",
    "# ! p >= 1 || r": "# !p >= 1 || r",
    "x - y + z": "x - (y + z)",
    "x + y - z": "x + y - z",
    "x if p else y if q else z": "(x if p else y) if q else z",
    "x if # p >= 1 && q >= 1 else y": "x if # ((p >= 1) && q) >= 1 else y",
}


def _accepted(program: Program) -> list[bool]:
    encoder = Encoder(program.core)
    found: list[bool] = accepts(program.core, [encoder.tokens(word) for word in WORDS]).tolist()
    return found


def _strict(tree: Any) -> Any:
    """A tree that does not say whether it was bracketed, with products of constants joined."""
    match tree:
        case ("*", factor, body):
            inner = _strict(body)
            match inner:
                case ("*", other, rest):
                    return ("*", factor * other, rest)
                case ("constant", int(number)):
                    return ("constant", factor * number)
            return ("*", factor, inner)
        case ("#", guard, body):
            return ("#", guard, _strict(body))
        case ("string" | "name" | "constant", *_):
            return tree
        case (sign, *parts):
            return (sign, *map(_strict, parts))
    raise AssertionError(tree)


def _shape(expr: Expr) -> Any:
    """One of our expressions as such a tree."""
    signs = {
        "and": "&&", "or": "||", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
        "add": "+", "sub": "-", "min": "min", "max": "max", "not": "!",
    }  # fmt: skip
    parts = [_shape(part) for part in expr.args] if expr.kind != "name" else []
    match expr.kind:
        case "token":
            return ("string", expr.value)
        case "true" | "false":
            return ("constant", expr.kind == "true")
        case "integer":
            return ("constant", expr.value)
        case "name":
            return ("name", expr.value)
        case "count":
            return ("#", getattr(expr.value, "name", None), *parts)
        case "mul":
            return _strict(("*", parts[0][1], parts[1]))
        case "if":
            return ("if", parts[1], parts[0], parts[2])
        case kind:
            return (signs[kind], *parts)


@pytest.mark.parametrize("text", GROUPED)
def test_groupings_of_antlr(text: str) -> None:
    """What the oracle reads is our reading of the text with the brackets of ANTLR's tree."""
    names = "".join(f'{name} = "a"\n' for name in "pqrs") + "".join(f'{name} = # "a"\n' for name in "xyz")
    found = oracle.read(oracle.words_of(text))
    assert found is not None
    assert found == oracle.read(oracle.words_of(GROUPED[text].replace("!(", "! (")))
    assert differences_of(f"{names}L = {text}") == (oracle_differs(text, names)), text


def oracle_differs(text: str, names: str) -> bool | None:
    """Whether our tree is another one; None where we cannot read the text."""
    try:
        ours = parse(f"{names}L = {text}")
    except InputError:
        return None
    last = ours.statements[-1].expr
    return _shape(last) != _strict(oracle.read(oracle.words_of(text))) or last.sort == "count"


def differences_of(text: str) -> bool | None:
    try:
        return bool(differences(text, parse(text)))
    except InputError:
        return None


@st.composite
def programs(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Statements as text, over names defined before."""
    booleans, counts = ["p"], ["c"]
    statements = [("p", '"a"'), ("c", '# "b"')]

    def boolean(depth: int) -> str:
        kind = draw(st.integers(0, 6 if depth else 1))
        match kind:
            case 0:
                return draw(st.sampled_from(['"a"', '"b"', "true"]))
            case 1:
                return draw(st.sampled_from([*booleans, *booleans, *counts]))
            case 2 | 3:
                sign = draw(st.sampled_from(oracle.COMPARISONS))
                return f"{count(depth - 1)} {sign} {count(depth - 1)}"
            case 4:
                return f"{boolean(depth - 1)} {draw(st.sampled_from(['&&', '||']))} {boolean(depth - 1)}"
            case 5:
                return f"! {boolean(depth - 1)}"
            case _:
                return f"( {boolean(depth - 1)} )"

    def count(depth: int) -> str:
        kind = draw(st.integers(0, 7 if depth else 1))
        match kind:
            case 0:
                return str(draw(st.integers(0, 3)))
            case 1:
                return draw(st.sampled_from([*counts, *counts, *booleans]))
            case 2 | 3:
                guard = draw(st.sampled_from(["", "", "[ pred ] "]))
                return f"# {guard}{boolean(depth - 1)}"
            case 4:
                return f"{count(depth - 1)} {draw(st.sampled_from('+-'))} {count(depth - 1)}"
            case 5:
                return f"{draw(st.integers(0, 3))} * {count(depth - 1)}"
            case 6:
                return f"{count(depth - 1)} if {boolean(depth - 1)} else {count(depth - 1)}"
            case _:
                name = draw(st.sampled_from(["", "", "min", "max"]))
                return f"{name} ( {count(depth - 1)}{f' , {count(depth - 1)}' if name else ''} )"

    for number in range(draw(st.integers(1, 3))):
        is_boolean = draw(st.booleans())
        body = (boolean if is_boolean else count)(draw(st.integers(1, 3)))
        (booleans if is_boolean else counts).append(f"n{number}")
        statements.append((f"n{number}", body))
    return statements


def _text(statements: list[tuple[str, str]]) -> str:
    return "#import pred\n" + "".join(f"{name} = {body}\n" for name, body in statements)


@settings(max_examples=at_most(60), deadline=None)
@given(programs())
def test_peer_is_the_oracle(statements: list[tuple[str, str]]) -> None:
    trees = [(name, oracle.read(oracle.words_of(body))) for name, body in statements]
    program = parse_peer(_text(statements))
    assert all(tree is not None for _, tree in trees)
    wanted = [oracle.accepts(trees, word) for word in WORDS]
    assert _accepted(program) == wanted
    assert _accepted(parse(program.text)) == wanted  # what is printed means the same


@settings(max_examples=examples(150), deadline=None)
@given(programs())
def test_a_warning_exactly_where_the_readings_differ(statements: list[tuple[str, str]]) -> None:
    text = _text(statements)
    try:
        ours = parse(text)
    except InputError:
        return
    trees = [_strict(oracle.read(oracle.words_of(body))) for _, body in statements]
    same = [_shape(statement.expr) for statement in ours.statements] == trees
    same = same and ours.statements[-1].expr.sort == "Boolean"
    assert (differences(text, ours) == []) == same
    if same:
        assert _accepted(ours) == _accepted(parse_peer(text))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('p = "a"\nL = !p && "b"', (2, 5)),
        ('p = "a"\nq = # "b"\nL = # p >= 1 && q >= 1', (3, 5)),
        ('c = # "a"\nL = 2 * c + 1 > # "b"', (2, 5)),
        ('c = # "a"\nL = c - 1 + 2 >= 2', (2, 7)),
        ('L = (1 if "a" else 2 if "b" else 3) > 1', (1, 22)),
        ('L = "a"\nc = # L', (2, 1)),
    ],
)
def test_each_difference(text: str, place: tuple[int, int], tmp_path: Path) -> None:
    (found,) = differences(text, parse(text))
    assert (found.line, found.column) == place
    ours, theirs = parse(text), parse_peer(text)
    assert _accepted(ours) != _accepted(theirs)
    path = tmp_path / "field.cr"
    path.write_text(text, encoding="utf-8")
    with pytest.warns(ReadingWarning, match=f"field.cr:{place[0]}:{place[1]}: "):
        load_program(str(path))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for read in (load_program(str(path), peer=True), load_program(f"peer:{path}")):
            assert _accepted(read) == _accepted(theirs)


def test_library_programs_give_no_warning(tmp_path: Path) -> None:
    for entry in ENTRIES.values():
        load_program(f"lib:{entry.example}")  # a warning would be an error here
    for source in Path("src/longreach/crasp/programs").glob("*.cr"):
        program = load_program(str(source))
        assert isinstance(program, Program)


def test_what_that_interpreter_has_and_we_lack() -> None:
    twice = parse_peer('i = # "a"\ni = i + 1\nin = i > 2')
    assert [twice.accepts(word) for word in ("a", "aa", "aba")] == [False, True, True]
    assert parse(twice.text).accepts("aa")
    late = parse_peer("L = pos_even\n#import pos_even")
    assert [late.accepts(word) for word in ("a", "aa")] == [True, False]
    assert not parse_peer('L = ""').accepts("a")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('L = exists "a"', "f:1:5: "),
        ('L = "a" => "b"', "f:1:5: "),
        ("L = i % 2 == 0", "f:1:7: "),
        ('L = #[i-1] "a" > 0', "f:1:5: "),
        ('L = "a" "b"', "f:1:5: "),
        ("L = p", "f:1:5: unknown name 'p'"),
        ('#alphabet b\nL = "a"', "f:2:5: token 'a' is not in the alphabet"),
        ("#alphabet b b", "f:1:13: token 'b' is in the alphabet twice"),
        ("#import none\nL = true", "f:1:9: unknown import 'none'"),
        ('L = #[pred] "a" > 0', "f:1:7: 'pred' is not an imported relation"),
        ("", "f:1:1: the file holds no statement"),
        ("L = " + "(" * 100_000 + "true" + ")" * 100_000, "f:1:5: "),
        ("L = " + "!" * 900 + "true", "f:1:5: nested too deeply"),
        ("L = 1" + "0" * 2000 + " > 1", "f:1:5: an integer has at most"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_peer(text, "f")
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize(
    "text",
    [
        "L = " + " && ".join(['!"a"'] * 600),  # too long
        "L = " + " && ".join(['!"a"'] * 320),  # nested too deeply there
        'L = "a"' + ' && "a"' * 600 + '\nM = !L && "b"',  # too long for a program, though not for a warning
    ],
)
def test_statements_that_cannot_be_compared_are_no_silent_ones(text: str) -> None:
    (found,) = differences(text, parse(text))
    assert "not compared" in found.message or found.line == 2


def test_a_file_that_only_that_interpreter_reads(tmp_path: Path) -> None:
    path = tmp_path / "field.cr"
    path.write_text('x = # "a"\nx = x + 1\nL = x > 2', encoding="utf-8")
    with pytest.raises(InputError, match=r"defined twice.*--peer"):
        load_program(str(path))
