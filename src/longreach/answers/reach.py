"""The side `reach` of a forecast: attention that finds the last match, and how long ago modulo a number.

It is decided for tasks given by an automaton, or from whose answers one is learned: yes exactly if what is
asked is in AC⁰, that is, if no group acts by words of one length (Yang, Chiang and Angluin, 2310.13897). A no
has such words, a yes a cascade: a clock and levels of last occurrences that know what is right. The decision
waits for no cascade.

For a regular language, membership and predicting what may follow are in the class together: a cycle of states
that words are told apart by lies among the live ones, and what may follow tells these apart as membership
does. Their cascades may need different levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product
from typing import Final

from longreach.answers.architecture import NO_AUTOMATON, accepting_question, question_of, question_of_language
from longreach.config.scales import Hyperparameters
from longreach.tasks.layouts import UNDEFINED
from longreach.tasks.regular import RegularLanguage
from longreach.tasks.task import Task
from longreach.theory.architectures.check import check_architecture
from longreach.theory.architectures.classes import reason_of
from longreach.theory.architectures.documents import (
    NOTHING,
    CascadeCertificate,
    Question,
    StableGroupCertificate,
)
from longreach.theory.architectures.groups import Groups
from longreach.theory.automata.automaton import Automaton, labelled
from longreach.theory.automata.learn import LearnedAutomaton
from longreach.theory.budget import Budget, OverBudget
from longreach.theory.certificates.documents import NoCertificate
from longreach.theory.program_class import IN_AC0
from longreach.theory.verdicts.verdict import (
    NOT_FOUND,
    NOT_KNOWN,
    PROVED,
    Answer,
    CertificateDocument,
    Proof,
    Ruling,
    Verdict,
    same_answers,
    undecided,
)
from longreach.wording import counted, listed, shortened, spelled

SECONDS: Final = 3.0
"""Of computing, for the decision and for each cascade: the last resort, as counts limit both."""
NOTE: Final = (
    "yes: weights exist that are right at every length, in the limit of hard attention; that training finds "
    "them is expected and measured, not proved"
)
IN_CLASS: Final = "no group acts by words of one length"
BEYOND: Final = "it finds what came last and how long ago, and is decided only for tasks with bounded memory"
BOUNDED: Final = "decided only for bounded memory"
MOST_TRIED: Final = 9
MOST_TRIED_WORDS: Final = 500
"""Words on which somebody's task is compared with the automaton that it names, up to a length."""
MOST_LETTERS: Final = 12


def reach_side(task: Task, sides: Mapping[str, Verdict], *, trusted: bool = True) -> Verdict:
    """The side of any task; `sides` are its others, which say what is known where no automaton answers.

    >>> from longreach.answers.forecast import forecast
    >>> found = {name: forecast(name).sides["reach"] for name in ("aa", "parity", "sort")}
    >>> [side.trained.expectation for side in found.values()]
    ['expected to work', 'expected to fail', 'not known']
    >>> found["aa"].cascade.layers, found["parity"].clause
    (1, 'in inputs made of "1" and "0", the number of "1" modulo 2 matters')
    """
    if type(task) is RegularLanguage:
        return language_reach(task.automaton, trained=True)
    question = question_of(task)
    if question is None:
        return undecided(IN_AC0, f"{NO_AUTOMATON}: {BEYOND}", clause=_beyond(sides))
    if not trusted and (wrong := _contradicted(task, question)) is not None:
        return undecided(IN_AC0, wrong)
    decision = _Decision(question, what="the answer")
    if decision.answer is Answer.UNDECIDED:
        return undecided(IN_AC0, decision.reason)
    found = replace(same_answers(IN_AC0, decision.answer, decision.proof), note=NOTE)
    if trusted:
        return found
    return found.with_proofs(
        lambda proof: replace(proof, weigh=lambda: f"{proof.basis}, if its automaton is right")
    )


def _contradicted(task: Task, question: Question) -> str | None:
    """How somebody's task answers a short word otherwise than its automaton does; None if it does not."""
    answer = getattr(task, "answer", None)
    if answer is None or not question.at_end:
        return None
    machine = question.machine
    words = (word for length in range(1, MOST_TRIED) for word in product(machine.alphabet, repeat=length))
    for word in islice(words, MOST_TRIED_WORDS):
        state = 0
        for letter in word:
            state = machine.transitions[state][machine.alphabet.index(letter)]
        wanted = machine.outputs[state]
        try:
            said = answer(list(word))[0]
        except Exception as error:  # somebody's code may fail in any way
            return f"its answer to {spelled(word)} raises {type(error).__name__}"
        if wanted not in (NOTHING, said):
            return f"for {spelled(word)} its automaton says {wanted}, but its answer is {said}"
    return None


def learned_reach(learned: LearnedAutomaton, *, at_end: bool, every_word: bool) -> Verdict | None:
    """The side of a task whose answers of one token an automaton was learned from; None where it says
    nothing. Where not every word is an input, only a yes counts.

    >>> from longreach.theory.automata.learn import learn_automaton
    >>> last = learn_automaton(lambda word: word[-1] if word else "a", "ab")
    >>> found = learned_reach(last, at_end=True, every_word=True)
    >>> found.answer.value, found.checked_to, found.cascade.layers
    ('yes', 100, 1)
    """
    outputs = [NOTHING if each == UNDEFINED else each for each in learned.machine.outputs]
    if any(len(each.split()) != 1 for each in outputs if each != NOTHING):
        return None
    machine = labelled(learned.machine.alphabet, learned.machine.transitions, 0, outputs)
    decision = _Decision(Question(machine, at_end), what="the answer")
    if decision.answer is Answer.UNDECIDED or (decision.answer is Answer.NO and not every_word):
        return None
    states = counted(len(learned.machine), "state")
    reason = f"for the automaton learned up to length {learned.length}: {decision.reason}"
    weigh = f"automaton with {states}, learned to length {learned.length}"
    found = replace(same_answers(IN_AC0, decision.answer, decision.proof), note=NOTE)
    told = found.with_proofs(lambda proof: replace(proof, reason=reason, weigh=lambda: weigh))
    return replace(told, checked_to=learned.length)


