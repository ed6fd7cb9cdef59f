"""Profiles models one after the other and puts each on the board of this checkout.

`python tools/board_runs.py --quick` goes through all models on both parts, at low priority, and leaves out
those that stand on the board: run it again to resume. Without `--quick` it takes all of the suite. Profiles
record the commit, so it stops where files have changed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import longreach
from longreach.answers.board import read_board
from longreach.answers.profile_question import ProfileQuestion
from longreach.answers.profile_suite import PARTS, Part
from longreach.config.architectures import DECODER, HUGGING_FACE

ROOT = Path(__file__).resolve().parent.parent
BOARD, EXAMPLES = ROOT / "results" / "board", ROOT / "examples"
"""Models of our own are named from within the examples."""
NICE = 10


@dataclass(frozen=True)
class Entry:
    model: str = DECODER
    encoding: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        options = [name if value is True else f"{name}={value}" for name, value in self.options.items()]
        return " ".join([self.encoding or self.model, *options])


MODELS = (
    Entry(encoding="nope"), Entry(encoding="ape"), Entry(encoding="rope"), Entry(encoding="reach"),
    Entry("lstm"), Entry("ssm-signed"), Entry("deltanet", options={"signed": True}), Entry(encoding="alibi"),
    Entry("hybrid"), Entry("gru"), Entry("models:gru_attention"), Entry("models:causal_convolution"),
    Entry("hf:llama.json"), Entry(encoding="stick-breaking"), Entry(encoding="t5"), Entry("ssm"),
    Entry("deltanet"), Entry(encoding="randomized"), Entry(encoding="fox"), Entry("looped"),
    Entry(encoding="window"), Entry("rnn"), Entry("ssm-complex"), Entry(encoding="fire"),
    Entry(encoding="sinusoidal"), Entry(encoding="cope"), Entry("mlp"),
)  # fmt: skip
"""Those that are compared most often first."""


def waiting(
    quick: bool, parts: Sequence[Part], names: Sequence[str]
) -> Iterator[tuple[Entry, ProfileQuestion]]:
    """What is not on the board yet."""
    there = {profile.command for profile in read_board(BOARD)}
    for part in parts:
        for entry in MODELS:
            asked = ProfileQuestion(
                model=entry.model, encoding=entry.encoding, options=entry.options, part=part, quick=quick
            )
            if asked.command not in there and (not names or entry.words in names):
                yield entry, asked


def changed_files() -> str:
    """The files that differ from the commit; profiles on the board do not count."""
    command = ["git", "status", "--porcelain", "--untracked-files=no", "--", ".", ":!results/board"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def put_on_board(asked: ProfileQuestion, runs: Path) -> bool:
    """Train, write and add one profile; what is wrong is said by the commands themselves."""
    program, found = [sys.executable, "-m"], runs / "profile.json"
    runs.mkdir(parents=True, exist_ok=True)
    found.unlink(missing_ok=True)
    # Exit code 1 says that runs failed, which count as not fitted.
    path = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    command = [*program, *asked.arguments, "--explain", "--runs", str(runs), "--out", str(found)]
    done = subprocess.run(command, cwd=EXAMPLES, env=environment, check=False)
    if done.returncode not in (0, 1) or not found.is_file():
        return False
    add = [*program, "longreach", "board", "add", str(found), "--board", str(BOARD)]
    return subprocess.run(add, env=environment, stdout=subprocess.DEVNULL, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one task of each need, one seed")
    parser.add_argument("--part", choices=PARTS, help="default: development, then held-out")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="some of the models")
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "board", help="default: runs/board")
    parser.add_argument("--list", action="store_true", help="only say what is not on the board yet")
    given = parser.parse_args()
    known = {entry.words for entry in MODELS}
    if unknown := [name for name in given.only if name not in known]:
        parser.error(f"{unknown[0]!r} is none of {', '.join(sorted(known))}")
    if Path(longreach.__file__).parents[2] != ROOT:
        parser.error(f"longreach is not that of this checkout: set PYTHONPATH={ROOT / 'src'}")
    todo = list(waiting(given.quick, [given.part] if given.part else PARTS, given.only))
    failed = []
    os.nice(0 if given.list else NICE)
    for number, (entry, asked) in enumerate(todo, 1):
        print(f"{number} of {len(todo)}: {entry.words}, {asked.part}", flush=True)
        if given.list:
            continue
        if entry.model.startswith(HUGGING_FACE) and find_spec("transformers") is None:
            print("left out: transformers is not installed", flush=True)
            continue
        if changed := changed_files():
            print(f"files have changed since the commit:\n{changed}", file=sys.stderr)
            return 2
        if not put_on_board(asked, given.runs.resolve()):
            failed.append(f"{entry.words}, {asked.part}")
    if failed:
        print(f"not on the board: {'; '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
