# ruff: noqa
"""30 tasks as a practitioner would bring them: plain Python functions wrapped with Task.from_function / from_predicate."""

from collections import Counter

from longreach import Task


def words(alphabet, start=1):
    def draw(length, rng):
        return [alphabet[k] for k in rng.integers(0, len(alphabet), length)]

    return draw


# 1
last_token = Task.from_function(words("abc"), lambda x: x[-1], about="the last token")
# 2
first_token = Task.from_function(words("abc"), lambda x: x[0], about="the first token")


# 3
def _majority3(x):
    count = Counter(x)
    return min("abc", key=lambda s: (-count[s], s))


majority3 = Task.from_function(words("abc"), _majority3, about="the most frequent of three letters")
# 4
diff_mod3 = Task.from_function(
    words("ab"), lambda x: (x.count("a") - x.count("b")) % 3, about="#a - #b modulo 3"
)
# 5
first_equals_last = Task.from_function(
    words("abc"), lambda x: x[0] == x[-1], about="first letter = last letter"
)
# 6
contains_aba = Task.from_function(words("ab"), lambda x: "aba" in "".join(x), about="contains aba")
# 7
two_distinct = Task.from_function(
    words("abcd"), lambda x: len(set(x)) <= 2, about="at most two distinct letters"
)


