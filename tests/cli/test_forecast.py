from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from longreach.results.files import write_result
from longreach.tasks.published import FIGURE_1_TASKS
from tests.cli.conftest import Outcome
from tests.helpers.result_samples import sample

Call = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def test_document(longreach: Call) -> None:
    done = longreach("forecast", "copy-unique", "--json")
    assert (done.code, done.err) == (0, "")
    document = json.loads(done.out)
    assert (document["task"], document["convention"]) == ("copy-unique", "last-letter")
    nope, ape = document["nope"], document["ape"]
    assert (nope["verdict"], nope["class"], nope["certificate"]["kind"]) == ("no", "C-RASP[∅]", "reduction")
    assert nope["certificate"]["certificate"]["kind"] == "flow"
    assert (ape["verdict"], ape["window"], ape["modulus"]) == ("yes", 1, 1)
    assert ape["certificate"]["program"].startswith("#alphabet SOS SEP EOS 0 1 2")
    assert document["measured"] == []


def test_a_language_has_the_fields_of_language(longreach: Call) -> None:
    document = json.loads(longreach("forecast", "regex:(a|b)*bb", "--alphabet", "abc", "--json").out)
    expected = json.loads(longreach("language", "(a|b)*bb", "--alphabet", "abc", "--json").out)
    assert {key: document[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("name", "statuses"),
    [
        ("copy-unique", {"nope": "valid", "ape": "not proved"}),
        ("copy-repeat", {"nope": "valid", "ape": "valid"}),
        ("addition", {"nope": "valid", "ape": "valid"}),
        ("parity", {"nope": "valid", "ape": "valid"}),
        ("binary-majority-interleave", {"ape": "not proved"}),
        ("tomita-3", {"nope": "valid", "ape": "valid", "local": "valid"}),
        ("dyck-1", {"nope": "not proved", "ape": "not proved"}),
        ("crasp:lib:aa", {"nope": "valid", "ape": "valid", "local": "valid"}),
        ("crasp:lib:dyck-1", {"nope": "valid", "ape": "valid"}),
    ],
)
def test_verify_checks_the_certificates(
    longreach: Call, here: Path, name: str, statuses: dict[str, str]
) -> None:
    path = here / "document.json"
    path.write_text(longreach("forecast", name, "--json").out, encoding="utf-8")
    done = longreach("verify", path, "--json")
    found = {each["place"]: each["status"] for each in json.loads(done.out)["certificates"]}
    assert found == statuses
    assert done.code == (1 if "not proved" in statuses.values() else 0)
    assert longreach("verify", path, "--task", name).code == done.code
    assert longreach("verify", path, "--task", "sort").code == 1
    changed = json.loads(path.read_text(encoding="utf-8"))
    changed["ape"]["verdict"] = {"yes": "no", "no": "yes"}[changed["ape"]["verdict"]]
    path.write_text(json.dumps(changed), encoding="utf-8")
    assert longreach("verify", path).code == 1


def test_verify_runs_no_python_that_a_document_names(longreach: Call, here: Path) -> None:
    (here / "forecast_mine.py").write_text("from longreach.tasks.sort import Sort\ntask = Sort(5)\n")
    path = here / "document.json"
    path.write_text(longreach("forecast", "forecast_mine:task", "--json").out, encoding="utf-8")
    done = longreach("verify", path)
    assert done.code == 1
    assert "--task forecast_mine:task" in done.out
    assert "claimed, not checked" in done.out
    done = longreach("verify", path, "--task", "forecast_mine:task")
    assert (done.code, done.out.count("not proved")) == (1, 2)


def test_for_people_fits_one_screen(longreach: Call) -> None:
    for name in FIGURE_1_TASKS:
        done = longreach("forecast", name)
        assert done.code == 0
        wrapped = sum(-(-max(1, len(line.rstrip())) // 80) for line in done.out.splitlines())
        assert wrapped <= 24
    lines = longreach("forecast", "copy-repeat").out.splitlines()
    assert lines[1].split()[:2] == ["NoPE", "no"]
    assert "10 bits between halves of 10 symbols, linear" in lines[2]
    assert any("no limit transformer" in line for line in lines)
    assert lines[-1] == "  next: longreach train copy-repeat --encoding ape --seeds 3"


def test_own_runs_are_found(longreach: Call, here: Path) -> None:
    for seed in (0, 1):
        write_result(here / "runs", sample(seed))
    done = longreach("forecast", "parity")
    (own,) = [line for line in done.out.splitlines() if "yours" in line]
    assert own.split()[:8] == ["yours", "APE", "100.0", "%", "50.0", "%", "25.0", "%"]
    assert "2 of 2 runs right" in own
    assert "next:" not in done.out
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    document = json.loads(longreach("forecast", "parity", "--runs", elsewhere, "--json").out)
    assert document["measured"] == []
    assert "yours" in longreach("forecast", "--all").out.splitlines()[0]


def test_a_directory_that_is_not_there_yet_has_no_runs(longreach: Call, here: Path) -> None:
    missing = here / "demo" / "runs"
    one, every = (longreach("forecast", name, "--runs", missing) for name in ("parity", "--all"))
    assert (one.code, one.err, one.out) == (0, "", longreach("forecast", "parity").out)
    assert (every.code, every.err, every.out) == (0, "", longreach("forecast", "--all").out)
    assert list(here.iterdir()) == []
    for command in (["report"], ["results", "list"]):
        done = longreach(*command, "--runs", missing)
        assert (done.code, done.first_error) == (2, f"--runs: {missing}: no such directory")


def test_the_lengths_of_published_numbers(longreach: Call, here: Path) -> None:
    lines = longreach("forecast", "aaaa").out.splitlines()
    (heading,) = [line for line in lines if line.startswith("  lengths")]
    assert heading.split() == ["lengths", "1-500", "501-700", "501-700"]
    (numbers,) = [line for line in lines if line.startswith("  paper  APE")]
    assert numbers.split()[2:8:2] == ["100.0", "92.3", "86.7"]
    document = json.loads(longreach("forecast", "aaaa", "--json").out)["paper"]
    assert document["bins"][2] == {"lengths": "501-700", "basis": "files"}
    write_result(here / "runs", sample(0))
    (heading,) = [line for line in longreach("forecast", "parity").out.splitlines() if "lengths  " in line]
    assert heading.split() == ["lengths", "1-50", "51-100", "101-150"]  # own runs at the same lengths


def test_the_table(longreach: Call) -> None:
    lines = longreach("forecast", "--all").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(FIGURE_1_TASKS)
    assert lines[0].split() == ["task", "NoPE", "paper", "APE", "paper", "by"]
    assert lines[2].split()[1:] == ["undecided", "39.5", "%", "yes", "84.7", "%", "none,", "program"]
    documents = json.loads(longreach("forecast", "--all", "--json").out)["forecasts"]
    assert [document["task"] for document in documents] == list(FIGURE_1_TASKS)


def test_programs_are_shown(longreach: Call, here: Path) -> None:
    (here / "mine.cr").write_text('L = # "a" > # "b"')
    done = longreach("forecast", "crasp:mine.cr", "--program")
    assert done.out.count('L = # "a" > # "b"') == 1
    document = json.loads(longreach("forecast", "crasp:mine.cr", "--program", "--json").out)
    assert document["nope"]["program"] == 'L = # "a" > # "b"'
    assert (document["nope"]["verdict"], document["ape"]["verdict"]) == ("yes", "yes")
    assert document["alphabet"] == ["a", "b"]


def test_programs_with_relations(longreach: Call, here: Path) -> None:
    document = json.loads(longreach("forecast", "crasp:lib:contains-ab-abc", "--json").out)
    assert (document["nope"]["verdict"], document["nope"]["certificate"]["kind"]) == ("no", "flow")
    assert (document["ape"]["verdict"], document["ape"]["prediction"]) == ("yes", "yes")
    (here / "both.cr").write_text('#alphabet a b\nL = #[i-1] "a" >= 1 && # "a" >= # "b"')
    document = json.loads(longreach("forecast", "crasp:both.cr", "--json").out)
    assert (document["nope"]["verdict"], document["ape"]["verdict"]) == ("undecided", "yes")
    assert "was not found to accept a regular language" in document["nope"]["reason"]
    document = json.loads(longreach("forecast", "crasp:lib:induction-all", "--json").out)
    assert (document["nope"]["verdict"], document["ape"]["prediction"]) == ("undecided", "yes")


USER_TASKS = """
from dataclasses import dataclass
from longreach.tasks.evidence import Evidence
from longreach.tasks.sort import Sort
from longreach.tasks.copy_unique import CopyUnique

class Wrong(Sort):
    nope = ape = Evidence("program", "copy-unique", "it is not")

class Copy(CopyUnique):
    nope = Evidence("communication", "binary-majority", "it is not linear")
    ape = Evidence("reduction", "tomita-1", "spelled out nowhere")

class Silent(Sort):
    nope = ape = None
"""


def test_evidence_from_outside_is_tried(longreach: Call, here: Path) -> None:
    (here / "forecast_user.py").write_text(USER_TASKS)
    for name, key, reason in (
        ("Wrong", "ape", "the program named as evidence does not solve the task: after SOS"),
        ("Wrong", "nope", "the program named as evidence is in C-RASP[local]"),
        ("Copy", "nope", "its communication is no evidence: how an input is divided is not spelled out"),
        ("Copy", "ape", "the reduction to tomita-1 is not spelled out"),
        ("Silent", "ape", "the task names no evidence"),
    ):
        document = json.loads(longreach("forecast", f"forecast_user:{name}", "--json").out)
        assert document[key]["verdict"] == "undecided"
        assert document[key]["reason"].startswith(reason)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "TASK: missing; --all shows all"),
        (["sort", "--all"], "--all: goes without TASK"),
        (["--all", "--program"], "--program: goes with one TASK"),
        (["copy-uniqe"], "TASK: no task is named 'copy-uniqe'; did you mean 'copy-unique'"),
        (["sort", "--alphabet", "ab"], "--alphabet: goes with a TASK regex:…"),
        (["regex:(a"], "TASK: "),
        (["crasp:none.cr"], "none.cr: no such file"),
        (["crasp:bad.cr"], "bad.cr:1:5: "),
        (["nothing:task"], "TASK: no module is named 'nothing'"),
        (["sys:path"], "TASK: sys:path: is a list, not a Task"),
        (["sort", "--runs", "bad.cr"], "--runs: bad.cr: not a directory"),
        (["sort", "--jsn"], "--jsn: no such option"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_bad_input(longreach: Call, here: Path, arguments: list[str], message: str) -> None:
    (here / "bad.cr").write_text("L = )")
    done = longreach("forecast", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(message)


def test_help_has_an_example(longreach: Call) -> None:
    assert "Example: longreach forecast copy-unique" in longreach("forecast", "--help").out
    assert "crasp:FILE" in longreach("tasks", "--help").out


def test_what_is_trained_and_membership(longreach: Call) -> None:
    done = longreach("forecast", "regex:(a|ba)*b?")
    assert done.code == 0
    out = done.out
    assert "NoPE  yes  for what is trained, words of the language only: " in out
    assert "as membership over all words: no; no count separates" in out
    assert "--encoding nope" in out.splitlines()[-1]
