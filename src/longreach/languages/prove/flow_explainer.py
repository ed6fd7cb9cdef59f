"""Why there is no program, in words that a person can follow."""

from __future__ import annotations

from collections import deque

from longreach.crasp.words import spelled
from longreach.languages.decide.without_positions import distinguishing_word, shortest_word
from longreach.languages.prove.language_certificates import FlowCertificate, SampledFlowCertificate
from longreach.languages.regular.automaton import Automaton, Word
from longreach.languages.regular.automaton_documents import table_automaton


def explain_flow(certificate: FlowCertificate) -> tuple[str, ...]:
    """A few sentences: the two words that look alike, and what hides the difference.

    >>> from longreach.languages.decide.extended_automaton import Convention
    >>> from longreach.languages.decide.without_positions import plain_analysis, refutation
    >>> from longreach.languages.prove.proof_to_certificate import flow_certificate
    >>> from longreach.languages.regular.expression_to_automaton import from_expression
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
    between = _between(certificate, automaton)
    sees = (
        "its last few letters"
        if certificate.block is None
        else "its last few letters and the position modulo some number"
    )
    middle = f"({repeated})ᴺ"
    one = " ".join(part for part in (_shown(before), "p", middle, _shown(after)) if part)
    other = " ".join(
        part for part in (_shown(before), "p", middle, spelled(between), middle, _shown(after)) if part
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


def _between(certificate: SampledFlowCertificate, automaton: Automaton) -> Word:
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
    return [shown for shown in (_shown(before), "p", _shown(part), _shown(after)) if shown]


def _shown(word: Word) -> str:
    return spelled(word) if word else ""


def _listed(items: list[str]) -> str:
    shown = items[:6] + (["…"] if len(items) > 6 else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
