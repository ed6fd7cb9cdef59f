"""A literal answer for every task: the definition, read slowly, without anything of `longreach.tasks`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.regex import from_expression

Oracle = Callable[[Sequence[str]], Sequence[str]]


def majority(x: Sequence[str]) -> str:
    (first, most), *rest = Counter(x).most_common()
    assert not rest or rest[0][1] < most, "a tie"
    return first


def _distinct(x: Sequence[str]) -> Sequence[str]:
    assert len(set(x)) == len(x)
    return x


def parity(x: Sequence[str]) -> str:
    return "even" if sum(map(int, x)) % 2 == 0 else "odd"


def added(x: Sequence[str]) -> list[str]:
    """By hand, from the right."""
    text = "".join(x)
    assert text[-1] == "="
    first, second = (list(map(int, part))[::-1] for part in text[:-1].split("+"))
    assert first
    assert second
    digits, carry = [], 0
    for place in range(max(len(first), len(second)) + 1):
        carry += sum(part[place] for part in (first, second) if place < len(part))
        digits.append(carry % 2)
        carry //= 2
    while len(digits) > 1 and not digits[-1]:
        digits.pop()
    return [str(digit) for digit in digits[::-1]]


def multiplied(x: Sequence[str]) -> list[str]:
    """The first factor, shifted, for every one of the second."""
    first, second = "".join(x).removesuffix("=").split("*")
    total = 0
    for place, bit in enumerate(reversed(second)):
        total += int(bit) * (int(first, 2) << place)
    digits = bin(total)
    return list(digits[2:])


def formula(x: Sequence[str]) -> list[str]:
    """From the front, part by part."""

    def read(place: int) -> tuple[bool, int]:
        token = x[place]
        if token in "01":
            return token == "1", place + 1
        first, place = read(place + 1)
        if token == "not":
            return not first, place
        second, place = read(place)
        return (first and second) if token == "and" else (first or second), place

    value, end = read(0)
    assert end == len(x)
    return [str(int(value))]


def formula_at(x: Sequence[str]) -> tuple[str, ...]:
    """The formula that x begins with."""
    need = 1
    for place, token in enumerate(x):
        need += {"and": 1, "or": 1, "not": 0}.get(token, -1)
        if not need:
            return tuple(x[: place + 1])
    raise AssertionError(x)


def formula_steps(x: Sequence[str]) -> list[str]:
    """The value of each part, by Python's own operators, from the last to the whole."""

    def written(part: Sequence[str], place: int) -> tuple[str, int]:
        if part[place] in "01":
            return str(part[place] == "1"), place + 1
        first, after = written(part, place + 1)
        if part[place] == "not":
            return f"(not {first})", after
        second, end = written(part, after)
        return f"({first} {part[place]} {second})", end

    return [f"={int(eval(written(formula_at(x[place:]), 0)[0]))}" for place in range(len(x) - 1, -1, -1)]


def repeated(x: Sequence[str], block: Callable[[Sequence[str]], Sequence[str]]) -> list[str]:
    """What follows each token from the first SEP on: the block, again and again."""
    size = list(x).index("SEP")
    following = [*block(_distinct(x[:size])), "SEP"] * len(x)
    assert list(x[size + 1 :]) == following[: len(x) - size - 1]
    return following[: len(x) - size]


def walk(x: Sequence[str]) -> list[str]:
    places = ["0", "1", "2", "3", "4"]
    for step in x:
        if step == "right":
            places = [*places[1:], places[0]]
        elif step == "left":
            places = [places[-1], *places[:-1]]
    return places[:1]


def even_pairs(x: Sequence[str]) -> list[str]:
    word = "".join(x)
    pairs = sum(word[k : k + 2] in ("ab", "ba") for k in range(len(word)))
    return ["even" if pairs % 2 == 0 else "odd"]


