"""Versions name the code and the packages."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import longreach
from longreach.results import provenance


def test_the_version_of_a_checkout_names_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "src" / "longreach" / "__init__.py"
    package.parent.mkdir(parents=True)
    package.write_text("", encoding="utf-8")
    monkeypatch.setattr(longreach, "__file__", str(package))
    describe = provenance.code_version.__wrapped__
    assert describe() == longreach.__version__
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *arguments], check=True)
    clean = describe()
    assert clean.startswith(f"{longreach.__version__}+")
    assert not clean.endswith("-dirty")
    package.write_text("changed", encoding="utf-8")
    assert describe() == f"{clean}-dirty"
    monkeypatch.setenv("PATH", "")
    assert describe() == longreach.__version__


def test_packages() -> None:
    found = provenance.package_versions()
    assert {"python", "numpy"} <= found.keys()
    found["numpy"] = "changed"
    assert provenance.package_versions()["numpy"] != "changed"
