"""Reading the text format: precedence, spellings, and every kind of error."""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.errors import InputError
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.printer import to_latex, to_paper
from longreach.theory.crasp.program import Program, parse, parse_file, raise_core, trace
from longreach.theory.crasp.syntax import RESERVED
from longreach.theory.crasp.words import encode
from tests.helpers import crasp_oracle as oracle
from tests.helpers.examples import slow

# Precedence

NAMES = 'p = "a"\nq = "b"\nr = "c"\nA = # "a"\nB = # "b"\nC = # "c"\n'


@pytest.mark.parametrize(
    ("written", "grouped"),
    [
        ("!p && q", "(!p) && q"),
        ("!p || q", "(!p) || q"),
        ("!!p && q", "(!(!p)) && q"),
        ("# p + B > C", "((# p) + B) > C"),
        ("# p == # q", "(# p) == (# q)"),
        ("#[i-1] p >= 1 && q", "((#[i-1] p) >= 1) && q"),
        ("#!p > 0", "(#(!p)) > 0"),
        ("# exists p > 0", "(#(exists p)) > 0"),
        ("# #[i-1] p > 0", None),
        ("exists p && q", "(exists p) && q"),
        ("exists !p || q", "(exists (!p)) || q"),
        ("!exists p && q", "(!(exists p)) && q"),
        ("2 * A + B > C", "((2 * A) + B) > C"),
        ("A + B * 2 > C", "(A + (B * 2)) > C"),
        ("A - B - C > 0", "((A - B) - C) > 0"),
        ("A - B + C > 0", "((A - B) + C) > 0"),
        ("A - 2 * # p > 0", "(A - (2 * (# p))) > 0"),
        ("A + B <= C && p", "((A + B) <= C) && p"),
        ("p && A < B", "p && (A < B)"),
        ("p || q && r", "p || (q && r)"),
        ("p && q || r", "(p && q) || r"),
        ("p => q || r", "p => (q || r)"),
        ("p || q => r", "(p || q) => r"),
        ("p => q => r", "p => (q => r)"),
        ("p <=> q => r", "p <=> (q => r)"),
        ("p => q <=> r", "(p => q) <=> r"),
        ("p <=> q <=> r", "(p <=> q) <=> r"),
        ("p && q && r", "(p && q) && r"),
        ("A == (B if p && q else C)", "A == (B if (p && q) else C)"),
        ("A == (B if p else C if q else A)", "A == (B if p else (C if q else A))"),
        ("A == (B + 1 if p else C - 1)", "A == ((B + 1) if p else (C - 1))"),
        ("A == (p ? B : q ? C : A)", "A == (p ? B : (q ? C : A))"),
        ("A == (p ? q ? A : B : C)", "A == (p ? (q ? A : B) : C)"),
        ("A == (B if p else q ? C : A)", "A == (B if p else (q ? C : A))"),
        ("A == (p || q => r ? B : C)", "A == (B if ((p || q) => r) else C)"),
        ("i % 2 == 0 && p", "(i % 2 == 0) && p"),
        ("p <=> i % 3 in {0, 1}", "p <=> (i % 3 in {0, 1})"),
        ("i % 3 != 1 || p", "(i % 3 in {0, 2}) || p"),
        ("min(A, B + 1) < max(A if p else B, C)", "(min(A, (B + 1))) < (max((A if p else B), C))"),
    ],
)
def test_precedence(written: str, grouped: str | None) -> None:
    if grouped is None:
        with pytest.raises(InputError, match="'#' takes a Boolean, not a count"):
            parse(f"{NAMES}L = {written}")
        return
    left, right = parse(f"{NAMES}L = {written}"), parse(f"{NAMES}L = {grouped}")
    assert left.core == right.core
    for word in oracle.all_words("abc", 4):
        assert oracle.surface_accepts(left, word) == oracle.surface_accepts(right, word)


def test_negation_binds_tighter_than_in_the_existing_interpreter() -> None:
    program = parse('P = !"a" && "b"')
    assert program.accepts("b")
    assert not program.accepts("c")


