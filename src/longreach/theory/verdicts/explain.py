"""Explanations of a decision: the reason, the clause, the lines of a certificate.

says enough for a yes.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

from longreach.theory.automata.automaton import Automaton, Word, longest_word
from longreach.theory.automata.paths import distinguishing_word, shortest_word
from longreach.theory.certificates.documents import FlowCertificate, SampledFlowCertificate
from longreach.theory.certificates.tables import table_automaton
from longreach.theory.crasp.words import spelled
from longreach.theory.decide.decisions import ClassDecision
from longreach.theory.decide.views import Analysis, Component, Convention, first_bad_pair
from longreach.theory.decide.with_positions import ArrowRefutation
from longreach.theory.verdicts.verdict import plainly
from longreach.wording import counted

# Why a decision is what it is, in one clause that needs no paper: with example words for a no, with what


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

    >>> from longreach.theory.decide.decisions import decide
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
    return _enough_clause(analysis)


def examples(decision: ClassDecision) -> Alike | Unseen:
    """The words that show a no.

    >>> from longreach.theory.decide.decisions import decide
    >>> examples(decide(from_expression("b*(ab*ab*)*")).ape)
    Unseen(repeated=('b',), extra=('a', 'b'))
    """
    arrows = decision.membership.refutation
    return _alike(decision.failing) if arrows is None else _unseen(arrows)


def clause_at_end(decision: ClassDecision) -> str:
    """Why the answer for programs that are read after the last letter is what it is.

    >>> from longreach.theory.decide.decisions import decide
    >>> clause_at_end(decide(from_expression("(a|b)*b")).nope)
    'after a long word, counting cannot tell whether one more "a" came'
    """
    if decision.at_end is not False or decision.membership.refutation is not None or decision.plain is None:
        return clause_of(decision)
    shown = _quoted(_alike(decision.plain, Convention.END_OF_SEQUENCE).second, None)
    if shown is None:
        return _UNSHOWN
    return f"after a long word, counting cannot tell whether one more {shown} came"


_UNSHOWN = "counting cannot tell apart words after which different letters may follow"


def _no(found: Alike | Unseen, letters: Letters | None) -> str:
    if isinstance(found, Alike):
        first, second = _quoted(found.first, letters), _quoted(found.second, letters)
        if first is None or second is None:
            return _UNSHOWN
        read = "word" if letters is None else "input"
        return f"after a long {read}, counting cannot tell {first} from {second}"
    repeated, extra = _quoted(_run(found.repeated), letters, "…"), _quoted(found.extra, letters)
    if repeated is None or extra is None:
        return "long repetitions hide what came before, and counting does not tell it either"
    return f"in a long run {repeated} one more {extra} goes unseen, though it matters"


def _run(word: Word) -> Word:
    """The beginning of its repetitions."""
    sizes = (size for size in range(1, len(word)) if len(word) % size == 0)
    root = next((word[:size] for size in sizes if word[:size] * (len(word) // size) == word), word)
    return root * max(2, 4 // len(root))


def _quoted(word: Word, letters: Letters | None, end: str = "") -> str | None:
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
        if (unseen := _unseen_between(proof, pair, repeated)) is not None
    ]
    return min(found, key=lambda each: (len(each.repeated) + len(each.extra), each.extra, each.repeated))


def _unseen_between(proof: ArrowRefutation, pair: tuple[int, int], repeated: Word) -> Unseen | None:
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


def _enough_clause(analysis: Analysis) -> str:
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


# Why a decision is what it is, in one sentence.


def reason_of(decision: ClassDecision) -> str:
    """Why membership has its answer.

    >>> from longreach.theory.decide.decisions import decide
    >>> reason_of(decide(from_expression("(aa)*")).ape)
    'the position modulo 2 determines the next state'
    """
    found = decision.membership
    if found.answer is None:
        return f"undecided within the budget: {found.exhausted}"
    if found.answer:
        if found.analysis is None:
            return "the idempotents hide no state, but the window is beyond the budget"
        return _enough_reason(found.analysis)
    return _hidden(decision.failing) if found.refutation is None else _hidden_by_powers(found.refutation)


def prediction_reason_of(decision: ClassDecision) -> str:
    """Why prediction on prefixes has its answer."""
    analysis = decision.predicted.analysis if decision.prediction else None
    return reason_of(decision) if analysis is None else _enough_reason(analysis, on_words=True)


def end_reason_of(decision: ClassDecision) -> str:
    """Why membership has its answer for programs without relations that are read after the last letter.

    >>> from longreach.theory.decide.decisions import decide
    >>> end_reason_of(decide(from_expression("(a|b)*b")).nope)
    'no count separates the states 0 and 1, which no letter after them tells apart'
    """
    if decision.at_end is None or decision.plain is None:
        return f"undecided within the budget: {decision.membership.exhausted}"
    if decision.at_end:
        return "counts separate all states that lie on a loop together"
    plain = decision.plain
    component = next(part for part in plain.components if part.rounds_at_end is None)
    classes = component.refinement.classes
    pair = first_bad_pair(component, plain.extended, classes, Convention.END_OF_SEQUENCE)
    assert pair is not None
    first, second = (component.states[vertex] for vertex in pair[:2])
    return f"no count separates the states {first} and {second}, which no letter after them tells apart"


def _hidden(plain: Analysis) -> str:
    component = next(part for part in plain.components if part.rounds is None)
    pair = first_bad_pair(component, plain.extended, component.refinement.classes, Convention.LAST_LETTER)
    assert pair is not None
    assert pair[2] is not None
    first, second = (component.states[vertex] for vertex in pair[:2])
    letter = plain.extended.automaton.alphabet[pair[2]]
    return (
        f"no count separates the states {first} and {second}, from which {letter!r} leads to different states"
    )


def _hidden_by_powers(proof: ArrowRefutation) -> str:
    first, second = (proof.failure.vertices[v] for v in proof.failure.pair)
    word = spelled(proof.objects[first[1]])
    hidden = "what came before" if proof.block is None else "the position and what came before"
    return (
        f"long repetitions of {word!r} hide {hidden}, "
        f"and no count separates the states {first[0]} and {second[0]}"
    )


def _enough_reason(analysis: Analysis, on_words: bool = False) -> str:
    """Which observations determine the next state; `on_words`: where every letter is one that may follow."""
    extended = analysis.extended
    seen = []
    if extended.window:
        seen.append("the last letter" if extended.window == 1 else f"the last {extended.window} letters")
    if extended.modulus > 1:
        seen.append(f"the position modulo {extended.modulus}")
    depth = analysis.rounds() or 0
    if depth:
        seen.append("counts" if depth == 1 else f"counts nested {depth} deep")
    if not seen:
        if on_words:
            return "in every component of the automaton a letter that may follow determines the next state"
        return "in every component of the automaton the letter read determines the next state"
    joined = " and ".join(seen) if len(seen) < 3 else f"{', '.join(seen[:-1])} and {seen[-1]}"
    plural = len(seen) > 1 or depth or extended.window > 1
    return f"{joined} determine{'' if plural else 's'} the next state"


# Why there is no program, in words that a person can follow.


def explain_flow(certificate: FlowCertificate) -> tuple[str, ...]:
    """A few sentences: the two words that look alike, and what hides the difference.

    >>> from longreach.theory.decide.views import Convention
    >>> from longreach.theory.decide.without_positions import plain_analysis, refutation
    >>> from longreach.theory.certificates.from_proofs import flow_certificate
    >>> proof = refutation(plain_analysis(from_expression("(aa)*")), Convention.LAST_LETTER, 100)
    >>> print(explain_flow(flow_certificate(proof))[0])
    States 0 and 1 lie on a loop, and no count that a program can keep separates them.
    """
    first, second = certificate.pair
    words = certificate.words
    loops = [spelled(loop) for loop in words.loops]
    one, other = (" ".join(_parts(words.before, part, words.after)) for part in (words.first, words.second))
    return (
        f"States {first} and {second} lie on a loop, and no count that a program can keep separates them.",
        f"For any program there is a long product p of {_listed(loops)} with the same answer to",
        f"    {one}",
        f"    {other}",
        "and one of the two is in the language while the other is not.",
    )


def explain_sampled_flow(certificate: SampledFlowCertificate) -> tuple[str, ...]:
    """The same where long powers of a word hide the state."""
    automaton = table_automaton(certificate.automaton)
    (first, number), (second, _) = (
        (vertex.state, vertex.object) for vertex in (certificate.vertices[v] for v in certificate.pair)
    )
    repeated = spelled(certificate.objects[number])
    before = shortest_word(automaton, 0, first)
    after = distinguishing_word(automaton, first, second)
    between = _word_between(certificate, automaton)
    sees = (
        "its last few letters"
        if certificate.block is None
        else "its last few letters and the position modulo some number"
    )
    middle = f"({repeated})ᴺ"
    one = " ".join(
        part for part in (_spelled_or_empty(before), "p", middle, _spelled_or_empty(after)) if part
    )
    other = " ".join(
        part
        for part in (
            _spelled_or_empty(before),
            "p",
            middle,
            spelled(between),
            middle,
            _spelled_or_empty(after),
        )
        if part
    )
    return (
        f"Besides counts, a program sees only {sees}; a long power of {repeated} always looks the same.",
        f"States {first} and {second} both return to themselves on {repeated},",
        "and no count of what is read between such powers separates them.",
        "For any program there are a large N and a product p of loops with the same answer to",
        f"    {one}",
        f"    {other}",
        "and one of the two is in the language while the other is not.",
    )


def _word_between(certificate: SampledFlowCertificate, automaton: Automaton) -> Word:
    """A word that leads from the first to the second vertex of the pair, along arrows."""
    place = {(vertex.state, vertex.object): v for v, vertex in enumerate(certificate.vertices)}
    words = [(*arrow.word, *certificate.objects[arrow.target]) for arrow in certificate.arrows]
    start, goal = certificate.pair
    came: dict[int, tuple[int, Word]] = {}
    queue = deque([start])
    while queue and goal not in came:
        vertex = queue.popleft()
        here = certificate.vertices[vertex]
        for arrow, word in zip(certificate.arrows, words, strict=True):
            if arrow.source != here.object:
                continue
            target = place.get((automaton.run(word, here.state), arrow.target))
            if target is not None and target not in came and target != start:
                came[target] = (vertex, word)
                queue.append(target)
    found: Word = ()
    while goal != start:
        goal, word = came[goal]
        found = (*word, *found)
    return found


def _parts(before: Word, part: Word, after: Word) -> list[str]:
    return [
        shown
        for shown in (_spelled_or_empty(before), "p", _spelled_or_empty(part), _spelled_or_empty(after))
        if shown
    ]


def _spelled_or_empty(word: Word) -> str:
    return spelled(word) if word else ""


def _listed(items: list[str]) -> str:
    shown = items[:6] + (["…"] if len(items) > 6 else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
