"""Forecasts of all own functions of a module, one by one, beside what is known of them.

Usage: python tools/own_functions.py MODULE.py [--budget SECONDS] [NAME …]

The module may have a dictionary TRUTHS of names to pairs such as ("no", "yes"), for NoPE and APE; or one of
names to pairs of such a truth, "no yes", and a task, as tests/helpers/further_functions.py has.
"""

from __future__ import annotations

import argparse
import runpy
import time
from pathlib import Path

from longreach.answers.black_box import black_box_sides
from longreach.tasks.task import Task


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("module", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--budget", type=float, default=None)
    given = parser.parse_args()
    content = runpy.run_path(str(given.module))
    truths = content.get("TRUTHS", {})
    tasks = {name: value for name, value in content.items() if isinstance(value, Task)}
    for each in [value for value in content.values() if isinstance(value, dict)]:
        for name, pair in each.items():
            match pair:
                case (str(truth), Task() as task):
                    tasks[name], truths[name] = task, tuple(truth.split())
    right = wrong = 0
    for name in given.names or tasks:
        started, computed = time.monotonic(), time.thread_time()
        sides = black_box_sides(tasks[name], name, ["nope", "ape"], seconds=given.budget)
        seconds, computed = time.monotonic() - started, time.thread_time() - computed
        said = tuple(sides[key].answer.value for key in ("nope", "ape"))
        known = tuple(truths.get(name, ("", "")))
        parts = [known[k] and said[k] not in (known[k], "undecided") for k in range(2)]
        judged = "" if not known[0] else "WRONG" if any(parts) else "right" if said == known else "undecided"
        right, wrong = right + (judged == "right"), wrong + (judged == "WRONG")
        print(
            f"{name:<20} {'/'.join(known):<10} {'/'.join(said):<20} {judged:<10} {computed:5.1f} s "
            f"({seconds:.1f} s)",
            flush=True,
        )
        for key in ("nope", "ape"):
            print(f"    {key}: {sides[key].reason[:260]}", flush=True)
    print(f"{right} right, {wrong} wrong, of {len(given.names or tasks)}")


if __name__ == "__main__":
    main()
