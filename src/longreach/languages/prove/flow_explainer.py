"""Why there is no program, in words that a person can follow."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from longreach.languages.decide.with_positions import ArrowRefutation
from longreach.languages.decide.without_positions import Refutation, distinguishing_word, shortest_word
from longreach.languages.regular.automaton import Word


def explain(proof: Refutation | ArrowRefutation) -> list[str]:
    """A few sentences: the two words that look alike, and what hides the difference.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> from longreach.languages.decide.automaton_to_verdict import decide
    >>> print(explain(decide(from_expression("(aa)*")).nope.refutation)[0])
    States 0 and 1 lie on a loop, and no count that a program can keep separates them.
    """
    return _explain_arrows(proof) if isinstance(proof, ArrowRefutation) else _explain_plain(proof)


def spelled(word: Sequence[str]) -> str:
    """A word as people write it."""
    return ("" if all(len(token) == 1 for token in word) else " ").join(word) or "ε"


def _explain_plain(proof: Refutation) -> list[str]:
    first, second = proof.pair
    words = proof.fooling
    loops = [spelled(loop) for loop in words.loops]
    one, other = (" ".join(_parts(words.before, part, words.after)) for part in (words.first, words.second))
    return [
        f"States {first} and {second} lie on a loop, and no count that a program can keep separates them.",
        f"For any program there is a long product p of {_listed(loops)} with the same answer to",
        f"    {one}",
        f"    {other}",
        "and one of the two is in the language while the other is not.",
    ]


def _explain_arrows(proof: ArrowRefutation) -> list[str]:
    failure = proof.failure
    (first, number), (second, _) = (failure.vertices[v] for v in failure.pair)
    repeated = spelled(proof.objects[number])
    automaton = proof.automaton
    before = shortest_word(automaton, 0, first)
    after = distinguishing_word(automaton, first, second)
    between = _between(proof)
    sees = (
        "its last few letters"
        if proof.block is None
        else "its last few letters and the position modulo some number"
    )
    middle = f"({repeated})ᴺ"
    one = " ".join(part for part in (_shown(before), "p", middle, _shown(after)) if part)
    other = " ".join(
        part for part in (_shown(before), "p", middle, spelled(between), middle, _shown(after)) if part
    )
    return [
        f"Besides counts, a program sees only {sees}; a long power of {repeated} always looks the same.",
        f"States {first} and {second} both return to themselves on {repeated},",
        "and no count of what is read between such powers separates them.",
        "For any program there are a large N and a product p of loops with the same answer to",
        f"    {one}",
        f"    {other}",
        "and one of the two is in the language while the other is not.",
    ]


def _between(proof: ArrowRefutation) -> Word:
    """A word that leads from the first to the second vertex of the pair, along arrows."""
    failure = proof.failure
    start, goal = failure.pair
    graph = failure.graph
    came: dict[int, tuple[int, int]] = {}
    queue = deque([start])
    moves: dict[int, list[tuple[int, int]]] = {}
    for s, a, t in zip(graph.source.tolist(), graph.label.tolist(), graph.target.tolist(), strict=True):
        moves.setdefault(s, []).append((a, t))
    while queue and goal not in came:
        vertex = queue.popleft()
        for arrow, target in moves.get(vertex, []):
            if target not in came and target != start:
                came[target] = (vertex, arrow)
                queue.append(target)
    word: Word = ()
    while goal != start:
        goal, arrow = came[goal]
        word = (*proof.words[arrow], *proof.objects[failure.arrows[arrow].target], *word)
    return word


def _parts(before: Word, part: Word, after: Word) -> list[str]:
    return [shown for shown in (_shown(before), "p", _shown(part), _shown(after)) if shown]


def _shown(word: Word) -> str:
    return spelled(word) if word else ""


def _listed(items: list[str]) -> str:
    shown = items[:6] + (["…"] if len(items) > 6 else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
