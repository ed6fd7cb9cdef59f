"""Tests of `theory.certificates.coq` and `coq_terms`."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.answers.kinds import read_any
from longreach.errors import InputError
from longreach.theory.architectures.check import check_architecture
from longreach.theory.architectures.documents import (
    CascadeCertificate,
    MachineTable,
    Question,
    StableGroupCertificate,
)
from longreach.theory.automata.automaton import Automaton, minimal
from longreach.theory.automata.named import NAMED_LANGUAGES, named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.certificates import coq as coq_check
from longreach.theory.certificates.check_no import check_certificate
from longreach.theory.certificates.coq import check_formally, check_instances, files, sources
from longreach.theory.certificates.coq_terms import (
    Checkable,
    NotWritten,
    automaton_term,
    instance_of,
    is_plain_yes,
    nats,
    yes_instance,
)
from longreach.theory.certificates.documents import (
    AutomatonTable,
    FlowCertificate,
    ProgramCertificate,
    SampledFlowCertificate,
)
from longreach.theory.certificates.from_proofs import flow_certificate
from longreach.theory.certificates.tables import automaton_table
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import accepts
from longreach.theory.crasp.library import load
from longreach.theory.decide.views import Convention
from longreach.theory.decide.without_positions import plain_analysis, refutation
from longreach.theory.program_class import EMPTY
from longreach.theory.verdicts.judge import judge
from tests.helpers.coq_programs import needs_coq, program_term
from tests.helpers.crasp_strategies import cores
from tests.helpers.examples import at_most, slow
from tests.helpers.language_oracles import random_automaton
from tests.helpers.small_automata import small_automata
from tests.theory.architectures.test_cascades import _is_right, has_group_of_one_length, judged, mutations
from tests.theory.architectures.test_classes import accepted, predicted
from tests.theory.certificates.test_check_no import FLOW_MUTATIONS, SAMPLED_MUTATIONS, _mutated

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


def at_end(automaton: Automaton) -> Question:
    return Question(accepted(automaton).machine, at_end=True)


CASCADES = {  # the question, and how a decoder comes to know the clock and the memories
    "(a|b)*a": predicted,  # there is no clock, and a letter sets the memory, so no layer is needed
    "(a|b|e)*be*": predicted,  # no clock, a layer for the memory
    "(ab*c)*": at_end,  # no clock, two levels
    "(a|bb)*": predicted,  # both in one layer, as the letter alone says whether it sets the memory
    "a*b(aa)*": accepted,  # the same, then a second level
    "((a|b)(a|b))*": predicted,  # the clock alone
    "(a(a|b))*": accepted,  # a layer for the clock, then one for the memory
}


def _for_reach(question: Question) -> CascadeCertificate | StableGroupCertificate | None:
    found = judged(question).certificate
    assert found is None or isinstance(found, CascadeCertificate | StableGroupCertificate)
    return found


def _cascades() -> list[CascadeCertificate]:
    found = [_for_reach(asked(from_expression(expression))) for expression, asked in CASCADES.items()]
    cascades = [each for each in found if isinstance(each, CascadeCertificate)]
    assert len(cascades) == len(CASCADES)
    return cascades


@needs_coq
@proofs
def test_attention_to_the_last_match_is_decided_as_coq_says() -> None:
    chance = random.Random(20)
    automata = [named_automaton(name) for name in NAMED_LANGUAGES] + list(small_automata(3, "ab"))[::10]
    automata += [
        random_automaton(chance.randint(2, 7), "abc"[: chance.randint(1, 3)], chance) for _ in range(50)
    ]
    questions = [chance.choice((predicted, accepted, at_end))(automaton) for automaton in automata]
    found = [each for each in map(_for_reach, questions) if each is not None]
    cascades = [each for each in found if isinstance(each, CascadeCertificate)]
    assert len(found) == len(questions)
    assert len(cascades) > 70
    assert len(found) - len(cascades) > 30
    assert {each.machine.at_end for each in cascades} == {False, True}
    assert {each.layers for each in cascades} >= {0, 1, 2, 3}
    assert check_formally(found) == [None] * len(found)


@needs_coq
@proofs
@pytest.mark.parametrize("expression", [*CASCADES, "b*(ab*ab*)*", "(a(ba)*bba)*"])
def test_changed_certificates_for_reach_are_not_verified(expression: str) -> None:
    """Where Coq says yes all the same, what it says is true."""
    certificate = _for_reach(CASCADES.get(expression, predicted)(from_expression(expression)))
    assert certificate is not None
    document = certificate.model_dump(mode="json")
    changed, fields = [], set[str]()
    for each in [*mutations(document), *({**document, "machine": m} for m in mutations(document["machine"]))]:
        try:
            read = type(certificate).model_validate_json(json.dumps(each), strict=True)
        except ValueError:
            continue
        if _is_automaton(read.machine):
            changed.append(read)
            fields |= {key for key in document if each[key] != document[key]}
    assert fields == {key for key, value in document.items() if key != "kind" and value != []}
    problems = check_formally([certificate, *changed])
    assert problems[0] is None
    right = 0
    for read, problem in zip(changed, problems[1:], strict=True):
        if check_architecture(read).valid:
            assert problem is None
        elif problem is None and isinstance(read, CascadeCertificate):
            assert _is_right(read, read.machine.alphabet)
            assert read.machine != certificate.machine or read.layers == certificate.layers
        elif problem is None:
            assert has_group_of_one_length(read.machine.transitions)
        right += problem is None and read.machine == certificate.machine
    assert right <= len(changed) / 10


def _is_automaton(table: MachineTable) -> bool:
    states, letters = len(table.transitions), len(table.alphabet)
    return len(set(table.alphabet)) == letters > 0 and all(
        len(row) == letters and all(0 <= target < states for target in row) for row in table.transitions
    )


@needs_coq
@proofs
def test_decoders_in_coq_say_what_automata_do_here() -> None:
    """The theorem says so; this is about whether its definitions mean what they should."""
    lines, expected = ["From Longreach Require Import Flows Automata LastMatch Cascades.\n"], []
    for number, certificate in enumerate(_cascades()):
        instance = instance_of(certificate)
        table = certificate.machine
        numbers = {each: k for k, each in enumerate(dict.fromkeys(("", *table.outputs)))}
        lines.append(coq_check._definitions(instance, number))
        lines.append(f"Definition s{number} := find_silent a{number}.\n")
        lines.append(
            f"Definition p{number} := Eval vm_compute in "
            f"explore a{number} c{number} s{number} 99 [0 :: start (levels c{number})] [].\n"
        )
        for word in ((), (0,), (1, 0), (0, 1, 1, 0), (0, 0, 1, 0, 1)):
            state = 0
            for letter in word:
                state = table.transitions[state][letter]
            decoder = f"decoder_of a{number} c{number} s{number} p{number}"
            asked = f"(moves a{number}) {nats(word)} {len(word) + table.at_end}"
            lines.append(
                f"Eval vm_compute in (right_after a{number} {nats(word)}, says ({decoder}) {asked}).\n"
            )
            expected.append(numbers[table.outputs[state]])
    out = coq_check._evaluate("".join(lines))
    pairs = [(int(right), int(said)) for right, said in re.findall(r"= \((\d+), (\d+)\)", out)]
    assert [right for right, _ in pairs] == expected
    assert all(said == right for right, said in pairs if right)
    assert {0, 1, 2} <= set(expected)


def test_a_cascade_becomes_terms() -> None:
    instance = instance_of(_cascades()[3])
    assert instance.automaton == "Machine (Automaton 2 [[0; 1]; [2; 0]; [2; 2]] []) [1; 2; 0] false"
    level = "Level 1 [([0; 0], [1]); ([0; 1], [2])]"
    assert instance.certificate.startswith(f"Cascade 2 [{level}] [([0; 0], 1);")
    assert (instance.check, instance.claim) == ("check_cascade", "answered_in 1")


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


def _certificate(convention: Convention = Convention.LAST_LETTER) -> FlowCertificate:
    proof = refutation(plain_analysis(from_expression("(aa)*")), convention, 100)
    assert proof is not None
    return flow_certificate(proof)


def test_a_certificate_becomes_terms() -> None:
    instance = instance_of(_certificate())
    assert instance.automaton == "Automaton 1 [[1]; [0]] [0]"
    flow = "[Flow 0 1 2%Z [(0, 0, (1)%Z); (1, 0, (-1)%Z)]]"
    assert instance.certificate == f"Certificate [0; 1] [[0; 1]] {flow} 0 1 [] [0]"
    assert (instance.check, instance.claim) == ("check_both [0] None", "no_program_nor_predictor")


def test_each_claim_has_its_theorem() -> None:
    instance = instance_of(_certificate(Convention.END_OF_SEQUENCE))
    assert (instance.check, instance.claim) == ("check_eos", "no_program_eos")
    instance = instance_of(_certificate().model_copy(update={"prediction": False}))
    assert (instance.check, instance.claim) == ("check_last_letter", "no_program")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"pair": (-1, 0)}, "the pair has no successor"),
        ({"states": (0, -1)}, "-1 is not a number"),
        ({"states": (0, 10**9)}, "1000000000 is not a number"),
    ],
)
def test_what_cannot_be_written(change: dict[str, object], reason: str) -> None:
    with pytest.raises(NotWritten, match=reason):
        instance_of(_certificate().model_copy(update=change))


def test_tokens_that_are_no_letters_get_a_number_that_coq_rejects() -> None:
    certificate = _certificate()
    words = certificate.words.model_copy(update={"after": ("z",)})
    assert instance_of(certificate.model_copy(update={"words": words})).certificate.endswith(" [] [1]")


def _certificate_coq_yes(table: AutomatonTable) -> ProgramCertificate:
    return ProgramCertificate(program_class=EMPTY, automaton=table, program="")


def test_brackets_have_one_potential() -> None:
    instance = yes_instance(_certificate_coq_yes(automaton_table(named_automaton("d-2"))))
    assert (instance.check, instance.claim) == ("check_yes", "some_program")
    assert instance.certificate.count("%Z") == len(named_automaton("d-2"))


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (automaton_table(named_automaton("aa")), "no potentials"),
        (AutomatonTable(alphabet=("a",), transitions=((1,), (1,)), accepting=()), "not minimal"),
    ],
)
def test_what_cannot_be_written_coq_yes(table: AutomatonTable, reason: str) -> None:
    with pytest.raises(NotWritten, match=reason):
        yes_instance(_certificate_coq_yes(table))


def test_only_programs_without_positions_that_decide() -> None:
    verdicts = judge(named_automaton("d-2"))
    assert is_plain_yes(verdicts.nope.certificate)
    assert not is_plain_yes(verdicts.ape.certificate)
    assert not is_plain_yes(judge(named_automaton("aa")).nope.certificate)
