from __future__ import annotations

import pytest

from longreach.languages.program_class import EMPTY
from longreach.languages.prove.coq_instance import NotWritten
from longreach.languages.prove.coq_yes import is_plain_yes, yes_instance
from longreach.languages.prove.language_certificates import AutomatonTable, ProgramCertificate
from longreach.languages.regular.automaton_documents import automaton_table
from longreach.languages.regular.named_languages import named_automaton
from longreach.verdicts.automaton_to_verdicts import judge


def _certificate(table: AutomatonTable) -> ProgramCertificate:
    return ProgramCertificate(program_class=EMPTY, automaton=table, program="")


def test_brackets_have_one_potential() -> None:
    instance = yes_instance(_certificate(automaton_table(named_automaton("d-2"))))
    assert (instance.check, instance.claim) == ("check_yes", "some_program")
    assert instance.certificate.count("%Z") == len(named_automaton("d-2"))


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (automaton_table(named_automaton("aa")), "no potentials"),
        (AutomatonTable(alphabet=("a",), transitions=((1,), (1,)), accepting=()), "not minimal"),
    ],
)
def test_what_cannot_be_written(table: AutomatonTable, reason: str) -> None:
    with pytest.raises(NotWritten, match=reason):
        yes_instance(_certificate(table))


def test_only_programs_without_positions_that_decide() -> None:
    verdicts = judge(named_automaton("d-2"))
    assert is_plain_yes(verdicts.nope.certificate)
    assert not is_plain_yes(verdicts.ape.certificate)
    assert not is_plain_yes(judge(named_automaton("aa")).nope.certificate)
