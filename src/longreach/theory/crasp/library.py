"""The library of ready programs, named `lib:NAME` wherever a program file is expected."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from string import ascii_lowercase

from longreach.errors import Argument, InputError, ReadingWarning, near_names
from longreach.files import DOCUMENT_BYTES, read_text
from longreach.theory.crasp.peer import INTERPRETER, differences, parse_peer
from longreach.theory.crasp.printer import statement_text
from longreach.theory.crasp.program import Builder, Program, parse, parse_file
from longreach.theory.crasp.syntax import (
    TRUE,
    Expr,
    Statement,
    all_of,
    any_of,
    conditional,
    count,
    exists,
    integer,
    maximum,
    position,
    token,
)

PREFIX, PEER_PREFIX = "lib:", "peer:"
SOS, SEP, EOS = "SOS", "SEP", "EOS"
MAX_PARAMETER = 1000


@dataclass(frozen=True, slots=True)
class Entry:
    """A library program or a family of them (`make` takes the number in the name)."""

    name: str
    about: str
    samples: tuple[str, ...]
    make: Callable[[int], Program]
    default: int | None = None  # of a family: the member that is listed

    @property
    def example(self) -> str:
        """The name of the program, or of the family's member that is listed."""
        return self.name if self.default is None else self.name.replace("N", str(self.default))


@lru_cache(maxsize=32)
def load(name: str) -> Program:
    """The library program of a name; programs are immutable, so repeated calls return the same object.

    >>> load("dyck-1").accepts("(())")
    True
    >>> load("piecewise:ab&!ba").accepts("aabb")
    True
    """
    if name.startswith("piecewise:"):
        return piecewise_testable(name.removeprefix("piecewise:"))
    if name in ENTRIES and ENTRIES[name].default is None:
        return ENTRIES[name].make(0)
    found = re.fullmatch(r"(.+)-([0-9]{1,9})", name)
    family = ENTRIES.get(f"{found[1]}-N") if found else None
    if found and family:
        number = int(found[2])
        if not 1 <= number <= MAX_PARAMETER:
            raise InputError(f"{PREFIX}{name}: the number is from 1 to {MAX_PARAMETER}")
        return family.make(number)
    known = [entry.example for entry in ENTRIES.values()]
    hint = near_names(name, known) or "; `longreach crasp list` shows them all"
    raise InputError(f"{PREFIX}{name}: no such library program{hint}")


def load_program(source: str, *, peer: bool = False) -> Program:
    """The program that a command line names: `lib:NAME` or a file.

    With `peer`, or as `peer:FILE`, a file is read as coli-saar's interpreter reads it; without, a file that
    it would read otherwise gives a `ReadingWarning`.
    """
    if source.startswith(PEER_PREFIX):
        source, peer = source.removeprefix(PEER_PREFIX), True
    if not source:
        raise InputError("the name of the program is empty", place=Argument("file"))
    if source.startswith(PREFIX):
        return load(source.removeprefix(PREFIX))
    try:
        text = read_text(source, most=DOCUMENT_BYTES)
    except InputError as error:
        raise InputError(f"{error.message}{_meant(source)}") from None
    if peer:
        return parse_peer(text, source)
    try:
        program = parse(text, source)
    except InputError as error:
        raise _with_hint(error, text) from None
    found = differences(text, program)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        first = found[0]
        place = f"{source}:{first.line}:{first.column}"
        message = f"{place}: {INTERPRETER} reads this otherwise{more}: {first.message}"
        warnings.warn(f"{message}; add brackets, or use --peer", ReadingWarning, stacklevel=2)
    return program


def _meant(source: str) -> str:
    """Suggest the library program the user probably meant when a file cannot be read."""
    if Path(source).exists():
        return ""
    try:
        load(source)
    except InputError:
        return ""
    return f"; the library program is {PREFIX}{source}"


def _with_hint(error: InputError, text: str) -> InputError:
    """Add a hint if the other interpreter can read a file that we cannot."""
    try:
        parse_peer(text)
    except InputError:
        return error
    message = f"{error.message}; {INTERPRETER} reads the file, as does --peer"
    return InputError(message, source=error.source, column=error.column)