# 8
def _half_palindromes(length, rng):
    w = ["ab"[k] for k in rng.integers(0, 2, length)]
    if rng.integers(0, 2):
        half = w[: length // 2]
        w = half + w[length // 2 : length - length // 2] + half[::-1]
    return w


palindrome = Task.from_function(_half_palindromes, lambda x: x == x[::-1], about="is a palindrome")
# 9
copy = Task.from_function(words("ab"), lambda x: x, about="copy the word")
# 10
reverse = Task.from_function(words("0123"), lambda x: x[::-1], about="reverse the word")
# 11
sort_digits = Task.from_function(words("0123456789"), sorted, about="sort digits, repeats allowed")
# 12
dedupe = Task.from_function(
    words("abcd"),
    lambda x: list(dict.fromkeys(x)),
    about="drop repeated letters, keep order of first occurrence",
)


# 13
def _running_max(x):
    best, out = "0", []
    for digit in x:
        best = max(best, digit)
        out.append(best)
    return out


running_max = Task.from_function(words("0123"), _running_max, about="running maximum")


# 14
def _draw_lookup(length, rng):
    mapping = {k: "012"[rng.integers(0, 3)] for k in "abcd"}
    keys = ["abcd"[k] for k in rng.integers(0, 4, length // 2)]
    x = [t for k in keys for t in (k, mapping[k])]
    return x + [keys[rng.integers(0, len(keys))]]


def _lookup(x):
    return dict(zip(x[0:-1:2], x[1:-1:2]))[x[-1]]


lookup_consistent = Task.from_function(
    _draw_lookup,
    _lookup,
    has=lambda n: n % 2 == 1 and n >= 3,
    least_length=3,
    about="key-value pairs then a key: its value; a key always has the same value",
)


# 15
def _draw_reassign(length, rng):
    pairs = length // 2
    x = [t for _ in range(pairs) for t in ("ab"[rng.integers(0, 2)], "01"[rng.integers(0, 2)])]
    return x + [x[2 * rng.integers(0, pairs)]]


lookup_latest = Task.from_function(
    _draw_reassign,
    _lookup,
    has=lambda n: n % 2 == 1 and n >= 3,
    least_length=3,
    about="assignments then a key: its latest value",
)


# 16
def _after_a(x):
    count = Counter(v for u, v in zip(x, x[1:]) if u == "a")
    return min("abc", key=lambda s: (-count[s], s))


most_often_after_a = Task.from_function(
    words("abc"), _after_a, about="the letter that most often follows an a"
)


# 17
def _draw_flip_flop(length, rng):
    x = ["w", "01"[rng.integers(0, 2)]]
    while len(x) < length - 1:
        x += ["wi"[int(rng.integers(0, 10) > 1)], "01"[rng.integers(0, 2)]]
    return x + ["r"]


def _flip_flop(x):
    value = None
    for op, bit in zip(x[0:-1:2], x[1:-1:2]):
        if op == "w":
            value = bit
    return value


flip_flop = Task.from_function(
    _draw_flip_flop,
    _flip_flop,
    has=lambda n: n % 2 == 1 and n >= 3,
    least_length=3,
    about="flip-flop: read the last written bit",
)


# 18
def _dyck1(word):
    depth = 0
    for letter in word:
        depth += 1 if letter == "(" else -1
        if depth < 0:
            return False
    return depth == 0


dyck1 = Task.from_predicate(_dyck1, "()", about="balanced brackets")


# 19
def _dyck2(word):
    stack = []
    for letter in word:
        if letter in "([":
            stack.append(letter)
        elif not stack or stack.pop() != {")": "(", "]": "["}[letter]:
            return False
    return not stack


dyck2 = Task.from_predicate(_dyck2, "()[]", about="balanced brackets of two kinds")
# 20
sum_mod5 = Task.from_function(words("01234"), lambda x: sum(map(int, x)) % 5, about="the sum modulo 5")


# 21
def _two_numbers(length, rng):
    n = (length - 1) // 2
    left = ["01"[k] for k in rng.integers(0, 2, n)]
    right = ["01"[k] for k in rng.integers(0, 2, n)]
    if rng.integers(0, 2):  # a long common beginning
        same = int(rng.integers(0, n + 1))
        right[:same] = left[:same]
    return left + ["#"] + right


def _larger(x):
    cut = x.index("#")
    return int("".join(x[:cut]), 2) > int("".join(x[cut + 1 :]), 2)


compare_binary = Task.from_function(
    _two_numbers,
    _larger,
    has=lambda n: n % 2 == 1 and n >= 3,
    least_length=3,
    about="is the first binary number larger than the second",
)
# 22
average_digit = Task.from_function(
    words("0123456789"), lambda x: 2 * sum(map(int, x)) > 9 * len(x), about="is the mean digit above 4.5"
)
# 23
increment = Task.from_function(
    words("01"),
    lambda x: list(bin(int("".join(x), 2) + 1)[2:].zfill(len(x))),
    about="a binary number plus one",
)
# 24
rotate_left = Task.from_function(words("01"), lambda x: x[1:] + x[:1], about="rotate left by one")
# 25
trailing_run_even = Task.from_function(
    words("ab"),
    lambda x: (len(x) - len("".join(x).rstrip("a"))) % 2 == 0,
    about="the trailing run of a has even length",
)


# 26
def _draw_third(length, rng):
    w = ["ab"[k] for k in rng.integers(0, 2, length)]
    if rng.integers(0, 2):
        w[::3] = ["a"] * len(w[::3])
    return w


every_third_a = Task.from_function(
    _draw_third, lambda x: set(x[::3]) == {"a"}, about="every third letter is a"
)
# 27
five_a = Task.from_function(words("abcdefgh"), lambda x: x.count("a") >= 5, about="at least five a")


# 28
def _json(word):
    stack = []
    for letter in word:
        if letter in "[{":
            stack.append(letter)
            if len(stack) > 3:
                return False
        elif letter in "]}":
            if not stack or stack.pop() != {"]": "[", "}": "{"}[letter]:
                return False
    return not stack


json_depth3 = Task.from_predicate(
    _json, "[]{}x", about="brackets of two kinds and leaves, nested at most 3 deep"
)
# 29
first_b_parity = Task.from_function(
    words("ab"), lambda x: x.index("b") % 2 if "b" in x else "none", about="position of the first b modulo 2"
)
# 30
run_of_three = Task.from_function(
    words("abc"), lambda x: any(c * 3 in "".join(x) for c in "abc"), about="some letter three times in a row"
)
