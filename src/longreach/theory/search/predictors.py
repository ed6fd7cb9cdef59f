"""Programs that say what comes next, found from examples: guess from a few, ask about all, refine.

For each token the smallest of these that agrees: a comparison, a conjunction or a disjunction of comparisons,
a conjunction of pairs ("this or that"), a disjunction of pairs. What is compared are the sums of
`longreach.theory.search.terms`, kind by kind. All examples are columns of arrays, so that thousands of
comparisons, and all pairs of hundreds, are tried at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from longreach.theory.crasp.program import Program, tidy_statements
from longreach.theory.crasp.syntax import Expr, all_of, any_of, as_expr, exists
from longreach.theory.crasp.syntax import token as token_test
from longreach.theory.search.terms import EOS, KINDS, NUMBERS, PARTS, SEP, WITH_RELATIONS, Form, Terms, Values

Truth = NDArray[np.bool_]
Counts = NDArray[np.int32]
ACCEPT, REJECT = "accept", "reject"
FIRST_POSITIVE, FIRST_NEGATIVE, MORE = 120, 240, 60
"""Columns from which the first guess is made, and how many that refute it join them."""
NOISY = 500
"""Columns of each kind from which a guess is made where some are wrong."""
ROUNDS, MOST_CLAUSES = 25, 16
LIMIT, LIMIT_OF_TWO, LIMIT_ALONE = 2, 5, 10
"""The largest number with which a sum, a sum of two counts, or a single count is compared in a formula of
several literals."""
PAIRED = 700
"""Comparisons of which all pairs are tried."""
SMALLEST, SMALL = (1, 0), (1, 0, 2, -1, 3, -2)
"""Numbers with which sums are compared in pairs: at first, and where these are not enough."""
NEARLY = 0.9
"""Of comparisons that refute nearly as many as the best, the simplest is taken."""
AT_ONCE = 3
"""Literals of a formula that is taken without a look at other shapes."""


@dataclass(frozen=True)
class Literal:
    """A test, or a sum that is at least a number; or the opposite."""

    form: int | None
    """Its place among the sums; None for a test."""
    test: int = 0
    least: int = 0
    holds: bool = True

    def opposite(self) -> Literal:
        return replace(self, holds=not self.holds)


@dataclass(frozen=True)
class Formula:
    """A conjunction of disjunctions, or its negation."""

    clauses: tuple[tuple[Literal, ...], ...]
    holds: bool = True

    @property
    def size(self) -> int:
        return sum(map(len, self.clauses))


@dataclass(frozen=True, eq=False)
class Found:
    """A program that agrees with all examples, and how large its formulas are."""

    program: Program
    literals: int
    kind: str
    """Of terms, the last that it uses."""


Example = tuple[tuple[str, ...], tuple[str, ...]]
"""What is read, and what is right at its last positions."""


def fit_predictor(
    examples: Sequence[Example],
    letters: Sequence[str],
    written: Sequence[str] = (),
    *,
    relations: bool,
    left: Callable[[], float],
    slack: float = 0.0,
    members: Mapping[str, tuple[str, ...]] | None = None,
    marks: Sequence[str] = (),
) -> Found | None:
    """A program for examples: of a task SOS x SEP y, read but for EOS, right from SEP on; or, without
    `written`, of a language, whose words are accepted or rejected at their last letter. With `slack` the
    share of examples that may have a wrong answer; `members` are those of letters that stand for several, and
    `marks` divide inputs into parts.

    >>> from itertools import product
    >>> words = [word for size in range(1, 7) for word in product("ab", repeat=size)]
    >>> said = [(word, (ACCEPT if word.count("a") > 2 * word.count("b") else REJECT,)) for word in words]
    >>> print(fit_predictor(said, "ab", relations=False, left=lambda: 5.0).program.text)
    #alphabet a b
    F1 = # "a" > 2 * # "b"
    """
    # An answer of one token is asked for at SEP; that EOS comes after it is known.
    alone = bool(written) and all(len(right) == 2 for _, right in examples)
    if alone:
        examples = [(word[:-1], right[:1]) for word, right in examples]
    words = [word for word, _ in examples]
    asked = [range(len(word) - len(right), len(word)) for word, right in examples]
    for kinds in WITH_RELATIONS if relations else KINDS:
        if not marks and kinds[-1] == PARTS:
            continue
        terms = Terms(tuple(letters), tuple(written), kinds, members or {}, tuple(marks))
        values = terms.values(words, asked)
        place = {row: positions.start for row, positions in enumerate(asked)}
        right = np.array([examples[row][1][at - place[row]] for row, at in values.columns])
        search = _Search(terms, values, left, slack)
        formulas: dict[str, Formula] = {}
        tokens = sorted(set(right.tolist()))
        if not written:
            tokens = [ACCEPT]
        for token in tokens:
            if len(tokens) == 2 and formulas:  # whatever the other is not
                first = formulas[tokens[0]]
                formulas[token] = replace(first, holds=not first.holds)
                continue
            found = search.formula(right == token)
            if found is None:
                break
            formulas[token] = found
        if len(formulas) == len(tokens):
            literals = sum(each.size for each in formulas.values())
            return Found(_program(terms, formulas, alone), literals, kinds[-1])
        if left() < 0:
            break
    return None


def _program(terms: Terms, formulas: dict[str, Formula], alone: bool) -> Program:
    """With answers of one token `alone`, each formula is read at SEP, and EOS comes after SEP."""
    build = terms.builder()
    last = token_test(SEP)
    if alone:
        build.output(EOS, exists(last) & ~last)
    for number, (token, formula) in enumerate(formulas.items(), 1):
        parts = [any_of(_expression(terms, literal) for literal in clause) for clause in formula.clauses]
        whole = all_of(parts)
        whole = whole if formula.holds else ~whole
        if not terms.separated:
            build.let(f"F{number}", whole)
        else:
            build.output(token, last & whole if alone else whole)
    return tidy_statements(build.program())


def _expression(terms: Terms, literal: Literal) -> Expr:
    if literal.form is None:
        test = terms.tests[literal.test]
        return test if literal.holds else ~test
    more, less = terms.expression(terms.forms[literal.form])
    least = literal.least
    if least == 1 and not isinstance(less, int):
        return as_expr(more) > less if literal.holds else as_expr(more) <= less
    less = less if least <= 0 else least if isinstance(less, int) else less + least
    more = more if least >= 0 else -least if isinstance(more, int) else more + (-least)
    return as_expr(more) >= less if literal.holds else as_expr(more) < less


class _Search:
    """Formulas over the terms for truth values of the columns."""

    def __init__(self, terms: Terms, values: Values, left: Callable[[], float], slack: float) -> None:
        self.terms, self.values, self.left, self.slack = terms, values, left, slack
        self.cost = np.array([form.cost for form in terms.forms], dtype=np.int64)

    def formula(self, wanted: Truth) -> Formula | None:
        """The smallest found that is right on all columns: from some of them, and those that refute it."""
        if wanted.all() or not wanted.any():
            return Formula((), holds=bool(wanted.all()))
        rng = np.random.default_rng(0)
        if self.slack:
            parts = [_some(part, NOISY, rng) for part in (wanted, ~wanted)]
            return self._guess(np.sort(np.concatenate(parts)), wanted)
        chosen = np.concatenate([_some(wanted, FIRST_POSITIVE, rng), _some(~wanted, FIRST_NEGATIVE, rng)])
        for _ in range(ROUNDS):
            if self.left() < 0:
                return None
            guess = self._guess(np.sort(chosen), wanted)
            if guess is None:
                return None
            said = self.truth(guess)
            wrong = said != wanted
            if not wrong.any():
                return self._shortened(guess, wanted)
            more = [_some(wrong & part, MORE, rng) for part in (wanted, ~wanted)]
            chosen = np.unique(np.concatenate([chosen, *more]))
        return None

    # What formulas say

    def literal(self, literal: Literal) -> Truth:
        if literal.form is None:
            found: Truth = self.values.tests[literal.test]
        else:
            form = self.terms.forms[literal.form]
            total = sum(factor * self.values.counts[place] for factor, place in form.parts)
            found = np.asarray(total) >= literal.least
        return found if literal.holds else ~found

    def truth(self, formula: Formula) -> Truth:
        said: Truth = np.ones(self.values.tests.shape[1], dtype=np.bool_)
        for clause in formula.clauses:
            said &= np.logical_or.reduce([self.literal(each) for each in clause])
        return said if formula.holds else ~said

    def _shortened(self, formula: Formula, wanted: Truth) -> Formula:
        """Without clauses that no column calls for."""
        for clause in formula.clauses:
            fewer = replace(formula, clauses=tuple(each for each in formula.clauses if each is not clause))
            if fewer.clauses and (self.truth(fewer) == wanted).all():
                formula = fewer
        return formula

    # Guessing

    def _guess(self, columns: NDArray[np.int64], wanted: Truth) -> Formula | None:
        part = _Part(
            self.values.tests[:, columns],
            self.terms.sums(self.values.counts[:, columns]),
            wanted[columns],
            self.terms.forms,
            self.cost,
            self.slack,
            SMALL if NUMBERS in self.terms.kinds else SMALLEST,
        )
        found: list[Formula] = []
        for shape in (part.one, part.several, part.pairs):
            for holds in (True, False):
                if self.left() < 0:
                    return None
                clauses = shape(holds)
                if clauses is not None:
                    found.append(Formula(clauses, holds))
            best = min(found, key=lambda each: each.size, default=None)
            if best is not None and (best.size <= AT_ONCE or shape == part.pairs):
                return best
        return None


class _Part:
    """Some columns, from which formulas are guessed."""

    def __init__(
        self,
        tests: Truth,
        sums: Counts,
        wanted: Truth,
        forms: list[Form],
        cost: NDArray[np.int64],
        slack: float,
        numbers: Sequence[int],
    ) -> None:
        self.tests, self.sums, self.wanted = tests, sums, wanted
        self.forms, self.cost, self.slack, self.numbers = forms, cost, slack, numbers
        self._atoms: tuple[list[Literal], Truth] | None = None

    def _split(self, holds: bool) -> tuple[Truth, Truth]:
        return (self.wanted, ~self.wanted) if holds else (~self.wanted, self.wanted)

    def one(self, holds: bool) -> tuple[tuple[Literal, ...], ...] | None:
        """A single test, or one comparison with any number; a negation is a comparison as well."""
        if not holds:
            return None
        if self.slack:
            return self._nearly()
        for number, test in enumerate(self.tests):
            for sign in (True, False):
                if ((test == self.wanted) == sign).all():
                    return ((Literal(None, test=number, holds=sign),),)
        yes, no = self.sums[:, self.wanted], self.sums[:, ~self.wanted]
        above, below = yes.min(axis=1) > no.max(axis=1), yes.max(axis=1) < no.min(axis=1)
        options = []
        for number in np.flatnonzero(above | below).tolist():
            over = bool(above[number])
            low = int((no if over else yes)[number].max()) + 1
            high = int((yes if over else no)[number].min())
            least = low if low > 0 else min(high, 0)
            options.append((self.cost[number] + abs(least), number, Literal(number, least=least, holds=over)))
        return ((min(options, key=lambda each: each[:2])[2],),) if options else None

    def _nearly(self) -> tuple[tuple[Literal, ...], ...] | None:
        """The test or comparison that is wrong on the fewest columns, if they are few."""
        total = len(self.wanted)
        wrong = (self.tests != self.wanted).sum(axis=1)
        options = [
            (int(count), 0, Literal(None, test=k, holds=sign))
            for sign, counts in ((True, wrong), (False, total - wrong))
            for k, count in enumerate(counts.tolist())
        ]
        order = np.argsort(self.sums, axis=1, kind="stable")
        values, labels = np.take_along_axis(self.sums, order, axis=1), self.wanted[order]
        below = np.cumsum(labels, axis=1)
        # The comparison begins to hold after so many columns: wrong are the wanted ones before, others after.
        after: Counts = below[:, -1:] - below
        rest = np.arange(total - 1, -1, -1) - after
        cut = np.zeros_like(labels)
        cut[:, :-1] = values[:, 1:] > values[:, :-1]
        for sign, counts in ((True, below + rest), (False, total - below - rest)):
            counts = np.where(cut, counts, total)
            places = counts.argmin(axis=1)
            best = counts[np.arange(len(counts)), places]
            options += [
                (int(best[k]), int(self.cost[k]), Literal(k, least=int(values[k, places[k]]) + 1, holds=sign))
                for k in np.argsort(best + self.cost, kind="stable")[:20].tolist()
            ]
        found = min(options, key=lambda each: (each[0] + each[1], each[1]), default=None)
        return ((found[2],),) if found is not None and found[0] <= 2 * self.slack * total else None

    def _bounds(self, sums: Counts) -> tuple[Counts, Counts]:
        """The least and the largest value of each sum, but for the share that may be wrong."""
        if not self.slack:
            return sums.min(axis=1), sums.max(axis=1)
        few = int(self.slack * sums.shape[1])
        order = np.sort(sums, axis=1)
        return order[:, few], order[:, -1 - few]

    def several(self, holds: bool) -> tuple[tuple[Literal, ...], ...] | None:
        """Comparisons that hold in all columns wanted, and one of which fails in every other."""
        yes, no = self._split(holds)
        low, high = self._bounds(self.sums[:, yes])
        share = self.tests[:, yes].mean(axis=1)
        tests_on, tests_off = share >= 1 - self.slack, share <= self.slack
        limit = np.where(self.cost == 1, LIMIT_ALONE, np.where(self.cost == 2, LIMIT_OF_TWO, LIMIT))
        over, under = np.flatnonzero(low >= -limit), np.flatnonzero(high <= limit)
        least, most = np.minimum(low, limit)[over], np.maximum(high, -limit)[under]
        rows = [
            ~self.tests[tests_on][:, no],
            self.tests[tests_off][:, no],
            self.sums[over][:, no] < least[:, None],
            self.sums[under][:, no] > most[:, None],
        ]
        literals = [Literal(None, test=k) for k in np.flatnonzero(tests_on).tolist()]
        literals += [Literal(None, test=k, holds=False) for k in np.flatnonzero(tests_off).tolist()]
        literals += [Literal(k, least=v) for k, v in zip(over.tolist(), least.tolist(), strict=True)]
        literals += [
            Literal(k, least=v + 1, holds=False) for k, v in zip(under.tolist(), most.tolist(), strict=True)
        ]
        cost = np.concatenate(
            [np.zeros(len(rows[0]) + len(rows[1]), np.int64), self.cost[over], self.cost[under]]
        ) + np.array([abs(each.least) for each in literals], dtype=np.int64)
        fails = np.concatenate(rows)
        found: list[tuple[Literal, ...]] = []
        enough = self.slack * fails.shape[1]
        while fails.shape[1] > enough:
            gains = fails.sum(axis=1)
            if len(found) >= MOST_CLAUSES or not len(gains) or not gains.max():
                return None
            good = np.flatnonzero(gains >= NEARLY * gains.max())
            best = int(good[np.lexsort((-gains[good], cost[good]))[0]])
            found.append((literals[best],))
            fails = fails[:, ~fails[best]]
        return tuple(found)

    def pairs(self, holds: bool) -> tuple[tuple[Literal, ...], ...] | None:
        """The same with pairs one of which must hold."""
        yes, no = self._split(holds)
        literals, truth = self._literals()
        if not literals:
            return None
        fails = ~truth
        bad = fails[:, yes].astype(np.float32)
        allowed = np.triu(bad @ bad.T <= self.slack * bad.shape[1])
        first, second = np.nonzero(allowed)
        if not len(first):
            return None
        left = fails[:, no]
        found: list[tuple[Literal, ...]] = []
        enough = self.slack * left.shape[1]
        while left.shape[1] > enough:
            if len(found) >= MOST_CLAUSES:
                return None
            counted = left.astype(np.float32)
            gains = (counted @ counted.T)[first, second]
            if not gains.max():
                return None
            good = np.flatnonzero(gains >= NEARLY * gains.max())
            cost = (first[good] != second[good]) * 1000 + first[good] + second[good]
            best = int(good[np.lexsort((-gains[good], cost))[0]])
            one, other = int(first[best]), int(second[best])
            found.append((literals[one],) if one == other else (literals[one], literals[other]))
            left = left[:, ~(left[one] & left[other])]
        return tuple(found)

    def _literals(self) -> tuple[list[Literal], Truth]:
        """Tests and comparisons with small numbers, simple ones first; of equal ones one."""
        if self._atoms is None:
            literals: list[Literal] = []
            rows: list[Truth] = []
            known: set[bytes] = set()
            for literal, row in self._comparisons():
                if len(rows) >= PAIRED:
                    break
                if (key := row.tobytes()) in known or row.all() or not row.any():
                    continue
                known |= {key, (~row).tobytes()}
                literals += [literal, literal.opposite()]
                rows += [row, ~row]
            self._atoms = literals, np.array(rows, dtype=np.bool_).reshape(len(rows), len(self.wanted))
        return self._atoms

    def _comparisons(self) -> Iterator[tuple[Literal, Truth]]:
        for number, test in enumerate(self.tests):
            yield Literal(None, test=number), test
        for least in self.numbers:
            for number, form in enumerate(self.forms):
                if form.cost <= 2:
                    yield Literal(number, least=least), self.sums[number] >= least


def _some(where: Truth, most: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Some of the columns, early ones, of short words, more often."""
    found = np.flatnonzero(where)
    if len(found) <= most:
        return found
    half = found[: most // 2]
    return np.concatenate([half, rng.choice(found[most // 2 :], most - len(half), replace=False)])
