"""`python -m benchmarks [NAME…]`: runs the benchmarks and prints each ratio when it is there."""

from __future__ import annotations

import importlib
import os
import sys
import time
from pathlib import Path

NAME, VALUE, UNIT = 72, 9, 6


def main() -> None:
    known = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    chosen = [f"bench_{name.removeprefix('bench_')}" for name in sys.argv[1:]] or known
    unknown = [name for name in chosen if name not in known]
    if unknown:
        sys.exit(f"no benchmark {unknown[0]!r}; there are {', '.join(known)}")
    line("benchmark", "measured", "", "wanted")
    for name in chosen:
        start = time.monotonic()
        for row in importlib.import_module(f"benchmarks.{name}").rows():
            line(
                row.name,
                f"{row.value:,.2f}" if row.value < 100 else f"{row.value:,.0f}",
                row.unit,
                row.wanted,
            )
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
        line(f"  {name}: {time.monotonic() - start:.0f} seconds, load {load:.1f}", "", "", "")


def line(name: str, value: str, unit: str, wanted: str) -> None:
    print(f"{name:<{NAME}} {value:>{VALUE}} {unit:<{UNIT}} {wanted}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
