"""A study that trains no members of `longreach train`: it computes its own numbers, or reads what was run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from longreach.config.scales import Scale

FORMATS = (".svg", ".png", ".pdf", ".md")


class StandaloneResult(Protocol):
    """What such a study came to."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""

    def text(self) -> str:
        """For the terminal."""

    def content(self, suffix: str, heading: str) -> bytes:
        """The figure, or the tables, in the format of a name's ending."""


@dataclass(frozen=True, kw_only=True)
class StandaloneAsked:
    """What a study is asked for."""

    scale: Scale
    seeds: int | None
    runs: Path
    held_out: bool
    """Whether held-out languages of the census are looked at, and they alone."""
    train: bool
    """Whether what is missing is computed."""
    tell: Callable[[str], None]
    """Says what is being done …"""
    progress: Callable[[str], None]
    """… and, where somebody looks, how far it is."""
    table: Path | None = None
    """A file that keeps what was computed, a line for each run."""
    fit: bool = False
    """Whether a model is fitted and kept with the package."""


@dataclass(frozen=True, kw_only=True)
class StandaloneStudy:
    """One study."""

    name: str
    title: str
    source: str
    about: str
    time: str
    options: tuple[str, ...]
    """Of `longreach study`, those that it uses beside --scale, --runs, --out and --json."""
    plan: Callable[[StandaloneAsked], dict[str, Any]]
    """What would be done: how many jobs, and how many of them are."""
    run: Callable[[StandaloneAsked], StandaloneResult]

    formats = FORMATS

    def heading(self, scale: Scale) -> str:
        """The title of its figure."""
        claim = ": few steps and runs, no claim" if scale == "smoke" else ""
        return f"{self.title} ({scale} scale{claim})"
