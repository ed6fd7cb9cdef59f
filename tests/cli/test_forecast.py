""""""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from longreach.answers.odds import OTHER_KIND
from longreach.answers.published import FIGURE_1_TASKS
from longreach.training.result import Final, write_result
from tests.cli.conftest import Call
from tests.helpers.odds_samples import MODEL
from tests.helpers.result_samples import sample


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def test_document(longreach: Call) -> None:
    done = longreach("forecast", "copy-unique", "--json")
    assert (done.code, done.err) == (0, "")
    document = done.document
    assert (document["task"], document["convention"]) == ("copy-unique", "last-letter")
    nope, ape = document["nope"], document["ape"]
    assert (nope["verdict"], nope["class"], nope["certificate"]["kind"]) == ("no", "C-RASP[∅]", "reduction")
    assert nope["certificate"]["certificate"]["kind"] == "flow"
    assert (ape["verdict"], ape["window"], ape["modulus"]) == ("yes", 1, 1)
    assert ape["certificate"]["program"].startswith("#alphabet SOS SEP EOS 0 1 2")
    assert document["measured"] == []


def test_a_language_has_the_fields_of_language(longreach: Call) -> None:
    document = longreach("forecast", "regex:(a|b)*bb", "--alphabet", "abc", "--json").document
    expected = longreach("language", "(a|b)*bb", "--alphabet", "abc", "--json").document
    assert {key: document[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("name", "statuses"),
    [
        ("copy-unique", {"nope": "valid", "ape": "not proved"}),
        ("copy-repeat", {"nope": "valid", "ape": "valid"}),
        ("addition", {"nope": "valid", "ape": "valid"}),
        ("parity", {"nope": "valid", "ape": "valid", "reach": "valid"}),
        ("binary-majority-interleave", {"ape": "not proved"}),
        ("tomita-3", {"nope": "valid", "ape": "valid", "local": "valid", "reach": "valid"}),
        ("dyck-1", {"nope": "not proved", "ape": "not proved"}),
        ("crasp:lib:aa", {"nope": "valid", "ape": "valid", "local": "valid", "reach": "valid"}),
        ("crasp:lib:dyck-1", {"nope": "valid", "ape": "valid"}),
    ],
)
def test_verify_checks_the_certificates(
    longreach: Call, here: Path, name: str, statuses: dict[str, str]
) -> None:
    path = here / "document.json"
    path.write_text(longreach("forecast", name, "--json").out, encoding="utf-8")
    done = longreach("verify", path, "--json")
    found = {each["place"]: each["status"] for each in done.document["certificates"]}
    assert found == statuses
    assert done.code == (1 if "not proved" in statuses.values() else 0)
    assert longreach("verify", path, "--task", name).code == done.code
    assert longreach("verify", path, "--task", "sort").code == 1
    changed = json.loads(path.read_text(encoding="utf-8"))
    changed["ape"]["verdict"] = {"yes": "no", "no": "yes"}[changed["ape"]["verdict"]]
    path.write_text(json.dumps(changed), encoding="utf-8")
    assert longreach("verify", path).code == 1


def test_verify_runs_no_python_that_a_document_names(longreach: Call, here: Path) -> None:
    (here / "forecast_mine.py").write_text("from longreach.tasks.copying import Sort\ntask = Sort(5)\n")
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
        assert wrapped <= 24  # what a terminal shows: three sides and a row of odds for each
    lines = longreach("forecast", "copy-repeat").out.splitlines()
    assert lines[1].split() == ["without", "positions", "(NoPE)", "expected", "to", "fail"]
    assert lines[2].endswith("attention carries O(log n) · argument, counted to length 10")
    assert sum("is a prediction, not a proof" in line for line in lines) == 1
    assert lines[-2:] == ["  why: longreach forecast copy-repeat --why", "  next: longreach ask copy-repeat"]


def test_the_terms_of_the_papers_stand_behind_an_option(longreach: Call) -> None:
    short, long = (longreach("forecast", "copy-repeat", *more).out for more in ([], ["--why"]))
    terms = ("C-RASP", "limit transformer", "et al.", "linear", "sinusoidal")
    assert not any(term in short for term in terms)
    assert all(term in long for term in terms)
    assert "10 bits between halves of 10 symbols, linear" in long
    assert "  NoPE  no  C-RASP[∅]" in long.splitlines()


def test_the_next_command_has_the_alphabet(longreach: Call) -> None:
    lines = longreach("forecast", "regex:(ab)*", "--alphabet", "a,b,c").out.splitlines()
    assert lines[0] == "(ab)*   words over a b c, 3 states"
    assert lines[-1] == "  next: longreach ask 'regex:(ab)*' --alphabet a,b,c"


def test_finite_languages_are_said_to_be_finite(longreach: Call) -> None:
    assert "  finite: its longest word has 1 letter; no question of longer inputs" in (
        longreach("forecast", "regex:a?").out.splitlines()
    )


def test_own_runs_are_found(longreach: Call, here: Path) -> None:
    for seed in (0, 1):
        write_result(here / "runs", sample(seed))
    done = longreach("forecast", "parity")
    own = next(line for line in done.out.splitlines() if "yours" in line)
    assert own.split() == ["yours", "APE", "100.0", "%", "50.0", "%", "25.0", "%"]
    assert "  yours APE: 2 of 2 runs right up to the training length" in done.out.splitlines()
    assert "next:" not in done.out
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    document = longreach("forecast", "parity", "--runs", elsewhere, "--json").document
    assert document["measured"] == []
    assert "yours" in longreach("forecast", "--all").out.splitlines()[0]


def test_runs_that_do_different_things_have_no_mean(longreach: Call, here: Path) -> None:
    ranges = ("1-50", "51-100", "101-150")
    perfect = Final(steps=100, reached=True, loss=0.1, accuracy=dict.fromkeys(ranges, 1.0))
    for result in (sample(0), sample(1, final=perfect)):
        write_result(here / "runs", result)
    own = next(line for line in longreach("forecast", "parity").out.splitlines() if "yours" in line)
    assert own.split() == ["yours", "APE", "100.0", "%", "50–100", "%", "25–100", "%"]


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
    (numbers,) = [line for line in lines if line.startswith("  paper APE")]
    assert numbers.split()[2:8:2] == ["100.0", "92.3", "86.7"]
    document = longreach("forecast", "aaaa", "--json").document["paper"]
    assert document["bins"][2] == {"lengths": "501-700", "basis": "files"}
    write_result(here / "runs", sample(0))
    (heading,) = [line for line in longreach("forecast", "parity").out.splitlines() if " lengths  " in line]
    assert heading.split() == ["lengths", "1-50", "51-100", "101-150"]  # own runs at the same lengths


def test_the_table(longreach: Call) -> None:
    lines = longreach("forecast", "--all").out.splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == list(FIGURE_1_TASKS)
    assert lines[0].split() == ["task", "NoPE", "paper", "APE", "paper", "reach", "by"]
    numbers = ["unknown", "39.5", "%", "work", "84.7", "%", "unknown", "–,", "program"]
    assert lines[2].split()[1:] == numbers
    assert "is a prediction, not a proof" in lines[-1]
    documents = longreach("forecast", "--all", "--json").document["forecasts"]
    assert [document["task"] for document in documents] == list(FIGURE_1_TASKS)


def test_programs_are_shown(longreach: Call, here: Path) -> None:
    (here / "mine.cr").write_text('L = # "a" > # "b"')
    done = longreach("forecast", "crasp:mine.cr", "--program")
    assert done.out.count('L = # "a" > # "b"') == 1
    document = longreach("forecast", "crasp:mine.cr", "--program", "--json").document
    assert document["nope"]["program"] == 'L = # "a" > # "b"'
    assert (document["nope"]["verdict"], document["ape"]["verdict"]) == ("yes", "yes")
    assert document["alphabet"] == ["a", "b"]


def test_programs_with_relations(longreach: Call, here: Path) -> None:
    document = longreach("forecast", "crasp:lib:contains-ab-abc", "--json").document
    assert (document["nope"]["verdict"], document["nope"]["certificate"]["kind"]) == ("no", "flow")
    assert (document["ape"]["verdict"], document["ape"]["prediction"]) == ("yes", "yes")
    (here / "both.cr").write_text('#alphabet a b\nL = #[i-1] "a" >= 1 && # "a" >= # "b"')
    document = longreach("forecast", "crasp:both.cr", "--json").document
    assert (document["nope"]["verdict"], document["ape"]["verdict"]) == ("undecided", "yes")
    assert "was not found to accept a regular language" in document["nope"]["reason"]
    document = longreach("forecast", "crasp:lib:induction-all", "--json").document
    assert (document["nope"]["verdict"], document["ape"]["prediction"]) == ("undecided", "yes")


USER_TASKS = """
from dataclasses import dataclass
from longreach.tasks.task import Evidence
from longreach.tasks.copying import Sort
from longreach.tasks.copying import CopyUnique

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
        document = longreach("forecast", f"forecast_user:{name}", "--budget", 0, "--json").document
        assert document[key]["verdict"] == "undecided"
        assert document[key]["reason"].startswith(reason)


def test_what_is_trained_and_membership(longreach: Call) -> None:
    out = longreach("forecast", "regex:(a|ba)*b?").out
    assert out.count("expected to work") == 3
    assert "membership" not in out
    out = longreach("forecast", "regex:(a|ba)*b?", "--why").out
    assert "as membership over all words: no; no count separates" in out


@pytest.mark.slow
@pytest.mark.parametrize("width", [45, 60, 80])
@pytest.mark.parametrize("arguments", [["copy-unique", "--why"], ["parity"], ["aaaa"], ["--all"]])
def test_nothing_is_cut_or_wider_than_the_terminal(
    longreach: Call, monkeypatch: pytest.MonkeyPatch, width: int, arguments: list[str]
) -> None:
    whole = longreach("forecast", *arguments).out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", longreach("forecast", *arguments).out)
    assert max(len(line.rstrip()) for line in shown.splitlines() if "longreach" not in line) <= width
    # All words are there, those of columns that are left out excepted.
    words = set(whole.split())
    missing = words - set(shown.split())
    assert not {word for word in missing if word.isalpha()} - {"paper", "program", "proof", "argument", "by"}


def test_odds_in_the_terminal_and_in_json(longreach: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.answers.odds.fitted_odds", lambda: MODEL)
    shown = longreach("forecast", "regex:(a|b)*bb(a|b)*").out
    odds = [line.split() for line in shown.splitlines() if "odds" in line or ("(" in line and "%" in line)]
    assert odds[0] == ["odds,", "trained", "to", "20", "21–40", "41–60", "81–100"]
    assert [row[0] for row in odds[1:]] == ["NoPE", "APE"]
    assert "that one run works there; from 300 runs on 63 languages" in shown
    document = longreach("forecast", "regex:(a|b)*bb(a|b)*", "--json").document
    assert [row["ratio"] for row in document["odds"]["rows"]] == [2, 3, 5] * 2
    assert document["odds_note"] is None
    for row in document["odds"]["rows"]:
        assert row["low"] <= row["probability"] <= row["high"]


def test_odds_reach_as_far_as_each_encoding_was_tested(
    longreach: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = [replace(each, encoding="reach") for each in MODEL.skills if each.encoding == "ape"]
    near, far = {"20": (2, 3, 5)}, {"20": (2, 3, 5, 10)}
    model = replace(
        MODEL, encodings=("nope", "ape", "reach"), ratios=(2, 3, 5, 10), skills=(*MODEL.skills, *judged),
        tested={"nope": near, "ape": near, "reach": far},
    )  # fmt: skip
    monkeypatch.setattr("longreach.answers.odds.fitted_odds", lambda: model)
    shown = longreach("forecast", "regex:(a|b)*bb(a|b)*").out.splitlines()
    place = next(number for number, line in enumerate(shown) if "odds, trained to" in line)
    assert shown[place].split()[4:] == ["21–40", "41–60", "81–100", "181–200"]
    shares = {line.split()[0]: len(re.findall(r"\d+ %", line)) for line in shown[place + 1 : place + 4]}
    assert shares == {"NoPE": 3, "APE": 3, "reach": 4}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["aa"], "odds for one run: not known; the census covers 2–3 letters, not 1"),
        (["sort", "--why"], f"odds for one run: not known; {OTHER_KIND}"),
    ],
)
def test_no_odds_are_said_in_one_line(
    longreach: Call, monkeypatch: pytest.MonkeyPatch, arguments: list[str], line: str
) -> None:
    monkeypatch.setattr("longreach.answers.odds.fitted_odds", lambda: MODEL)
    assert f"  {line}\n" in longreach("forecast", *arguments).out
    assert longreach("forecast", arguments[0], "--json").document["odds"] is None
    assert "odds" not in longreach("forecast", "sort").out


def test_evidence_is_looked_for_where_none_is_named(longreach: Call, here: Path) -> None:
    (here / "forecast_user.py").write_text(USER_TASKS)
    side = longreach("forecast", "forecast_user:Silent", "--json").document["ape"]
    assert side["verdict"] == "yes"
    assert side["certificate"]["kind"] == "found-program"
    assert side["checked_to"] == side["certificate"]["tried_to"]
    refused = longreach("forecast", "forecast_user:Silent", "--budget", -1)
    assert refused.code == 2
    assert refused.err.splitlines()[0] == "--budget: must be at least 0 seconds, not -1"


# Architectures


def test_an_architecture(longreach: Call) -> None:
    document = longreach("forecast", "regex:(aa)*", "--model", "ssm", "--json").document
    model = document.pop("model")
    assert document == longreach("forecast", "regex:(aa)*", "--json").document
    assert (model["name"], model["verdict"], model["class"]) == ("ssm", "no", "star-free languages")
    assert "2405.17394" in model["source"]
    assert (model["certificate"]["kind"], model["certificate"]["word"]) == ("cycle", ["a"])
    text = longreach("forecast", "regex:(aa)*", "--model", "ssm").out
    assert "SSM                           cannot express it" in text
    assert "at every length, not about training" in text


def test_options_of_an_architecture(longreach: Call) -> None:
    call = ("forecast", "regex:(aaa)*", "--model", "deltanet", "--model-option", "signed=true", "--json")
    one = longreach(*call).document["model"]
    assert (one["verdict"], one["options"]) == ("yes", {"signed": True})
    assert one["reason"].endswith("2 reflections make every step in one layer")
    assert "1 reflection a token" in one["condition"]
    assert longreach(*call, "--model-option", "reflections=2").document["model"]["verdict"] == "yes"


def test_a_model_of_ones_own(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "forecast_model.py").write_text(
        "from torch import nn\n"
        "def make(*, vocabulary, positions): return nn.Embedding(vocabulary, vocabulary)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert (
        "theory says nothing about this model"
        in longreach("forecast", "aa", "--model", "forecast_model:make").out
    )
    call = ("forecast", "aa", "--model", "my:make", "--model-option", "theory=lstm")
    assert "can express it" in longreach(*call).out  # nothing is imported
    assert longreach("forecast", "aa", "--model", "my:make").err.startswith("--model: no module named 'my'")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (["aa", "--model", "lstmm"], "--model: unknown model 'lstmm'; did you mean 'lstm'?"),
        (["--all", "--model", "lstm"], "--model: only for one TASK"),
        (
            ["aa", "--model", "lstm", "--convention", "eos"],
            "--model: only for one TASK, without --convention",
        ),
        (["aa", "--model-option", "signed=true"], "--model-option: needs a model"),
        (["aa", "--model", "lstm", "--model-option", "x"], "--model-option: 'x' is not KEY=VALUE"),
    ],
)
def test_refused_models(longreach: Call, call: list[str], message: str) -> None:
    done = longreach("forecast", *call)
    assert (done.code, done.err.splitlines()[0]) == (2, message)


def test_options_of_a_model_are_refused_as_training_refuses_them(longreach: Call) -> None:
    wrong = {
        ("--model", "lstm", "--model-option", "foo=1"): "--model-option: lstm has no option 'foo'",
        ("--model", "lsmt"): "--model: unknown model 'lsmt'; did you mean 'lstm'",
        (
            "--model",
            "mine:make",
            "--model-option",
            "positions=3",
        ): "--model-option: positions is not an option",
        ("--model-option", "width=3"): "--model-option: needs a model",
    }
    for given, line in wrong.items():
        done = longreach("forecast", "parity", *given)
        assert done.code == 2, given
        assert done.err.startswith(line), done.err
        assert done.err.count("\n") == 1


def test_own_runs_of_other_models_have_their_titles(longreach: Call, tmp_path: Path) -> None:
    tiny = ("--train-lengths", "1:5", "--max-steps", 3, "--test-size", 10, "--width", 8, "--layers", 1)
    runs = ("--runs", tmp_path)
    assert longreach("train", "parity", "--model", "lstm", *tiny, *runs).code == 0
    assert "yours LSTM" in longreach("forecast", "parity", *runs).out
