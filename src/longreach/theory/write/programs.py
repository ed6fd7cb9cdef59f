"""From an automaton to a program: the constructive half of the two criteria.

While a run stays in a block, a counter per potential holds the potential of the state reached so far, less
that of the state in which the block was entered. So the counters, the last letters and the position tell the
class of the state, and with it everything that the program has to know.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any, TypeAlias

from longreach.theory.automata.automaton import Automaton
from longreach.theory.budget import DEFAULT_BUDGET, Budget, OverBudget
from longreach.theory.crasp.evaluate import at_empty_word
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.program import Builder, Program, disjunction, negation, tidy_statements
from longreach.theory.crasp.syntax import FALSE, TRUE, Expr, count
from longreach.theory.decide.views import Analysis, analyse, extend
from longreach.theory.names import END
from longreach.theory.write.block_writer import BlockWriter, Entries
from longreach.theory.write.blocks import Block, Style, blocks_of

SHORT = 12
"""Programs up to this size are not shortened further."""
MOST_STATES = 600
"""Extended states up to which shorter programs, and wider windows than necessary, are tried."""
Drafts: TypeAlias = list[tuple[tuple[Any, ...], Program]]
"""What was written for one language, each by what it depends on."""
MANY_COMPONENTS = 40
"""Components from which on programs that share counters among them are written first."""
STYLES = (Style(), Style(parts=True), Style(joined=True), Style(joined=True, parts=True))


def acceptor(analysis: Analysis, budget: Budget = DEFAULT_BUDGET, *, wider: bool = True) -> Program:
    """A program that accepts the language, the empty word included; the shortest of several ways to write it.

    With `wider`, it may look one letter further back than it must, if that makes it shorter.

    Raises `OverBudget` when the time is over before one is written.

    >>> from longreach.theory.decide.without_positions import plain_analysis
    >>> print(acceptor(plain_analysis(from_expression("(a(ab)*b)*"))).text)
    #alphabet a b
    level = # "a" - # "b"
    L = # (level < 0 || level > 2) == 0 && level == 0
    """
    budget = budget.running()
    drafts: Drafts = []
    first, *others = _styles(analysis)
    best = _shorter(analysis, first, budget, drafts)
    assert best is not None
    if _size(best) <= SHORT or len(analysis.extended.states) > MOST_STATES:
        return best
    try:
        view = analysis
        for further in _wider(analysis, budget) if wider else ():
            other = _shorter(further, first, budget, drafts, best)
            if other is not None:
                best, view = other, further
        for style in others:
            best = _shorter(view, style, budget, drafts, best) or best
    except OverBudget:
        # What is written is right; only the search for a shorter one ends here.
        pass
    return best


def _styles(analysis: Analysis) -> list[Style]:
    """Ways to write a program, first the one that is likely to be short."""
    # Without shared counters a program grows with the components.
    many = len(analysis.components) > MANY_COMPONENTS
    return sorted(STYLES, key=lambda style: style.joined != many)


def _shorter(
    analysis: Analysis, style: Style, budget: Budget, drafts: Drafts, than: Program | None = None
) -> Program | None:
    """The shortest program in this style; None if the one that is known is not longer."""
    best = than
    # Sometimes it is shorter to say which words are rejected.
    for rejected in (False, True):
        program = _acceptor(analysis, style, rejected, budget, drafts, best)
        if program is not None and (best is None or _size(program) < _size(best)):
            best = program
    return None if best is than else best


def _size(program: Program) -> int:
    return simplify(program.core).size


def _wider(analysis: Analysis, budget: Budget) -> list[Analysis]:
    """What one more letter of the past shows, where programs may look back."""
    extended = analysis.extended
    if (extended.window, extended.modulus) == (0, 1):
        return []
    settled = {state.state for state in extended.states if state.window is None}
    wider = extend(extended.automaton, extended.window + 1, extended.modulus, MOST_STATES, settled)
    return [] if wider is None else [analyse(wider, complete=False, budget=budget)]


def _acceptor(
    analysis: Analysis, style: Style, rejected: bool, budget: Budget, drafts: Drafts, best: Program | None
) -> Program | None:
    """The program in this style; None if it is sure to be longer than the best one so far."""
    automaton = analysis.extended.automaton
    wanted = 0 in automaton.accepting
    automaton = automaton.complement() if rejected else automaton
    blocks = blocks_of(analysis, automaton.live, style, budget)
    if best is not None and len(blocks) > _size(best):
        return None  # every block needs an operation of its own
    # Half of the styles come to the same blocks, and so to the same program.
    signature = (rejected, analysis.extended.window, [_signature(block) for block in blocks])
    known = next((program for other, program in drafts if other == signature), None)
    if known is not None:
        return known
    program = _acceptor_with(automaton, blocks, rejected, budget, None)
    core = program.core
    assert core.accept is not None
    if bool(at_empty_word(core)[core.accept]) != wanted:
        program = _acceptor_with(automaton, blocks, rejected, budget, wanted)
    drafts.append((signature, program))
    return program


def _signature(block: Block) -> tuple[Any, ...]:
    """All of a block that its program depends on, within one extended automaton."""
    return block.states, block.rounds, block.potentials(block.rounds)


def _acceptor_with(
    automaton: Automaton, blocks: Sequence[Block], rejected: bool, budget: Budget, empty_word: bool | None
) -> Program:
    """The program, with a clause for the empty word where one is asked for."""
    builder = Builder(automaton.alphabet)
    writers = _write(blocks, builder, budget)
    accepted = _reached(writers, automaton.accepting)
    accepted = negation(accepted) if rejected else accepted
    if empty_word is not None:
        some = count(TRUE)
        accepted = accepted | (some == 0) if empty_word else accepted & (some >= 1)
    builder.let("L", accepted)
    return tidy_statements(builder.draft())


def predictor(analysis: Analysis, budget: Budget = DEFAULT_BUDGET) -> Program:
    """A program that predicts, after each prefix, the letters that can follow, and the end.

    It is right wherever the analysis judges programs: on all words, or on prefixes of the language alone.

    >>> from longreach.theory.decide.without_positions import plain_analysis
    >>> predictor(plain_analysis(from_expression("(ab)*"))).predicts(["a", "b"])
    [['b'], ['a', 'EOS']]
    """
    automaton = analysis.extended.automaton
    labels = {token: automaton.legal_at(letter) for letter, token in enumerate(automaton.alphabet)}
    return announcer(analysis, labels | {END: automaton.accepting}, budget)


def announcer(analysis: Analysis, labels: Mapping[str, Set[int]], budget: Budget = DEFAULT_BUDGET) -> Program:
    """A program that says, after each prefix, every label that is right at the state reached.

    >>> from longreach.theory.decide.without_positions import plain_analysis
    >>> states = announcer(plain_analysis(from_expression("(ab)*")), {"q0": {0}, "q1": {1}})
    >>> states.predicts(["a", "b"])
    [['q1'], ['q0']]
    """
    budget = budget.running()
    program = _predictor_with(analysis, labels, frozenset(), budget)
    empty, outputs = at_empty_word(program.core), program.core.outputs
    wrong = {token for token, root in outputs if bool(empty[root]) != (0 in labels[token])}
    return _predictor_with(analysis, labels, wrong, budget) if wrong else program


def _predictor_with(
    analysis: Analysis, labels: Mapping[str, Set[int]], at_empty: Set[str], budget: Budget
) -> Program:
    """The program, with a clause for the empty word in the outputs that need one."""
    builder = Builder(dict.fromkeys((*analysis.extended.automaton.alphabet, *labels)))
    blocks = blocks_of(analysis, analysis.extended.automaton.live, _styles(analysis)[0], budget)
    writers = _write(blocks, builder, budget)
    for token, states in labels.items():
        said = _reached(writers, states)
        if token in at_empty:
            some = count(TRUE)
            said = said | (some == 0) if 0 in states else said & (some >= 1)
        builder.output(token, said)
    return tidy_statements(builder.draft())


def _reached(writers: Sequence[BlockWriter], accepted: Collection[int]) -> Expr:
    result = FALSE
    for writer in writers:
        result = disjunction(result, writer.reached(accepted))
    return result


def _write(blocks: Sequence[Block], builder: Builder, budget: Budget) -> list[BlockWriter]:
    """Writes every block, in the order of a run."""
    writers: list[BlockWriter] = []
    for number, block in enumerate(blocks):
        suffix = f"_{number + 1}" if len(blocks) > 1 else ""
        writer = BlockWriter(block, builder, suffix, Entries(block, writers), budget)
        writers.append(writer)
        targets = {block.target(edge) for edge in block.edges}
        leads_on = any(state in targets for other in blocks[number + 1 :] for state in other.states)
        writer.leave("leave" if leads_on else "wrong")
    return writers
