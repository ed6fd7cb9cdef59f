"""From an automaton to a program: the constructive half of the two criteria.

While a run stays in a block, a counter per potential holds the potential of the state reached so far, less
that of the state in which the block was entered. So the counters, the last letters and the position tell the
class of the state, and with it everything that the program has to know.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set

from longreach.crasp.evaluate import at_empty_word
from longreach.crasp.expressions import FALSE, TRUE, Builder, Expr, Program, count
from longreach.crasp.readable import disjunction, negation, tidy_statements
from longreach.crasp.simplify import simplify
from longreach.languages.block_writer import BlockWriter, Entry
from longreach.languages.blocks import Block, blocks_of
from longreach.languages.certificates import END
from longreach.languages.extended import Analysis
from longreach.languages.prediction import live_states


def acceptor(analysis: Analysis) -> Program:
    """A program that accepts the language, the empty word included.

    >>> from longreach.languages.expression import from_expression
    >>> from longreach.languages.membership import plain_analysis
    >>> print(acceptor(plain_analysis(from_expression("(a(ab)*b)*"))).text)
    #alphabet a b
    level = # "a" - # "b"
    L = # (level < 0 || level > 2) == 0 && level == 0
    """
    # Sometimes it is shorter to say which words are rejected.
    programs = [_acceptor(analysis, rejected) for rejected in (False, True)]
    return min(programs, key=lambda program: simplify(program.core).size)


def _acceptor(analysis: Analysis, rejected: bool) -> Program:
    automaton = analysis.extended.automaton
    program = _acceptor_with(analysis, rejected, None)
    core = program.core
    assert core.accept is not None
    wanted = 0 in automaton.accepting
    if bool(at_empty_word(core)[core.accept]) != wanted:
        program = _acceptor_with(analysis, rejected, wanted)
    return program


def _acceptor_with(analysis: Analysis, rejected: bool, empty_word: bool | None) -> Program:
    """The program, with a clause for the empty word where one is asked for."""
    automaton = analysis.extended.automaton
    automaton = automaton.complement() if rejected else automaton
    builder = Builder(automaton.alphabet)
    accepted = _reached(_write(analysis, builder, live_states(automaton)), automaton.accepting)
    accepted = negation(accepted) if rejected else accepted
    if empty_word is not None:
        some = count(TRUE)
        accepted = accepted | (some == 0) if empty_word else accepted & (some >= 1)
    builder.let("L", accepted)
    return tidy_statements(builder.draft())


def predictor(analysis: Analysis, end: str = END) -> Program:
    """A program that predicts, after each prefix, the letters that can follow, and the end.

    It is right wherever the analysis judges programs: on all words, or on prefixes of the language alone.

    >>> from longreach.languages.expression import from_expression
    >>> from longreach.languages.membership import plain_analysis
    >>> predictor(plain_analysis(from_expression("(ab)*"))).predicts(["a", "b"])
    [['b'], ['a', 'EOS']]
    """
    automaton = analysis.extended.automaton
    alive = live_states(automaton)
    labels = {
        token: {q for q in range(len(automaton)) if automaton.transitions[q][letter] in alive}
        for letter, token in enumerate(automaton.alphabet)
    } | {end: set(automaton.accepting)}
    program = _predictor_with(analysis, labels, frozenset())
    empty, outputs = at_empty_word(program.core), program.core.outputs
    wrong = {token for token, root in outputs if bool(empty[root]) != (0 in labels[token])}
    return _predictor_with(analysis, labels, wrong) if wrong else program


def _predictor_with(analysis: Analysis, labels: Mapping[str, Set[int]], at_empty: Set[str]) -> Program:
    """The program, with a clause for the empty word in the outputs that need one."""
    builder = Builder(tuple(labels))
    writers = _write(analysis, builder, live_states(analysis.extended.automaton))
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


def _write(analysis: Analysis, builder: Builder, alive: Collection[int]) -> list[BlockWriter]:
    """Writes every block with a state that is alive, in the order of a run."""
    blocks = [b for b in blocks_of(analysis) if any(b.state(v) in alive for v in b.vertices)]
    entries: dict[int, dict[int, Entry]] = {number: {} for number in range(len(blocks))}
    writers = []
    for number, block in enumerate(blocks):
        suffix = f"_{number + 1}" if len(blocks) > 1 else ""
        writer = BlockWriter(block, builder, suffix, entries[number])
        writers.append(writer)
        later = _later(block, blocks[number + 1 :])
        if writer.leave("leave" if later else "wrong") is None:
            continue
        for place, other, vertices in later:
            known = entries[number + 1 + place]
            for vertex in vertices:
                entry = writer.entry_to(other.states[vertex])
                known[vertex] = entry if vertex not in known else _merged(known[vertex], entry)
    return writers


def _merged(one: Entry, other: Entry) -> Entry:
    first = one.first | other.first
    return Entry(first, first, one.views | other.views)


def _later(block: Block, others: Sequence[Block]) -> list[tuple[int, Block, list[int]]]:
    """The later blocks that a run can enter from this one, with the vertices at which it does."""
    targets = {block.target(edge) for edge in block.edges}
    found = []
    for place, other in enumerate(others):
        vertices = [vertex for vertex, state in enumerate(other.states) if state in targets]
        if vertices:
            found.append((place, other, vertices))
    return found
