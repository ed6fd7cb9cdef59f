"""Certificates: valid ones pass, changed ones do not, and other files are refused."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from longreach.answers.certificates import ReductionCertificate
from longreach.answers.forecast import forecast
from longreach.theory.automata.regex import from_expression
from longreach.theory.certificates import coq as coq_check
from longreach.theory.certificates.coq_terms import Instance
from longreach.theory.certificates.from_proofs import flow_certificate
from longreach.theory.decide.views import Convention
from longreach.theory.decide.without_positions import plain_analysis, refutation
from longreach.theory.program_class import CLASSES, ENCODING_SIDES
from longreach.theory.verdicts.judge import judge
from tests.cli.conftest import Call, Outcome
from tests.helpers.coq_programs import needs_coq
from tests.helpers.examples import slow


@pytest.fixture
def verify(longreach: Call, tmp_path: Path) -> Call:
    """Verifies a document, or a text, as a file."""

    def call(content: object, *options: object) -> Outcome:
        path = tmp_path / "document.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return longreach("verify", path, *options)

    return call


@pytest.fixture
def even(longreach: Call) -> Any:
    return longreach("language", "(aa)*", "--json").document


@pytest.mark.parametrize(
    "name", ["aa", "tomita-3", "tomita-4", "d-2", "parity-language", "sigma-be", "aa-bb-cc-dd-ee"]
)
def test_documents_of_languages_are_valid(longreach: Call, verify: Call, name: str) -> None:
    done = verify(longreach("language", "--name", name, "--json").out, "--json")
    assert (done.code, done.document["valid"]) == (0, True)
    assert [each["place"] for each in done.document["certificates"]] == list(CLASSES)
    assert [each["class"] for each in done.document["certificates"]] == list(CLASSES.values())
    reach = done.document["certificates"][-1]
    assert reach["kind"] == ("stable-group" if name == "parity-language" else "cascade")


def test_prediction_has_a_certificate_where_it_differs(longreach: Call, verify: Call) -> None:
    document = longreach("language", "(a|ba)*b?", "--json").document
    done = verify(document)
    assert (done.code, len(done.out.splitlines())) == (0, 5)
    assert "nope.prediction: a program exists in C-RASP[∅], for prediction on prefixes (proved" in done.out
    # Of reach both answers are yes, by cascades of other levels.
    levels = "reach: reach can express it; modulus 1, 2 levels; for what may follow modulus 1, 0 levels ("
    assert levels in done.out
    nope = document["nope"]
    no_flow = {**nope, "prediction": "no"}
    no_proof = {key: value for key, value in nope.items() if key != "prediction_certificate"}
    for changed in (no_flow, no_proof):
        assert verify({**document, "nope": changed}).code == 1
    reach = document["reach"]
    cascade = {key: value for key, value in reach.items() if key != "prediction_certificate"}
    for changed in (
        cascade,  # nothing has the levels for what may follow
        {**reach, "levels": 0},
        {**reach, "prediction_levels": 2},
        {**reach, "prediction": "no"},
        {**reach, "verdict": "no"},
        {**reach, "certificate": reach["prediction_certificate"]},
        {**reach, "certificate": {"kind": "none", "reason": "no reason"}},
    ):
        assert verify({**document, "reach": changed}).code == 1


def test_standard_input(longreach: Call, even: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for text, code, first in ((json.dumps(even), 0, ""), ("{", 2, "standard input:1:2: not JSON")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        done = longreach("verify", "-")
        assert done.code == code
        assert done.first_error.startswith(first)
        assert bool(done.out) == (code == 0)


def test_a_single_certificate(verify: Call, even: Any) -> None:
    flow = even["nope"]["certificate"]
    done = verify(flow, "--regex", "(aa)*")
    assert (done.code, done.out.startswith("valid")) == (0, True)
    assert verify(flow, "--regex", "(aaa)*").code == 1


def test_changed_certificates_are_rejected(verify: Call, even: Any) -> None:
    flow, program = even["nope"]["certificate"], even["ape"]["certificate"]
    flow["flows"][0]["weights"][0]["weight"] = "1"
    other = {"program": "#alphabet a\nL = i % 2 == 1"}
    for certificate in (
        flow,
        program | other,
        program | {"class": "C-RASP[∅]"},
        program | {"program": "L = "},
    ):
        done = verify(certificate, "--json")
        assert (done.code, done.document["valid"]) == (1, False)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1:1: not JSON"),
        ("[1, 2]", ": not a certificate"),
        ("{}", ": no certificate"),
        ('{"kind": "flow"}', ": "),
        ('{"kind": "flwo"}', ": kind: unknown certificate 'flwo'; they are program, communication, "),
    ],
)
def test_other_files_are_refused(verify: Call, tmp_path: Path, content: str, message: str) -> None:
    done = verify(content)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(f"{tmp_path / 'document.json'}{message}")


def test_nothing_to_verify(longreach: Call, verify: Call) -> None:
    done = verify('{"kind": "none", "reason": "undecided"}')
    assert (done.code, done.out.startswith("claimed, not checked")) == (1, True)
    assert longreach("verify", "missing.json").code == 2


def test_numbers_beyond_all_bounds(verify: Call) -> None:
    done = verify('{"kind": "flow", "pair": [0, ' + "1" * 5000 + "]}")
    assert (done.code, done.out) == (2, "")
    assert "too many digits" in done.first_error


def test_a_verdict_that_its_certificate_does_not_prove(verify: Call, even: Any) -> None:
    even["nope"] |= {"verdict": "yes", "prediction": "yes", "prediction_everywhere": "yes"}
    done = verify(even, "--json")
    assert done.code == 1
    assert "the document says 'yes'" in done.document["certificates"][0]["problem"]


@pytest.mark.parametrize(
    "change",
    [{"window": -1}, {"modulus": 1}, {"modulus": 0}, {"modulus": 3}, {"window": "0"}, {"modulus": True}],
)
def test_the_window_and_the_modulus_are_checked(verify: Call, even: Any, change: dict[str, object]) -> None:
    assert verify(even["ape"]["certificate"] | change).code in (1, 2)


@pytest.mark.parametrize(
    "change",
    [{"accepting": [0, 7]}, {"transitions": []}, {"alphabet": ["a", "a"], "transitions": [[1, 1], [0, 0]]}],
)
def test_the_automaton_of_a_program_is_checked(verify: Call, even: Any, change: dict[str, object]) -> None:
    even["ape"]["certificate"]["automaton"] |= change
    assert verify(even["ape"]["certificate"]).code == 1


@pytest.mark.parametrize("weight", ["1e99999999999", "1_0/10", "1/0", "٣", "nan", "9" * 5000])
def test_weights_are_plain_fractions(verify: Call, even: Any, weight: str) -> None:
    certificate = even["nope"]["certificate"]
    certificate["flows"][0]["weights"][0]["weight"] = weight
    done = verify(certificate)
    assert done.code == 1
    assert "is not a fraction" in done.out
    assert len(done.out) < 200


# What was accepted once


class Document:
    """A document that can be changed and verified."""

    def __init__(self, longreach: Call, path: Path, *arguments: str) -> None:
        self.longreach, self.path = longreach, path / "document.json"
        self.found: dict[str, Any] = longreach(*arguments, "--json").document

    def certificate(self, key: str) -> dict[str, Any]:
        return dict(self.found[key]["certificate"])

    def verified(self, *options: str) -> dict[str, str]:
        """The status of each side; the exit code is 0 exactly when all are valid."""
        self.path.write_text(json.dumps(self.found), encoding="utf-8")
        done = self.longreach("verify", self.path, "--json", *options)
        answer = done.document
        statuses = {each["place"]: each["status"] for each in answer["certificates"]}
        valid = set(statuses.values()) == {"valid"}
        assert (done.code, answer["valid"]) == (0 if valid else 1, valid)
        assert all(each["valid"] == (each["status"] == "valid") for each in answer["certificates"])
        assert all((each["problem"] is None) == each["valid"] for each in answer["certificates"])
        assert self.longreach("verify", self.path, *options).code == done.code
        return statuses


def sides(usual: str = "valid", **others: str) -> dict[str, str]:
    """The statuses of all sides of a language; `others` are those that have another than the usual one."""
    return dict.fromkeys(CLASSES, usual) | others


def program_certificate(regex: str, alphabet: str, program: str, program_class: str) -> dict[str, Any]:
    automaton = from_expression(regex, alphabet)
    return {
        "kind": "program",
        "class": program_class,
        "convention": "last-letter",
        "automaton": {
            "alphabet": list(automaton.alphabet),
            "transitions": [list(row) for row in automaton.transitions],
            "accepting": sorted(automaton.accepting),
        },
        "program": program,
        "window": 0,
        "modulus": 1,
    }


def test_a_document_about_another_task(longreach: Call, tmp_path: Path) -> None:
    document = Document(longreach, tmp_path, "forecast", "addition")
    assert document.verified() == {"nope": "valid", "ape": "valid"}
    document.found["task"] = "binary-majority"
    assert document.verified() == {"nope": "invalid", "ape": "invalid"}
    document.found["alphabet"] = ["SOS", "EOS", "SEP", "0", "1"]
    assert document.verified() == {"nope": "invalid", "ape": "invalid"}
    for key in ("nope", "ape"):
        document.found[key]["certificate"]["task"] = "binary-majority"
    assert document.verified() == dict.fromkeys(("nope", "ape"), "claimed, not checked")
    document.found["task"] = "no such task"
    assert document.verified() == dict.fromkeys(("nope", "ape"), "claimed, not checked")


def test_a_language_under_another_name(longreach: Call, tmp_path: Path) -> None:
    document = Document(longreach, tmp_path, "language", "(aa)*")
    assert set(document.verified().values()) == {"valid"}
    assert set(document.verified("--task", "aa").values()) == {"valid"}
    assert set(document.verified("--task", "regex:(aa)*", "--alphabet", "a").values()) == {"valid"}
    for task, alphabet in (
        ("regex:(aaa)*", ["a"]),
        ("regex:(aa)*", ["a", "b"]),
        ("aaaa", ["a"]),
        ("crasp:lib:dyck-1", ["(", ")"]),
        ("sort", None),
    ):
        document.found |= {"task": task, "alphabet": alphabet}
        assert set(document.verified().values()) == {"invalid"}


def test_certificates_of_different_languages(longreach: Call, tmp_path: Path) -> None:
    document = Document(longreach, tmp_path, "language", "(aa)*")
    other = Document(longreach, tmp_path, "language", "(aaa)*")
    genuine = document.found
    for key in ("ape", "reach"):
        document.found = genuine | {key: other.found[key]}
        assert document.verified() == sides(**{key: "invalid"})


def test_missing_and_empty_certificates(longreach: Call, tmp_path: Path) -> None:
    document = Document(longreach, tmp_path, "language", "(aa)*")
    genuine = json.dumps(document.found)
    for side in ("ape", "reach"):
        document.found = json.loads(genuine)
        document.found[side].pop("prediction_certificate", None)
        expected = sides(**{side: "claimed, not checked"})
        for empty in ({}, None, {"kind": "none", "reason": "no reason"}):
            document.found[side]["certificate"] = empty
            assert document.verified() == expected
        del document.found[side]["certificate"]
        assert document.verified() == expected
        document.found[side]["verdict"] = "undecided"  # of prediction something is claimed
        assert document.verified() == expected
        document.found[side] = {"verdict": "undecided"}
        assert document.verified() == {key: "valid" for key in CLASSES if key != side}
    for key in CLASSES:
        document.found[key] = {"verdict": "undecided"}
    assert set(document.verified().values()) == {"claimed, not checked"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "status"),
    [
        ("", "valid"),
        (' && # "a" <= 14', "invalid"),
        (' && # "a" - # "b" <= 300', "invalid"),
        (' && # "a" - # "b" <= 3000', "invalid"),
        (' && # "a" - # "b" <= 100000', "not proved"),
    ],
)
def test_a_program_that_is_right_on_short_words(
    longreach: Call, tmp_path: Path, more: str, status: str
) -> None:
    document = Document(longreach, tmp_path, "language", "(a|b)*bb(a|b)*")
    text = '#alphabet a b\nbb = #[i-1..i] "b" == 2\nL = exists bb' + more
    document.found["ape"]["certificate"]["program"] = text
    assert document.verified() == sides(ape=status)


def test_a_program_that_the_prover_refutes(longreach: Call, tmp_path: Path) -> None:
    document = Document(longreach, tmp_path, "language", "(aa)*")
    text = "#alphabet a\nL = " + " || ".join(f'# "a" == {n}' for n in range(0, 16, 2))
    certificate = program_certificate("(aa)*", "a", text, "C-RASP[∅]")
    document.found["nope"] |= {"verdict": "yes", "certificate": certificate}
    assert document.verified() == sides(nope="invalid")


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ('#alphabet a b\nL = # "b" == 0', "valid"),
        ('#alphabet b a\nL = # "b" == 0', "valid"),
        ('#alphabet a\nL = # "a" >= 0', "invalid"),
        ('#alphabet a\nL = # true == # "a"', "invalid"),  # right, if b is read as any other token
        ("L = true", "invalid"),
        ('#alphabet a b c\nL = # "b" == 0', "invalid"),
    ],
)
def test_alphabets_match_exactly(longreach: Call, tmp_path: Path, program: str, status: str) -> None:
    document = Document(longreach, tmp_path, "language", "a*", "--alphabet", "ab")
    certificate = program_certificate("a*", "ab", program, "C-RASP[∅]")
    document.found["nope"] |= {"certificate": certificate}
    assert document.verified()["nope"] == status


def test_the_convention_is_that_of_the_verdict(longreach: Call, tmp_path: Path) -> None:
    automaton = from_expression("(a|b)*b")
    proof = refutation(plain_analysis(automaton), Convention.END_OF_SEQUENCE, 100)
    assert proof is not None
    flow = flow_certificate(proof).model_dump(mode="json", by_alias=True)
    document = Document(longreach, tmp_path, "language", "(a|b)*b")
    assert (document.found["nope"]["verdict"], document.found["nope"]["end_of_sequence"]) == ("yes", "no")
    assert document.found["reach"]["end_of_sequence"] == "yes"
    document.found["nope"] |= {"verdict": "no", "certificate": flow}
    assert document.verified() == sides(nope="invalid")
    document.found["convention"] = "end-of-sequence"
    # Of prediction nothing is proved there; the cascade for what may follow is right by itself.
    assert document.verified() == sides("claimed, not checked") | {"reach.prediction": "valid"}
    # Alone it is what it says: a statement about reading after the last letter.
    document.found = flow
    assert document.verified() == {"": "valid"}
    assert "end-of-sequence" in longreach("verify", document.path).out
    document.found = program_certificate("a*b", "ab", '#alphabet a b\nL = # "b" == 1 && "b"', "C-RASP[∅]")
    assert document.verified() == {"": "valid"}
    document.found["convention"] = "end-of-sequence"  # such a program reads EOS
    assert document.verified() == {"": "invalid"}
    genuine = Document(longreach, tmp_path, "language", "a*b", "--convention", "eos")
    assert set(genuine.verified().values()) == {"valid"}


def test_the_class_is_that_of_the_side(longreach: Call, tmp_path: Path) -> None:
    document = Document(longreach, tmp_path, "language", "(aa)*")
    nope, ape, local, reach = (dict(document.found[key]) for key in CLASSES)
    document.found["ape"] = nope
    assert document.verified() == sides(ape="invalid")
    document.found["ape"] = dict(nope, **{"class": ape["class"]})
    assert document.verified()["ape"] == "invalid"
    document.found["ape"] = ape
    for other in (ape, local, reach):
        document.found["nope"] = dict(other, **{"class": nope["class"]})
        assert document.verified() == sides(nope="invalid")
    document.found["nope"] = nope
    for other in (nope, ape, local):
        document.found["reach"] = dict(other, **{"class": reach["class"]})
        assert document.verified() == sides(reach="invalid")
    document.found["reach"] = dict(reach, **{"class": ape["class"]})
    assert document.verified() == sides(reach="invalid")
    document.found["reach"] = reach
    document.found |= {"nope": nope, "ape": ape, "other": nope}
    document.path.write_text(json.dumps(document.found), encoding="utf-8")
    done = longreach("verify", document.path)
    assert (done.code, done.first_error) == (2, f"{document.path}: other: no such field")


def test_lists_of_communication(longreach: Call, tmp_path: Path) -> None:
    document = Document(longreach, tmp_path, "forecast", "copy-repeat")
    genuine = document.certificate("ape")
    for change in (
        {"bits": genuine["bits"][:-3]},
        {"rows": genuine["rows"][:-3]},
        {"lengths": [1, 2], "rows": [2, 4], "bits": [1.0, 2.0]},
        {"lengths": [1], "rows": [2], "bits": [1.0]},
        {"lengths": [], "rows": [], "bits": []},
        {"bits": [1.0]},
    ):
        document.found["ape"]["certificate"] = genuine | change
        assert document.verified() == {"nope": "valid", "ape": "invalid"}
    document.found["ape"]["certificate"] = genuine | {
        "lengths": [*range(1, 41)],
        "rows": [2] * 40,
        "bits": [1.0] * 40,
    }
    assert document.verified()["ape"] == "claimed, not checked"


def made_to_agree() -> dict[str, Any]:
    """The language of parity with one long word more, and its own proof."""
    regex = "(b*(ab*ab*)*)|(" + "a" * 9 + ")"
    automaton = from_expression(regex)
    genuine: Any = forecast("parity").sides["nope"].certificate
    inner: Any = judge(automaton).nope.certificate
    changed: ReductionCertificate = genuine.model_copy(
        update={"language": f"regex:{regex}", "alphabet": automaton.alphabet, "certificate": inner}
    )
    return changed.model_dump(mode="json", by_alias=True)


def test_a_reduction_to_a_language_made_to_agree(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = Document(longreach, tmp_path, "forecast", "parity")
    document.found["nope"]["certificate"] = made_to_agree()
    assert document.verified() == {"nope": "invalid", "ape": "valid", "reach": "valid"}
    # Of somebody's own code words are all there is: no contradiction, and not valid.
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "verify_parity.py").write_text("from longreach.tasks.counting import Parity as Mine\n")
    name = "verify_parity:Mine"
    document.found["task"] = name
    for key in ("nope", "ape"):
        document.found[key]["certificate"]["task"] = name
    assert document.verified() == dict.fromkeys(ENCODING_SIDES, "claimed, not checked")
    assert document.verified("--task", name) == dict.fromkeys(ENCODING_SIDES, "checked to a length")
    document.found["reach"]["certificate"]["machine"]["outputs"] = ["odd", "even"]
    assert document.verified("--task", name)["reach"] == "invalid"


USER_TASKS = """
from longreach.tasks.copying import CopyRepeat
from longreach.tasks.task import Evidence, Reduction, Split
from longreach.tasks.counting import Parity

