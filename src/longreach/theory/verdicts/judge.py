"""The verdicts on one regular language, with programs and certificates, and their document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from longreach.theory.automata.automaton import Automaton, with_end
from longreach.theory.budget import DEFAULT_BUDGET, Budget, OverBudget
from longreach.theory.certificates.documents import Certificate, NoCertificate, ProgramCertificate
from longreach.theory.certificates.from_proofs import arrow_certificate, flow_certificate
from longreach.theory.certificates.tables import automaton_table
from longreach.theory.decide.decisions import ClassDecision, Decisions, decide
from longreach.theory.decide.views import Analysis, Convention
from longreach.theory.decide.without_positions import Refutation, plain_analysis, refutation
from longreach.theory.names import END
from longreach.theory.program_class import EMPTY, PERIODIC_LOCAL
from longreach.theory.verdicts.explain import Explanation, explain, explain_at_end
from longreach.theory.verdicts.verdict import (
    MEANING_OF_NO,
    NOT_CERTIFIED,
    NOT_KNOWN,
    NOT_WRITTEN,
    PROVED,
    Answer,
    Proof,
    Ruling,
    Verdict,
)

if TYPE_CHECKING:
    from longreach.theory.automata.monoid import Measures
    from longreach.theory.crasp.program import Program


@dataclass(frozen=True, eq=False)
class LanguageVerdicts:
    """Everything that is said of one language."""

    decisions: Decisions

    @property
    def automaton(self) -> Automaton:
        return self.decisions.automaton

    @property
    def budget(self) -> Budget:
        return self.decisions.budget

    @cached_property
    def sides(self) -> dict[str, Verdict]:
        """By the name of the document's field."""
        writer = _Writer(self.budget)
        found = self.decisions
        return {
            "nope": _verdict(found.nope, writer),
            "ape": _verdict(found.ape, writer),
            "local": _verdict(found.local, writer),
        }

    @property
    def nope(self) -> Verdict:
        """C-RASP[∅]."""
        return self.sides["nope"]

    @property
    def ape(self) -> Verdict:
        """C-RASP[periodic, local]."""
        return self.sides["ape"]

    @property
    def local(self) -> Verdict:
        """C-RASP[local]."""
        return self.sides["local"]

    def predictors(self) -> dict[str, Program | str]:
        """For each yes of prediction, a program that is right on prefixes of words of the language, or why
        it is not written."""
        found = {side: verdict.prediction.proof.outcome for side, verdict in self.sides.items()}
        return {side: program for side, program in found.items() if program is not None}

    def document(
        self,
        task: str,
        measures: Measures | None = None,
        *,
        convention: Convention = Convention.LAST_LETTER,
        certificates: bool = True,
        beside: Mapping[str, Verdict] | None = None,
    ) -> dict[str, Any]:
        """As `longreach language --json` prints it; `task` is the name of the language.

        `beside` are sides other than classes of programs. The verdicts are those of the convention; where
        that is the end, `last_letter` has the other.
        """
        document: dict[str, Any] = {
            "task": task,
            "alphabet": list(self.automaton.alphabet),
            "convention": convention.value,
            "states": len(self.automaton),
        }
        for side, verdict in {**self.sides, **(beside or {})}.items():
            if convention is Convention.LAST_LETTER:
                document[side] = verdict.document(certificates=certificates)
            else:
                found = verdict.read_at_end().document(certificates=certificates)
                # What is proved of prediction stands beside the other convention.
                kept = {name: value for name, value in found.items() if not name.startswith("prediction")}
                document[side] = kept | {"last_letter": verdict.answer.value}
        document["meaning_of_no"] = MEANING_OF_NO
        if measures is not None:
            document["measures"] = asdict(measures)
        return document


def judge(automaton: Automaton, budget: Budget = DEFAULT_BUDGET) -> LanguageVerdicts:
    """The verdicts for all classes of programs.

    >>> verdicts = judge(from_expression("(a|b)*b"))
    >>> verdicts.nope.answer.value, verdicts.nope.at_end.answer.value, verdicts.ape.answer.value
    ('yes', 'no', 'yes')
    >>> judge(from_expression("(aa)*")).ape.reason
    'the position modulo 2 determines the next state'
    """
    return LanguageVerdicts(decide(automaton, budget))


@dataclass(frozen=True, eq=False)
class _Writer:
    """Writes programs; classes share what they can."""

    budget: Budget
    written: dict[tuple[int, bool], Program | str] = field(default_factory=dict)
    """Programs, or why there is none, by the identity of their analysis and whether they predict."""
    weighed: dict[Program, str] = field(default_factory=dict)
    """How each program is known to be right."""

    def write(self, analysis: Analysis | None, *, predicts: bool) -> Program | str:
        if analysis is None:
            return f"the window is beyond the budget of {self.budget.window_states} states"
        if predicts and END in analysis.extended.automaton.alphabet:
            return f"it would predict {END}, which is a letter here"
        key = (id(analysis), predicts)
        if key not in self.written:
            from longreach.theory.write.programs import acceptor, predictor  # a no needs none

            try:
                self.written[key] = (predictor if predicts else acceptor)(analysis, budget=self.budget)
            except OverBudget as spent:
                self.written[key] = str(spent)
        return self.written[key]

    def weigh(self, analysis: Analysis | None, program: Program) -> str:
        """How the program is known to be right."""
        assert analysis is not None
        if program not in self.weighed:
            from longreach.theory.verdicts.basis import program_basis

            self.weighed[program] = program_basis(program.core, analysis.extended.automaton, self.budget)
        return self.weighed[program]