def _file(name: str) -> Callable[[int], Program]:
    return lambda _: parse_file(Path(__file__).with_name("programs") / f"{name}.cr")


# Languages


def subsequence(word: Iterable[str]) -> Expr:
    """Σ*a₁Σ*a₂…Σ*: the letters of `word` occur in this order (Huang et al., C.1.5).

    A letter that follows itself must be found at an earlier position, where the paper's ∃ also sees this one.
    """
    found, previous = TRUE, ""
    for letter in word:
        earlier = count(found, before=True) >= 1 if letter == previous else exists(found)
        found, previous = token(letter) & earlier if previous else token(letter), letter
    return exists(found) if previous else TRUE


def piecewise_testable(formula: str) -> Program:
    """A Boolean combination of subsequence tests: `ab&!ba` has a … b and no b … a.

    Words are letters and digits, combined with `& | ! ( )`; letters beyond those of the formula are named
    after a slash, as in `ab&!ba/abc`.
    """
    text, _, extra = formula.partition("/")
    words = list(dict.fromkeys(re.findall(r"\w+", text)))
    letters = dict.fromkeys(letter for letter in "".join(words) + extra if not letter.isspace())
    if not words:
        raise InputError(f"{PREFIX}piecewise:{formula}: expected words combined with & | ! ( ), as in ab&!ba")
    lines = [f"#alphabet {' '.join(letters)}"]
    for number, word in enumerate(words):
        lines.append(statement_text(Statement(f"has_{number}", subsequence(word))))
    combined = re.sub(r"\w+", lambda found: f"has_{words.index(found[0])}", text)
    lines.append("L = " + combined.replace("&", " && ").replace("|", " || "))
    return parse("\n".join(lines), f"{PREFIX}piecewise:{formula}")


def bounded_brackets(depth: int) -> Program:
    """D_n: brackets a, b that are balanced and nested at most n deep."""
    b = Builder("ab")
    open_now = b.let("open", count("a") - count("b"))
    wrong = b.let("wrong", (open_now < 0) | (open_now > depth))
    b.let("D", (count(wrong) == 0) & (open_now == 0))
    return b.program()


def blocks(number: int) -> Program:
    """L_1 = a⁺, L_2 = a⁺b⁺, L_3 = a⁺b⁺a⁺, …: a b a … (n letters) occurs in order, b a b … does not."""
    b = Builder("ab")
    letters = ["ab"[k % 2] for k in range(number + 1)]
    starts_a, starts_b = TRUE, TRUE
    for k in range(number):
        starts_a = b.let(f"A_{k + 1}", exists(token(letters[k]) & starts_a if k else letters[k]))
        starts_b = b.let(f"B_{k + 1}", exists(token(letters[k + 1]) & starts_b if k else letters[k + 1]))
    b.let("L", starts_a & ~starts_b)
    return b.program()


# Next-token predictors


def induction_head(alphabet: Sequence[str], argmax: bool) -> Program:
    """What followed the current token before: most often (C.2.1), or ever (C.2.2 of Huang et al.)."""
    b = Builder(alphabet)
    bigrams: dict[tuple[str, str], Expr] = {}
    for first in alphabet:
        before = b.let(f"PRED_{first}", count(first, 1) >= 1)
        for second in alphabet:
            bigrams[first, second] = b.let(f"C_{first}{second}", count(token(second) & before))
    for following in alphabet:
        cases = []
        for current in alphabet:
            here = bigrams[current, following]
            rivals = [bigrams[current, other] for other in alphabet if other != following]
            test = all_of(here >= rival for rival in rivals) if argmax else here >= 1
            cases.append(token(current) & test)
        b.output(following, any_of(cases))
    return b.program()


def _answer(symbols: Sequence[str]) -> tuple[Builder, Expr]:
    """A builder for the layout SOS x SEP y EOS, and whether SEP has been read."""
    b = Builder([SOS, SEP, EOS, *symbols])
    return b, b.let("answering", exists(SEP))


