"""The settings of the census: complete, committed before held-out languages are looked at."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from longreach.config.training import TrainConfig
from longreach.errors import InputError
from longreach.studies.census.census_settings import (
    SETTINGS,
    commit_of,
    fingerprint,
    read_settings,
    settings,
)


def _git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    _git(tmp_path, "init", "-q")
    (tmp_path / "settings.json").write_bytes(SETTINGS.read_bytes())
    return tmp_path


def test_the_setting_says_every_field_so_that_no_other_default_can_change_it() -> None:
    of_a_member = {"task", "alphabet", "encoding", "train_lengths", "test_lengths", "seed"}
    # Fields that came later stand in no document while they have their default, which never changes.
    asked = TrainConfig.model_fields.keys() - of_a_member - set(TrainConfig.later)
    assert settings().setting.given.keys() == asked


def test_settings_that_were_never_committed_are_refused(repository: Path) -> None:
    with pytest.raises(InputError, match="not committed"):
        commit_of(repository / "settings.json")


def test_settings_are_refused_from_a_change_to_its_commit(repository: Path) -> None:
    path = repository / "settings.json"
    _git(repository, "add", ".")
    _git(repository, "commit", "-qm", "first")
    first = commit_of(path)
    assert first == _git(repository, "rev-parse", "HEAD")
    before = fingerprint(path)
    path.write_text(path.read_text().replace("0.003", "0.002"))
    assert fingerprint(path) != before
    with pytest.raises(InputError, match="not committed"):
        commit_of(path)
    _git(repository, "add", ".")
    with pytest.raises(InputError, match="not committed"):
        commit_of(path)
    _git(repository, "commit", "-qm", "second")
    assert commit_of(path) != first
    (repository / "other").write_text("")
    _git(repository, "add", ".")
    _git(repository, "commit", "-qm", "third")
    assert commit_of(path) == _git(repository, "rev-parse", "HEAD~1")


def test_without_history_the_settings_are_those_of_the_release(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(SETTINGS.read_bytes())
    assert "." in commit_of(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"layers"', '"layer"'), "setting"),
        (('"held-out": 3}', '"others": 3}'), "seeds"),
        (("{", "["), "JSON"),
    ],
)
def test_bad_settings_are_refused_in_one_line(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(SETTINGS.read_text().replace(*change, 1))
    with pytest.raises(InputError, match=message) as caught:
        read_settings(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