@pytest.mark.parametrize(
    ("guard", "distances"),
    [
        ("pred", {1}),
        ("pred1", {1}),
        ("pred4", {4}),
        ("i", {0}),
        ("i-3", {3}),
        ("i - 3", {3}),
        ("i-3..i-1", {1, 2, 3}),
        ("i-1..i-3", {1, 2, 3}),
        ("i-2..i", {0, 1, 2}),
        ("{i-1, i-4}", {1, 4}),
        ("{i, i-4, i-4}", {0, 4}),
        ("{i-5}", {5}),
        ("<", set(range(1, 9))),
    ],
)
def test_guards(guard: str, distances: set[int]) -> None:
    program = parse(f'#import pred pred1 pred4\nC = #[{guard}] "a"\nP = C > 0')
    for place in range(1, 9):
        word = ["b"] * (place - 1) + ["a"] + ["b"] * (8 - place)
        assert program.accepts(word) is (8 - place in distances)


@pytest.mark.parametrize(
    ("test", "positions"),
    [
        ("i % 2 == 0", {2, 4, 6}),
        ("i % 5 in {1, 3}", {1, 3, 6}),
        ("i % 3 != 0", {1, 2, 4, 5, 7}),
        ("i % 1 == 0", set(range(1, 8))),
        ("i % 1 != 0", set()),
        ("pos_even", {1, 3, 5, 7}),
        ("pos_odd", {2, 4, 6}),
    ],
)
def test_position_tests(test: str, positions: set[int]) -> None:
    program = parse(f"#import pos_even\n#import pos_odd\nP = {test}")
    assert {n for n in range(1, 8) if program.accepts(["x"] * n)} == positions
    assert parse(program.text).core == program.core


# Programs in the dialect of the existing interpreter

COPY_OF_FOUR = """

// every letter of the second half repeats the one four before it

#import pred4

same_x = "x" && ((#[pred4] "x") == 1)
same_y = "y" && ((#[pred4] "y") == 1)
letters = #true
repeated = #same_x + #same_y
done = (repeated + repeated == letters)
"""

EVEN_LENGTH = """
#import pos_even
others = # !"a"
only_a = (others == 0)
accepted = !pos_even && only_a
"""

LEAST = """
x = # "x"     // a comment
y = #"y"
less = min(x, y - 1) if "x" else max(x-y,0)
two = (1 if "y" else 0) + 2
small = (less < two) || false
"""


def test_programs_of_the_existing_interpreter_run() -> None:
    copy, even, least = parse(COPY_OF_FOUR), parse(EVEN_LENGTH), parse(LEAST)
    for word in oracle.all_words("xy", 8):
        text = "".join(word)
        assert copy.accepts(word) is (len(text) in (0, 8) and text[:4] == text[4:])
    for word in oracle.all_words("ab", 6):
        assert even.accepts(word) is (set(word) <= {"a"} and len(word) % 2 == 0)
    for word in oracle.all_words("xyz", 5):
        x, y, last = word.count("x"), word.count("y"), word[-1:]
        less = min(x, y - 1) if last == ("x",) else max(x - y, 0)
        assert least.accepts(word) is (less < (3 if last == ("y",) else 2))


def test_without_an_alphabet_other_tokens_satisfy_no_test() -> None:
    program = parse('P = # "a" >= # "b" && !"a"')
    assert program.core.alphabet == ("a", "b")
    assert not program.core.closed
    assert program.accepts("az?")
    assert not program.accepts("za")


def test_a_declared_alphabet() -> None:
    program = parse('#alphabet b  left "two words" \'it"s\' "//" // a comment "x"\nP = exists "//"')
    assert program.core.alphabet == ("b", "left", "two words", 'it"s', "//")
    assert program.core.closed
    assert program.accepts(["b", "//"])
    assert parse(program.text).core == program.core
    with pytest.raises(InputError, match="'z' is not in the alphabet"):
        program.accepts(["b", "z"])


@pytest.mark.parametrize(
    ("line", "alphabet"),
    [
        ("#alphabet a b", ("a", "b")),
        ("#alphabet\ta\t b  ", ("a", "b")),
        ("  #alphabet a b// c", ("a", "b")),
        ("#alphabet ( ) # ! a b", ("(", ")", "#", "!", "a", "b")),
        ("#alphabet a b ' c", ("a", "b", "'", "c")),
        ("#alphabet a b don't", ("a", "b", "don't")),
        ("#alphabet a b é 日本 ε", ("a", "b", "é", "日本", "ε")),
    ],
)
def test_spellings_of_alphabets(line: str, alphabet: tuple[str, ...]) -> None:
    program = parse(f'{line}\nP = "a"')
    assert program.core.alphabet == alphabet
    assert parse(program.text).core == program.core


