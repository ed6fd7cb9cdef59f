"""Compiling programs from the command line, and looking at what was compiled."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from longreach.theory.crasp.library import load
from longreach.theory.limit import finite
from longreach.theory.limit.certificate import verify_finite
from longreach.theory.limit.compiler import compile_program
from longreach.theory.limit.files import load as load_model
from longreach.theory.limit.finite import to_finite
from longreach.theory.limit.model import Transformer
from longreach.theory.limit.run import accepts
from tests.cli.conftest import Call


def test_limit_transformer(longreach: Call, tmp_path: Path) -> None:
    done = longreach("crasp", "compile", "lib:dyck-1", "--out", tmp_path / "dyck", "--verify", 5, "--json")
    document = done.document
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
    assert done.document["context"] == 12
    model = load_model(out)
    wanted = [load("contains-bb").accepts(word) for word in ("abba", "abab", "")]
    assert accepts(model, ["abba", "abab", ""], offset=3).tolist() == wanted


def test_finite_transformers_are_verified_at_offsets(longreach: Call) -> None:
    done = longreach("crasp", "compile", "lib:tomita-4", "--context", 16, "--verify", 4)
    assert done.code == 0
    assert "the transformer T_n agrees with the program at every operation, on all words up to" in done.out
    assert "the limit transformer" not in done.out


def test_verification_runs_t_n_itself(longreach: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(limit: Transformer, context: int) -> Transformer:
        made = to_finite(limit, context)
        positions = made.positions.copy()
        positions[-1] = positions[0]  # wrong at the last offset alone
        return replace(made, positions=positions)

    monkeypatch.setattr(finite, "to_finite", broken)
    arguments = ["crasp", "compile", "lib:contains-bb", "--context", "9", "--verify", "3"]
    done = longreach(*arguments, "--json")
    found = done.document["verified"]
    assert (done.code, found["of"], found["agrees"]) == (1, "finite", False)
    assert "the transformer T_n differs from the program" in longreach(*arguments).out


def test_a_wrong_answer_is_found_where_all_operations_are_right(longreach: Call) -> None:
    core = load("dyck-1").core
    made = to_finite(compile_program(core), 9)
    assert verify_finite(made, core, 3).agrees
    report = verify_finite(replace(made, unembedding=-made.unembedding), core, 3)
    assert report.disagreement is not None


@pytest.mark.parametrize("length", [10**6, 10**30])
def test_verification_stops_at_what_is_feasible(longreach: Call, length: int) -> None:
    done = longreach("crasp", "compile", "lib:aa", "--verify", length, "--json")
    assert 500 < done.document["verified"]["length"] < 1000
    assert "too many words" in done.first_error


GIB = r"needs [0-9,.]+ GiB of memory; the limit is 2\.0 GiB"


@pytest.mark.parametrize(
    ("program", "options", "message"),
    [
        ("lib:contains-bb", ["--context", "100000"], f"--context: .* {GIB}"),
        ("lib:majority", ["--context", "2147483648"], f"--context: .* {GIB}"),
        ("lib:contains-bb", ["--context", str(10**4000)], r"--context: .* about 10\^[0-9]+ GiB .*"),
        ("L = i % 997 == 3", ["--context", "20"], f"--context: .* {GIB}"),
        ("L = i % 99999999 == 3", [], ".*: the moduli give positions a period of 99999999; the limit is .*"),
        (f"L = i % {10**900} == 3 || i % {10**900 - 1} == 3", [], ".*: the moduli .* about 10.1800; .*"),
        ('L = #[i-1000..i-1] "a" >= 3', [], f".*: the compiled model, of width .* {GIB}"),
        ('L = #[i-1000000..i-1] "a" >= 3', [], ".*: the compiled model would be at least .* wide; .*"),
    ],
)
def test_sizes_are_refused_before_they_are_allocated(
    longreach: Call, tmp_path: Path, program: str, options: list[str], message: str
) -> None:
    source = program
    if not program.startswith("lib:"):
        source = str(tmp_path / "program.cr")
        Path(source).write_text(program, encoding="utf-8")
    done = longreach("crasp", "compile", source, *options)
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(message, done.err.strip()), done.err


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("precision", "1" + "0" * 400),
        ("precision", "NaN"),
        ("precision", "-Infinity"),
        ("period", "1e400"),
        ("layers", "1" + "0" * 5000),
        ("layers", "1000000000"),
        ("heads", "NaN"),
        ("vocabulary", '{"$": NaN}'),
        ("vocabulary", "[" * 3000 + "]" * 3000),
        ("coordinates", '{"x": 1' + "0" * 400 + "}"),
        ("dtype", '"\\u001b[2J"'),
        ("kind", "null"),
    ],
)
def test_info_of_a_hostile_configuration(longreach: Call, tmp_path: Path, field: str, value: str) -> None:
    longreach("crasp", "compile", "lib:dyck-1", "--out", tmp_path)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    config[field] = "VALUE"
    text = json.dumps(config).replace('"VALUE"', value)
    (tmp_path / "config.json").write_text(text, encoding="utf-8")
    done = longreach("limit", "info", tmp_path, "--json")
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert field.removesuffix("s") in done.err or "JSON" in done.err


@pytest.mark.parametrize("value", [1e308, 1e-320, float("nan"), float("inf")])
@pytest.mark.parametrize("context", [[], ["--context", "8"]])
def test_info_of_hostile_parameters(
    longreach: Call, tmp_path: Path, value: float, context: list[str]
) -> None:
    longreach("crasp", "compile", "lib:contains-bb", "--out", tmp_path, *context)
    path = tmp_path / "model.safetensors"
    content = bytearray(path.read_bytes())
    start = 8 + int.from_bytes(content[:8], "little")
    for place in range(start, start + 800, 8):
        content[place : place + 8] = np.float64(value).tobytes()
    path.write_bytes(content)
    for options in ([], ["--json"]):
        done = longreach("limit", "info", tmp_path, *options)
        assert len(done.err.splitlines()) == (1 if done.code else 0), done.err
        assert done.code in (0, 2)
    if done.code == 0:
        json.loads(done.out, parse_constant=pytest.fail)


@pytest.mark.parametrize("name", ["layer.{}.head.0.KQ", "layer.0.head.{}.V"])
def test_info_of_hostile_names(longreach: Call, tmp_path: Path, name: str) -> None:
    longreach("crasp", "compile", "lib:dyck-1", "--out", tmp_path)
    path = tmp_path / "model.safetensors"
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header[name.format("9" * 5000)] = header.pop("layer.0.head.0.KQ")
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])
    done = longreach("limit", "info", tmp_path)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)


def test_info_of_a_huge_file(longreach: Call, tmp_path: Path) -> None:
    longreach("crasp", "compile", "lib:dyck-1", "--out", tmp_path)
    with (tmp_path / "model.safetensors").open("r+b") as file:
        file.truncate(1 << 40)  # no block of it is written
    done = longreach("limit", "info", tmp_path)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert "model.safetensors: larger than " in done.err


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
    document = longreach("limit", "info", limit, "--json").document
    assert (document["period"], document["locality"]) == (1, 2)
    assert document["R_infinity"]["total"] == pytest.approx(sum(list(document["R_infinity"].values())[:-1]))
    assert {margin["margin"] for margin in document["margins"]} == {None, 2.0}
    document = longreach("limit", "info", finite, "--json").document
    assert document["member"]["in_class"] is True
    assert np.isfinite(document["R"]["total"])
    figure = tmp_path / "growth.svg"
    assert longreach("limit", "info", limit, "--growth", figure).code == 0
    assert "<svg" in figure.read_text(encoding="utf-8")


@pytest.mark.parametrize("ending", ["png", "svg", "html"])
def test_attend(longreach: Call, tmp_path: Path, ending: str) -> None:
    figure = tmp_path / f"attention.{ending}"
    done = longreach("crasp", "attend", "lib:induction-all", "abcab", "--out", figure, "--json")
    assert (done.code, done.document["word"]) == (0, list("abcab"))
    content = figure.read_bytes()
    assert content.startswith({"png": b"\x89PNG", "svg": b"<?xml", "html": b"<!doctype html>"}[ending])
    if ending == "html":
        assert b"<script" not in content


def test_a_program_with_the_start_symbol_is_refused(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "dollar.cr"
    path.write_text('P = exists "$"', encoding="utf-8")
    done = longreach("crasp", "compile", path)
    assert done.code == 2
    assert "'$'" in done.first_error