def modular_arithmetic(x: Sequence[str]) -> list[str]:
    """Two passes over a list: products first, then sums from the left."""
    work: list[str | int] = [int(token) if token.isdigit() else token for token in x]
    for operators in ("*", "+-"):
        place = 1
        while place < len(work):
            if work[place] in list(operators):
                left, operator, right = work[place - 1 : place + 2]
                assert isinstance(left, int)
                assert isinstance(right, int)
                value = left * right if operator == "*" else left + right if operator == "+" else left - right
                work[place - 1 : place + 2] = [value]
            else:
                place += 2
    (value,) = work
    assert isinstance(value, int)
    return [str(value % 5)]


# Languages: after each letter, the set of what may follow.


def anbn(x: Sequence[str]) -> list[str]:
    word = "".join(x)
    assert word == "a" * (len(word) // 2) + "b" * (len(word) // 2)
    found = ["{a,EOS}"]
    for end in range(1, len(word) + 1):
        left = word[:end].count("a") - word[:end].count("b")
        found.append("{a,b}" if word[end - 1] == "a" else "{b}" if left else "{EOS}")
    return found


def balanced(word: Sequence[str]) -> bool:
    """Each kind alone, by taking pairs away."""
    for kind in ("()", "[]"):
        text = "".join(letter for letter in word if letter in kind)
        while kind in text:
            text = text.replace(kind, "")
        if text:
            return False
    return True


def shuffled_brackets(x: Sequence[str]) -> list[str]:
    assert balanced(x)
    found, open_now = [], {"(": 0, "[": 0}
    for letter in ("", *x):
        if letter in open_now:
            open_now[letter] += 1
        elif letter:
            open_now["(" if letter == ")" else "["] -= 1
        legal = ["(", *([")"] if open_now["("] else []), "[", *(["]"] if open_now["["] else [])]
        found.append("{" + ",".join([*legal, *([] if any(open_now.values()) else ["EOS"])]) + "}")
    return found


# Families of Golowich et al., arXiv 2502.16792.


def sparse_parity(special: int) -> Oracle:
    """Equation (20): the exclusive or of the bits whose number is at most `special`."""

    def answer(x: Sequence[str]) -> list[str]:
        found = 0
        for place in range(0, len(x), 2):
            if int(x[place]) <= special:
                found ^= int(x[place + 1][1])
        return [f"t{found}"]

    return answer


def prefix_parities(k: int) -> Oracle:
    """Equation (21) with jumps: one bit after the other, a line for every k-th and for the last."""

    def answer(x: Sequence[str]) -> list[str]:
        found, written = 0, list[str]()
        for place, bit in enumerate(x, 1):
            found ^= int(bit)
            if place % k == 0 or place == len(x):
                written.append(str(found))
        return written

    return answer


def chains(x: Sequence[str], d: int) -> list[list[str]]:
    """The chains of an input, followed assignment by assignment in the order in which they stand."""
    assert x[1] == "SEP1"
    found: list[list[str]] = []
    for place in range(2, len(x), 3):
        left, arrow, right = x[place : place + 3]
        assert arrow == "←"
        own = [chain for chain in found if chain[-1] == left and len(chain) <= d]
        if own:
            own[0].append(right)
        else:
            found.append([left, right])
    return found


def assignment(d: int, scratchpad: bool = True) -> Oracle:
    def answer(x: Sequence[str]) -> list[str]:
        found = chains(x, d)
        # d assignments a chain, all variables distinct, in order.
        assert [len(chain) for chain in found] == [d + 1] * len(found)
        _distinct([variable for chain in found for variable in chain])
        (own,) = [chain for chain in found if chain[0] == x[0]]
        return (
            [each for pair in pairwise(own) for each in (pair[0], "←", pair[1])] if scratchpad else own[-1:]
        )

    return answer


def kgram(k: int) -> Oracle:
    def answer(x: Sequence[str]) -> list[str]:
        found = [x[end] for end in range(k, len(x)) if list(x[end - k : end]) == list(x[-k:])]
        assert len(found) == 1, x
        return found

    return answer


# Groups and recall.


def composed(word: Sequence[str], size: int) -> str:
    """Permutations in one line, one after the other: where each number ends."""
    ends = []
    for number in range(1, size + 1):
        for permutation in word:
            number = int(permutation[number - 1])
        ends.append(str(number))
    return "".join(ends)


def _quaternion(word: Sequence[str]) -> str:
    """Hamilton's product of a + b i + c j + d k."""
    now = (1, 0, 0, 0)
    for letter in word:
        sign, unit = (-1 if letter[0] == "-" else 1), "1ijk".index(letter[-1])
        (a, b, c, d), (e, f, g, h) = now, tuple(sign * (place == unit) for place in range(4))
        now = (
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        )
    (place,) = [place for place in range(4) if now[place]]
    return ("-" if now[place] < 0 else "") + "1ijk"[place]


def product_of(group: str) -> Callable[[Sequence[str]], str]:
    if group[0] == "Z":
        return lambda word: str(sum(map(int, word)) % int(group[1:]))
    return _quaternion if group == "Q8" else lambda word: composed(word, int(group[1:]))


def products(group: str) -> Oracle:
    """The product of each prefix, the empty one included."""
    product = product_of(group)
    return lambda x: [f"{{{product(x[:end])}}}" for end in range(len(x) + 1)]


def flip_flop(x: Sequence[str]) -> list[str]:
    assert x[0] == "w"
    assert x[-2] == "r"
    assert {*x[::2]} <= {*"wri"}
    assert {*x[1::2]} <= {*"01"}
    found, kept = ["{w}"], ""
    for instruction, bit in zip(x[::2], x[1::2], strict=True):
        found.append("{" + kept + "}" if instruction == "r" else "{0,1}")
        kept = bit if instruction == "w" else kept
        assert instruction != "r" or bit == kept
        found.append("{w,r,i,EOS}" if instruction == "r" else "{w,r,i}")
    return found


def recalled(pairs: int | None = None) -> Oracle:
    """Pairs, then each key once at an even place behind them, and blanks."""

    def answer(x: Sequence[str]) -> list[str]:
        count = pairs or len({token for token in x if token[0] == "k"})
        table = {x[2 * place]: x[2 * place + 1] for place in range(count)}
        assert len(table) == len({*table.values()}) == count
        asked, between = x[2 * count :: 2], x[2 * count + 1 :: 2]
        assert {*between} == {"."}
        assert sorted(token for token in asked if token != ".") == sorted(table)
        return [table[token] for token in asked if token != "."]

    return answer


def without_noise(data: int) -> Oracle:
    def answer(x: Sequence[str]) -> list[str]:
        found = [token for token in x if token != "."]
        assert len(found) == data or (not data and found)
        return found

    return answer


def recalled_product(group: str, pairs: int) -> Oracle:
    def answer(x: Sequence[str]) -> list[str]:
        table = {x[2 * place]: x[2 * place + 1] for place in range(pairs)}
        assert len(table) == pairs
        return [product_of(group)([table[key] for key in x[2 * pairs :]])]

    return answer


# Changed tasks.


def run(automaton: Automaton) -> Oracle:
    """The state after each letter, then whether the word is in the language."""

    def answer(x: Sequence[str]) -> list[str]:
        states = [automaton.run(x[: end + 1]) for end in range(len(x))]
        return [*(f"q{state}" for state in states), "yes" if automaton.accepts(x) else "no"]

    return answer


def _prefixes(x: Sequence[str]) -> list[Sequence[str]]:
    return [x[: end + 1] for end in range(len(x))]


def _modulo_3(x: Sequence[str]) -> list[str]:
    sums = [list(part).count("a") % 3 for part in _prefixes(x)]
    return [*(f"q{state}" for state in sums), ("zero", "one", "two")[sums[-1]]]


def _padded(answer: list[str], size: int) -> list[str]:
    """From the least significant bit on, with zeros at the end."""
    return answer[::-1] + ["0"] * (size - len(answer))


def _operands(x: Sequence[str], sign: str) -> tuple[int, int]:
    first, second = "".join(x).removesuffix("=").split(sign)
    return len(first), len(second)


ORACLES: dict[str, Oracle] = {
    "binary-majority": lambda x: [majority(x)],
    "binary-majority-interleave": lambda x: [majority(x[k::3]) for k in range(3)],
    "majority": lambda x: [majority(x)],
    "sort": lambda x: [str(n) for n in sorted(int(s) for s in _distinct(x))],
    "copy-unique": lambda x: list(_distinct(x)),
    "copy-repeat": list,
    "parity": lambda x: [parity(x)],
    "parity-with-empty": lambda x: [parity(x)],
    "addition": added,
    "addition-no-leading-zeros": added,
    "multiplication": multiplied,
    "repeated-copy": lambda x: repeated(x, list),
    "repeated-sort": lambda x: repeated(x, lambda word: sorted(word, key=int)),
    "count": lambda x: ["a"] * sum(symbol == "a" for symbol in x),
    "mode": lambda x: [majority(x)],
    "reverse": lambda x: [x[-1 - k] for k in range(len(x))],
    "duplicate-string": lambda x: list(x) * 2,
    "bucket-sort": lambda x: [digit for digit in "01234" for _ in range(list(x).count(digit))],
    "even-pairs": even_pairs,
    "cycle-navigation": walk,
    "modular-arithmetic": modular_arithmetic,
    "boolean-expressions": formula,
    "shuffle-dyck": shuffled_brackets,
    "anbn": anbn,
    "sparse-parity": sparse_parity(10),
    "sparse-parity:1-2": sparse_parity(10),
    "sparse-parity:2-2": sparse_parity(10),
    "sparse-parity:12": sparse_parity(10),
    "sparse-parity:2,symbols=3": sparse_parity(1),
    "parity-scratchpad": prefix_parities(1),
    **{f"parity-scratchpad:{k}": prefix_parities(k) for k in (2, 3, 4)},
    "parity-scratchpad:1,scratchpad=no": lambda x: [str(x.count("1") % 2)],
    "variable-assignment": assignment(2),
    **{f"variable-assignment:{d}": assignment(d) for d in (1, 3, 5)},
    **{f"variable-assignment:{d},scratchpad=no": assignment(d, False) for d in (1, 2, 3, 5)},
    "kgram-retrieval": kgram(2),
    "kgram-retrieval:1": kgram(1),
    "kgram-retrieval:1,symbols=8": kgram(1),
    "kgram-retrieval:2,symbols=12": kgram(2),
    "word-problem": products("S3"),
    **{
        f"word-problem:{group}": products(group) for group in ("Z2", "Z7", "Q8", "D4", "A4", "S4", "A5", "S5")
    },
    **{f"word-problem:{group},generators=yes": products(group) for group in ("Z2", "S3", "Q8", "D4", "A5")},
    "flip-flop": flip_flop,
    "flip-flop:0": flip_flop,
    "flip-flop:0.98": flip_flop,
    "mqar": recalled(),
    "mqar:3": recalled(3),
    "mqar:symbols=8": recalled(),
    "mqar:2,symbols=4,power=1": recalled(2),
    "selective-copy": without_noise(8),
    "selective-copy:16": without_noise(16),
    "selective-copy:3,symbols=2": without_noise(3),
    "selective-copy:0": without_noise(0),
    "recall-then-fold": recalled_product("S3", 4),
    "recall-then-fold:Z3,pairs=2,keys=2": recalled_product("Z3", 2),
    "recall-then-fold:Q8,pairs=3": recalled_product("Q8", 3),
    "copy-repeat+reversed": lambda x: list(x)[::-1],
    "sort+reversed": lambda x: sorted(x, key=int, reverse=True),
    "addition+reversed": lambda x: _padded(added(x), 1 + max(_operands(x, "+"))),
    "addition-no-leading-zeros+reversed": lambda x: _padded(added(x), 1 + max(_operands(x, "+"))),
    "multiplication+reversed": lambda x: _padded(multiplied(x), sum(_operands(x, "*"))),
    "boolean-expressions+scratchpad": formula_steps,
    "parity+scratchpad": lambda x: [parity(part) for part in _prefixes(x)],
    **{
        f"regex:{expression}+scratchpad": run(from_expression(expression))
        for expression in ("(aa)*", "(ab|ba)*", "a*b*", "(a|b)*abb", "(a|b|c)*")
    },
    'dfa:{"alphabet":["a","b"],"transitions":[[1,0],[2,1],[0,2]],"outputs":["zero","one","two"]}'
    "+scratchpad": _modulo_3,
}
