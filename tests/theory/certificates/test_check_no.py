"""Tests of `theory.certificates.check_no`."""

from __future__ import annotations

import ast
import copy
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from longreach.answers.kinds import read_any
from longreach.errors import InputError
from longreach.theory.automata.automaton import minimal
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import Budget
from longreach.theory.certificates import check_no as checker
from longreach.theory.certificates.check_no import (
    Finding,
    Status,
    check_certificate,
    live_states_of,
)
from longreach.theory.certificates.check_yes import check_program
from longreach.theory.certificates.documents import Certificate, ProgramCertificate
from longreach.theory.certificates.from_proofs import flow_certificate
from longreach.theory.certificates.tables import automaton_table
from longreach.theory.decide.views import Convention
from longreach.theory.decide.with_positions import decide_positional
from longreach.theory.decide.without_positions import plain_analysis, refutation
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer
from tests.helpers.examples import at_most
from tests.helpers.language_oracles import all_minimal, automata, live

NO = ["tomita-3", "tomita-4", "tomita-5", "tomita-6", "parity-language", "abab", "012-0-2", "l-bb"]


def _certificates(name: str) -> list[Certificate]:
    verdicts = judge(named_automaton(name))
    return [v.certificate for v in (verdicts.nope, verdicts.ape, verdicts.local) if v.answer is Answer.NO]


@pytest.mark.parametrize("name", NO)
def test_certificates_hold_and_survive_json(name) -> None:
    expected = automaton_table(named_automaton(name))
    for certificate in _certificates(name):
        again = read_any(certificate.model_dump(mode="json", by_alias=True))
        assert again == certificate
        assert check_certificate(again) is None
        assert check_certificate(again, expected) is None
        other = automaton_table(named_automaton("d-2"))
        assert check_certificate(again, other) == "the automaton is not that of the language in question"


@pytest.mark.parametrize(("states", "every"), [(2, 1), (3, 4), pytest.param(3, 1, marks=pytest.mark.slow)])
def test_every_no_of_small_automata_is_certified(states: int, every: int) -> None:
    for automaton in all_minimal(states)[::every]:
        verdicts = judge(automaton)
        for verdict in (verdicts.nope, verdicts.ape, verdicts.local):
            if verdict.answer is Answer.NO:
                assert check_certificate(verdict.certificate, automaton_table(automaton)) is None


@settings(deadline=None, max_examples=at_most(40))
@given(automata(states=7, letters="abc"))
def test_both_conventions_are_certified(automaton) -> None:
    analysis = plain_analysis(automaton)
    for convention in Convention:
        if not analysis.holds(convention):
            proof = refutation(analysis, convention, 100)
            assert proof is not None
            assert check_certificate(flow_certificate(proof)) is None


