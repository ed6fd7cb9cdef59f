"""Why a language has a program of a class, or has none.

`explain` renders a decision twice: formally, in the terms of the papers, and as one short clause that needs
no paper, with example words for a no and with what a program must see for a yes. `explain_flow` and
`explain_sampled_flow` tell at length what a certificate says; they decide nothing again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, permutations

from longreach.theory.automata.automaton import Automaton, Word, longest_word
from longreach.theory.automata.paths import Paths, distinguishing_word, moves_inside, shortest_word
from longreach.theory.certificates.documents import FlowCertificate, SampledFlowCertificate
from longreach.theory.certificates.tables import table_automaton
from longreach.theory.decide.decisions import ClassDecision
from longreach.theory.decide.views import Analysis, Component, Convention, first_bad_pair
from longreach.theory.decide.with_positions import ArrowRefutation
from longreach.theory.verdicts.verdict import plainly
from longreach.wording import counted, listed, spelled

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


@dataclass(frozen=True)
class Explanation:
    """Why a decision is what it is."""

    formal: str
    """One sentence in the terms of the papers."""
    render: Callable[[Letters | None], str]

    def short(self, letters: Letters | None = None) -> str:
        """One clause without technical terms; example words are found when it is asked for."""
        return self.render(letters)


def explain(decision: ClassDecision, *, prediction: bool = False) -> Explanation:
    """Why membership, or `prediction` of what may follow on words of the language, has its answer.

    >>> from longreach.theory.decide.decisions import decide
    >>> found = decide(from_expression("(aa)*"))
    >>> explain(found.nope).short()
    'counts alone cannot tell whether a long word ends in "a" or "aa"'
    >>> explain(found.ape).short(), explain(found.ape).formal
    ('the position modulo 2 determines what may follow', 'the position modulo 2 determines the next state')
    """
    seen = decision.predicted.analysis if prediction and decision.prediction else None
    formal = _formal(decision) if seen is None else _determines(seen, on_words=True)
    return Explanation(formal, lambda letters: _short(decision, prediction, letters))


def explain_at_end(decision: ClassDecision) -> Explanation:
    """The same for programs without relations that are read after the last letter.

    >>> from longreach.theory.decide.decisions import decide
    >>> found = explain_at_end(decide(from_expression("(a|b)*b")).nope)
    >>> found.formal
    'no count separates the states 0 and 1, which no letter after them tells apart'
    >>> found.short()
    'counts alone cannot tell whether a long word ends in one more "a"'
    """
    plain = decision.plain
    if decision.at_end is None or plain is None:
        return Explanation(_undecided(decision), lambda letters: _short(decision, False, letters))
    if decision.at_end:
        formal = "counts separate all states that lie on a loop together"
        return Explanation(formal, lambda letters: _short(decision, False, letters))
    component = next(part for part in plain.components if part.rounds_at_end is None)
    first, second, _ = _bad_pair(plain, component, Convention.END_OF_SEQUENCE)
    formal = f"no count separates the states {first} and {second}, which no letter after them tells apart"
    return Explanation(formal, lambda _: _short_at_end(decision, plain))


def _short(decision: ClassDecision, prediction: bool, letters: Letters | None) -> str:
    answer = decision.prediction if prediction else decision.answer
    if answer is None or decision.plain is None:
        spent = plainly(decision.membership.exhausted)
        return f"not decided: {spent}" if spent else TOO_LARGE
    if not answer:
        return _no(examples(decision), letters)
    known = longest_word(decision.plain.extended.automaton)
    if known is not None:
        length = counted(max(known, 0), "letter")
        finite = f"the language is finite: its longest word has {length}"
        return "no word is in the language" if known < 0 else finite
    analysis = decision.predicted.analysis if prediction else decision.analysis
    if analysis is None:
        return "nearby letters and positions determine what may follow, but it takes many of them"
    return _says(analysis)


def _short_at_end(decision: ClassDecision, plain: Analysis) -> str:
    if decision.membership.refutation is not None:
        return _short(decision, False, None)
    shown = _quoted(_alike(plain, Convention.END_OF_SEQUENCE).second, None)
    if shown is None:
        return _UNSHOWN
    return f"counts alone cannot tell whether a long word ends in one more {shown}"


def _formal(decision: ClassDecision) -> str:
    found = decision.membership
    if found.answer is None:
        return _undecided(decision)
    if not found.answer:
        return _hidden(decision.failing) if found.refutation is None else _hidden_by_powers(found.refutation)
    if found.analysis is None:
        return "the idempotents hide no state, but the window is beyond the budget"
    return _determines(found.analysis)


def _undecided(decision: ClassDecision) -> str:
    return f"undecided within the budget: {decision.membership.exhausted}"


# A no: what is hidden


def examples(decision: ClassDecision) -> Alike | Unseen:
    """The words that show a no.

    >>> from longreach.theory.decide.decisions import decide
    >>> examples(decide(from_expression("b*(ab*ab*)*")).ape)
    Unseen(repeated=('b',), extra=('a', 'b'))
    """
    arrows = decision.membership.refutation
    return _alike(decision.failing) if arrows is None else _unseen(arrows)


_UNSHOWN = "counts alone cannot distinguish words that different letters may follow"


def _no(found: Alike | Unseen, letters: Letters | None) -> str:
    if isinstance(found, Alike):
        words = [_written(word) for word in (found.first, found.second)]
        first, second = (_quoted(word, letters) for word in words)
        if first is None or second is None:
            return _UNSHOWN
        read = "word" if letters is None else "input"
        if not all(words):
            return f"counts alone cannot tell whether a long {read} ends in {second if words[1] else first}"
        return f"counts alone cannot tell whether a long {read} ends in {first} or {second}"
    repeated, extra = _quoted(_run(found.repeated), letters, "…"), _quoted(found.extra, letters)
    if repeated is None or extra is None:
        return "long repetitions hide what came before, and counts do not reveal it either"
    return f"in a long run {repeated}, an extra {extra} matters but cannot be seen"


_LAYOUT = frozenset({"SOS", "SEP"})
"""Tokens that a task puts around an input, and that nobody wrote."""


def _written(word: Word) -> Word:
    return tuple(letter for letter in word if letter not in _LAYOUT)


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
    inside = {extended.states[s].state for s in part.states}
    paths = Paths(state[vertex], moves_inside(automaton.essential, inside))
    path_to = {met: paths.to(met) for met in paths}
    for mate in mates:
        path = path_to[state[mate]]
        if convention is Convention.END_OF_SEQUENCE:
            yield Alike((), path)
            continue
        rows = automaton.transitions[state[vertex]], automaton.transitions[state[mate]]
        for letter, (here, there) in enumerate(zip(*rows, strict=True)):
            if here != there and here not in never and there not in never:
                token = automaton.alphabet[letter]
                yield Alike((token,), (*path, token))


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
    essential = automaton.essential

    def moves(at: tuple[int, int, bool]) -> Iterator[tuple[str, tuple[int, int, bool]]]:
        one, other = essential.transitions[at[0]], essential.transitions[at[1]]
        for token, to, there in zip(essential.alphabet, one, other, strict=True):
            yield token, (to, there, True)

    found = Paths((first, second, False), moves).first(lambda at: at == (first, second, True))
    assert found is not None
    return found


def _of_length(automaton: Automaton, start: int, goal: int, block: int) -> Word | None:
    """A shortest word from one state to another whose length the block divides."""
    step = moves_inside(automaton.essential)

    def moves(at: tuple[int, int]) -> Iterator[tuple[str, tuple[int, int]]]:
        return ((token, (to, (at[1] + 1) % block)) for token, to in step(at[0]))

    return Paths((start, 0), moves).first(lambda at: at == (goal, 0))


def _hidden(plain: Analysis) -> str:
    component = next(part for part in plain.components if part.rounds is None)
    first, second, number = _bad_pair(plain, component, Convention.LAST_LETTER)
    assert number is not None
    letter = plain.extended.automaton.alphabet[number]
    return (
        f"no count separates the states {first} and {second}, from which {letter!r} leads to different states"
    )


def _bad_pair(plain: Analysis, component: Component, convention: Convention) -> tuple[int, int, int | None]:
    """Two states that no count separates, and the letter that leads them apart."""
    pair = first_bad_pair(component, plain.extended, component.refinement.classes, convention)
    assert pair is not None
    return component.states[pair[0]], component.states[pair[1]], pair[2]


def _hidden_by_powers(proof: ArrowRefutation) -> str:
    first, second = (proof.failure.vertices[v] for v in proof.failure.pair)
    word = spelled(proof.objects[first[1]])
    hidden = "what came before" if proof.block is None else "the position and what came before"
    return (
        f"long repetitions of {word!r} hide {hidden}, "
        f"and no count separates the states {first[0]} and {second[0]}"
    )


# A yes: what is seen


def _says(analysis: Analysis) -> str:
    extended, depth = analysis.extended, analysis.rounds() or 0
    seen = _seen(analysis, f"the last {extended.window + 1} letters", "counts of counts")
    if not depth and not _told(analysis, letter=False):
        if not extended.window:
            seen.insert(0, "the last letter")
        if not _told(analysis, letter=True):
            seen.append("one-time events")
    if not seen:
        alone = len(extended.states) - len(extended.never) == 1
        return f"the same letters may follow everywhere{'' if alone else ' after the first one'}"
    plural = len(seen) > 1 or depth or extended.window
    return f"{listed(seen)} determine{'' if plural else 's'} what may follow"


def _determines(analysis: Analysis, on_words: bool = False) -> str:
    """Which observations determine the next state; `on_words`: where every letter is one that may follow."""
    window, depth = analysis.extended.window, analysis.rounds() or 0
    letters = "the last letter" if window == 1 else f"the last {window} letters"
    seen = _seen(analysis, letters, f"counts nested {depth} deep")
    if not seen:
        letter = "a letter that may follow" if on_words else "the letter read"
        return f"in every component of the automaton {letter} determines the next state"
    plural = len(seen) > 1 or depth or window > 1
    return f"{listed(seen)} determine{'' if plural else 's'} the next state"


def _seen(analysis: Analysis, window: str, deep: str) -> list[str]:
    """What a program needs to see, in the given words for a window and for counts of counts."""
    extended, depth = analysis.extended, analysis.rounds() or 0
    seen = [window] if extended.window else []
    if extended.modulus > 1:
        seen.append(f"the position modulo {extended.modulus}")
    if depth:
        seen.append("counts" if depth == 1 else deep)
    return seen


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


# At length: the words of a certificate


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
    loops = listed([spelled(loop) for loop in words.loops], most=6)
    return (
        f"States {first} and {second} lie on a loop, and no count that a program can keep separates them.",
        f"For any program there is a long product p of {loops} with the same answer to",
        f"    {_line(words.before, 'p', words.first, words.after)}",
        f"    {_line(words.before, 'p', words.second, words.after)}",
        "and one of the two is in the language while the other is not.",
    )


def explain_sampled_flow(certificate: SampledFlowCertificate) -> tuple[str, ...]:
    """The same where long powers of a word hide the state."""
    automaton = table_automaton(certificate.automaton)
    one, other = (certificate.vertices[v] for v in certificate.pair)
    repeated = spelled(certificate.objects[one.object])
    before = shortest_word(automaton, 0, one.state)
    after = distinguishing_word(automaton, one.state, other.state)
    between = _word_between(certificate, automaton)
    sees = "its last few letters"
    if certificate.block is not None:
        sees += " and the position modulo some number"
    power = f"({repeated})ᴺ"
    return (
        f"Besides counts, a program sees only {sees}; a long power of {repeated} always looks the same.",
        f"States {one.state} and {other.state} both return to themselves on {repeated},",
        "and no count of what is read between such powers separates them.",
        "For any program there are a large N and a product p of loops with the same answer to",
        f"    {_line(before, 'p', power, after)}",
        f"    {_line(before, 'p', power, between, power, after)}",
        "and one of the two is in the language while the other is not.",
    )


def _line(*parts: Word | str) -> str:
    return " ".join(part if isinstance(part, str) else spelled(part) for part in parts if part)


def _word_between(certificate: SampledFlowCertificate, automaton: Automaton) -> Word:
    """A word that leads from the first to the second vertex of the pair, along arrows."""
    place = {(vertex.state, vertex.object): v for v, vertex in enumerate(certificate.vertices)}
    words = [(*arrow.word, *certificate.objects[arrow.target]) for arrow in certificate.arrows]
    start, goal = certificate.pair

    def moves(vertex: int) -> Iterator[tuple[Word, int]]:
        here = certificate.vertices[vertex]
        for arrow, word in zip(certificate.arrows, words, strict=True):
            if arrow.source == here.object:
                target = place.get((automaton.run(word, here.state), arrow.target))
                if target is not None:
                    yield word, target

    found = Paths(start, moves).first(lambda vertex: vertex == goal)
    assert found is not None
    return tuple(chain.from_iterable(found))