def language_reach(automaton: Automaton, *, trained: bool = False) -> Verdict:
    """The side of a regular language; with `trained`, what is trained is predicting what may follow.

    >>> from longreach.theory.automata.regex import from_expression
    >>> found = language_reach(from_expression("(a|bb)*"))
    >>> found.answer.value, found.prediction.answer.value
    ('yes', 'yes')
    """
    predicting = _Decision(question_of_language(automaton), what="what may follow")
    answer = predicting.answer
    if answer is Answer.UNDECIDED:
        return replace(undecided(IN_AC0, predicting.reason), is_regular=True, predicts=trained, beside=())
    if answer is Answer.YES:
        accepting = replace(predicting, question=accepting_question(automaton), what="membership")
    else:
        accepting = predicting
    membership = Ruling(answer, lambda: accepting.proof)
    prediction = Ruling(answer, lambda: predicting.proof)
    return Verdict(
        program_class=IN_AC0,
        membership=membership,
        at_end=membership,
        prediction=prediction,
        prediction_everywhere=answer,
        is_regular=True,
        beside=(("prediction", prediction),) if answer is Answer.YES else (),
        predicts=trained,
        note=NOTE,
    )


def _beyond(sides: Mapping[str, Verdict]) -> str:
    """What is known where no automaton answers the task."""
    for key, words in (("nope", "without positions (NoPE)"), ("ape", "with learned positions (APE)")):
        if key in sides and sides[key].trained is Answer.YES:
            return f"{BOUNDED}; {words} is expected to work"
    return BOUNDED


@dataclass(frozen=True, eq=False)
class _Decision:
    """What is asked, and what the maps of its automaton's words say."""

    question: Question
    what: str
    """What a cascade determines, in plain words."""

    @cached_property
    def _group(self) -> StableGroupCertificate | bool | None:
        """The words that prove a no; False where there are none, None where the budget ended the search."""
        groups = Groups(self.question, Budget(seconds=SECONDS).running())
        try:
            found = groups.stable_group()
        except OverBudget:
            return None
        return found or (False if groups.monoid is not None else None)

    @cached_property
    def _cascade(self) -> CascadeCertificate | None:
        try:
            return Groups(self.question, Budget(seconds=SECONDS).running()).cascade()
        except OverBudget:
            return None

    @cached_property
    def answer(self) -> Answer:
        if self._group is None:  # without the maps of words, a cascade alone decides
            return Answer.UNDECIDED if self._cascade is None else Answer.YES
        return Answer.YES if self._group is False else Answer.NO

    @cached_property
    def reason(self) -> str:
        if isinstance(self._group, StableGroupCertificate):
            return reason_of(self._group)
        return IN_CLASS if self.answer is Answer.YES else "too many maps of words to decide this (budget)"

    @cached_property
    def proof(self) -> Proof:
        return Proof(reason=self.reason, certify=self._certify, say=self._clause, weigh=self._basis)

    def _certify(self) -> CertificateDocument:
        if isinstance(self._group, StableGroupCertificate):
            return self._group
        return self._cascade or NoCertificate(reason=f"{IN_CLASS}; no cascade was found (budget)")

    def _clause(self) -> str:
        if isinstance(self._group, StableGroupCertificate):
            word, steady = _shown(self._group.word), _shown(self._group.steady)
            number = len(self._group.states)
            return f"in inputs made of {word} and {steady}, the number of {word} modulo {number} matters"
        if self._cascade is None:
            return f"what came last, and how long ago, determines {self.what}"
        found = self._cascade
        parts = ["what came last"] if found.levels else []
        parts += [f"the position modulo {found.modulus}"] if found.modulus > 1 else []
        if not parts:
            return "the same answer is right everywhere"
        verb = "determine" if len(parts) > 1 else "determines"
        return f"{listed(parts)} {verb} {self.what}{_levels(found.layers)}"

    def _basis(self) -> str:
        certificate = self._certify()
        if isinstance(certificate, NoCertificate):
            return NOT_FOUND if self.answer is Answer.YES else NOT_KNOWN
        valid = check_architecture(certificate).valid  # type: ignore[arg-type]
        return PROVED if valid else NOT_FOUND


def _levels(layers: int) -> str:
    """How many layers a cascade needs, and whether the usual model has them.

    >>> _levels(1), _levels(3)
    (' (1 level)', ' (needs 3 levels, the usual model has 2 layers)')
    """
    usual = Hyperparameters().layers
    if layers > usual:
        return f" (needs {layers} levels, the usual model has {counted(usual, 'layer')})"
    return f" ({counted(layers, 'level')})" if layers else ""


def _shown(word: tuple[str, ...]) -> str:
    return f'"{shortened(spelled(word), MOST_LETTERS)}"'
