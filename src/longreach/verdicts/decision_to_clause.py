"""Why a decision is what it is, in one clause that needs no paper: with example words for a no, with what
says enough for a yes."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

from longreach.languages.decide.automaton_to_decisions import ClassDecision
from longreach.languages.decide.extended_automaton import Analysis, Component, Convention
from longreach.languages.decide.with_positions import ArrowRefutation
from longreach.languages.regular.automaton import Automaton, Word
from longreach.languages.regular.longest_word import longest_word
from longreach.verdicts.plain_words import plainly
from longreach.wording import counted

LONGEST_SHOWN = 16
"""Characters of an example word; longer ones do not help a reader."""
MOST_FOUND, MOST_ALIKE = 200, 8
"""Examples among which a short one is chosen, and states after one word among which they are looked for."""
TOO_LARGE = "the language is too large to be decided in the time and memory given"

Letters = Mapping[str, str]
"""How each letter is shown."""


@dataclass(frozen=True)
class Alike:
    """Two endings that no program tells apart after every long word, though different letters may follow.

    The endings are read from the same state of the automaton.
    """

    first: Word
    second: Word


@dataclass(frozen=True)
class Unseen:
    """A word that no program notices in all long repetitions of another, though it changes what may follow.

    The repeated word leads from a state back to it; the extra word from there to another such state.
    """

    repeated: Word
    extra: Word


def clause_of(decision: ClassDecision, *, prediction: bool = False, letters: Letters | None = None) -> str:
    """Why membership, or `prediction` of what may follow on words of the language, has its answer.

    >>> from longreach.languages.decide.automaton_to_decisions import decide
    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> found = decide(from_expression("(aa)*"))
    >>> clause_of(found.nope)
    'after a long word, counting cannot tell "a" from "aa"'
    >>> clause_of(found.ape)
    'the position modulo 2 says what may follow'
    """
    answer = decision.prediction if prediction else decision.answer
    if answer is None or decision.plain is None:
        spent = plainly(decision.membership.exhausted)
        return f"not decided: {spent}" if spent else TOO_LARGE
    if not answer:
        return _no(examples(decision), letters)
    known = longest_word(decision.plain.extended.automaton)
    if known is not None:
        return _finite(known)
    analysis = decision.predicted.analysis if prediction else decision.analysis
    if analysis is None:
        return "nearby letters and positions say what may follow, but many of them"
    return _enough(analysis)


def examples(decision: ClassDecision) -> Alike | Unseen:
    """The words that show a no.

    >>> from longreach.languages.decide.automaton_to_decisions import decide
    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> examples(decide(from_expression("b*(ab*ab*)*")).ape)
    Unseen(repeated=('b',), extra=('a', 'b'))
    """
    arrows = decision.membership.refutation
    return _alike(decision.failing) if arrows is None else _unseen(arrows)


def clause_at_end(decision: ClassDecision) -> str:
    """Why the answer for programs that are read after the last letter is what it is.

    >>> from longreach.languages.decide.automaton_to_decisions import decide
    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> clause_at_end(decide(from_expression("(a|b)*b")).nope)
    'after a long word, counting cannot tell whether one more "a" came'
    """
    if decision.at_end is not False or decision.membership.refutation is not None or decision.plain is None:
        return clause_of(decision)
    shown = _shown(_alike(decision.plain, Convention.END_OF_SEQUENCE).second, None)
    if shown is None:
        return _UNSHOWN
    return f"after a long word, counting cannot tell whether one more {shown} came"


_UNSHOWN = "counting cannot tell apart words after which different letters may follow"


def _no(found: Alike | Unseen, letters: Letters | None) -> str:
    if isinstance(found, Alike):
        first, second = _shown(found.first, letters), _shown(found.second, letters)
        if first is None or second is None:
            return _UNSHOWN
        read = "word" if letters is None else "input"
        return f"after a long {read}, counting cannot tell {first} from {second}"
    repeated, extra = _shown(_run(found.repeated), letters, "…"), _shown(found.extra, letters)
    if repeated is None or extra is None:
        return "long repetitions hide what came before, and counting does not tell it either"
    return f"in a long run {repeated} one more {extra} goes unseen, though it matters"


def _run(word: Word) -> Word:
    """The beginning of its repetitions."""
    sizes = (size for size in range(1, len(word)) if len(word) % size == 0)
    root = next((word[:size] for size in sizes if word[:size] * (len(word) // size) == word), word)
    return root * max(2, 4 // len(root))


def _shown(word: Word, letters: Letters | None, end: str = "") -> str | None:
    """The word in quotes; None if it is too long."""
    told = word if letters is None else tuple(letters[token] for token in word)
    text = ("" if letters is None and all(len(token) == 1 for token in told) else " ").join(told)
    return None if len(text) > LONGEST_SHOWN else f'"{text}{" " * (" " in text and end != "")}{end}"'


# Example words


def _alike(plain: Analysis, convention: Convention = Convention.LAST_LETTER) -> Alike:
    """The shortest, among those of the first states that have any."""
    found: list[Alike] = []
    for part in plain.components:
        for vertex in range(len(part.states)):
            if len(found) < MOST_FOUND:
                found += _endings(plain, part, vertex, convention)
    return min(found, key=lambda pair: (len(pair.second), len(set(pair.second)), pair.second))


def _endings(plain: Analysis, part: Component, vertex: int, convention: Convention) -> Iterator[Alike]:
    extended, classes = plain.extended, part.refinement.classes
    mates = [v for v, number in enumerate(classes) if number == classes[vertex] and v != vertex]
    if not mates:
        return
    automaton, never = extended.automaton, extended.never
    state = {v: extended.states[part.states[v]].state for v in (vertex, *mates)}
    paths = paths_from(automaton, state[vertex], {extended.states[s].state for s in part.states})
    for mate in mates:
        path = paths[state[mate]]
        if convention is Convention.END_OF_SEQUENCE:
            yield Alike((), path)
            continue
        rows = automaton.transitions[state[vertex]], automaton.transitions[state[mate]]
        for letter, (here, there) in enumerate(zip(*rows, strict=True)):
            if here != there and here not in never and there not in never:
                token = automaton.alphabet[letter]
                yield Alike((token,), (*path, token))


def paths_from(automaton: Automaton, start: int, inside: set[int]) -> dict[int, Word]:
    """A shortest word to each state that is reached through states inside only."""
    found: dict[int, Word] = {start: ()}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        for letter in automaton.alike:
            target = automaton.transitions[state][letter]
            if target in inside and target not in found:
                found[target] = (*found[state], automaton.alphabet[letter])
                queue.append(target)
    return found


def _unseen(proof: ArrowRefutation) -> Unseen:
    """The shortest. Between repetitions of an object word any word of a fitting length is an arrow; and the
    arrows between two object words that fix both states keep together what they keep."""
    vertices = proof.failure.vertices
    together: dict[tuple[int, int], list[int]] = {}
    for vertex, number in enumerate(proof.failure.classes):
        together.setdefault((number, vertices[vertex][1]), []).append(vertices[vertex][0])
    found = [
        unseen
        for (_, number), states in together.items()
        for pair in permutations(sorted(states)[:MOST_ALIKE], 2)
        for repeated in (_fixing(proof.automaton, *pair), proof.objects[number])
        if (unseen := _between(proof, pair, repeated)) is not None
    ]
    return min(found, key=lambda each: (len(each.repeated) + len(each.extra), each.extra, each.repeated))


def _between(proof: ArrowRefutation, pair: tuple[int, int], repeated: Word) -> Unseen | None:
    # Where positions are seen, the word stands for repetitions of the same length.
    length = 1 if proof.block is None else math.lcm(proof.block, len(repeated))
    extra = _of_length(proof.automaton, *pair, length)
    return None if extra is None else Unseen(repeated, extra)


def _fixing(automaton: Automaton, first: int, second: int) -> Word:
    """A shortest word, not the empty one, that leads from each of two states back to it."""
    came: dict[tuple[int, int], Word] = {}
    queue: deque[tuple[tuple[int, int], Word]] = deque([((first, second), ())])
    while (first, second) not in came:
        pair, word = queue.popleft()
        for letter in automaton.alike:
            step = automaton.transitions[pair[0]][letter], automaton.transitions[pair[1]][letter]
            if step not in came:
                came[step] = (*word, automaton.alphabet[letter])
                queue.append((step, came[step]))
    return came[first, second]


def _of_length(automaton: Automaton, start: int, goal: int, block: int) -> Word | None:
    """A shortest word from one state to another whose length the block divides."""
    came: dict[tuple[int, int], Word] = {(start, 0): ()}
    queue = deque(came)
    while queue and (goal, 0) not in came:
        state, length = queue.popleft()
        for letter in automaton.alike:
            step = automaton.transitions[state][letter], (length + 1) % block
            if step not in came:
                came[step] = (*came[state, length], automaton.alphabet[letter])
                queue.append(step)
    return came.get((goal, 0))


# What says enough


def _finite(longest: int) -> str:
    if longest < 0:
        return "no word is in the language"
    return f"the language is finite: its longest word has {counted(longest, 'letter')}"


def _enough(analysis: Analysis) -> str:
    extended = analysis.extended
    seen = []
    depth = analysis.rounds() or 0
    if extended.window:
        seen.append(f"the last {extended.window + 1} letters")
    if extended.modulus > 1:
        seen.append(f"the position modulo {extended.modulus}")
    if depth:
        seen.append("counts" if depth == 1 else "counts of counts")
    elif not _told(analysis, letter=False):
        if not extended.window:
            seen.insert(0, "the last letter")
        if not _told(analysis, letter=True):
            seen.append("what came before" if seen else "what came so far")
    if not seen:
        alone = len(extended.states) - len(extended.never) == 1
        return f"the same may follow everywhere{'' if alone else ' after the first letter'}"
    joined = " and ".join(seen) if len(seen) < 3 else f"{', '.join(seen[:-1])} and {seen[-1]}"
    plural = len(seen) > 1 or depth or extended.window
    return f"{joined} say{'' if plural else 's'} what may follow"


def _told(analysis: Analysis, *, letter: bool) -> bool:
    """Whether the position, with the last letters if `letter`, determines the state wherever a program is
    judged, with no memory of what came before."""
    extended = analysis.extended
    found: dict[tuple[object, ...], int] = {}
    for place, state in enumerate(extended.states):
        if letter and state.window is None and len(extended.states) > 1:
            return False
        for number, target in enumerate(extended.automaton.transitions[state.state]):
            if extended.judged(place, number):
                key = (state.residue, *((state.window, number) if letter else ()))
                if found.setdefault(key, target) != target:
                    return False
    return True