def _verdict(decision: ClassDecision, writer: _Writer) -> Verdict:
    answer = Answer.of(decision.answer)
    return Verdict(
        program_class=decision.program_class,
        membership=Ruling(answer, lambda: _proof(decision, writer, prediction=False)),
        at_end=Ruling(Answer.of(decision.at_end), lambda: _at_end(decision, writer)),
        prediction=Ruling(Answer.of(decision.prediction), lambda: _proof(decision, writer, prediction=True)),
        prediction_everywhere=answer,
        is_regular=True,
    )


def _proof(decision: ClassDecision, writer: _Writer, *, prediction: bool) -> Proof:
    why = explain(decision, prediction=prediction)
    answer = decision.prediction if prediction else decision.answer
    if not answer:
        return _no(why, lambda: no_certificate(decision, why.formal), decided=answer is not None)
    analysis = decision.predicted.analysis if prediction else decision.analysis
    return _yes(decision, why, analysis, writer, predicts=prediction)


def _at_end(decision: ClassDecision, writer: _Writer) -> Proof:
    """With relations the two conventions agree; without, a no has a flow of its own."""
    if decision.program_class != EMPTY:
        known = _proof(decision, writer, prediction=False)
        # A program that is read after the last letter looks back further.
        return replace(known, window=None, modulus=None, depth=None)

    why = explain_at_end(decision)
    if decision.at_end:
        return _yes_at_end(decision, why)

    def certify() -> Certificate:
        if decision.plain is None:
            return NoCertificate(reason=why.formal)
        proof = refutation(decision.plain, Convention.END_OF_SEQUENCE, decision.budget.certificate)
        return _too_large(decision) if proof is None else flow_certificate(proof)

    return _no(why, certify, decided=decision.at_end is not None)


def _yes_at_end(decision: ClassDecision, why: Explanation) -> Proof:
    """A program read after the last letter is one for the words with EOS behind them, read at that EOS."""
    assert decision.plain is not None
    automaton = decision.plain.extended.automaton

    def write() -> Program | str:
        if END in automaton.alphabet:
            return f"it would read {END}, which is a letter here"
        from longreach.theory.write.programs import acceptor

        try:
            return acceptor(plain_analysis(with_end(automaton, END), decision.budget), decision.budget)
        except OverBudget as spent:
            return str(spent)

    def certify() -> Certificate:
        program = proof.program
        if program is None:
            return NoCertificate(reason=f"the program is not written: {proof.not_written}")
        return ProgramCertificate(
            program_class=decision.program_class,
            convention=Convention.END_OF_SEQUENCE.value,
            automaton=automaton_table(automaton),
            program=program.text,
        )

    def weigh() -> str:
        program = proof.program
        if program is None:
            return NOT_WRITTEN
        from longreach.theory.verdicts.basis import program_basis

        return program_basis(program.core, with_end(automaton, END), decision.budget)

    proof = Proof(reason=why.formal, certify=certify, write=write, say=why.short, weigh=weigh)
    return proof


def _no(why: Explanation, certify: Callable[[], Certificate], *, decided: bool) -> Proof:
    """Also of what is undecided."""

    def weigh() -> str:
        if not decided:
            return NOT_KNOWN
        return NOT_CERTIFIED if proof.certificate.kind == "none" else PROVED

    proof = Proof(reason=why.formal, certify=certify, say=why.short, weigh=weigh)
    return proof


def _yes(
    decision: ClassDecision, why: Explanation, analysis: Analysis | None, writer: _Writer, *, predicts: bool
) -> Proof:
    def write() -> Program | str:
        return writer.write(analysis, predicts=predicts)

    def weigh() -> str:
        program = write()
        return NOT_WRITTEN if isinstance(program, str) else writer.weigh(analysis, program)

    def certify() -> Certificate:
        program = write()
        if analysis is None or isinstance(program, str):
            return NoCertificate(reason=f"the program is not written: {program}")
        if program.core.locality > analysis.extended.window:
            from longreach.theory.write.programs import acceptor

            program = acceptor(analysis, decision.budget, wider=False)
        return ProgramCertificate(
            program_class=decision.program_class,
            convention=Convention.LAST_LETTER.value,
            automaton=automaton_table(analysis.extended.automaton),
            program=program.text,
            window=analysis.extended.window,
            modulus=analysis.extended.modulus,
            prediction=predicts,
        )

    return Proof(
        reason=why.formal,
        certify=certify,
        write=write,
        window=None if analysis is None else analysis.extended.window,
        modulus=None if analysis is None else analysis.extended.modulus,
        depth=None if analysis is None else analysis.rounds(),
        say=why.short,
        weigh=weigh,
    )


def no_certificate(decision: ClassDecision, reason: str) -> Certificate:
    """What proves a no; for an undecided class, and beyond the budget, why there is nothing."""
    proof, limit = decision.refutation, decision.budget.certificate
    if isinstance(proof, Refutation):
        return flow_certificate(proof)
    if proof is not None and len(proof.failure.vertices) <= limit:
        return arrow_certificate(proof, periodic=decision.program_class == PERIODIC_LOCAL)
    return _too_large(decision) if decision.answer is False else NoCertificate(reason=reason)


def _too_large(decision: ClassDecision) -> Certificate:
    limit = decision.budget.certificate
    return NoCertificate(reason=f"the component that fails has more than {limit} states (budget)")


def language_sides(automaton: Automaton, *, trained: bool = False) -> dict[str, Verdict]:
    """The sides of a regular language: exactly what `longreach language` says.

    With `trained`, what is trained is predicting what may follow.
    """
    return {key: replace(verdict, predicts=trained) for key, verdict in judge(automaton).sides.items()}