def most_frequent(symbols: Sequence[str]) -> Program:
    """SOS x SEP y EOS with y the most frequent symbol of x; all of them at a tie."""
    b, answering = _answer(symbols)
    counts = [b.let(f"C_{s}", count(token(s) & ~answering)) for s in symbols]
    # A tournament, so that maxima nest only as deep as the logarithm of their number.
    round_of, number = counts, 0
    while len(round_of) > 1:
        pairs = [round_of[k : k + 2] for k in range(0, len(round_of), 2)]
        round_of = [pair[0] if len(pair) == 1 else maximum(*pair) for pair in pairs]
        number += 1
        round_of = [b.let(f"most_{number}_{k}", winner) for k, winner in enumerate(round_of)]
    (most,) = round_of
    for symbol, own in zip(symbols, counts, strict=True):
        b.output(symbol, token(SEP) & (own >= most))
    b.output(EOS, answering & ~token(SEP) & ~token(EOS))
    return b.program()


def bucket_sort(size: int) -> Program:
    """SOS x SEP y EOS: x holds digits below `size`, y the same digits in increasing order.

    A digit comes next where fewer of it are written than were read, and of the smaller ones no fewer.
    """
    symbols = [str(number) for number in range(size)]
    b, answering = _answer(symbols)
    expecting = b.let("expecting", answering & ~token(EOS))
    done: list[Expr] = []
    for symbol in symbols:
        read = b.let(f"read_{symbol}", count(token(symbol) & ~answering))
        written = b.let(f"written_{symbol}", count(token(symbol) & answering))
        b.output(symbol, all_of([expecting, *done, written < read]))
        done.append(b.let(f"done_{symbol}", written >= read))
    b.output(EOS, all_of([expecting, *done]))
    return b.program()


def interleaved_majorities() -> Program:
    """SOS x SEP y EOS: x interleaves three binary sequences, y holds the most frequent bit of each."""
    b, answering = _answer("01")
    given = b.let("given", count(answering))  # 1 at SEP, 2 after the first answer, …
    turns: dict[str, list[Expr]] = {"0": [], "1": []}
    for sequence, residue in enumerate((2, 0, 1)):  # SOS is position 1, so x begins at position 2
        own = b.let(f"own_{sequence}", position(3, residue) & ~answering)
        ahead = b.let(f"ahead_{sequence}", count(own & token("1")) - count(own & token("0")))
        turn = b.let(f"turn_{sequence}", given == sequence + 1)
        turns["1"].append(turn & (ahead >= 0))
        turns["0"].append(turn & (ahead <= 0))
    for bit, cases in turns.items():
        b.output(bit, any_of(cases))
    b.output(EOS, given == 4)
    return b.program()


def sort(size: int) -> Program:
    """SOS x SEP y EOS: x holds distinct numbers below `size`, y the same numbers in increasing order.

    Next comes the least number of x above the current token: the one with as many numbers of x below it as
    there are up to the current token.
    """
    symbols = [str(number) for number in range(size)]
    b, answering = _answer(symbols)
    has = [b.let(f"has_{s}", exists(token(s) & ~answering)) for s in symbols]
    below = [integer(0)]
    for symbol, present in zip(symbols, has, strict=True):
        below.append(b.let(f"below_{symbol}", below[-1] + conditional(present, 1, 0)))
    rank = integer(0)
    for symbol, upto in zip(symbols, below[1:], strict=True):
        rank = b.let(f"rank_{symbol}", conditional(symbol, upto, rank))
    expecting = b.let("expecting", answering & ~token(EOS))
    for symbol, present, smaller in zip(symbols, has, below, strict=False):
        b.output(symbol, expecting & present & (smaller == rank))
    b.output(EOS, expecting & (below[-1] == rank))
    return b.program()


