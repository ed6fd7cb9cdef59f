"""An enumeration in a directory, from which a later one goes on: arrays and JSON, nothing that runs."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from longreach.errors import InputError
from longreach.files import MODEL_BYTES, read_bytes, read_json, read_text, write_file
from longreach.theory.budget import Budget
from longreach.theory.search.behaviours import Sets
from longreach.theory.search.enumeration import Enumeration, Found
from longreach.theory.search.space import Family, WordTree

STATE, ARRAYS = "state.json", "arrays.npz"


VERSION = 1


def save_enumeration(enumeration: Enumeration, directory: Path) -> None:
    """Write what is known; the state is written last, and says which arrays belong to it.

    Sets of a size that was not finished are not among it.
    """
    arrays: dict[str, Any] = {
        "parents": enumeration.tree.parents,
        "letters": enumeration.tree.letters,
        "starts": np.array(enumeration.tree.starts),
        "bits": enumeration.behaviours.bits,
        "counts": enumeration.behaviours.counts,
        "found": _found_rows(enumeration.found),
    }
    for (booleans, counts), sets in enumeration.sets.items():
        arrays |= {f"sets_{booleans}_{counts}_{name}": column for name, column in vars(sets).items()}
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **arrays)
    state = {
        "version": VERSION,
        "alphabet": list(enumeration.tree.alphabet),
        "modulus": enumeration.family.modulus,
        "distance": enumeration.family.distance,
        "level": enumeration.level,
        "complete": enumeration.complete,
        "candidates": enumeration.candidates,
        "shapes": [list(shape) for shape in enumeration.sets],
        "arrays": hashlib.sha256(packed.getvalue()).hexdigest(),
    }
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{directory}: cannot be written: {error.strerror}") from None
    write_file(directory / ARRAYS, packed.getvalue())
    write_file(directory / STATE, json.dumps(state, indent=1) + "\n")


def load_enumeration(directory: Path, budget: Budget | None = None) -> Enumeration:
    """The enumeration of a directory; an InputError says what is wrong with it."""
    place = directory / STATE
    state = read_json(read_text(place, most=MODEL_BYTES), str(place))
    content = read_bytes(directory / ARRAYS, most=MODEL_BYTES)
    if not isinstance(state, dict) or state.get("version") != VERSION:
        raise InputError(f"{place}: is not the state of an enumeration of this version")
    if hashlib.sha256(content).hexdigest() != state.get("arrays"):
        raise InputError(
            f"{directory / ARRAYS}: does not belong to {STATE}; remove the directory to begin anew"
        )
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return _restored(state, dict(arrays), budget)
    except (KeyError, ValueError, TypeError, IndexError, zipfile.BadZipFile) as error:
        raise InputError(f"{directory}: is damaged: {type(error).__name__}: {error}") from None


def _restored(state: dict[str, Any], arrays: dict[str, Any], budget: Budget | None) -> Enumeration:
    tree = WordTree(
        tuple(state["alphabet"]), arrays["parents"], arrays["letters"], tuple(arrays["starts"].tolist())
    )
    family = Family(modulus=state["modulus"], distance=state["distance"])
    enumeration = Enumeration(tree, family, budget)
    enumeration.behaviours.restore(arrays["bits"], arrays["counts"])
    sets = {}
    for booleans, counts in state["shapes"]:
        columns = (arrays[f"sets_{booleans}_{counts}_{part.name}"] for part in fields(Sets))
        sets[booleans, counts] = Sets(*columns)
    enumeration.restore(
        sets,
        _found_of(arrays["found"]),
        level=state["level"],
        complete=state["complete"],
        candidates=state["candidates"],
    )
    return enumeration


def _found_rows(found: tuple[Found, ...]) -> Any:
    """A row each: behaviour, size, number of Boolean members, then the members, filled up with −1."""
    width = max((len(each.members[0]) + len(each.members[1]) for each in found), default=0)
    rows = np.full((len(found), 3 + width), -1, np.int32)
    for row, each in zip(rows, found, strict=True):
        members = [*each.members[0], *each.members[1]]
        row[: 3 + len(members)] = [each.behaviour, each.size, len(each.members[0]), *members]
    return rows


def _found_of(rows: Any) -> list[Found]:
    found = []
    for behaviour, size, booleans, *members in rows.tolist():
        members = [number for number in members if number >= 0]
        parts = (tuple(members[:booleans]), tuple(members[booleans:]))
        found.append(Found(behaviour=behaviour, size=size, members=parts))
    return found
