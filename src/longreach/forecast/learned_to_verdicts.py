"""An automaton learned from answers → the verdicts, as far as they hold for the automaton."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from longreach.forecast.black_box_certificates import (
    LearnedFlowCertificate,
    LearnedProgramCertificate,
    Reads,
)
from longreach.languages.budget import Budget
from longreach.languages.program_class import SIDES, ProgramClass
from longreach.languages.prove.language_certificates import (
    FlowCertificate,
    NoCertificate,
    ProgramCertificate,
    SampledFlowCertificate,
)
from longreach.languages.regular.automaton import Automaton, minimal
from longreach.languages.regular.labelled_automaton import LabelledAutomaton
from longreach.synthesis.answers_to_automaton import LearnedAutomaton
from longreach.tasks.regular_answer import UNDEFINED
from longreach.tasks.task import EOS, SEP, SOS
from longreach.verdicts.automaton_to_verdicts import judge
from longreach.verdicts.verdict import Answer, CertificateDocument, Proof, Verdict, same_answers
from longreach.wording import counted


def learned_language_sides(
    learned: LearnedAutomaton, accepting: str, *, name: str, predicts: bool, budget: Budget
) -> dict[str, Verdict]:
    """The sides of a language whose words are those of one class; with `predicts` what may follow is trained.

    >>> from longreach.synthesis.answers_to_automaton import learn_automaton
    >>> even = learn_automaton(lambda word: str(len(word) % 2 == 0), "a")
    >>> found = learned_language_sides(even, "True", name="even", predicts=False, budget=Budget())
    >>> found["ape"].reason
    'for the automaton learned up to length 100: the position modulo 2 determines the next state'
    """
    judged = judge(learned.machine.language(accepting), budget).sides
    return {key: _marked(verdict, learned, name, predicts) for key, verdict in judged.items()}


def _marked(verdict: Verdict, learned: LearnedAutomaton, name: str, predicts: bool) -> Verdict:
    def mark(proof: Proof) -> Proof:
        return marked_proof(proof, learned, name=name, program_class=verdict.program_class, reads="language")

    at_end = verdict.prove_at_end
    return replace(
        verdict,
        proof=mark(verdict.proof),
        prove_prediction=lambda: mark(verdict.prediction_proof),
        prove_at_end=None if at_end is None else lambda: mark(at_end()),
        predicts=predicts,
        checked_to=learned.length,
    )


def marked_proof(
    proof: Proof, learned: LearnedAutomaton, *, name: str, program_class: ProgramClass, reads: Reads
) -> Proof:
    """The same proof, about the learned automaton and not about the task."""

    def certify() -> CertificateDocument:
        inner = proof.certificate
        about = {
            "class": program_class,
            "task": name,
            "reads": reads,
            "learned_to": learned.length,
            "exhaustive": learned.exhaustive,
            "states": len(learned.machine),
            "certificate": inner,
        }
        if isinstance(inner, ProgramCertificate):
            return LearnedProgramCertificate.model_validate(about)
        if isinstance(inner, FlowCertificate | SampledFlowCertificate):
            return LearnedFlowCertificate.model_validate(about)
        assert isinstance(inner, NoCertificate)
        return inner

    return replace(
        proof,
        reason=f"for the automaton learned up to length {learned.length}: {proof.reason}",
        certify=certify,
        weigh=lambda: _basis(learned),
    )


def _basis(learned: LearnedAutomaton) -> str:
    states = counted(len(learned.machine), "state")
    return f"automaton with {states}, learned to length {learned.length}"


def learned_answer_sides(
    learned: LearnedAutomaton,
    *,
    name: str,
    keys: Iterable[str],
    every_word: bool,
    first_token: bool,
    budget: Budget,
) -> dict[str, Verdict]:
    """The sides of a task that reads x and then writes the class of x, token by token.

    A program is asked along SOS x SEP y: what may follow is then the next token of y. Where not every word
    is an input, a program need not be right on the others, so that only a yes counts; and where the class is
    only the first token of the answer, only a no does. Sides of which nothing is known are left out.

    >>> from longreach.synthesis.answers_to_automaton import learn_automaton
    >>> odd = learn_automaton(lambda word: "odd" if word.count("1") % 2 else "even", "01")
    >>> found = learned_answer_sides(
    ...     odd, name="mine", keys=["nope"], every_word=True, first_token=False, budget=Budget()
    ... )
    >>> found["nope"].answer.value
    'no'
    """
    judged = judge(written(learned.machine), budget).sides
    counts = [Answer.NO] if first_token else [Answer.YES, Answer.NO] if every_word else [Answer.YES]
    found = {}
    for key in keys:
        verdict = judged[key]
        if verdict.prediction in counts:
            proof = marked_proof(
                replace(verdict.prediction_proof, say=_said(verdict, first_token)),
                learned,
                name=name,
                program_class=SIDES[key],
                reads="first token" if first_token else "answer",
            )
            same = same_answers(SIDES[key], verdict.prediction, proof)
            found[key] = replace(same, checked_to=learned.length)
    return found


def _said(verdict: Verdict, first_token: bool) -> Callable[[], str]:
    def say() -> str:
        clause = verdict.prediction_proof.clause or verdict.prediction_reason
        clause = clause.replace("what may follow", "the answer").replace("letters", "tokens")
        return f"already its first token: {clause}" if first_token else clause

    return say


def written(machine: LabelledAutomaton) -> Automaton:
    """The automaton of the words SOS x SEP y, where y is the class of x, its tokens separated by blanks.

    >>> from longreach.languages.regular.labelled_automaton import labelled
    >>> odd = labelled(("1",), [[1], [0]], 0, ["even", "odd"])
    >>> written(odd).accepts(["SOS", "1", "SEP", "odd"])
    True
    """
    answers = [label for label in machine.classes if label != UNDEFINED]
    tokens = dict.fromkeys(
        [SOS, *machine.alphabet, SEP, *(token for label in answers for token in label.split())]
    )
    alphabet = tuple(token for token in tokens if token != EOS)
    number = {token: place for place, token in enumerate(alphabet)}
    dead, end, first = len(machine), len(machine) + 1, len(machine) + 2
    rows: list[list[int]] = [[dead] * len(alphabet) for _ in range(first + 1)]
    rows[first][number[SOS]] = 0
    for state, row in enumerate(machine.transitions):
        for letter, target in zip(machine.alphabet, row, strict=True):
            rows[state][number[letter]] = target
    starts = {label: _path(rows, label.split(), number, dead, end) for label in answers}
    for state, label in enumerate(machine.outputs):
        if label in starts:
            rows[state][number[SEP]] = starts[label]
    return minimal(alphabet, rows, first, [end])


def _path(rows: list[list[int]], tokens: Sequence[str], number: dict[str, int], dead: int, end: int) -> int:
    """The state from which these tokens lead to the end."""
    state = end
    for token in reversed(tokens):
        rows.append([dead] * len(number))
        rows[-1][number[token]] = state
        state = len(rows) - 1
    return state
