"""Decisions about the labels of prediction, and about letters that act alike."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.certificates.check_no import check_certificate
from longreach.theory.certificates.check_yes import check_program
from longreach.theory.certificates.documents import NoCertificate, ProgramCertificate
from longreach.theory.decide.with_positions import decide_positional
from longreach.theory.decide.without_positions import plain_analysis
from longreach.theory.prove.induction import rightness
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer
from tests.helpers.examples import at_most
from tests.helpers.language_oracles import all_of, automata, words


def doubled(automaton: Automaton, times: int) -> Automaton:
    """Every letter so many times, under names of its own."""
    letters = tuple(f"{letter}{k}" for k in range(times) for letter in automaton.alphabet)
    return Automaton(letters, tuple(row * times for row in automaton.transitions), automaton.accepting)


@settings(max_examples=at_most(40))
@given(automata(states=4), st.integers(2, 3))
def test_more_letters_of_the_same_kind_change_no_verdict(automaton, times) -> None:
    more = doubled(automaton, times)
    assert len(more.essential.alphabet) == len(automaton.essential.alphabet)
    few, many = (judge(each) for each in (automaton, more))
    for name, answer in many.sides.items():
        assert answer.answer is few.sides[name].answer
        assert answer.proof.window == few.sides[name].proof.window
        assert answer.certificate.automaton.alphabet == more.alphabet
        if isinstance(answer.certificate, ProgramCertificate):
            assert check_program(answer.certificate, None).valid
        elif not isinstance(answer.certificate, NoCertificate):
            assert check_certificate(answer.certificate) is None


def test_classes_of_many_letters() -> None:
    automaton = from_expression(r"(\w+\d)*.x")
    assert (len(automaton.alphabet), len(automaton.essential.alphabet)) == (63, 3)
    verdicts = judge(automaton)
    answer, analysis = verdicts.ape, verdicts.decisions.ape.analysis
    assert (answer.answer, answer.proof.window) == (Answer.YES, 2)
    assert analysis is not None
    assert len(analysis.extended.states) < 100
    assert answer.program is not None
    assert rightness(answer.program.core, automaton, length=4).proved


def label_languages(automaton: Automaton) -> dict[str | None, Automaton]:
    """For each letter the words after which it may follow; for the end, None, the language itself."""
    legal = {a: automaton.legal_at(k) for k, a in enumerate(automaton.alphabet)}
    return {a: automaton.with_accepting(states) for a, states in legal.items()} | {None: automaton}


def answers_of_labels(automaton: Automaton) -> tuple[bool | None, bool | None, bool | None]:
    """Whether all labels are in C-RASP[∅], in C-RASP[periodic, local], in C-RASP[local]."""
    found = []
    for language in set(label_languages(automaton).values()):
        both = decide_positional(language)
        found.append((plain_analysis(language).holds(), both.periodic_local.answer, both.local.answer))
    plain, periodic_local, local = (all_of(answers) for answers in zip(*found, strict=True))
    return plain, periodic_local, local


@given(automata(states=5))
def test_labels_are_the_legal_next_symbols(automaton) -> None:
    reach = len(automaton)
    for word in words("ab", 3):
        for token, language in label_languages(automaton).items():
            if token is None:
                legal = automaton.accepts(word)
            else:
                legal = any(automaton.accepts((*word, token, *rest)) for rest in words("ab", reach))
            assert language.accepts(word) == legal


@settings(deadline=None)
@given(automata(states=5))
def test_prediction_is_as_hard_as_membership(automaton) -> None:
    """The class is closed under quotients, and the end label is the language itself."""
    both = decide_positional(automaton)
    own = plain_analysis(automaton).holds(), both.periodic_local.answer, both.local.answer
    assert answers_of_labels(automaton) == own
