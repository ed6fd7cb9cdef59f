"""What made a result: the version of the code and of the packages it stands on."""

from __future__ import annotations

import functools
import platform
import subprocess
from pathlib import Path

import longreach

PACKAGES = ("numpy", "torch", "transformers")


@functools.cache
def code_version() -> str:
    """The version of this program, with the commit when it runs from a checkout.

    >>> code_version().split("+")[0] == longreach.__version__
    True
    """
    root = Path(longreach.__file__).parents[2]
    if not (root / ".git").exists():
        return longreach.__version__
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return longreach.__version__
    return f"{longreach.__version__}+{done.stdout.strip()}"


@functools.cache
def _versions() -> tuple[tuple[str, str], ...]:
    import importlib.metadata

    found = [("python", platform.python_version())]
    for name in PACKAGES:
        try:
            found.append((name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            continue
    return tuple(found)


def package_versions() -> dict[str, str]:
    """Python and those of the packages that numbers depend on which are installed.

    >>> package_versions()["numpy"].split(".")[0]
    '2'
    """
    return dict(_versions())
