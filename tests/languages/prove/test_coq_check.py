"""Coq on our certificates and programs; the development itself is compiled when Coq is there."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.crasp.core import Core
from longreach.crasp.evaluate import accepts
from longreach.crasp.library import load
from longreach.errors import InputError
from longreach.forecast.certificate_kinds import read_any
from longreach.languages.decide.extended_automaton import Convention
from longreach.languages.decide.without_positions import plain_analysis, refutation
from longreach.languages.program_class import EMPTY
from longreach.languages.prove import coq_check
from longreach.languages.prove.coq_check import check_formally, check_instances, files, sources
from longreach.languages.prove.coq_instance import Checkable, automaton_term
from longreach.languages.prove.coq_yes import is_plain_yes, yes_instance
from longreach.languages.prove.flow_checker import check_certificate
from longreach.languages.prove.language_certificates import (
    FlowCertificate,
    ProgramCertificate,
    SampledFlowCertificate,
)
from longreach.languages.prove.proof_to_certificate import flow_certificate
from longreach.languages.regular.automaton import Automaton, minimal
from longreach.languages.regular.automaton_documents import automaton_table
from longreach.languages.regular.named_languages import NAMED_LANGUAGES, named_automaton
from longreach.verdicts.automaton_to_verdicts import judge
from tests.helpers.coq_programs import needs_coq, program_term
from tests.helpers.crasp_strategies import cores
from tests.helpers.examples import at_most, slow
from tests.helpers.language_oracles import random_automaton
from tests.languages.prove.test_flow_checker import FLOW_MUTATIONS, SAMPLED_MUTATIONS, _mutated

D_2 = named_automaton("d-2")
proofs = slow("proofs are checked by Coq")
# After these the statement still holds (unreachable, convention), or what changed is for people (words,
# loop), or is not a flow certificate any more (class); `longreach verify` rejects them before Coq is asked.
HARMLESS = {"unreachable", "words", "loop", "class", "convention"}


def _certificates(automaton: Automaton) -> list[FlowCertificate]:
    analysis = plain_analysis(automaton)
    found = [refutation(analysis, each, 100) for each in Convention if not analysis.holds(each)]
    return [flow_certificate(proof) for proof in found if proof is not None]


def _with_positions(automaton: Automaton) -> list[SampledFlowCertificate]:
    verdicts = judge(automaton)
    found = [verdicts.ape.certificate, verdicts.local.certificate]
    return [each for each in found if isinstance(each, SampledFlowCertificate)]


def test_the_development_admits_nothing_and_assumes_nothing() -> None:
    forbidden = re.compile(
        r"\b(Admitted|admit|give_up|Abort|Axioms?|Parameters?|Conjecture|Guard|bypass_check|Declare|"
        r"FunctionalExtensionality|ProofIrrelevance|Extraction|native_compute)\b"
    )
    classical = re.compile(r"\b(Classical\w*|classic|NNPP)\b")
    listed = files(sources())
    assert {file.name for file in listed} == {file.name for file in sources().glob("*.v")} - {"Assumptions.v"}
    for file in [*listed, sources() / "Assumptions.v"]:
        text = _without_comments(file.read_text(encoding="utf-8"))
        assert forbidden.search(text) is None, file.name
        assert file.name == "Equivalence.v" or classical.search(text) is None, file.name


def test_two_theorems_need_one_axiom() -> None:
    printed = (sources() / "assumptions.txt").read_text(encoding="utf-8").splitlines()
    asked = (sources() / "Assumptions.v").read_text(encoding="utf-8").count("Print Assumptions")
    classical = ["Axioms:", "Classical_Prop.classic : forall P : Prop, P \\/ ~ P"]
    assert printed == ["Closed under the global context"] * (asked - 2) + classical * 2


def _without_comments(text: str) -> str:
    while True:
        shorter = re.sub(r"\(\*(?:(?!\(\*|\*\)).)*\*\)", "", text, flags=re.DOTALL)
        if shorter == text:
            return text
        text = shorter


def test_every_main_theorem_is_asked_what_it_rests_on() -> None:
    asked = set(re.findall(r"Print Assumptions (\w+)\.", (sources() / "Assumptions.v").read_text()))
    stated = {
        name
        for file in files(sources())
        for name in re.findall(r"^Theorem (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {name for name in stated if name.endswith("_sound") and name.startswith("check")} <= asked
    assert {name for name in stated if name.startswith("theorem_")} <= asked
    assert "cropping" in asked


def test_without_coq_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coq_check, "coqc", lambda: None)
    with pytest.raises(InputError, match="Coq is not installed"):
        check_formally(_certificates(named_automaton("aa"))[:1])


@needs_coq
@proofs
def test_every_no_of_the_benchmark_is_verified() -> None:
    found = {name: _certificates(named_automaton(name)) for name in NAMED_LANGUAGES}
    certificates = [certificate for each in found.values() for certificate in each]
    assert sum(bool(each) for each in found.values()) >= 11
    assert check_formally(certificates) == [None] * len(certificates)


@needs_coq
@proofs
def test_every_no_of_the_benchmark_with_positions_is_verified() -> None:
    found = [each for name in NAMED_LANGUAGES for each in _with_positions(named_automaton(name))]
    assert len(found) >= 17
    assert check_formally(found) == [None] * len(found)


@needs_coq
@proofs
def test_a_hundred_random_languages_are_verified() -> None:
    chance = random.Random(18)
    found: list[Checkable] = []
    for least, certify in ((100, _certificates), (200, _with_positions)):
        while len(found) < least:
            letters = "abc"[: chance.randint(1, 3)]
            found += certify(random_automaton(chance.randint(2, 12), letters, chance))
    assert check_formally(found) == [None] * len(found)


@needs_coq
@proofs
def test_every_yes_without_positions_is_verified() -> None:
    chance = random.Random(19)
    found = [judge(named_automaton(name)).nope.certificate for name in NAMED_LANGUAGES]
    found += [judge(random_automaton(4, "ab", chance, 0.4)).nope.certificate for _ in range(60)]
    programs = [each for each in found if is_plain_yes(each)]
    assert len(programs) >= 20
    assert check_formally(programs) == [None] * len(programs)


@needs_coq
@proofs
def test_potentials_of_another_language_fail() -> None:
    right = yes_instance(ProgramCertificate(program_class=EMPTY, automaton=automaton_table(D_2), program=""))
    broken = [
        replace(right, automaton=automaton_term(automaton_table(named_automaton("tomita-5")))),
        replace(right, certificate=right.certificate.replace("(1)", "(0)")),
        replace(right, certificate=right.certificate.partition(" [[[[")[0] + " []"),
        replace(right, certificate=right.certificate.replace("[0;", "[7;", 1)),
    ]
    assert len({each.certificate for each in broken}) == 4
    problems = check_instances([right, *broken])
    assert problems[0] is None
    assert None not in problems[1:]


@needs_coq
@proofs
def test_broken_certificates_fail() -> None:
    broken = []
    for name, mutation in FLOW_MUTATIONS.items():
        document = _certificates(named_automaton("tomita-6"))[0].model_dump(mode="json", by_alias=True)
        mutation(document)
        if name not in HARMLESS:
            broken.append(read_any(document))
    assert len(broken) >= 10
    for mutation in SAMPLED_MUTATIONS.values():
        document = _with_positions(named_automaton("tomita-3"))[0].model_dump(mode="json", by_alias=True)
        mutation(document)
        broken.append(read_any(document))
    assert len(broken) >= 23
    assert None not in check_formally([each for each in broken if isinstance(each, Checkable)])


@needs_coq
@proofs
@pytest.mark.parametrize("name", ["tomita-3", "tomita-6", "012-0-2"])
def test_what_coq_accepts_after_a_mutation_is_still_true(name: str) -> None:
    chance = random.Random(name)
    document = _certificates(named_automaton(name))[0].model_dump(mode="json", by_alias=True)
    changed = []
    for _ in range(150):
        try:
            read = read_any(_mutated(document, chance))
        except InputError:
            continue
        assert isinstance(read, FlowCertificate)
        changed.append(read)
    problems = check_formally(changed)
    assert sum(problem is not None for problem in problems) > 50
    for certificate, problem in zip(changed, problems, strict=True):
        if problem is None:
            table = certificate.automaton
            automaton = minimal(table.alphabet, table.transitions, 0, table.accepting)
            assert not plain_analysis(automaton).holds(Convention(certificate.convention))
        else:
            assert check_certificate(certificate) is not None


LIBRARY = ["majority", "dyck-1", "anbncn", "tomita-4", "aa"]


@needs_coq
@proofs
def test_programs_have_the_same_values_here_and_in_coq(tmp_path: Path) -> None:
    chance = np.random.default_rng(18)
    programs: list[Core] = [load(name).core for name in LIBRARY]

    @settings(max_examples=at_most(60))
    @given(cores(predictor=False), st.integers(0, 1))
    def collect(core: Core, _: int) -> None:
        programs.append(core)

    collect()
    lines, expected = [], []
    for core in programs:
        letters = min(4, len(core.alphabet))
        words = [chance.integers(0, letters, length).astype(np.uint8) for length in (*range(9), 15, 30)]
        written = "; ".join(f"[{'; '.join(map(str, word))}]" for word in words)
        lines.append(f"Eval vm_compute in (map (accepts ({program_term(core)})) [{written}]).\n")
        expected += accepts(core, words).tolist()
    out = coq_check._evaluate("From Longreach Require Import Programs.\n" + "".join(lines))
    assert [word == "true" for word in re.findall(r"\b(true|false)\b", out)] == expected
    assert 0 < sum(expected) < len(expected)
