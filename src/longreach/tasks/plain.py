"""Tasks of plain functions: `module:attribute`, or an expression of Python from the command line.

A function of a word is a predicate if it says True or False of every short word, the empty one among them;
else what it returns is the answer to the word. The letters are given, or stand in the function's hints or in
the words of a `draw` beside it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_args, get_type_hints

import numpy as np

from longreach.errors import OWN_FAILURES, Argument, Field, InputError, failure_line, unprinted
from longreach.tasks.outside import attribute_value
from longreach.tasks.own import Drawer
from longreach.tasks.task import Task
from longreach.theory.automata.automaton import Word
from longreach.theory.automata.samples import short_words

TRIED = 60
"""Short words on which a function is tried."""
DRAWN, DRAWN_LENGTH = 40, 20
SHOWN = 60
"""Characters of an expression that a title shows."""
TYPED: dict[str, tuple[str, str | None]] = {}
"""By the name of an object of this session: the expression and the alphabet that were typed for it."""
ALPHABET = Field("alphabet")
LIKE = "expected a function of a word, such as lambda w: w.count('a') > 3"


def takes_words(value: Any) -> bool:
    """Whether this is a function with one argument, as predicates and answers are.

    >>> takes_words(lambda word: True), takes_words(lambda: True), takes_words(int)
    (True, False, False)
    """
    return _needed(value) == 1


def _needed(value: Any) -> int:
    """How many arguments a function needs; 0 for anything else."""
    if not inspect.isroutine(value):
        return 0
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):  # of some built-in functions
        return 0
    needed = [
        each
        for each in parameters
        if each.default is each.empty and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    return len(needed)


def plain_task(
    function: Callable[[Any], Any],
    alphabet: Sequence[str] | None = None,
    *,
    name: str | None = None,
    about: str | None = None,
) -> Task:
    """The task of a plain function.

    >>> more = plain_task(lambda word: word.count("a") > 3, "ab")
    >>> type(more).__name__, more.contains("aaaa")
    ('PredicateLanguage', True)
    >>> plain_task(lambda word: word[::-1], "ab").answer("aab")
    ('b', 'a', 'a', 'EOS')
    """
    drawer = _drawer_beside(function)
    drawn = _drawn_letters(drawer)
    letters = tuple(alphabet or _hinted(function) or drawn)
    if not {*drawn} <= {*letters}:  # it draws for another function
        drawer = None
    called = getattr(function, "__name__", type(function).__name__)
    if not letters:
        what = "the function" if called == "<lambda>" else called
        raise InputError(
            f"missing; give the letters of the words that {what} reads, as in ab", place=ALPHABET
        )
    as_text = all(len(letter) == 1 for letter in letters)
    hand: Callable[[Word], Any] = "".join if as_text else tuple
    words = list(short_words(letters, TRIED, longest=8)[1])
    said: list[Any] = []
    failures: list[tuple[Word, BaseException]] = []
    for word in words:
        try:
            with unprinted(name or called):
                said.append(function(hand(word)))
        except OWN_FAILURES as error:
            failures.append((word, error))
    if not said:
        word, failure = failures[-1]
        raise InputError(
            f"{called} fails on every short word over {' '.join(letters)}, such as "
            f"{hand(word)!r}: {failure_line(failure)}",
            place=Argument("task"),
        )
    if not failures and all(isinstance(each, bool | np.bool_) for each in said):
        return Task.from_predicate(function, letters, name=name, about=about, draw=drawer)
    least = 1 + max((len(word) for word, _ in failures if len(word) <= 1), default=0)

    def draw(length: int, rng: np.random.Generator) -> Any:
        return hand(tuple(letters[k] for k in rng.integers(0, len(letters), length)))

    return Task.from_function(drawer or draw, function, name=name, about=about, least_length=least)


def attribute_task(name: str, alphabet: Sequence[str] | None = None) -> Task:
    """The task that an attribute of a module is, or that it gives when it is called; or that of a plain
    function of words over an alphabet.

    Modules are looked for in the usual places and then in the current directory.

    >>> attribute_task("longreach.tasks.copying:Sort").name
    'sort'
    >>> attribute_task("longreach.tasks.copying:Sorted")
    Traceback (most recent call last):
    longreach.errors.InputError: module 'longreach.tasks.copying' has no attribute 'Sorted'; did you mean ...
    """
    value = attribute_value(name)
    if not isinstance(value, Task) and takes_words(value):
        return plain_task(value, alphabet)
    if alphabet is not None:
        if isinstance(value, Task):
            raise InputError(f"only for a plain function; {name} is a Task and has its own", place=ALPHABET)
        what = f"is of type {type(value).__name__}"
        if callable(value):
            what = (
                f"needs {_needed(value)} arguments" if _needed(value) else "makes a task with its own letters"
            )
        raise InputError(f"only for a function of one argument, the word; {name} {what}", place=ALPHABET)
    if not isinstance(value, Task) and callable(value):
        try:
            value = value()
        except OWN_FAILURES as error:
            hint = "make a task of it with Task.from_predicate or Task.from_function"
            said = f"{name}: calling it without arguments fails: {failure_line(error)}; {hint}"
            raise InputError(said) from None
    if not isinstance(value, Task):
        raise InputError(f"{name}: expected a Task, or a function that makes one, not {type(value).__name__}")
    return value


def python_task(text: str, alphabet: Sequence[str] | None = None) -> Task:
    """The task of an expression such as `lambda w: w.count("a") > 3`, which is evaluated: it is the user's.

    >>> python_task('lambda w: w.count("a") > 3', "ab").about
    'lambda w: w.count("a") > 3'
    >>> python_task("lambda w: w.count(", "ab")
    Traceback (most recent call last):
    longreach.errors.InputError: python: column ...: '(' was never closed; expected a function of a word, ...
    """
    place = Field("python")
    try:
        code = compile(text.strip(), "--python", "eval")
    except SyntaxError as error:
        where = f"column {error.offset}: " if error.offset else ""
        raise InputError(f"{where}{error.msg}; {LIKE}", place=place) from None
    except ValueError as error:
        raise InputError(str(error), place=place) from None
    try:
        value = eval(code, {})
    except OWN_FAILURES as error:
        raise InputError(f"{failure_line(error)}; {LIKE}", place=place) from None
    if not takes_words(value):
        raise InputError(LIKE, place=place)
    about = " ".join(text.split())
    shown = about if len(about) <= SHOWN else f"{about[: SHOWN - 1]}…"
    return plain_task(value, alphabet, name="python", about=shown)


def _drawer_beside(function: Callable[[Any], Any]) -> Drawer | None:
    """The function `draw` of the module in which a function stands."""
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    if module is None or (getattr(function, "__name__", "") == "<lambda>" and module.__name__ == __name__):
        return None
    found = getattr(module, "draw", None)
    return found if inspect.isfunction(found) and len(inspect.signature(found).parameters) == 2 else None


def _hinted(function: Callable[[Any], Any]) -> tuple[str, ...]:
    """The letters of a hint such as Sequence[Literal["a", "b"]] for the first argument."""
    try:
        hints = get_type_hints(function)
    except OWN_FAILURES:
        return ()
    first = next(iter(inspect.signature(function).parameters), "")
    return tuple(dict.fromkeys(_literals(hints.get(first))))


def _literals(hint: Any) -> Iterator[str]:
    for each in get_args(hint):
        if isinstance(each, str):
            yield each
        else:
            yield from _literals(each)


def _drawn_letters(drawer: Drawer | None) -> tuple[str, ...]:
    if drawer is None:
        return ()
    rng = np.random.default_rng(0)
    letters: set[str] = set()
    for length in (DRAWN_LENGTH, DRAWN_LENGTH + 1):
        try:
            for _ in range(DRAWN):
                letters |= {str(letter) for letter in drawer(length, rng)}
        except OWN_FAILURES:
            continue
    return tuple(sorted(letters))
