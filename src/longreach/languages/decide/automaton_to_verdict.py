"""All verdicts for one language: without positions (NoPE), with absolute ones (APE), with local relations."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from longreach.languages.budget import DEFAULT_BUDGET, Budget, OverBudget
from longreach.languages.decide.extended_automaton import Analysis, Convention, first_bad_pair
from longreach.languages.decide.prediction import LabelAnswers, label_answers, on_prefixes
from longreach.languages.decide.with_positions import (
    ArrowRefutation,
    Decision,
    decide_positional,
    decide_prediction,
)
from longreach.languages.decide.without_positions import Refutation, plain_analysis, refutation
from longreach.languages.regular.automaton import Automaton, Word

if TYPE_CHECKING:
    from longreach.languages.prove.language_certificates import Certificate


class Answer(StrEnum):
    """The answer to "is there a program?"."""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"

    @staticmethod
    def of(value: bool | None) -> Answer:
        """From a truth value, None being undecided."""
        return Answer.UNDECIDED if value is None else Answer.YES if value else Answer.NO


@dataclass(frozen=True, eq=False)
class ClassVerdict:
    """The verdict for one class of programs; `answer` is for membership, read at the last letter, and
    `prediction` for the task that is trained."""

    program_class: str
    answer: Answer
    reason: str
    end_of_sequence: Answer
    analysis: Analysis | None
    """For yes: what a program is built from; None where the extended automaton is beyond the budget."""
    arrows: ArrowRefutation | None
    plain: Analysis | None
    """None where even that is beyond the budget, and the answer undecided."""
    prefixes: Analysis | None
    """The plain one for programs that are judged on prefixes of words of the language only."""
    budget: Budget
    smallest: bool = True
    """Whether window and modulus are known to be the smallest, among moduli that divide the stable length."""
    length: int = 1
    """The moduli that are looked at divide it."""

    @property
    def prediction(self) -> Answer:
        """For predicting the legal next symbols, end included, on prefixes of words of the language.

        With local relations it is as hard as membership: a program that looks one letter back notices the
        first letter that may not follow. Without, it can be easier, and then is so for every class.
        """
        return Answer.YES if self.prefixes is not None and self.prefixes.holds() else self.answer

    @property
    def prediction_everywhere(self) -> Answer:
        """The same on all words, where the label of a word that begins no word of the language is empty.

        The end label is the language itself; the other labels are unions of its right quotients, under which
        every class is closed, because a program can ask what it would say after one more letter.
        """
        return self.answer

    @cached_property
    def predicted(self) -> Decision:
        """The decision about prediction on prefixes, with the smallest window and modulus for it."""
        known = Decision(
            {Answer.YES: True, Answer.NO: False, Answer.UNDECIDED: None}[self.answer],
            self.analysis,
            smallest=self.smallest,
            refutation=self.arrows,
            length=self.length,
        )
        return known if self.prefixes is None else decide_prediction(known, self.prefixes, self.budget)

    @property
    def prediction_reason(self) -> str:
        """Why prediction on prefixes has its answer, in one sentence."""
        if self.prediction is not Answer.YES:
            return self.reason
        analysis = self.predicted.analysis
        return _enough(analysis, True) if analysis is not None else self.reason

    @property
    def window(self) -> int | None:
        """How many letters before the present one a program needs to see; None unless known."""
        return self.analysis.extended.window if self.analysis else None

    @property
    def modulus(self) -> int | None:
        """The modulus of the positions that a program needs; None unless known."""
        return self.analysis.extended.modulus if self.analysis else None

    @property
    def depth(self) -> int | None:
        """How deeply the counts that determine the state are nested; None unless known."""
        return self.analysis.rounds() if self.analysis else None

    @property
    def prediction_window(self) -> int | None:
        """How many letters before the present one a predictor needs to see; None unless known."""
        analysis = self.predicted.analysis
        return analysis.extended.window if analysis else None

    @property
    def prediction_modulus(self) -> int | None:
        """The modulus of the positions that a predictor needs; None unless known."""
        analysis = self.predicted.analysis
        return analysis.extended.modulus if analysis else None

    @property
    def prediction_depth(self) -> int | None:
        """How deeply the counts of a predictor are nested; None unless known."""
        analysis = self.predicted.analysis
        return analysis.rounds() if analysis else None

    @cached_property
    def refutation(self) -> Refutation | ArrowRefutation | None:
        """The proof of a no; None for other answers and for components beyond the budget."""
        if self.answer is not Answer.NO or self.arrows is not None:
            return self.arrows
        assert self.plain is not None
        assert self.prefixes is not None
        limit = self.budget.certificate
        both = refutation(_failing(self.plain, self.prefixes), Convention.LAST_LETTER, limit)
        # Where prediction fails in large components only, a small one may still refute membership.
        return both or refutation(self.plain, Convention.LAST_LETTER, limit)

    def certificate(self) -> Certificate:
        """The certificate of a no. A yes is certified by a program, which is written elsewhere."""
        from longreach.languages.prove.language_certificates import PERIODIC_LOCAL, NoCertificate
        from longreach.languages.prove.proof_to_certificate import arrow_certificate, flow_certificate

        proof = self.refutation
        if isinstance(proof, Refutation):
            return flow_certificate(proof)
        if proof is not None and len(proof.failure.vertices) <= self.budget.certificate:
            return arrow_certificate(proof, periodic=self.program_class == PERIODIC_LOCAL)
        if self.answer is Answer.NO:
            return NoCertificate(
                reason=f"the component that fails has more than {self.budget.certificate} states (budget)"
            )
        return NoCertificate(reason=self.reason)


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What can be said of a language."""

    automaton: Automaton
    nope: ClassVerdict
    """C-RASP[∅]."""
    ape: ClassVerdict
    """C-RASP[periodic, local]."""
    local: ClassVerdict
    """C-RASP[local]."""
    budget: Budget

    @cached_property
    def labels(self) -> tuple[LabelAnswers, ...]:
        """The labels of the prediction task, each decided on its own."""
        return label_answers(self.automaton, self.budget)


