"""Programs fitted to some answers of a task, and tried on others, also near where answers change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

import numpy as np

from longreach.answers.checkers import TRIED
from longreach.answers.learned import FoundProgram, tried_program
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.predicates import PredicateLanguage
from longreach.tasks.task import EOS, SEP, SOS, Task
from longreach.theory.automata.automaton import Word
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import Kernel, State
from longreach.theory.crasp.program import Program, raise_core, tidy_statements
from longreach.theory.crasp.transform import acceptance, with_empty_word
from longreach.theory.search.predictors import ACCEPT, REJECT, Example, fit_predictor

MOST_LETTERS, MOST_WRITTEN = 40, 40
SHORT, LONGER = 1500, 500
"""Inputs to which a program is fitted: with few letters, and others."""
SHORT_LENGTH = 14
MOST_ASKED = 14
"""Positions of one answer that are asked about."""
REFITTED = 12
"""How often a program is fitted again, with inputs that refuted it."""
OPERATIONS = 600
"""Of a program, at most: larger ones say too little."""

Answered = Mapping[Word, Hashable]
"""Inputs with their answers, or words and whether they belong to a language."""


def searched_program(
    task: Task,
    known: Answered,
    *,
    relations: bool,
    left: Callable[[], float],
    further: Callable[[], Answered],
    asked: Callable[[Word], Hashable] | None = None,
) -> FoundProgram | None:
    """A program that agrees with what is `known`, and with `further` answers, asked for when there is one.

    With `asked` it also looks for letters that may stand for one another.

    >>> from longreach.tasks.task import Task
    >>> task = Task.from_predicate(lambda word: 3 * word.count("a") > 2 * word.count("b"), "ab")
    >>> from longreach.theory.automata.samples import long_words
    >>> known = {word: task.contains(word) for word in long_words("ab", 40, 500, np.random.default_rng(0))}
    >>> found = searched_program(task, known, relations=False, left=lambda: 5.0, further=dict)
    >>> print(found.program.text.splitlines()[-1])
    F1 = 3 * # "a" > 2 * # "b"
    """
    language = task if isinstance(task, PredicateLanguage) else None
    if language is not None and language.asks == "next":
        return None
    if language is None and not (isinstance(task, SequenceTask) and task.separated):
        return None
    pool = dict(_chosen(known))
    members = alike_letters(pool, asked, left) if asked is not None else {}
    letters = {letter for word in pool for letter in word}
    if 2 * sum(len(group) - 1 for group in members.values()) >= len(letters):
        # Few letters are quickly done with; then each for itself.
        until = left() / 2
        found = _refined(
            task, language, known, dict(pool), members, relations, lambda: left() - until, further
        )
        if found is not None:
            return found
    return _refined(task, language, known, pool, {}, relations, left, further)


def _refined(
    task: Task,
    language: PredicateLanguage | None,
    known: Answered,
    pool: dict[Word, Hashable],
    members: Mapping[str, tuple[str, ...]],
    relations: bool,
    left: Callable[[], float],
    further: Callable[[], Answered],
) -> FoundProgram | None:
    """A program for the pool, fitted again with inputs that refute it."""
    for _ in range(REFITTED):
        letters = sorted({letter for word in pool for letter in word})
        whole = [letter for letter in letters if not any(letter in each[1:] for each in members.values())]
        written = sorted({token for answer in pool.values() for token in _tokens(answer)} - {EOS})
        if not whole or len(whole) > MOST_LETTERS or (len(written) > MOST_WRITTEN and language is None):
            return None
        examples = [fitting_example(word, answer) for word, answer in pool.items() if word]
        fitted = fit_predictor(
            examples,
            whole,
            written if language is None else (),
            relations=relations,
            left=left,
            members=members,
            marks=marks_of(pool),
        )
        if fitted is None or fitted.program.core.size > OPERATIONS:
            return None
        program = fitted.program
        if language is not None:
            program = _with_empty_word(program, language.contains(()))
        more = dict(known) | dict(further())
        wrong = list(wrong_inputs(program, more))
        if not wrong:
            size = program.core.size
            source = f"program with {size} operations that was searched for"
            found = tried_program(task, program, source, list(more))
            if found is not None or left() < 0:
                return found
            wrong = [word for word in more if word not in pool]
        if left() < 0:
            return None
        pool |= {word: more[word] for word in wrong[:LONGER]}
    return None


LEAST_MARKED, MOST_MARKS = 20, 2
"""Inputs of one answer that a mark divides, at least, and marks at most."""
ALIKE, LEAST_ALIKE = 40, 10
"""Exchanges of one letter for another that change no answer, and how many there must be at least."""


def marks_of(known: Answered) -> tuple[str, ...]:
    """Letters that occur once in every input with some answer, such as a sign between two numbers.

    >>> marks_of({(*"ab" * n, "#", *"a" * m): n == m for n in range(9) for m in range(9)})
    ('#',)
    """
    groups: dict[Hashable, list[Word]] = {}
    for word, answer in known.items():
        groups.setdefault(answer, []).append(word)
    large = [words for words in groups.values() if len(words) >= LEAST_MARKED] or [[*known]]
    found: dict[str, None] = {}
    for words in large:
        longest = max(words, key=len, default=())
        for letter in dict.fromkeys(longest) if len(longest) > 2 else ():
            if all(word.count(letter) == 1 for word in words):
                found[letter] = None
    return tuple(found)[:MOST_MARKS]


def alike_letters(
    known: Answered, asked: Callable[[Word], Hashable], left: Callable[[], float]
) -> dict[str, tuple[str, ...]]:
    """Letters none of which can be told from the first of its group by exchanging one for the other.

    >>> said = lambda word: sum(letter in "ae" for letter in word) > 2
    >>> words = [tuple("abcde"[k] for k in row) for row in np.random.default_rng(0).integers(0, 5, (200, 6))]
    >>> alike_letters({word: said(word) for word in words}, said, lambda: 1.0)
    {'a': ('a', 'e'), 'b': ('b', 'c', 'd')}
    """
    # Where the answer hangs on one letter, small differences between letters show.
    near = words_where_answers_change(asked, known, np.random.default_rng(12), left)
    known = near if len(near) >= LEAST_ALIKE else known
    places: dict[str, list[tuple[Word, int]]] = {}
    for word in known:
        for place, letter in enumerate(word):
            places.setdefault(letter, []).append((word, place))
    rng = np.random.default_rng(11)
    groups: dict[str, list[str]] = {}
    for letter in sorted(places):
        for first, group in groups.items():
            if _alike(letter, first, places, known, asked, left, rng):
                group.append(letter)
                break
        else:
            groups[letter] = [letter]
    return {first: tuple(group) for first, group in groups.items() if len(group) > 1}


def _alike(
    letter: str,
    other: str,
    places: Mapping[str, Sequence[tuple[Word, int]]],
    known: Answered,
    asked: Callable[[Word], Hashable],
    left: Callable[[], float],
    rng: np.random.Generator,
) -> bool:
    tried = 0
    for here, there in ((letter, other), (other, letter)):
        for number in rng.integers(0, len(places[here]), ALIKE).tolist() if here in places else ():
            if left() < 0:
                return False
            word, place = places[here][number]
            said = asked((*word[:place], there, *word[place + 1 :]))
            if said is not None and said != known[word]:
                return False
            tried += said is not None
    return tried >= LEAST_ALIKE


def _chosen(known: Answered) -> Iterator[tuple[Word, Hashable]]:
    """Short inputs, and some of the others, the same each time."""
    short = sorted((word for word in known if len(word) <= SHORT_LENGTH), key=len)
    others = [word for word in known if len(word) > SHORT_LENGTH]
    rng = np.random.default_rng(6)
    for words, most in ((short, SHORT), (others, LONGER)):
        half = words[: most // 2]
        rest = words[most // 2 :]
        if len(rest) > most - len(half):
            rest = [rest[k] for k in np.sort(rng.choice(len(rest), most - len(half), replace=False))]
        yield from ((word, known[word]) for word in (*half, *rest))


def _tokens(answer: Hashable) -> Sequence[str]:
    if isinstance(answer, tuple):
        return answer
    return (ACCEPT,) if answer else (REJECT,)


def fitting_example(word: Word, answer: Hashable) -> Example:
    """What is read, and what is right at its end; of a long answer its beginning and its last tokens."""
    read, tokens = _whole(word, answer)
    return read, tokens[-MOST_ASKED:] if isinstance(answer, tuple) else tokens


def _with_empty_word(program: Program, accepted: bool) -> Program:
    core = program.core
    said = with_empty_word(core, accepted)
    return program if said == core else tidy_statements(raise_core(said))


PART = 400
"""Inputs that a program reads at once."""


def wrong_inputs(program: Program, known: Answered) -> Iterator[Word]:
    """The inputs for which a program does not say the answer, at every position of it."""
    core = program.core
    words = sorted((word for word in known if word), key=len)
    codes = {symbol: code for code, symbol in enumerate(core.alphabet)}
    for start in range(0, len(words), PART):
        part = words[start : start + PART]
        examples = [_whole(word, known[word]) for word in part]
        readable = [all(symbol in codes for symbol in read) for read, _ in examples]
        yield from (word for word, fine in zip(part, readable, strict=True) if not fine)
        part = [word for word, fine in zip(part, readable, strict=True) if fine]
        examples = [each for each, fine in zip(examples, readable, strict=True) if fine]
        if examples:
            said = _said(core, examples, codes)
            yield from (word for word, right in zip(part, said, strict=True) if not right)


def _whole(word: Word, answer: Hashable) -> Example:
    tokens = tuple(_tokens(answer))
    return (word, tokens) if not isinstance(answer, tuple) else ((SOS, *word, SEP, *tokens[:-1]), tokens)


def _said(core: Core, examples: Sequence[Example], codes: Mapping[str, int]) -> list[bool]:
    """For each example whether the program says just what is right."""
    block = np.zeros((len(examples), max(len(read) for read, _ in examples)), dtype=np.uint32)
    for row, (read, _) in enumerate(examples):
        block[row, : len(read)] = [codes[symbol] for symbol in read]
    roots = core.roots if core.is_predictor else (acceptance(core),)
    values = Kernel(core, roots).advance(State(), block)
    said = np.stack([np.broadcast_to(values[root], block.shape) for root in roots])
    outputs = [token for token, _ in core.outputs] or [ACCEPT]
    found = []
    for row, (read, right) in enumerate(examples):
        wanted = np.array([[token == output for token in right] for output in outputs])
        found.append(bool((said[:, row, len(read) - len(right) : len(read)] == wanted).all()))
    return found


# Words near where answers change


BETWEEN = 60
"""Pairs of inputs between which a change is looked for."""


def words_where_answers_change(
    asked: Callable[[Word], Hashable], known: Answered, rng: np.random.Generator, left: Callable[[], float]
) -> dict[Word, Hashable]:
    """On the way from an input to another of its length with another answer, letter by letter, the two
    neighbours between which the answer changes, found by halving.

    >>> said = lambda word: word.count("a") > 3
    >>> known = {word: said(word) for word in (tuple("aaaaaa"), tuple("bbbbbb"))}
    >>> found = words_where_answers_change(said, known, np.random.default_rng(0), lambda: 1.0)
    >>> sorted({word.count("a") for word in found})
    [3, 4]
    """
    found: dict[Word, Hashable] = {}
    lengths: dict[int, list[Word]] = {}
    for word in known:
        if 4 <= len(word) <= TRIED:
            lengths.setdefault(len(word), []).append(word)
    groups = [words for words in lengths.values() if len({known[word] for word in words}) > 1]
    for _ in range(BETWEEN if groups else 0):
        if left() < 0:
            break
        words = groups[int(rng.integers(len(groups)))]
        first = words[int(rng.integers(len(words)))]
        others = [word for word in words if known[word] != known[first]]
        second = others[int(rng.integers(len(others)))]
        low, high, before = 0, len(first), known[first]
        while high - low > 1:
            middle = (low + high) // 2
            if asked((*second[:middle], *first[middle:])) == before:
                low = middle
            else:
                high = middle
        for cut in (low, high):
            word = (*second[:cut], *first[cut:])
            if (said := asked(word)) is not None:
                found[word] = said
    return found
