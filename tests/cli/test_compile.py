"""Compiling programs from the command line, and looking at what was compiled."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from longreach.crasp.library import load
from longreach.limit.evaluate import accepts
from longreach.limit.export import load as load_model
from tests.cli.conftest import Outcome

Call = Callable[..., Outcome]


def test_limit_transformer(longreach: Call, tmp_path: Path) -> None:
    done = longreach("crasp", "compile", "lib:dyck-1", "--out", tmp_path / "dyck", "--verify", 5, "--json")
    document = json.loads(done.out)
    assert done.code == 0
    assert (document["kind"], document["layers"], document["context"]) == ("limit", 2, None)
    assert document["verified"]["agrees"] is True
    assert [p["dtype"] for p in document["verified"]["precisions"]] == ["float64", "float32", "bfloat16"]
    assert document["provable_length"] > 10**9
    model = load_model(tmp_path / "dyck")
    assert accepts(model, ["(())", ")("]).tolist() == [True, False]
    assert sorted(path.name for path in (tmp_path / "dyck").iterdir()) == ["config.json", "model.safetensors"]


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_finite_transformer(longreach: Call, tmp_path: Path, dtype: str) -> None:
    out = tmp_path / "model"
    done = longreach(
        "crasp", "compile", "lib:contains-bb", "--context", 12, "--out", out, "--dtype", dtype, "--json"
    )
    assert json.loads(done.out)["context"] == 12
    model = load_model(out)
    wanted = [load("contains-bb").accepts(word) for word in ("abba", "abab", "")]
    assert accepts(model, ["abba", "abab", ""], offset=3).tolist() == wanted


def test_finite_transformers_are_verified_at_offsets(longreach: Call) -> None:
    done = longreach("crasp", "compile", "lib:tomita-4", "--context", 16, "--verify", 4)
    assert done.code == 0
    assert "agrees with the program" in done.out


def test_nothing_is_written_without_out(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert longreach("crasp", "compile", "lib:majority").code == 0
    assert list(tmp_path.iterdir()) == []


def test_info(longreach: Call, tmp_path: Path) -> None:
    limit, finite = tmp_path / "limit", tmp_path / "finite"
    longreach("crasp", "compile", "lib:tomita-4", "--out", limit)
    longreach("crasp", "compile", "lib:tomita-4", "--context", 20, "--out", finite)
    document = json.loads(longreach("limit", "info", limit, "--json").out)
    assert (document["period"], document["locality"]) == (1, 2)
    assert document["R_infinity"]["total"] == pytest.approx(sum(list(document["R_infinity"].values())[:-1]))
    assert {margin["margin"] for margin in document["margins"]} == {None, 2.0}
    document = json.loads(longreach("limit", "info", finite, "--json").out)
    assert document["member"]["in_class"] is True
    assert np.isfinite(document["R"]["total"])
    figure = tmp_path / "growth.svg"
    assert longreach("limit", "info", limit, "--growth", figure).code == 0
    assert "<svg" in figure.read_text(encoding="utf-8")


@pytest.mark.parametrize("ending", ["png", "svg", "html"])
def test_attend(longreach: Call, tmp_path: Path, ending: str) -> None:
    figure = tmp_path / f"attention.{ending}"
    done = longreach("crasp", "attend", "lib:induction-all", "abcab", "--out", figure, "--json")
    assert (done.code, json.loads(done.out)["word"]) == (0, list("abcab"))
    content = figure.read_bytes()
    assert content.startswith({"png": b"\x89PNG", "svg": b"<?xml", "html": b"<!doctype html>"}[ending])
    if ending == "html":
        assert b"<script" not in content


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["crasp", "compile", "lib:copy-unique"], "lib:copy-unique: the compiled model would be"),
        (["crasp", "compile", "lib:dyck-1", "--context", "5", "--verify", "8"], "--verify: 8 tokens"),
        (["crasp", "compile", "lib:dyck-1", "--context", "1"], "--context: "),
        (["crasp", "compile", "lib:dyck-1", "--dtype", "int8"], "--dtype: "),
        (["crasp", "attend", "lib:dyck-1", "()", "--out", "figure.pdf"], "--out: figure.pdf"),
        (["crasp", "attend", "lib:aa", "aa", "--out", "figure.png"], "lib:aa: the program counts nothing"),
        (["crasp", "attend", "lib:dyck-1", "(x", "--out", "figure.png"], "WORD:1:2: token 'x'"),
        (["limit", "info", "no-such-directory"], "no-such-directory"),
    ],
)
def test_bad_input(longreach: Call, arguments: list[str], message: str) -> None:
    done = longreach(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(message)


def test_a_program_with_the_start_symbol_is_refused(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "dollar.cr"
    path.write_text('P = exists "$"', encoding="utf-8")
    done = longreach("crasp", "compile", path)
    assert done.code == 2
    assert "'$'" in done.first_error
