"""Has Coq check certificates: the development in `formal/` is compiled once, then instances are checked.

A certificate is verified if the check, evaluated inside Coq, says true, and the theorem that the check is
right, applied to it, needs no axiom.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeGuard

import longreach
from longreach.errors import InputError
from longreach.theory.architectures.documents import CascadeCertificate
from longreach.theory.certificates.coq_terms import (
    LARGEST,
    Checkable,
    Instance,
    NotWritten,
    instance_of,
    is_plain_yes,
    yes_instance,
)
from longreach.theory.certificates.documents import ProgramCertificate

SECONDS = 900
"""After which Coq is stopped."""
CLOSED = "Closed under the global context"
MISSING = "Coq is not installed (no coqc on the path); on Debian: apt install coq"
NEEDED = "YesCertificates.v"
"""The last file that instances rest on."""
HEADER = """From Coq Require Import List ZArith.
From Longreach Require Import Flows Automata Certificates TheoremB Prediction YesCertificates.
From Longreach Require Import LastMatch Cascades StableGroups.
Import ListNotations.
"""


def coqc() -> str | None:
    """Coq's compiler, if it is there."""
    return shutil.which("coqc")


def sources() -> Path:
    """The directory of the development: in the package, or beside its sources."""
    package = Path(longreach.__file__).parent
    for place in (package / "formal", package.parents[1] / "formal"):
        if (place / "_CoqProject").is_file():
            return place
    raise InputError("the Coq development (formal/) is not beside longreach")


def files(place: Path) -> list[Path]:
    """The files of the development, in the order in which they are compiled."""
    lines = (place / "_CoqProject").read_text(encoding="utf-8").split("\n")
    return [place / line for line in lines if line.endswith(".v")]


def _needed(place: Path) -> list[Path]:
    """Those that instances rest on."""
    listed = files(place)
    return listed[: listed.index(place / NEEDED) + 1]


@cache
def compiled() -> Path:
    """A directory with the compiled development, made when it is first asked for."""
    place = sources()
    digest = hashlib.sha256(_run([_coqc(), "--version"], place).stdout.encode())
    for file in _needed(place):
        digest.update(file.read_bytes())
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "longreach"
    made = caches / f"formal-{digest.hexdigest()[:16]}"
    if made.is_dir():
        return made
    try:
        caches.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{caches}: the compiled proofs cannot be kept there: {error.strerror}") from None
    with tempfile.TemporaryDirectory(dir=caches) as directory:
        work = Path(directory) / "made"
        work.mkdir()
        for file in _needed(place):
            shutil.copy(file, work)
            done = _run([_coqc(), "-R", ".", "Longreach", file.name], work)
            if done.returncode:
                raise InputError(f"{file}: coqc does not accept it: {_last_line(done.stderr)}")
        try:
            work.rename(made)
        except OSError:  # another process was faster
            if not made.is_dir():
                raise
    return made


def can_check(certificate: object) -> TypeGuard[Checkable | ProgramCertificate]:
    """Whether Coq can check a certificate like this one."""
    if isinstance(certificate, CascadeCertificate):
        return len(certificate.states) <= LARGEST
    return isinstance(certificate, Checkable) or is_plain_yes(certificate)


def check_formally(certificates: Sequence[Checkable | ProgramCertificate]) -> list[str | None]:
    """For each certificate what Coq says against it, in one sentence; None if it is verified."""
    problems: list[str | None] = []
    instances: list[Instance] = []
    for certificate in certificates:
        try:
            instances.append(
                yes_instance(certificate)
                if isinstance(certificate, ProgramCertificate)
                else instance_of(certificate)
            )
            problems.append(None)
        except NotWritten as reason:
            problems.append(f"it cannot be written for Coq: {reason}")
    found = iter(check_instances(instances))
    return [next(found) if problem is None else problem for problem in problems]


def check_instances(instances: Sequence[Instance]) -> list[str | None]:
    """For each instance what is wrong with it, in one sentence; None if Coq has verified the claim."""
    if not instances:
        return []
    values = _values(instances)
    right = [k for k, value in enumerate(values) if value]
    problems: list[str | None] = [None if value else "the check in Coq says false" for value in values]
    if right:
        text = "".join(_definitions(instances[k], k) + _theorem(instances[k], k) for k in right)
        together = "".join(f"(conj t{k} " for k in right) + "I" + ")" * len(right)
        out = _evaluate(f"{text}Definition all := {together}.\nPrint Assumptions all.\n")
        if CLOSED not in out:
            raise InputError(f"coqc: expected theorems without axioms, found: {_last_line(out)}")
    return problems


def _values(instances: Sequence[Instance]) -> list[bool]:
    out = _evaluate(
        "".join(
            _definitions(each, k) + f"Eval vm_compute in ({each.check} a{k} c{k}).\n"
            for k, each in enumerate(instances)
        )
    )
    values = [line.strip() == "= true" for line in out.split("\n") if line.strip().startswith("= ")]
    if len(values) != len(instances):
        raise InputError(f"coqc: expected {len(instances)} values, found: {_last_line(out)}")
    return values


def _definitions(instance: Instance, number: int) -> str:
    return f"Definition a{number} := {instance.automaton}.\nDefinition c{number} := {instance.certificate}.\n"


def _theorem(instance: Instance, number: int) -> str:
    return (
        f"Theorem t{number} : {instance.claim} a{number}.\n"
        f"Proof. apply ({instance.sound} a{number} c{number}). vm_cast_no_check (eq_refl true). Qed.\n"
    )


def _evaluate(text: str) -> str:
    """What coqc prints about a file that begins with the header."""
    made = compiled()
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "instance.v"
        file.write_text(HEADER + text, encoding="utf-8")
        done = _run([_coqc(), "-R", str(made), "Longreach", file.name], Path(directory))
    if done.returncode:
        raise InputError(f"coqc: {_last_line(done.stderr)}")
    return done.stdout


def _coqc() -> str:
    found = coqc()
    if found is None:
        raise InputError(MISSING)
    return found


def _run(command: list[str], place: Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, cwd=place, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"coqc did not end within {SECONDS} seconds") from None
    except OSError as error:
        raise InputError(f"coqc cannot be run: {error.strerror}") from None


def _last_line(text: str) -> str:
    lines = text.strip().split("\n")
    return lines[-1][:200]
