"""Tries an installed wheel as a user would, far from the repository: `python tools/try_wheel.py ENVIRONMENT`.

ENVIRONMENT is a virtual environment into which the wheel was installed; what its extras allow is tried.
`make wheel` builds the wheel, installs it with all extras and runs this.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.request import urlopen

REPOSITORY = Path(__file__).resolve().parent.parent
SECONDS = 300


class Environment:
    """A virtual environment, and a directory in which its commands run."""

    def __init__(self, folder: Path, at: Path) -> None:
        self.folder, self.at = folder.resolve(), at
        # Nothing of the repository may help.
        hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
        self.variables = {name: value for name, value in os.environ.items() if name not in hidden}

    def command(self, *words: str) -> list[str]:
        """A command of the environment."""
        return [str(self.folder / "bin" / words[0]), *words[1:]]

    def run(self, *words: str) -> str:
        """What a command prints; an error ends the trial."""
        print("$", *words, flush=True)
        done = subprocess.run(
            self.command(*words), cwd=self.at, env=self.variables, capture_output=True, text=True,
            timeout=SECONDS, check=False,
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def document(self, *words: str) -> Any:
        """The JSON document that a command prints."""
        return json.loads(self.run(*words, "--json"))


def expect(holds: bool, what: str) -> None:
    """End the trial where something does not hold."""
    if not holds:
        sys.exit(f"not so: {what}")


def try_core(wheel: Environment) -> None:
    """Theory: forecast, certificate and its check, and a program."""
    place = wheel.run("python", "-c", "import longreach; print(longreach.__file__)").strip()
    expect(not Path(place).is_relative_to(REPOSITORY / "src"), f"{place} is not the repository's")
    found = wheel.document("longreach", "forecast", "regex:(aa)*")
    expect((found["nope"]["verdict"], found["ape"]["verdict"]) == ("no", "yes"), "the verdicts of (aa)*")
    (wheel.at / "aa.json").write_text(json.dumps(found), encoding="utf-8")
    wheel.run("longreach", "verify", "aa.json")
    expect(
        wheel.run("longreach", "crasp", "run", "lib:dyck-1", "(())").startswith("accept"), "(()) is in Dyck-1"
    )


def trained(wheel: Environment, *more: str) -> bool:
    """Whether a short training comes to its end."""
    few = ("--max-steps", "20", "--train-lengths", "1:6", "--test-lengths", "7:9")
    done = wheel.document("longreach", "train", "binary-majority", *few, "--runs", "runs", *more)
    return [run["status"] for run in done["runs"]] == ["done"]


def try_training(wheel: Environment) -> None:
    """The extra `train`: a run, the answer that needs no more of them, and the report."""
    expect(trained(wheel), "a run here")
    answer = wheel.document("longreach", "ask", "binary-majority", "--minutes", "0", "--runs", "runs")
    expect(answer["forecast"]["nope"]["verdict"] == "yes", "the answer to binary-majority")
    wheel.run("longreach", "report", "--runs", "runs", "--out", "report.html")
    expect("<html" in (wheel.at / "report.html").read_text(encoding="utf-8"), "the report is a page")


def try_web(wheel: Environment) -> None:
    """The extra `web`: the server answers, with its pages from inside the package."""
    print("$ longreach serve --runs runs --port 0", flush=True)
    with subprocess.Popen(
        wheel.command("longreach", "serve", "--runs", "runs", "--port", "0"), cwd=wheel.at,
        env=wheel.variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as server:  # fmt: skip
        try:
            assert server.stdout is not None
            address = next((at[0] for line in server.stdout if (at := re.search(r"http://\S+", line))), None)
            expect(address is not None, "serve says where it is")
            with urlopen(f"{str(address).rstrip('/')}/playground", timeout=SECONDS) as page:
                expect(page.status == 200 and b"<html" in page.read(), "the playground is a page")
        finally:
            server.terminate()


def try_clusters_and_tables(wheel: Environment) -> None:
    """The extras `ray` and `parquet`."""
    expect(trained(wheel, "--seed", "1", "--engine", "ray"), "a run on Ray")
    wheel.run("longreach", "results", "export", "--runs", "runs", "--out", "runs.parquet")
    expect((wheel.at / "runs.parquet").read_bytes().startswith(b"PAR1"), "the export is a Parquet file")


def main() -> None:
    """Try all that is installed."""
    with tempfile.TemporaryDirectory() as at:
        wheel = Environment(Path(sys.argv[1]), Path(at))
        extras = wheel.document("longreach", "doctor")["extras"]
        there = {extra for extra, packages in extras.items() if all(packages.values())}
        try_core(wheel)
        if "train" in there:
            try_training(wheel)
        if {"train", "web"} <= there:
            try_web(wheel)
        if {"train", "ray", "parquet"} <= there:
            try_clusters_and_tables(wheel)
    missing = ", ".join(sorted(extras.keys() - there)) or "none"
    print(f"the wheel works; extras that are missing: {missing}")


if __name__ == "__main__":
    main()