def _numbers(node, path=()):
    """The places of all numbers, weights, and lists in a document."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _numbers(value, (*path, key))
    elif isinstance(node, list):
        if node:
            yield path, "drop"
            yield path, "repeat"
        for index, value in enumerate(node):
            yield from _numbers(value, (*path, index))
    elif isinstance(node, int) or (isinstance(node, str) and path[-1] == "weight"):
        yield path, "change"
    elif isinstance(node, str) and path[-1] != "kind":
        yield path, "letter"


def _mutated(document, chance: random.Random):
    document = copy.deepcopy(document)
    path, action = chance.choice(list(_numbers(document)))
    node = document
    for key in path[:-1]:
        node = node[key]
    value = node[path[-1]]
    if action == "drop":
        value.pop(chance.randrange(len(value)))
    elif action == "repeat":
        value.append(chance.choice(value))
    elif action == "letter":
        node[path[-1]] = chance.choice(document["automaton"]["alphabet"])
    elif isinstance(value, int):
        node[path[-1]] = value + chance.choice([-1, 1])
    else:
        node[path[-1]] = chance.choice(["0", "1", "-1", "1/3", "2/0", "x"])
    return document


@pytest.mark.parametrize("name", NO)
def test_what_passes_after_a_mutation_is_still_true(name) -> None:
    chance = random.Random(name)
    rejected = 0
    for certificate in _certificates(name):
        document = certificate.model_dump(mode="json", by_alias=True)
        for _ in range(150):
            changed = _mutated(document, chance)
            try:
                read = read_any(changed)
            except InputError:
                rejected += 1
                continue
            if check_certificate(read) is not None:
                rejected += 1
                continue
            table = read.automaton
            automaton = minimal(table.alphabet, table.transitions, 0, table.accepting)
            if read.kind == "flow":
                assert not plain_analysis(automaton).holds(Convention(read.convention))
            else:
                both = decide_positional(automaton)
                decision = both.local if read.program_class == "C-RASP[local]" else both.periodic_local
                assert decision.answer is False
    assert rejected > 100


FLOW_MUTATIONS = {
    "weight": lambda d: d["flows"][0]["weights"][0].update(weight="7"),
    "no flows": lambda d: d.update(flows=[]),
    "reversed flow": lambda d: d["flows"][0].update(
        first=d["flows"][0]["second"], second=d["flows"][0]["first"]
    ),
    "pair": lambda d: d.update(pair=[d["pair"][0]] * 2),
    "convention": lambda d: d.update(convention="end-of-sequence"),
    "component": lambda d: d["states"].pop(),
    "classes": lambda d: d["classes"].append([0]),
    "singletons": lambda d: d.update(classes=[[q] for q in d["states"]]),
    "accepting": lambda d: d["automaton"].update(accepting=[]),
    "transition": lambda d: d["automaton"]["transitions"][0].pop(),
    "target": lambda d: d["automaton"]["transitions"][0].__setitem__(0, 99),
    "unreachable": lambda d: d["automaton"]["transitions"].append([0, 0]),
    "words": lambda d: d["words"].update(second=d["words"]["first"]),
    "loop": lambda d: d["words"].update(loops=[["1"]]),
    "class": lambda d: d.update({"class": "C-RASP[local]"}),
}


@pytest.mark.parametrize("mutation", list(FLOW_MUTATIONS))
def test_broken_flow_certificates(mutation) -> None:
    document = _certificates("tomita-6")[0].model_dump(mode="json", by_alias=True)
    FLOW_MUTATIONS[mutation](document)
    try:
        certificate = read_any(document)
    except InputError:
        return
    assert check_certificate(certificate) is not None


SAMPLED_MUTATIONS = {
    "weight": lambda d: d["flows"][0]["weights"][0].update(weight="1/5"),
    "no flows": lambda d: d.update(flows=[]),
    "block": lambda d: d.update(block=d["block"] + 1),
    "no block": lambda d: d.update(block=None),
    "object": lambda d: d["objects"].__setitem__(0, ["0"] * (len(d["objects"][0]) + 1)),
    "arrow": lambda d: d["arrows"][0]["word"].append("0"),
    "arrow end": lambda d: d["arrows"][0].update(target=5),
    "vertex": lambda d: d["vertices"][0].update(state=17),
    "twice": lambda d: d["vertices"].append(d["vertices"][0]),
    "pair": lambda d: d.update(pair=[0, 0]),
    "singletons": lambda d: d.update(classes=[[v] for v in range(len(d["vertices"]))]),
    "fewer arrows": lambda d: d.update(arrows=[]),
    "letter": lambda d: d["arrows"][0]["word"].__setitem__(0, "z"),
}


@pytest.mark.parametrize("mutation", list(SAMPLED_MUTATIONS))
def test_broken_sampled_certificates(mutation) -> None:
    document = _certificates("tomita-3")[1].model_dump(mode="json", by_alias=True)
    SAMPLED_MUTATIONS[mutation](document)
    certificate = read_any(document)
    assert check_certificate(certificate) is not None


def test_programs_are_checked_elsewhere() -> None:
    table = automaton_table(named_automaton("aa"))
    certificate = ProgramCertificate(program_class="C-RASP[periodic, local]", automaton=table, program="")
    assert read_any(certificate.model_dump(mode="json", by_alias=True)) == certificate
    with pytest.raises(InputError, match="running it"):
        check_certificate(certificate)


def test_the_checker_shares_no_code_with_the_deciders() -> None:
    """It loads its documents, the names of the classes and the error type, nothing else of the package."""
    code = f"import sys, {checker.__name__}; print(*(m for m in sys.modules if m.startswith('longreach')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    packages = {"longreach", "longreach.theory", "longreach.theory.certificates"}
    used = {
        "longreach.errors",
        "longreach.wording",
        "longreach.theory.program_class",
        "longreach.theory.certificates.documents",
        checker.__name__,
    }
    assert set(loaded.split()) == packages | used
    imported = {
        name
        for node in ast.walk(ast.parse(Path(checker.__file__).read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    }
    standard = {"__future__", "collections.abc", "dataclasses", "enum", "fractions", "re", "typing"}
    assert imported <= standard | used


# Certificates about prediction on prefixes: genuine ones are valid, changed ones are not.


EASIER = "(a|ba)*b?"


def answer_of(expression: str):
    return judge(from_expression(expression)).sides["nope"]


def test_live_states_by_definition() -> None:
    for automaton in all_minimal(2) + all_minimal(3)[::7]:
        assert live_states_of(automaton_table(automaton)) == live(automaton)


def test_a_predictor_is_a_certificate_of_its_own() -> None:
    answer = answer_of(EASIER)
    certificate = answer.prediction_certificate
    assert certificate.kind == "program"
    assert certificate.prediction
    assert read_any(certificate.model_dump(mode="json", by_alias=True)) == certificate
    assert check_program(certificate, None) == Finding(Status.VALID, "proved for all lengths")
    assert not check_program(certificate, automaton_table(from_expression("(a|ba)*"))).valid
    # The flow of membership is not one of prediction.
    assert not answer.certificate.prediction
    assert check_certificate(answer.certificate) is None


CHANGES = {
    "another language": {"automaton": automaton_table(from_expression("(a|b)*")).model_dump()},
    "membership": {"prediction": False},
    "wrong": {"program": '#alphabet a b EOS\noutput "a" = true\noutput "b" = true\noutput "EOS" = true'},
    "at the start": {
        "program": '#alphabet a b EOS\noutput "a" = true\noutput "b" = "a"\noutput "EOS" = true'
    },
    "late": {
        "program": '#alphabet a b EOS\noutput "a" = # "a" <= 40\noutput "b" = !"b"\noutput "EOS" = true'
    },
    "no end": {"program": '#alphabet a b EOS\noutput "a" = true\noutput "b" = !"b"'},
    "local": {
        "program": '#alphabet a b EOS\noutput "a" = true\noutput "b" = #[i-1..i] "b" == 0'
        '\noutput "EOS" = true'
    },
    "an acceptor": {"program": '#alphabet a b\nL = # "b" >= 1'},
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_changed_predictors(change) -> None:
    document = (
        answer_of(EASIER).prediction_certificate.model_dump(mode="json", by_alias=True) | CHANGES[change]
    )
    assert check_program(read_any(document), None).status is Status.INVALID


def test_a_flow_must_be_about_a_letter_that_may_follow_both() -> None:
    certificate = answer_of(EASIER).certificate
    changed = certificate.model_copy(update={"prediction": True})
    assert check_certificate(changed) == (
        "the letter may not follow both states of the pair, so prediction is not refuted"
    )
    at_end = flow_certificate(
        refutation(plain_analysis(from_expression("(a|b)*b")), Convention.END_OF_SEQUENCE, 100)
    )
    assert not at_end.prediction
    assert check_certificate(at_end.model_copy(update={"prediction": True})) is not None


def test_a_pair_for_both_is_used_where_there_is_one() -> None:
    """One component with two kinds of bad pairs: by a letter that may follow one state only, and by one that
    may follow both."""
    rows = [[1, 3, 0], [1, 2, 1], [1, 4, 2], [1, 1, 3], [4, 4, 4]]
    automaton = minimal("abc", rows, 0, {1})
    certificate = judge(automaton).nope.certificate
    assert certificate.prediction
    assert check_certificate(certificate) is None


@pytest.mark.parametrize(("budget", "of_both"), [(150, True), (2, False)])
def test_where_prediction_fails_in_a_larger_component(budget, of_both) -> None:
    automaton = from_expression("(a|ba)*b?c(ddd)*")
    verdict = judge(automaton, Budget(certificate=budget)).nope
    assert (verdict.answer, verdict.prediction.answer) == ("no", "no")
    certificate = verdict.certificate
    assert certificate.prediction == of_both
    assert check_certificate(certificate) is None