class Copy(CopyRepeat):
    name = "mine"

class Constant(CopyRepeat):
    name = "mine"
    def answer(self, x):
        return ("a", "EOS")

class Named(CopyRepeat):
    nope = ape = Evidence("communication", "copy-repeat", "it says so")

class Fails(CopyRepeat):
    def answer(self, x):
        raise KeyError(x)

class Other(Parity):
    def answer(self, x):
        return ("even", "EOS")
"""


def test_evidence_of_communication_is_the_task_s_own(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "verify_user.py").write_text(USER_TASKS)
    for name, reason in (
        ("Constant", "its communication is constant: the bits do not grow linearly"),
        ("Named", "its communication is no evidence: how an input is divided is not spelled out"),
        ("Fails", "its communication cannot be counted: its answer to a fails: KeyError: ('a',)"),
        (
            "Other",
            "the reduction to parity-language fails: 'even' follows for the word a, against the language",
        ),
    ):
        document = Document(longreach, tmp_path, "forecast", f"verify_user:{name}")
        for key in ("nope", "ape"):
            assert (document.found[key]["verdict"], document.found[key]["reason"]) == ("undecided", reason)
        # Its answers contradict the automaton that Other inherits: that proves nothing of reach either.
        assert document.found["reach"]["verdict"] == "undecided"
        expected = dict.fromkeys(ENCODING_SIDES, "claimed, not checked")
        assert document.verified("--task", f"verify_user:{name}") == expected
    document = Document(longreach, tmp_path, "forecast", "verify_user:Copy")
    assert document.found["ape"]["verdict"] == "no"
    assert document.found["reach"]["verdict"] == "undecided"
    expected = dict.fromkeys(("nope", "ape"), "checked to a length")
    assert document.verified("--task", "verify_user:Copy") == expected
    expected = dict.fromkeys(("nope", "ape"), "invalid")
    for key in expected:
        document.found[key]["certificate"]["task"] = "verify_user:Constant"
    assert document.verified("--task", "verify_user:Constant") == expected


def test_a_split_that_the_task_does_not_name(longreach: Call, tmp_path: Path) -> None:
    """Inputs of copy-unique never repeat a symbol, so that words of 0 and 1 are none."""
    document = Document(longreach, tmp_path, "forecast", "copy-unique")
    forged = forecast("copy-repeat").sides["ape"].certificate.model_dump(mode="json", by_alias=True)
    forged |= {"task": "copy-unique", "split": forged["split"] | {"alice": ["0", "1"]}}
    document.found["ape"] = {"verdict": "no", "certificate": forged}
    document.found["trained"]["ape"] = "no"
    assert document.verified() == {"nope": "valid", "ape": "claimed, not checked"}


def test_programs_as_tasks(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "mine.cr"
    file.write_text("#alphabet a\nL = i % 2 == 0")
    document = Document(longreach, tmp_path, "forecast", "crasp:mine.cr")
    assert set(document.verified().values()) == {"valid"}
    file.write_text("#alphabet a\nL = i % 3 == 0")  # the file is another program now
    assert set(document.verified().values()) == {"valid"}  # it is about the program that it carries
    assert document.verified("--task", "crasp:mine.cr") == sides("invalid")
    text = document.certificate("ape")["task"]
    document = Document(longreach, tmp_path, "forecast", text)
    assert document.found["task"] != text
    assert set(document.verified().values()) == {"valid"}
    changed = document.certificate("ape") | {"program": "#alphabet a\nL = i % 2 == 1"}
    document.found["ape"]["certificate"] = changed
    assert document.verified()["ape"] == "invalid"


def test_automata_from_files(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "even.dfa"
    text = '{"initial": 0, "accepting": [0], "transitions": {"0": {"go": 1}, "1": {"go": 0}}}'
    file.write_text(text)
    document = Document(longreach, tmp_path, "language", "--dfa", "even.dfa")
    assert set(document.verified().values()) == {"valid"}
    assert set(document.verified("--task", "dfa:even.dfa").values()) == {"valid"}
    file.write_text(text.replace("[0]", "[1]"))
    assert set(document.verified().values()) == {"valid"}  # it is about the automaton that it carries
    assert set(document.verified("--task", "dfa:even.dfa").values()) == {"invalid"}


def test_many_documents(longreach: Call, verify: Call, even: Any, tmp_path: Path) -> None:
    other = longreach("forecast", "parity", "--json").document
    done = verify({"forecasts": [even, other]}, "--json")
    found = [(each["task"], each["place"]) for each in done.document["certificates"]]
    assert (done.code, len(found), found[-1]) == (0, 7, ("parity", "reach"))
    said = verify({"forecasts": [even, other]}).out
    assert "parity: ape: no program exists" in said
    assert "(aa)*: reach: reach can express it; modulus 2, 1 level" in said
    assert "parity: reach: reach cannot express it (both words run" in said
    lines = [json.dumps(even), "", '{"line": 2, "error": "bad"}', json.dumps(other), ""]
    done = verify("\n".join(lines))
    file = tmp_path / "document.json"
    assert (done.code, done.err) == (0, f"{file}:3: no document but an error; nothing to check there\n")
    for key in ("nope", "reach"):
        lines[3] = json.dumps(other | {key: other[key] | {"verdict": "yes"}})
        assert verify("\n".join(lines)).code == 1
    lines[3] = "{"
    done = verify("\n".join(lines))
    assert (done.code, done.first_error.startswith(f"{file}:4:2: not JSON")) == (2, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--alphabet", "a"], "--alphabet: only for --regex"),
        (["--regex", "(aa)*", "--task", "aa"], "--task: cannot be used with --regex"),
        (["--task", "aaa"], "--task: no task named 'aaa'"),
        (["--regex", "(aa"], "--regex: "),
    ],
)
def test_options(verify: Call, even: Any, options: list[str], message: str) -> None:
    done = verify(even, *options)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(message)


def test_the_language_that_is_asked_for(verify: Call, even: Any) -> None:
    assert verify(even, "--regex", "(aa)*").code == 0
    assert verify(even, "--regex", "(aa)*", "--alphabet", "ab").code == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": 3}, "task: "),
        ({"task": None}, "task: "),
        ({"alphabet": "a"}, "alphabet: "),
        ({"alphabet": [1]}, "alphabet.0: "),
        ({"nope": 3}, "nope: "),
        ({"nope": {"verdict": "no", "certificate": 3}}, "nope.certificate: "),
        ({"nope": {"verdict": "Yes"}}, "nope.verdict: "),
        ({"nope": {"verdict": True}}, "nope.verdict: "),
        ({"nope": {"verdict": "уes"}}, "nope.verdict: "),
        ({"nope": {"verdict": "yes", "window": -1}}, "nope.window: "),
        ({"nope": {"verdict": "yes", "depth": 1.5}}, "nope.depth: "),
        ({"states": 1e30}, "states: "),
        ({"convention": "last letter"}, "convention: "),
        ({"stats": 2}, "stats: no such field; did you mean 'states'?"),
    ],
)
def test_documents_of_odd_shapes(
    verify: Call, even: Any, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    done = verify(even | change)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(f"{tmp_path / 'document.json'}: {message}")


def test_what_ask_writes_is_read(longreach: Call, verify: Call, tmp_path: Path) -> None:
    document = longreach("forecast", "aa", "--json").document
    asked = {"task": "aa", "forecast": document, "measured": [], "judgement": "agrees"}
    found = verify(asked, "--json").document
    assert (found["valid"], {each["task"] for each in found["certificates"]}) == (True, {"aa"})
    document["ape"]["verdict"] = "no"
    assert verify({"task": "aa", "forecast": document}).code == 1
    done = verify({"task": "aa", "forecast": {"ape": 3}})
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(f"{tmp_path / 'document.json'}: forecast: ")


def test_formally_without_coq(
    verify: Call, even: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = verify(even, "--formal")
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert "--formal: Coq is not installed" in done.err


def test_formally_is_no_when_coq_says_false(
    longreach: Call, verify: Call, even: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coq_check, "coqc", lambda: "coqc")
    monkeypatch.setattr(
        coq_check, "check_instances", lambda found: ["the check in Coq says false"] * len(found)
    )
    done = verify(even, "--formal")
    assert (done.code, done.out.count("the check in Coq says false")) == (1, 3)
    monkeypatch.setattr(coq_check, "check_instances", lambda found: [None] * len(found))
    done = verify(even, "--formal")
    assert (done.code, done.out.count("; verified by Coq"), done.out.count("not checked by Coq")) == (0, 3, 1)
    document = longreach("language", "a*", "--json").document
    done = verify(document, "--formal", "--json")
    said = [each["formal"] for each in done.document["certificates"]]
    exists, unchecked = "existence verified by Coq", "not checked by Coq"
    assert (done.code, said) == (0, [exists, unchecked, unchecked, "verified by Coq"])
    done = verify(document["ape"]["certificate"], "--formal", "--json")
    assert (done.code, done.document["valid"]) == (1, False)


@needs_coq
@slow("proofs are checked by Coq")
def test_formally(longreach: Call, verify: Call) -> None:
    done = verify(longreach("language", "--name", "tomita-3", "--json").out, "--formal")
    assert (done.code, done.out.count("verified by Coq")) == (0, 4)
    cascade = longreach("forecast", "regex:(a|bb)*", "--json").document["reach"]["certificate"]
    done = verify(cascade, "--formal")
    assert (done.code, done.out.count("; verified by Coq")) == (0, 1)


def test_all_certificates_of_a_side_are_checked_formally(
    longreach: Call, verify: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of reach there are two: for membership, and for what may follow."""
    monkeypatch.setattr(coq_check, "coqc", lambda: "coqc")
    document = longreach("forecast", "regex:(a|bb)*", "--json").document
    for bad, formal in (((), "verified by Coq"), ((0,), "rejected by Coq"), ((1,), "rejected by Coq")):

        def check(found: list[Instance], bad: tuple[int, ...] = bad) -> list[str | None]:
            cascades = [each for each in found if each.check == "check_cascade"]
            assert len(cascades) == 2
            return ["false" if each in [cascades[k] for k in bad] else None for each in found]

        monkeypatch.setattr(coq_check, "check_instances", check)
        done = verify(document, "--formal", "--json")
        assert (done.code, done.document["certificates"][-1]["formal"]) == (int(bool(bad)), formal)