def decide(automaton: Automaton, budget: Budget = DEFAULT_BUDGET) -> Verdicts:
    """Decides all classes under both conventions, and the prediction task.

    With local relations the two conventions agree: a program looks one letter back from the end of the
    sequence, and the other way round it can ask what it would say if the sequence ended here.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> verdicts = decide(from_expression("(a|b)*b"))
    >>> verdicts.nope.answer.value, verdicts.nope.end_of_sequence.value, verdicts.ape.answer.value
    ('yes', 'no', 'yes')
    >>> decide(from_expression("(aa)*")).ape.reason
    'the position modulo 2 determines the next state'
    """
    running = budget.running()
    try:
        plain = plain_analysis(automaton, running)
    except OverBudget as spent:
        return _undecided(automaton, f"undecided within the budget: {spent}", budget)
    prefixes = on_prefixes(plain)
    both = decide_positional(automaton, plain, running)
    nope = ClassVerdict(
        "C-RASP[∅]",
        Answer.of(plain.holds()),
        _plain_reason(_failing(plain, prefixes)),
        Answer.of(plain.holds(Convention.END_OF_SEQUENCE)),
        plain if plain.holds() else None,
        None,
        plain,
        prefixes,
        budget,
    )
    ape = _positional("C-RASP[periodic, local]", both.periodic_local, plain, prefixes, budget)
    local = _positional("C-RASP[local]", both.local, plain, prefixes, budget)
    return Verdicts(automaton, nope, ape, local, budget)


def _undecided(automaton: Automaton, reason: str, budget: Budget) -> Verdicts:
    unknown = Answer.UNDECIDED
    nope, ape, local = (
        ClassVerdict(name, unknown, reason, unknown, None, None, None, None, budget)
        for name in ("C-RASP[∅]", "C-RASP[periodic, local]", "C-RASP[local]")
    )
    return Verdicts(automaton, nope, ape, local, budget)


def _positional(
    program_class: str, decision: Decision, plain: Analysis, prefixes: Analysis, budget: Budget
) -> ClassVerdict:
    answer = Answer.of(decision.answer)
    return ClassVerdict(
        program_class,
        answer,
        _positional_reason(decision),
        answer,
        decision.analysis,
        decision.refutation,
        plain,
        prefixes,
        budget,
        decision.smallest,
        decision.length,
    )


def _failing(plain: Analysis, prefixes: Analysis) -> Analysis:
    """Where to look for a pair of states that refutes: one that refutes prediction refutes both."""
    return plain if prefixes.holds() else prefixes


def _plain_reason(plain: Analysis) -> str:
    if plain.holds():
        return _enough(plain)
    component = next(part for part in plain.components if part.rounds is None)
    pair = first_bad_pair(component, plain.extended, component.refinement.classes, Convention.LAST_LETTER)
    assert pair is not None
    assert pair[2] is not None
    first, second = (component.states[vertex] for vertex in pair[:2])
    letter = plain.extended.automaton.alphabet[pair[2]]
    return (
        f"no count separates the states {first} and {second}, from which {letter!r} leads to different states"
    )


def _positional_reason(decision: Decision) -> str:
    if decision.answer is None:
        return f"undecided within the budget: {decision.exhausted}"
    if decision.answer:
        if decision.analysis is None:
            return "the idempotents hide no state, but the window is beyond the budget"
        return _enough(decision.analysis)
    proof = decision.refutation
    assert proof is not None
    first, second = (proof.failure.vertices[v] for v in proof.failure.pair)
    word = _spelled(proof.objects[first[1]])
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


def _spelled(word: Word) -> str:
    return "".join(word) if all(len(token) == 1 for token in word) else " ".join(word)
