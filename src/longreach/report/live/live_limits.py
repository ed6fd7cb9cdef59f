"""How much one call may ask for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class LiveLimits:
    """Limits of the server; each has a message of its own when it is met."""

    body: int = 64_000
    """Bytes of a request."""
    text: int = 20_000
    """Characters of an expression, an automaton or a program."""
    word: int = 60
    """Letters of a word that is traced or attended."""
    seconds: float = 10.0
    """Of one call, on the clock."""
    memory: int = 3 << 30
    """Bytes of address space of a worker."""
    reading: float = 10.0
    """Seconds in which a request has to arrive."""
    connections: int = 512
    """At a time; further ones are refused."""
    workers: int = 2
    """Processes that answer calls."""
    waiting: int = 256
    """Calls that may wait for a worker; further ones are refused."""
    trainings: int = 1
    """Trainings at a time."""
    minutes: float = 10.0
    """The longest training that may be asked for."""
    training_memory: int = 8 << 30
    """Bytes of data of each process of a training."""
    kept: int = 20
    """Trainings that are over and still shown."""