def test_an_alphabet_may_follow_its_use() -> None:
    assert parse('P = exists "a"\n#alphabet a b').core.closed


def test_a_large_alphabet() -> None:
    tokens = [f"t{k}" for k in range(100_000)]
    program = parse(f'#alphabet {" ".join(tokens)}\nP = exists "t7"')
    assert program.core.alphabet == tuple(tokens)


# Lines, files

LINES = [
    "// first",
    "",
    "#alphabet a b // letters",
    "  ",
    '\tC = # "a"   // counted',
    "",
    'P = C >= # "b"',
    "",
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_byte_order_marks_comments_and_blank_lines(tmp_path: Path, end: str, mark: str) -> None:
    file = tmp_path / "program.cr"
    file.write_bytes((mark + end.join(LINES)).encode())
    program = parse_file(file)
    assert program.core == parse('#alphabet a b\nC = # "a"\nP = C >= # "b"').core
    file.write_bytes((mark + end.join([*LINES, "Q = )"])).encode())
    with pytest.raises(InputError) as caught:
        parse_file(file)
    assert caught.value.message == f"{file}:9:5: unexpected ')'; expected an expression"
    assert caught.value.details() == "  Q = )\n      ^"


def test_other_line_separators_do_not_count_as_lines() -> None:
    with pytest.raises(InputError) as caught:
        parse('P = "a"\f // \u2028 one \x85 line\nQ = )')
    assert caught.value.message.startswith("<text>:2:5:")
    assert caught.value.source == "Q = )"


def test_files_that_are_no_programs(tmp_path: Path) -> None:
    binary, nul = tmp_path / "binary.cr", tmp_path / "nul.cr"
    binary.write_bytes(b'P = "a"\n\xff\xfe\x00')
    nul.write_bytes(b'P = "a"\0')
    empty, comment = tmp_path / "empty.cr", tmp_path / "comment.cr"
    empty.write_text("")
    comment.write_text("// nothing\n\n#alphabet a\n#import pred\n")
    for path, message in (
        (binary, "is not a text file (byte 8 is not UTF-8)"),
        (nul, "is not a text file (it holds a NUL byte)"),
        (tmp_path / "missing.cr", "no such file"),
        (tmp_path, "is a directory, not a file"),
        (tmp_path / "a" / "\0", "cannot be read"),
        (empty, "1:1: the file holds no statement"),
        (comment, "1:1: the file holds no statement"),
    ):
        with pytest.raises(InputError) as caught:
            parse_file(path)
        assert caught.value.message.startswith(str(path))
        assert message in caught.value.message
        assert "\n" not in caught.value.message


# Errors: line, column, what is wrong, and the caret

ERRORS = [
    # Syntax
    ('P = "a" &&', 1, 11, "unexpected end of line; expected an expression"),
    ("P =", 1, 4, "unexpected end of line; expected an expression"),
    ("P", 1, 2, "unexpected end of line; expected '='"),
    ('"a" = P', 1, 1, "unexpected '\"a\"'; expected a statement: NAME = …"),
    ("P = (1 < 2", 1, 11, "unexpected end of line; expected ')'"),
    ("P = 1 < 2)", 1, 10, "unexpected ')'; expected the end of the line"),
    ("P = )", 1, 5, "unexpected ')'; expected an expression"),
    ('P = "a" "b"', 1, 9, "unexpected '\"b\"'; expected an operator or the end of the line"),
    ('P = "a" & "b"', 1, 9, "unexpected '&'; write '&&'"),
    ('P = "a" | "b"', 1, 9, "unexpected '|'; write '||'"),
    ('P = # "a" = 1', 1, 11, "unexpected '='; write '==' to compare"),
    ('P = "a" Q = "b"', 1, 9, "unexpected 'Q'; expected an operator or the end of the line"),
    ('P = "a"; Q = "b"', 1, 8, "unexpected ';'; expected an operator"),
    ("P = 1 < 2 < 3", 1, 11, "comparisons are not chained; write a <= b && b <= c"),
    ('P = # "a" == # "b" == 0', 1, 20, "comparisons are not chained"),
    ("P = -1 < 2", 1, 5, "there is no unary minus; write 0 - …"),
    ("P = 1 < -2", 1, 9, "there is no unary minus; write 0 - …"),
    ("P = 2 - -1 > 0", 1, 9, "there is no unary minus; write 0 - …"),
    ('P = "a', 1, 5, "the quoted token does not end on this line"),
    ("Q = true\nP = 'a\nR = true", 2, 5, "the quoted token does not end on this line"),
    ("P = min(1) > 0", 1, 10, "unexpected ')'; expected"),
    ('P = (1 if "a") > 0', 1, 14, "unexpected ')'; expected an operator or 'else'"),
    ('P = ("a" ? 1) > 0', 1, 13, "unexpected ')'; expected ':'"),
    ("P = i > 3", 1, 7, "unexpected '>'; expected '%'"),
    ("P = # i > 3", 1, 7, "'i' stands only in position tests"),
    ("P = # \"a\" % 2 == 0", 1, 11, "'%' stands only in position tests, as in i % 2 == 0"),
    ("P = i % 2 < 1", 1, 11, "unexpected '<'; expected '!=' or '==' or 'in'"),
    ("P = i % 2 in {}", 1, 15, "unexpected '}'; expected an integer"),
    ('P = #["a"] "a" > 0', 1, 7, "expected a guard: pred, i-3, i-3..i-1, {i-1, i-4} or <"),
    ('P = #[i+1] "a" > 0', 1, 8, "unexpected '+'; expected '-' or '..' or ']'"),
    ("#include x\nP = true", 1, 1, "unknown directive '#include'; known are #alphabet and #import"),
    ("# import pred\nP = true", 1, 1, "unknown directive '# import'; known are #alphabet and #import"),
    ("#import\nP = true", 1, 8, "unexpected end of line; expected a name"),
    ('output a = "a"', 1, 8, "unexpected 'a'; expected a token in quotes"),
    ("P = $", 1, 5, "unexpected '$'; expected an expression"),
    # Sorts
    ('P = # "a" && "b"', 1, 5, "'&&' takes a Boolean on its left, not a count; brackets may be missing"),
    ('P = "b" || # "a"', 1, 12, "'||' takes a Boolean on its right, not a count; brackets may be missing"),
    ('P = "b" => 3', 1, 12, "'=>' takes a Boolean on its right, not a count; brackets may be missing"),
    ('P = "b" <=> 3', 1, 13, "'<=>' takes a Boolean on its right, not a count; brackets may be missing"),
    ('P = "a" + 1 > 0', 1, 5, "'+' takes a count on its left, not a Boolean; brackets may be missing"),
    ('P = 1 - "a" > 0', 1, 9, "'-' takes a count on its right, not a Boolean; brackets may be missing"),
    ('P = # "a" >= "b"', 1, 14, "'>=' takes a count on its right, not a Boolean; brackets may be missing"),
    ('P = "a" == "b"', 1, 5, "not a Boolean; to compare Booleans write p <=> q"),
    ('P = "a" != "b"', 1, 5, "to compare Booleans write !(p <=> q)"),
    ("P = # 3 > 0", 1, 7, "not a count; '#' binds tightest, brackets may be missing: #(…)"),
    ("P = !3", 1, 6, "'!' takes a Boolean, not a count; '!' binds tightest, brackets may be missing: !(…)"),
    ('P = ! # "a" > 0', 1, 7, "'!' takes a Boolean, not a count; '!' binds tightest"),
    ("P = exists 3", 1, 12, "'exists' takes a Boolean, not a count; 'exists' binds tightest"),
    ('P = min(1, "a") > 0', 1, 12, "'min' takes a count on its right, not a Boolean"),
    ("P = (1 if 2 else 3) > 0", 1, 11, "in a conditional the condition must be a Boolean, not a count"),
    ('P = 1 if "a" else 0 > 0', 1, 19, "must be a count, not a Boolean; it binds loosest, brackets"),
    ('P = "a" if "b" else "c"', 1, 5, "for Booleans write (p && x) || (!p && y)"),
    ('C = # "a" * # "b"\nP = true', 1, 13, "'*' takes an integer and a count: one side"),
    ('output "a" = # "a"', 1, 14, 'output "a" must be a Boolean, not a count'),
    # Names
    ("P = x", 1, 5, "unknown name 'x'; names are defined before they are used"),
    ('abc = "a"\nP = abd', 2, 5, "unknown name 'abd'; did you mean 'abc'?"),
    ("P = Q\nQ = true", 1, 5, "unknown name 'Q'"),
    ("P = !P", 1, 6, "unknown name 'P'"),
    ('P = "a"\n  P = "b"', 2, 3, "name 'P' is defined twice; a name is assigned once"),
    ('output "a" = true\noutput "a" = false', 2, 8, 'output "a" is defined twice'),
    ("#import pos_even\npos_even = true", 2, 1, "'pos_even' is an imported relation and cannot be assigned"),
    ("pred = true\n#import pred", 2, 9, "name 'pred' is already assigned and cannot be imported"),
    ("P = pos_even", 1, 5, "'pos_even' is not imported; add the line: #import pos_even"),
    ('P = #[pred3] "a" > 0', 1, 7, "'pred3' is not imported; add the line: #import pred3"),
    ("#import pred\nP = pred", 2, 5, "'pred' is a relation: it stands in a guard, as in #[pred] …"),
    ('#import pos_odd\nP = #[pos_odd] "a" > 0', 2, 7, "'pos_odd' tests a position; it is no guard"),
    ('P = #[near] "a" > 0', 1, 7, "unknown relation 'near'; known are pred, pred2, pred3, …"),
    ("#import succ\nP = true", 1, 9,
     "unknown import 'succ'; known are pred, pred2, pred3, … (predK for any K ≥ 1), pos_even, pos_odd"),
    ("#import pred0\nP = true", 1, 9, "unknown import 'pred0'; known are pred, "),
    # Numbers
    ("P = i % 0 == 0", 1, 9, "a modulus is at least 1"),
    ("P = i % 2 == 2", 1, 14, "i % 2 is never 2: the residues are 0 … 1"),
    ("P = i % 3 in {1, 7}", 1, 18, "i % 3 is never 7: the residues are 0 … 2"),
    ('P = #[i-1000001] "a" > 0', 1, 9, "a distance is at most 1000000"),
    ('#import pred1000001\nP = #[pred1000001] "a" > 0', 2, 7, "a distance is at most 1000000"),
    (f"P = {'9' * 1001} > 0", 1, 5, "an integer has at most 1000 digits"),
    # Tokens and alphabets
    ('P = ""', 1, 5, "a token is a non-empty string"),
    ('output "" = true', 1, 8, "a token is a non-empty string"),
    ('#alphabet a b\nQ = "a"\nP = Q && "c"', 3, 10, "token 'c' is not in the alphabet"),
    ('#alphabet left right\nP = "rigth"', 2, 5, "is not in the alphabet; did you mean 'right'?"),
    ('P = "c"\n#alphabet a b', 1, 5, "token 'c' is not in the alphabet"),
    ('#alphabet a\noutput "b" = true', 2, 8, "token 'b' is not in the alphabet"),
    ('#alphabet a b a\nP = "a"', 1, 15, "token 'a' is in the alphabet twice"),
    ('#alphabet a "" b\nP = "a"', 1, 13, "a token is a non-empty string"),
    ('#alphabet // none\nP = "a"', 1, 1, "#alphabet needs at least one token, as in: #alphabet a b"),
    ('#alphabet a\nP = "a"\n#alphabet b', 3, 1, "the alphabet is declared twice"),
    # The whole
    ('C = # "a"\nD = C + 1', 2, 1, "the program has no Boolean statement"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "message"), ERRORS)
def test_errors_name_the_place_and_what_was_expected(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, "file.cr")
    error = caught.value
    assert error.message.startswith(f"file.cr:{line}:{column}: ")
    assert message in error.message
    assert "\n" not in error.message
    source = text.split("\n")[line - 1]
    assert (error.source, error.column) == (source, column)
    shown, caret = error.details().split("\n")
    assert caret.index("^") < 70
    assert shown[caret.index("^") :].startswith(source[column - 1 : column + 20])


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_reserved_names(name: str) -> None:
    with pytest.raises(InputError, match=rf"^<text>:2:.*'{name}' is reserved"):
        parse(f'Q = true\n{name} = "a"')
    with pytest.raises(InputError, match=r"^<text>:1:"):
        parse(f"P = {name}x")
    assert parse(f'{name}x = "a"').accepts("a")


def test_reserved_names_are_those_of_the_format() -> None:
    assert {"i", "in", "exists", "output", "true", "false", "if", "else", "min", "max"} == RESERVED


def test_the_caret_stays_in_view_on_long_lines() -> None:
    with pytest.raises(InputError) as caught:
        parse("P = " + " + ".join(["1"] * 3000) + " > x")
    shown, caret = caught.value.details().split("\n")
    assert len(shown) < 130
    assert shown[caret.index("^")] == "x"


def test_the_caret_follows_tabs() -> None:
    with pytest.raises(InputError) as caught:
        parse("\t\tP\t= x")
    assert caught.value.details() == "  \t\tP\t= x\n  \t\t \t  ^"


# Depth and size


def _through_everything(program: Program, word: str) -> bool:
    """Parsed again from every form that can be read, printed in all, simplified and traced."""
    core = program.core
    assert parse(program.text).core == core
    assert parse(raise_core(core).text).core == core
    assert len(to_paper(program)) > 0
    assert to_latex(program).startswith("\\begin{align*}")
    assert simplify(core).size <= core.size
    table = trace(program, list(word), encode(core, word))
    every = trace(program, list(word), encode(core, word), every_operation=True)
    assert table.accepted == every.accepted == program.accepts(word)
    return program.accepts(word)


@pytest.mark.parametrize("depth", [200, pytest.param(3000, marks=slow("very deep nesting"))])
def test_deep_nesting(depth: int) -> None:
    brackets = parse(f'P = {"(" * depth}"a"{")" * depth}')
    assert _through_everything(brackets, "ba")
    negations = parse(f'P = {"!" * depth}"a"')
    assert _through_everything(negations, "ba")
    tests = "".join(f'{k} if # "a" == {k} else (' for k in range(depth))
    right = parse(f"C = {tests}0{')' * depth}\nP = C == 2")
    assert _through_everything(right, "aab")
    ternary = parse("C = " + "".join(f'# "a" == {k} ? {k} : ' for k in range(depth)) + "0\nP = C == 2")
    assert _through_everything(ternary, "aab")
    left = parse("C = " + "(" * depth + "0" + ' if "b" else 1)' * depth + "\nP = C == 1")
    assert _through_everything(left, "aba")


@pytest.mark.parametrize("depth", [200, pytest.param(3000, marks=slow("very deep nesting"))])
def test_deeply_nested_counts(depth: int) -> None:
    program = parse(f'P = {"exists (" * depth}"a"{")" * depth}')
    assert program.core.depth == depth
    assert _through_everything(program, "ab")
    guarded = parse("P = " + "(#[i-1] " * depth + '"a"' + " == 1)" * depth)
    assert not _through_everything(guarded, "aab")
    assert guarded.core.depth == depth
    assert guarded.accepts(["a"] + ["b"] * depth)


@pytest.mark.slow
def test_long_chains() -> None:
    program = parse("P = " + " + ".join(["1"] * 2500 + ['# "a"'] * 2500) + " == 10000")
    assert _through_everything(program, "aaa")
    either = parse("P = " + " || ".join(f'"t{k}"' for k in range(5000)))
    assert either.accepts(["t4999"])
    assert not either.accepts(["t5000"])
    implied = parse("P = " + " => ".join(["true"] * 4999 + ['"a"']))
    assert implied.accepts("a")
    assert not implied.accepts("b")


@slow("a very long program")
def test_a_program_of_ten_thousand_lines() -> None:
    lines = ['C0 = # "a"', 'P0 = "a"']
    for k in range(1, 5000):
        lines.append(f"C{k} = C{k - 1} + # (P{k - 1} && i % {k % 50 + 2} == 1)")
        lines.append(f"P{k} = C{k} >= {k} || P{k - 1}")
    program = parse("\n".join(lines))
    assert len(program.statements) == 10_000
    words = ["a", "ba", "bb", "abab" * 5]
    assert [program.accepts(word) for word in words] == [True, True, False, True]
    assert parse(program.text).core == program.core


def test_products_of_integers_stay_within_bounds() -> None:
    nines = "9" * 600
    with pytest.raises(InputError, match=r"1:609: an integer has at most 1000 digits"):
        parse(f'P = {nines} *  {nines} <= # "a"')
