"""A result may name Python as its task, encoding or model; nothing that only looks at results imports it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from longreach.config.model import ModuleConfig
from longreach.files import job_key
from longreach.training.checkpoint import MODEL, load_model, save_model
from longreach.training.result import RESULT
from tests.cli.conftest import Call
from tests.helpers.extras import needs
from tests.helpers.inspected_runs import small_member, write_run
from tests.helpers.live_server import live_server

MODULE = """from pathlib import Path
Path("trace").touch()

def make():
    from longreach.tasks.formal import Dyck1
    return Dyck1()
"""
NAMES = [
    ("task", "named_evil:make"),
    ("task", "named_evil:make+scratchpad"),
    ("task", "named_evil:make::scratchpad"),
]
ENCODING = ("encoding", "named_evil:Slope")
MODEL_OF_ONES_OWN = ("architecture", "named_evil:make")


@pytest.fixture
def run(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a run with a model, whose result names a module that is there to be imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("named_evil.py").write_text(MODULE, encoding="utf-8")
    field, name = request.param
    whole = write_run(Path("runs"), small_member())
    document = json.loads((whole / RESULT).read_bytes())
    document["config"][field] = name
    if field == "encoding":
        parameters, model = load_model(whole / MODEL)
        save_model(whole, parameters, model.model_copy(update={"encoding": name}))
    if field == "architecture":
        parameters, model = load_model(whole / MODEL)
        shape = ModuleConfig(model=name, vocabulary=model.vocabulary, positions=9, options={"width": 8})
        save_model(whole, parameters, shape)
        document["config"] |= {"encoding": "nope", "model_options": {"width": 8, "theory": "lstm"}}
    document["key"] = job_key(document["config"])
    (whole / RESULT).write_text(json.dumps(document), encoding="utf-8")
    return whole.rename(whole.with_name(document["key"]))


def imported() -> bool:
    return Path("trace").exists() or "named_evil" in sys.modules


COMMANDS = [
    "report --runs runs",
    "results list",
    "results list --task parity",
    "results show KEY",
    "results export",
    "results export --out table.csv",
    "inspect runs/KEY",
    "inspect runs/KEY --automaton",
    "forecast parity --runs runs",
    "ask parity --minutes 0",
]


@pytest.mark.parametrize("run", NAMES, indirect=True)
def test_looking_at_results_imports_nothing_that_they_name(longreach: Call, run: Path) -> None:
    for command in COMMANDS:
        done = longreach(*command.replace("KEY", run.name).split())
        assert not imported(), command
        assert done.code == (2 if "--automaton" in command else 0), command  # there it is needed


@pytest.mark.parametrize("run", [ENCODING], indirect=True)
def test_looking_at_results_imports_no_encoding_that_they_name(longreach: Call, run: Path) -> None:
    for command in COMMANDS:
        done = longreach(*command.replace("KEY", run.name).split())
        assert not imported(), command
        assert done.code == (2 if "inspect" in command else 0), command  # there it is needed
        assert done.code == 0 or "pass it with --encoding" in done.err


@pytest.mark.parametrize("run", [MODEL_OF_ONES_OWN], indirect=True)
def test_looking_at_results_imports_no_model_that_they_name(longreach: Call, run: Path) -> None:
    for command in [*COMMANDS, "inspect runs/KEY --task parity", "extract runs/KEY --task parity"]:
        done = longreach(*command.replace("KEY", run.name).split())
        assert not imported(), command
        assert done.code == (2 if command.startswith(("inspect", "extract")) else 0), command


@needs("starlette")
@needs("uvicorn")
@pytest.mark.parametrize("run", [*NAMES[:1], ENCODING, MODEL_OF_ONES_OWN], indirect=True)
def test_the_live_report_imports_nothing_that_results_name(run: Path) -> None:
    with live_server(run.parent) as server:
        assert b"named_evil" in server.send("GET", "/").body
    assert not imported()


@pytest.mark.parametrize("run", NAMES[:1], indirect=True)
def test_whoever_asks_for_it_gets_it(longreach: Call, run: Path) -> None:
    assert longreach("report", "--runs", "runs", "--load-tasks").code == 0
    assert Path("trace").exists()
