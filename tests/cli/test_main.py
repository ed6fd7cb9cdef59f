"""The command itself: version, doctor, completion, interruption, closed pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import longreach as package
from longreach.cli import crasp
from tests.cli.conftest import Call


def test_version(longreach: Call) -> None:
    assert longreach("--version").out == f"longreach {package.__version__}\n"
    command = [sys.executable, "-m", "longreach", "--version"]
    assert (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout
        == longreach("--version").out
    )


@pytest.mark.parametrize("arguments", [[], ["--help"], ["crasp"], ["crasp", "--help"]])
def test_help(longreach: Call, arguments: list[str]) -> None:
    done = longreach(*arguments)
    assert done.code == 0
    assert "Usage: longreach" in done.out


def test_doctor(longreach: Call) -> None:
    report = longreach("doctor", "--json").document
    assert report["longreach"] == package.__version__
    assert report["core"]["numpy"]
    assert set(report["extras"]) == {
        "train", "hf", "ray", "slurm", "smt", "parquet", "tensorboard", "wandb", "web", "docs", "text",
    }  # fmt: skip
    assert "numpy" in longreach("doctor").out


def test_shell_completion() -> None:
    # What --show-completion prints; the option itself looks for the shell around it, and there may be none.
    environment = os.environ | {"_LONGREACH_COMPLETE": "source_bash"}
    command = [sys.executable, "-m", "longreach"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "_longreach_completion" in done.stdout
    environment |= {
        "_LONGREACH_COMPLETE": "complete_bash",
        "COMP_WORDS": "longreach crasp tr",
        "COMP_CWORD": "2",
    }
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["trace", "transform"]


def test_interruption(longreach: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(crasp, "console", interrupt)
    done = longreach("crasp", "run", "lib:aa", "aa")
    assert done.code == 130
    assert "interrupted" in done.err


def test_interrupting_a_long_search(tmp_path: Path) -> None:
    for name, text in (("one", '# "a" >= # "b"'), ("two", '# "b" - # "a" <= 0')):
        (tmp_path / f"{name}.cr").write_text(f"P = {text}", encoding="utf-8")
    arguments = ["crasp", "equal", "one.cr", "two.cr", "--length", "10000000"]
    code = (
        "import signal, sys, longreach.cli.main as main\n"
        # Started in the background, a process ignores the signal, and so does what it starts.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "print('ready', flush=True)\nsys.exit(main.run(sys.argv[1:]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()  # a search that goes on would take all memory
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "interrupted"
    assert "Traceback" not in err


def test_a_closed_pipe_is_quiet() -> None:
    command = f"{sys.executable} -m longreach crasp list | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.startswith("name")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="left out: needs /dev/full")
def test_a_full_disk_is_one_line() -> None:
    command = f"{sys.executable} -m longreach crasp list --json > /dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("standard output: cannot be written: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(("closed", "code"), [(">&-", 0), ("2>&-", 0)])
def test_closed_streams(closed: str, code: int) -> None:
    command = f"{sys.executable} -m longreach crasp run lib:aa aa {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, "")
    wrong = f"{sys.executable} -m longreach crasp run lib:none aa {closed}"
    done = subprocess.run(["bash", "-c", wrong], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8:strict"])
def test_output_in_any_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    for options in ([], ["--json"]):
        arguments = ["crasp", "trace", "lib:piecewise:a/é😀", "aé😀", *options]
        done = subprocess.run(
            [sys.executable, "-m", "longreach", *arguments], capture_output=True, check=True
        )
    assert json.loads(done.stdout)["word"] == ["a", "é", "😀"]


def test_arguments_that_are_not_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8:strict")
    monkeypatch.setenv("PYTHONUTF8", "1")
    (tmp_path / "open.cr").write_text('P = exists "a"', encoding="utf-8")
    arguments = [b"crasp", b"trace", b"open.cr", b"a\xffb", b"--json", b"--html", b"page.html"]
    command = [sys.executable.encode(), b"-m", b"longreach", *arguments]
    done = subprocess.run(command, capture_output=True, check=True, cwd=tmp_path)
    assert json.loads(done.stdout)["word"] == ["a", "\udcff", "b"]
    assert (tmp_path / "page.html").exists()


def test_interruption_while_loading() -> None:
    code = (
        "import sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'longreach.cli.crasp':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from longreach.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "crasp", "list"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.parametrize("error", [RuntimeError("a bug\nof two lines"), MemoryError(), RecursionError()])
def test_an_internal_error_is_neither_no_nor_bad_input(
    longreach: Call, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(crasp, "console", fail)
    done = longreach("crasp", "run", "lib:dyck-1-next", "(")
    assert (done.code, done.out) == (70, "")
    assert done.err.startswith("internal error: ")
    assert len(done.err.splitlines()) == 1
    monkeypatch.setenv("LONGREACH_DEBUG", "1")
    assert "Traceback" in longreach("crasp", "run", "lib:dyck-1-next", "(").err


def test_an_internal_error_of_the_process() -> None:
    code = (
        "import sys, longreach.cli.crasp as crasp\n"
        "crasp.measures = lambda core: 1 // 0\n"
        "import longreach.__main__ as command\n"
        "sys.argv = ['longreach', 'crasp', 'lower', 'lib:aa', '--json']\ncommand.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr.startswith("internal error: ZeroDivisionError: ")
    assert len(done.stderr.splitlines()) == 1


def test_memory_that_runs_out_is_one_line() -> None:
    code = (
        "import sys, longreach.cli.crasp as crasp\n"
        "crasp.measures = lambda core: bytearray(1 << 62)\n"
        "import longreach.__main__ as command\n"
        "sys.argv = ['longreach', 'crasp', 'lower', 'lib:aa', '--json']\ncommand.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr.startswith("internal error: memory is exhausted")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("options", ["", "--json"])
def test_a_closed_pipe_keeps_the_answer(options: str) -> None:
    """Exit code 1 means "no": it is given where the answer is no, and nowhere else."""
    for asked, code in (("equal lib:aa lib:aa", 0), ("empty lib:aa", 1)):
        command = f"{sys.executable} -m longreach crasp {asked} {options} | true"
        shell = ["bash", "-o", "pipefail", "-c", command]
        done = subprocess.run(shell, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (code, "")
    command = f"{sys.executable} -m longreach tasks {options} | true"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_own_python_prints_is_no_document(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "talks.py").write_text(
        "print('at import')\nfrom longreach import Task\n"
        "def draw(length, rng):\n    return ['ab'[k] for k in rng.integers(0, 2, length)]\n"
        "def first(x):\n    print('asked')\n    return x[0]\n"
        "task = Task.from_function(draw, first)\n"
    )
    done = longreach("tasks", "talks:task", "--json")
    assert done.document["task"] == "first"
    said = "warning: output printed by first is not shown\n"
    assert done.err == f"at import\n{said}"
    assert "asked" not in longreach("tasks", "talks:task").out


def test_options_behind_json_may_be_wrong(longreach: Call) -> None:
    assert longreach("tasks", "--json", "--non").code == 2
    assert longreach("--version").out.startswith("longreach ")