def copy_unique(size: int) -> Program:
    """SOS x SEP x EOS for distinct symbols: an induction head that knows each symbol's predecessor in x.

    Predecessors are known by the bits of their number, so that the program has about size · log size
    operations instead of one count per pair; SOS and SEP have number 0, so that SEP leads to the first.
    """
    symbols = [str(number) for number in range(size)]
    b, answering = _answer(symbols)
    here, before = [], []
    for bit in range(size.bit_length()):
        bearers = [s for number, s in enumerate(symbols, 1) if number >> bit & 1]
        here.append(b.let(f"bit_{bit}", any_of(bearers)))
        before.append(b.let(f"before_{bit}", count(here[bit], 1) >= 1))
    expecting = b.let("expecting", answering & ~token(EOS))
    for symbol in (*symbols, SEP):
        own = token(SEP) if symbol == SEP else b.let(f"in_x_{symbol}", token(symbol) & ~answering)
        agrees = [now.iff(exists(own & then)) for now, then in zip(here, before, strict=True)]
        b.output(EOS if symbol == SEP else symbol, expecting & exists(own) & all_of(agrees))
    return b.program()


def sparse_parity(most: int) -> Program:
    """SOS x SEP y: x is numbers to 20 and bits by turns, y the parity of the bits behind numbers to 10.

    At most so many numbers are that small, so the ones among their bits are compared with each odd number.
    """
    numbers, (zero, one) = [str(number) for number in range(1, 21)], ("t0", "t1")
    b, answering = _answer([*numbers, zero, one])
    special = b.let("special", any_of(numbers[:10]))
    ones = b.let("ones", count(token(one) & (count(special, 1) >= 1) & ~answering))
    odd = b.let("odd", any_of(ones == number for number in range(1, most + 1, 2)))
    b.output(one, token(SEP) & odd)
    b.output(zero, token(SEP) & ~odd)
    return b.program()


def variable_assignment(depth: int) -> Program:
    """SOS v SEP1 assignments SEP y: y writes so many assignments, from the variable v on.

    An induction head: a variable is once the right side of an assignment, and its left side is known by
    the bits of its number, as in `copy_unique`.
    """
    arrow, variables = "←", 200
    symbols = [f"v{number}" for number in range(1, variables + 1)]
    b, answering = _answer([*symbols, arrow, "SEP1"])
    here, before, earlier = [], [], []
    for bit in range(variables.bit_length()):
        here.append(b.let(f"bit_{bit}", any_of(s for n, s in enumerate(symbols, 1) if n >> bit & 1)))
        before.append(b.let(f"before_{bit}", count(here[bit], 1) >= 1))
        earlier.append(b.let(f"earlier_{bit}", count(here[bit], 2) >= 1))
    assigned = b.let("assigned", count(arrow, 1) >= 1)
    begins = b.let("begins", count(SOS, 1) >= 1)
    variable = b.let("variable", answering & ~any_of([arrow, SEP, EOS]))
    done = b.let("done", count(token(arrow) & answering) >= depth)
    for symbol in symbols:
        right = b.let(f"right_{symbol}", token(symbol) & assigned & ~answering)
        agrees = [now.iff(exists(right & then)) for now, then in zip(before, earlier, strict=True)]
        value = token(arrow) & answering & exists(right) & all_of(agrees)
        first = token(SEP) & exists(token(symbol) & begins)
        again = token(symbol) & answering & assigned & ~done
        b.output(symbol, any_of([value, first, again]))
    b.output(arrow, variable & ~assigned)
    return b.program()


def associative_recall(size: int) -> Program:
    """SOS k3 v1 k1 v4 . k1 . k3: keys and values of `size` each; at a key that stood before, its value.

    An induction head: a value stands once, and the key before it is known by the bits of its number, as in
    `copy_unique`.
    """
    keys, values = ([f"{kind}{number}" for number in range(1, size + 1)] for kind in "kv")
    b = Builder([SOS, ".", *keys, *values])
    here, before = [], []
    for bit in range(size.bit_length()):
        here.append(b.let(f"bit_{bit}", any_of(k for number, k in enumerate(keys, 1) if number >> bit & 1)))
        before.append(b.let(f"before_{bit}", count(here[bit], 1) >= 1))
    asked = b.let("asked", any_of(here))
    for value in values:
        agrees = [now.iff(exists(token(value) & then)) for now, then in zip(here, before, strict=True)]
        b.output(value, all_of([asked, exists(value), *agrees]))
    return b.program()


