"""Certificates: valid ones pass, changed ones do not, and other files are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Outcome

Call = Callable[..., Outcome]


def written(longreach: Call, path: Path, *arguments: str) -> dict[str, Any]:
    done = longreach("language", *arguments, "--json")
    path.write_text(done.out, encoding="utf-8")
    return dict(json.loads(done.out))


@pytest.mark.parametrize(
    "name", ["aa", "tomita-3", "tomita-4", "d-2", "parity-language", "sigma-be", "aa-bb-cc-dd-ee"]
)
def test_documents_of_languages_are_valid(longreach: Call, tmp_path: Path, name: str) -> None:
    path = tmp_path / "document.json"
    written(longreach, path, "--name", name)
    done = longreach("verify", path, "--json")
    document = json.loads(done.out)
    assert (done.code, document["valid"]) == (0, True)
    assert len(document["certificates"]) == 3


def test_prediction_has_a_certificate_where_it_differs(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "document.json"
    document = written(longreach, path, "(a|ba)*b?")
    done = longreach("verify", path)
    assert (done.code, len(done.out.splitlines())) == (0, 4)
    assert "nope.prediction: a program exists in C-RASP[∅], for prediction on prefixes (proved" in done.out
    nope = document["nope"]
    no_flow = {"nope": {**nope, "prediction": "no"}}
    no_proof = {"nope": {key: value for key, value in nope.items() if key != "prediction_certificate"}}
    for changed in (no_flow, no_proof):
        path.write_text(json.dumps(changed), encoding="utf-8")
        assert longreach("verify", path).code == 1


def test_a_single_certificate(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    document = written(longreach, path, "(aa)*")
    path.write_text(json.dumps(document["nope"]["certificate"]), encoding="utf-8")
    done = longreach("verify", path, "--regex", "(aa)*")
    assert (done.code, done.out.startswith("valid")) == (0, True)
    assert longreach("verify", path, "--regex", "(aaa)*").code == 1


def test_changed_certificates_are_rejected(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    document = written(longreach, path, "(aa)*")
    flow = document["nope"]["certificate"]
    flow["flows"][0]["weights"][0]["weight"] = "1"
    program = dict(document["ape"]["certificate"], program="#alphabet a\nL = i % 2 == 1")
    wider = dict(document["ape"]["certificate"], **{"class": "C-RASP[∅]"})
    broken = dict(document["ape"]["certificate"], program="L = ")
    for certificate in (flow, program, wider, broken):
        path.write_text(json.dumps(certificate), encoding="utf-8")
        done = longreach("verify", path, "--json")
        assert (done.code, json.loads(done.out)["valid"]) == (1, False)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1:1: not JSON"),
        ("[1, 2]", ": not a certificate"),
        ("{}", ": no certificate"),
        ('{"kind": "flow"}', ": "),
        ('{"kind": "magic"}', ": "),
    ],
)
def test_other_files_are_refused(longreach: Call, tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(content, encoding="utf-8")
    done = longreach("verify", path)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(f"{path}{message}")


def test_nothing_to_verify(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    path.write_text('{"kind": "none", "reason": "undecided"}', encoding="utf-8")
    assert longreach("verify", path).code == 1
    assert longreach("verify", tmp_path / "missing.json").code == 2


def test_numbers_beyond_all_bounds(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_text('{"kind": "flow", "pair": [0, ' + "1" * 5000 + "]}", encoding="utf-8")
    done = longreach("verify", path)
    assert (done.code, done.out) == (2, "")
    assert "too many digits" in done.first_error


def test_a_verdict_that_its_certificate_does_not_prove(longreach: Call, tmp_path: Path) -> None:
    document = json.loads(longreach("language", "(aa)*", "--json").out)
    document["nope"]["verdict"] = "yes"
    path = tmp_path / "document.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    done = longreach("verify", path, "--json")
    assert done.code == 1
    assert "the document says 'yes'" in json.loads(done.out)["certificates"][0]["problem"]


@pytest.mark.parametrize(
    "change",
    [{"window": -1}, {"modulus": 1}, {"modulus": 0}, {"modulus": 3}, {"window": "0"}, {"modulus": True}],
)
def test_the_window_and_the_modulus_are_checked(
    longreach: Call, tmp_path: Path, change: dict[str, object]
) -> None:
    certificate = json.loads(longreach("language", "(aa)*", "--json").out)["ape"]["certificate"]
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(certificate | change), encoding="utf-8")
    assert longreach("verify", path).code in (1, 2)


@pytest.mark.parametrize(
    "change",
    [{"accepting": [0, 7]}, {"transitions": []}, {"alphabet": ["a", "a"], "transitions": [[1, 1], [0, 0]]}],
)
def test_the_automaton_of_a_program_is_checked(
    longreach: Call, tmp_path: Path, change: dict[str, object]
) -> None:
    certificate = json.loads(longreach("language", "(aa)*", "--json").out)["ape"]["certificate"]
    certificate["automaton"] |= change
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(certificate), encoding="utf-8")
    assert longreach("verify", path).code == 1


@pytest.mark.parametrize("weight", ["1e99999999999", "1_0/10", "1/0", "٣", "nan", "9" * 5000])
def test_weights_are_plain_fractions(longreach: Call, tmp_path: Path, weight: str) -> None:
    certificate = json.loads(longreach("language", "(aa)*", "--json").out)["nope"]["certificate"]
    certificate["flows"][0]["weights"][0]["weight"] = weight
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(certificate), encoding="utf-8")
    done = longreach("verify", path)
    assert done.code == 1
    assert "is not a fraction" in done.out
    assert len(done.out) < 200
