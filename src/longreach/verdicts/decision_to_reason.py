"""Why a decision is what it is, in one sentence."""

from __future__ import annotations

from longreach.crasp.words import spelled
from longreach.languages.decide.automaton_to_decisions import ClassDecision
from longreach.languages.decide.extended_automaton import Analysis, Convention, first_bad_pair
from longreach.languages.decide.with_positions import ArrowRefutation


def reason_of(decision: ClassDecision) -> str:
    """Why membership has its answer.

    >>> from longreach.languages.decide.automaton_to_decisions import decide
    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> reason_of(decide(from_expression("(aa)*")).ape)
    'the position modulo 2 determines the next state'
    """
    found = decision.membership
    if found.answer is None:
        return f"undecided within the budget: {found.exhausted}"
    if found.answer:
        if found.analysis is None:
            return "the idempotents hide no state, but the window is beyond the budget"
        return _enough(found.analysis)
    return _hidden(decision.failing) if found.refutation is None else _hidden_by_powers(found.refutation)


def prediction_reason_of(decision: ClassDecision) -> str:
    """Why prediction on prefixes has its answer."""
    analysis = decision.predicted.analysis if decision.prediction else None
    return reason_of(decision) if analysis is None else _enough(analysis, on_words=True)


def end_reason_of(decision: ClassDecision) -> str:
    """Why membership has its answer for programs without relations that are read after the last letter.

    >>> from longreach.languages.decide.automaton_to_decisions import decide
    >>> from longreach.languages.regular.expression_to_automaton import from_expression
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


def _enough(analysis: Analysis, on_words: bool = False) -> str:
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