def numbered_recall(size: int) -> Program:
    """The same without positions: a pair is known by how many keys there were where it stood first."""
    keys, values = ([f"{kind}{number}" for number in range(1, size + 1)] for kind in "kv")
    b = Builder([SOS, ".", *keys, *values])
    first = b.let("first", any_of(token(key) & (count(key) == 1) for key in keys))
    number = b.let("number", count(first))
    bits = [
        b.let(f"number_{bit}", any_of(number == each for each in range(1, size + 1) if each >> bit & 1))
        for bit in range(size.bit_length())
    ]
    asked = b.let("asked", any_of(keys))
    here = [any_of(token(key) & exists(token(key) & first & bit) for key in keys) for bit in bits]
    here = [b.let(f"here_{place}", each) for place, each in enumerate(here)]
    for value in values:
        agrees = [now.iff(exists(token(value) & then)) for now, then in zip(here, bits, strict=True)]
        b.output(value, all_of([asked, exists(value), *agrees]))
    return b.program()


def selective_copy(size: int) -> Program:
    """SOS x SEP y EOS: x holds `size` of 16 data tokens among noise, y the data tokens in their order.

    Which data token is the j-th is known by the number of data tokens where it stands.
    """
    symbols = [str(number) for number in range(16)]
    b, answering = _answer([".", *symbols])
    data = b.let("data", any_of(symbols))
    read = b.let("read", count(data & ~answering))
    written = b.let("written", count(data & answering))
    turns: dict[str, list[Expr]] = {symbol: [] for symbol in symbols}
    for place in range(1, size + 1):
        own = b.let(f"place_{place}", data & ~answering & (read == place))
        turn = b.let(f"turn_{place}", answering & (written == place - 1))
        for symbol in symbols:
            turns[symbol].append(turn & exists(token(symbol) & own))
    for symbol, cases in turns.items():
        b.output(symbol, any_of(cases))
    b.output(EOS, answering & (written == size) & ~token(EOS))
    return b.program()


def _text(lines: str) -> Callable[[int], Program]:
    """The program of a text in which N is the number."""
    return lambda number: parse(lines.replace("N", str(number)))


