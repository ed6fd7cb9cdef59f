"""Further functions, whose remedies are compared: counts of pairs, and a count modulo 4."""

from itertools import pairwise

from longreach import Task


def words(alphabet):
    def draw(length, rng):
        return [alphabet[k] for k in rng.integers(0, len(alphabet), length)]

    return draw


def pairs(x, pair):
    return sum(u + v == pair for u, v in pairwise(x))


more_aa_than_bb = Task.from_function(words("ab"), lambda x: pairs(x, "aa") > pairs(x, "bb"))
more_ab_than_bc = Task.from_function(words("abc"), lambda x: pairs(x, "ab") > pairs(x, "bc"))


def draw_terms(length, rng):
    return [t for _ in range(length // 2) for t in ("+-"[rng.integers(0, 2)], "012"[rng.integers(0, 3)])]


signed_sum = Task.from_function(
    draw_terms,
    lambda x: sum(int(d) if sign == "+" else -int(d) for sign, d in zip(x[::2], x[1::2], strict=True)) > 0,
    has=lambda n: n % 2 == 0,
    least_length=2,
    about="is a sum of digits with signs positive",
)
count_modulo_4 = Task.from_function(words("ab"), lambda x: x.count("a") % 4, about="the number of a modulo 4")
even_against_odd = Task.from_function(words("ab"), lambda x: x[::2].count("a") > x[1::2].count("a"))
