"""`python -m benchmarks [NAME…]`: runs the benchmarks and prints one table of ratios."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table


def main() -> None:
    known = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    chosen = [f"bench_{name.removeprefix('bench_')}" for name in sys.argv[1:]] or known
    unknown = [name for name in chosen if name not in known]
    if unknown:
        sys.exit(f"no benchmark {unknown[0]!r}; there are {', '.join(known)}")
    table = Table(box=None, pad_edge=False)
    for column in ("benchmark", "measured", "", "wanted"):
        table.add_column(column, justify="right" if column == "measured" else "left")
    for name in chosen:
        for row in importlib.import_module(f"benchmarks.{name}").rows():
            table.add_row(
                row.name,
                f"{row.value:,.2f}" if row.value < 100 else f"{row.value:,.0f}",
                row.unit,
                row.wanted,
            )
    Console().print(table)


if __name__ == "__main__":
    main()
