"""With what the census trains: one setting for all languages at one training length, in a file.

Held-out languages may be looked at only when that file is committed: what was seen can then no longer change
with what was asked.
"""

from __future__ import annotations

import hashlib
import subprocess
from functools import cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import longreach
from longreach.config.decoder import first_error
from longreach.config.scales import PAPER_SEEDS, CellSetting, Count, Scale
from longreach.errors import File, InputError
from longreach.studies.census.canonical_form import Part

SETTINGS = Path(__file__).with_name("settings.json")


class CensusSettings(BaseModel):
    """The whole file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    about: str
    chosen: str
    """How, on which languages."""
    encodings: tuple[str, ...]
    seeds: dict[Part, Count]
    setting: CellSetting
    """Of all runs."""
    languages: dict[str, dict[Part, Annotated[int, Field(ge=0)]]]
    """By training length: the first so many of each stratum."""

    def count(self, trained_to: int, part: Part) -> int:
        """How many languages of each stratum are trained to a length.

        >>> settings().count(20, "held-out")
        14
        >>> settings().count(21, "held-out")
        Traceback (most recent call last):
        longreach.errors.InputError: the census trains to 10, 20, 50, not to 21
        """
        found = self.languages.get(str(trained_to))
        if found is None:
            raise InputError(f"the census trains to {', '.join(self.languages)}, not to {trained_to}")
        return found[part]

    @property
    def trained_to(self) -> tuple[int, ...]:
        """All training lengths."""
        return tuple(map(int, self.languages))

    def at_scale(self, scale: Scale) -> Self:
        """As they are for `laptop`; all languages with five seeds for `paper`, next to nothing for `smoke`.

        >>> [settings().at_scale(scale).count(10, "held-out") for scale in ("smoke", "laptop", "paper")]
        [1, 5, 14]
        """
        if scale == "laptop":
            return self
        most = {part: max(each[part] for each in self.languages.values()) for part in self.seeds}
        if scale == "paper":
            counts = dict.fromkeys(self.languages, most)
            return self.model_copy(
                update={"languages": counts, "seeds": dict.fromkeys(self.seeds, PAPER_SEEDS)}
            )
        tiny = self.setting.model_copy(
            update={"layers": 1, "heads": 1, "width": 8, "max_steps": 5, "evaluate_every": 5, "test_size": 10}
        )
        one: dict[Part, int] = dict.fromkeys(self.seeds, 1)
        return self.model_copy(
            update={"languages": {next(iter(self.languages)): one}, "seeds": one, "setting": tiny}
        )


def read_settings(path: Path) -> CensusSettings:
    """The settings in a file, or an error of one line."""
    try:
        return CensusSettings.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", place=File(str(path))) from None
    except ValidationError as error:
        raise InputError(str(first_error(error, CensusSettings)), place=File(str(path))) from None


@cache
def settings() -> CensusSettings:
    """Those that come with this version."""
    return read_settings(SETTINGS)


def fingerprint(path: Path = SETTINGS) -> str:
    """A short hash of the file, which every run of the census carries."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def commit_of(path: Path = SETTINGS) -> str:
    """The commit that the file stands in as it is; refused where it was changed since, or never committed.

    In an installed package, which has no history, the file is that of the release.
    """
    root = next((each for each in path.resolve().parents if (each / ".git").exists()), None)
    if root is None:
        return longreach.__version__
    commit = ""
    if not _git(root, "status", "--porcelain", "--ignored", "--", str(path)):
        commit = _git(root, "log", "-1", "--format=%H", "--", str(path))
    if not commit:
        reason = "not committed as it is: held-out languages may not be looked at; commit the settings first"
        raise InputError(reason, place=File(str(path)))
    return commit


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        raise InputError("git does not answer, and it must say whether the settings are committed") from None
    return done.stdout.strip()