# Name, description, words to try it on, how it is made unless it is a file of that name, and of a family the
# member that is listed.
_ROWS: list[tuple[str, str, str, Callable[[int], Program] | None, int | None]] = [
    ("majority", "at least as many 1s as 0s", "0110, 0010, ε", None, None),
    ("dyck-1", "balanced brackets", "(()()), ())(, ε", None, None),
    ("anbncn", "aⁿbⁿcⁿ", "aabbcc, abcabc, aabbc", None, None),
    ("contains-ab", "Σ*abΣ* over {a,b}", "bbaab, bba", None, None),
    ("contains-ab-abc", "Σ*abΣ* over {a,b,c}", "ccabc, acb", None, None),
    ("contains-bb", "Σ*bbΣ* over {a,b}", "abba, abab", None, None),
    ("aa", "(aa)*", "aaaa, aaa", None, None),
    ("aaaa", "(aaaa)*", "aaaa, aa", None, None),
    ("abab", "(abab)*", "abab, abba, ab", None, None),
    ("tomita-1", "1*", "111, 101", None, None),
    ("tomita-2", "(10)*", "1010, 1001", None, None),
    ("tomita-4", "no 000", "10010, 10001", None, None),
    ("tomita-7", "0*1*0*1*", "0011011, 0101010", None, None),
    ("aa-bb-cc-dd-ee", "aa*bb*cc*dd*ee*", "aabcdde, abdce", None, None),
    ("ab-d-bc", "{a,b}*d{b,c}*", "abdbc, abdba", None, None),
    ("d-N", "D_n: brackets nested at most n deep", "aabb, abab, aaabbb", bounded_brackets, 2),
    ("l-N", "a⁺b⁺a⁺… with n blocks", "aabba, aabb", blocks, 3),
    ("count-N", "at least n ones", "01011, 0100", _text('#alphabet 0 1\nL = # "1" >= N'), 3),
    ("maj-N", "at least n more ones than zeros", "01111, 0011",
     _text('#alphabet 0 1\nL = # "1" - # "0" >= N'), 2),
    ("subsequence", "Σ*aΣ*bΣ*cΣ*; others as piecewise:FORMULA, e.g. piecewise:ab&!ba/abc", "aabbc, acb",
     lambda _: piecewise_testable("abc"), None),
    ("induction-argmax", "what followed the current token most often", "abacaba",
     lambda _: induction_head("abc", argmax=True), None),
    ("induction-all", "what ever followed the current token", "abacaba",
     lambda _: induction_head("abc", argmax=False), None),
    ("dyck-1-next", "what may follow within balanced brackets", "( ( )", None, None),
    ("anbncn-next", "what may follow within aⁿbⁿcⁿ", "a a b b", None, None),
    ("binary-majority", "SOS bits SEP the more frequent bit EOS", "SOS 0 1 1 SEP 1",
     lambda _: most_frequent("01"), None),
    ("majority-26", "SOS letters SEP the most frequent one EOS", "SOS b a b SEP b",
     lambda _: most_frequent(ascii_lowercase), None),
    ("binary-majority-interleave", "three majorities of interleaved bits", "SOS 1 0 1 1 0 1 SEP 1 0",
     lambda _: interleaved_majorities(), None),
    ("mode", "SOS letters SEP the most frequent of five EOS", "SOS c b a b SEP b",
     lambda _: most_frequent("abcde"), None),
    ("shuffle-dyck-next", "what may follow within shuffled brackets", "( [ ) ]", None, None),
    ("anbn-next", "what may follow within aⁿbⁿ", "a a b", None, None),
    ("count-unary", "SOS a and b SEP as many a EOS", "SOS b a a SEP a a", None, None),
    ("even-pairs", "SOS a and b SEP whether the ends are equal EOS", "SOS a b b SEP odd", None, None),
    ("bucket-sort", "SOS five digits SEP the same sorted EOS", "SOS 2 0 2 SEP 0 2 2",
     lambda _: bucket_sort(5), None),
    ("sort", "SOS distinct numbers SEP the same sorted EOS", "SOS 14 3 7 SEP 3 7 14",
     lambda _: sort(150), None),
    ("copy-unique", "SOS distinct symbols SEP the same again EOS", "SOS 5 2 9 SEP 5 2 9",
     lambda _: copy_unique(150), None),
    ("sort-N", "sort with n numbers", "SOS 2 0 SEP 0 2", sort, 10),
    ("copy-unique-N", "copy-unique with n symbols", "SOS 2 0 SEP 2 0", copy_unique, 10),
    ("sparse-parity-N", "the parity of bits behind special symbols, at most n of them",
     "SOS 3 t1 17 t1 SEP t1", sparse_parity, 4),
    ("variable-assignment-N", "n assignments of a chain, of 200 variables",
     "SOS v1 SEP1 v1 ← v2 SEP v1 ← v2", variable_assignment, 2),
    ("mqar-N", "the value of a key that stood before, of n keys and n values", "SOS k2 v1 k1 v2 . k2",
     associative_recall, 4),
    ("mqar-numbers-N", "the same without positions", "SOS k2 v1 k1 v2 . k2", numbered_recall, 4),
    ("selective-copy-N", "SOS n data tokens among noise SEP the same without it EOS",
     "SOS . 3 . 5 SEP 3 5", selective_copy, 2),
]  # fmt: skip
ENTRIES: dict[str, Entry] = {
    name: Entry(name, about, tuple(words.split(", ")), make or _file(name), default)
    for name, about, words, make, default in _ROWS
}
