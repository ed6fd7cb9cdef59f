"""Checks programs that predict, on prefixes of words of a language, what may follow."""

from __future__ import annotations

from longreach.crasp.core import Core
from longreach.crasp.evaluate import at_empty_word, predictions
from longreach.crasp.words import encode
from longreach.errors import MissingExtra
from longreach.languages.automaton import Automaton
from longreach.languages.certificates import END
from longreach.languages.documents import automaton_table
from longreach.languages.induction import prove_predictor
from longreach.languages.prediction_checker import live_states_of

CHECKED_LENGTH = 14
MOST_WORDS = 4_000


def check_predictor(core: Core, automaton: Automaton) -> tuple[str | None, str]:
    """What is wrong with a program's predictions (None: nothing), and how far they were checked.

    >>> from longreach.crasp import parse
    >>> from longreach.languages.expression import from_expression
    >>> last = parse('#alphabet a b EOS\\noutput "a" = true\\noutput "b" = !"b"\\noutput "EOS" = true').core
    >>> check_predictor(last, from_expression("(a|ba)*b?"))
    (None, 'proved for all lengths')
    >>> check_predictor(last, from_expression("(a|b)*"))
    ('after b it predicts a EOS, not a b EOS', '')
    """
    if {token for token, _ in core.outputs} != {*automaton.alphabet, END}:
        return "the program does not predict the letters and EOS", ""
    wrong, length = wrong_after(core, automaton)
    if wrong is not None:
        return wrong, ""
    try:
        found = prove_predictor(core, automaton, END)
    except MissingExtra:
        return None, f"checked on all prefixes to length {length}"
    if not found.proved and "differ" in found.reason:
        return found.reason, ""
    return None, "proved for all lengths" if found.proved else f"checked on all prefixes to length {length}"


def wrong_after(core: Core, automaton: Automaton, length: int = CHECKED_LENGTH) -> tuple[str | None, int]:
    """The first prefix of a word after which a program predicts something else, in words, and the length up
    to which all prefixes were tried."""
    table = automaton_table(automaton)
    live = live_states_of(table)
    if 0 not in live:
        return None, length
    legal = {
        q: [*(t for t, target in zip(table.alphabet, table.transitions[q], strict=True) if target in live)]
        + [END] * (q in automaton.accepting)
        for q in live
    }
    empty = at_empty_word(core)
    first = [token for token, root in core.outputs if empty[root]]
    if set(first) != set(legal[0]):
        return _message((), first, legal[0]), 0
    words, length = _prefixes(automaton, live, length)
    for word, said in zip(
        words, predictions(core, [encode(core, list(word)) for word in words]), strict=True
    ):
        state = 0
        for place, token in enumerate(word):
            state = automaton.run([token], state)
            if set(said[place]) != set(legal[state]):
                return _message(word[: place + 1], said[place], legal[state]), place
    return None, length


def _message(word: tuple[str, ...], said: list[str], right: list[str]) -> str:
    shown = " ".join(said) or "nothing"
    return f"after {' '.join(word) or 'ε'} it predicts {shown}, not {' '.join(right)}"


def _prefixes(automaton: Automaton, live: set[int], length: int) -> tuple[list[tuple[str, ...]], int]:
    """Words whose beginnings are all prefixes up to a length: as far as there are not too many."""
    ended: list[tuple[str, ...]] = []
    open_words: list[tuple[tuple[str, ...], int]] = [((), 0)]
    for reached in range(length):
        longer = []
        stuck = []
        for word, state in open_words:
            moves = zip(automaton.alphabet, automaton.transitions[state], strict=True)
            following = [((*word, token), target) for token, target in moves if target in live]
            longer += following
            stuck += [] if following else [word]
        if len(longer) + len(ended) > MOST_WORDS:
            return ended + [word for word, _ in open_words], reached
        ended += stuck
        open_words = longer
    return ended + [word for word, _ in open_words], length
