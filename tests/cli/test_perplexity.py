"""`longreach perplexity`: documents, tables, figures, and what bad input gets."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import MagicMock

import pytest

from tests.cli.conftest import Call
from tests.helpers.extras import needs
from tests.helpers.text_samples import text_file

pytestmark = [pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.helpers.text_samples import tiny_checkpoint

    return tiny_checkpoint(tmp_path_factory.mktemp("model"))


@needs("transformers")
def test_a_document_by_length_and_position(longreach: Call, directory: Path, tmp_path: Path) -> None:
    text = text_file(tmp_path, 10)
    done = longreach("perplexity", directory, text, "--lengths", "8,24", "--windows", 5, "--json")
    assert done.code == 0
    document = done.document
    assert document["tokens"] == len(text.read_text(encoding="utf-8"))
    assert [entry["length"] for entry in document["perplexity"]] == [8, 24]
    assert [len(entry["loss_by_position"]) for entry in document["perplexity"]] == [8, 24]
    assert all(entry["windows"] == 5 and entry["perplexity"] > 1 for entry in document["perplexity"])
    assert "influence" not in document


@needs("transformers")
def test_people_see_a_table_a_figure_and_influential_tokens(
    longreach: Call, directory: Path, tmp_path: Path
) -> None:
    out = tmp_path / "losses.svg"
    done = longreach(
        "perplexity", directory, text_file(tmp_path, 10), "--lengths", "6,12", "--influential", 2,
        "--examples", 4, "--out", out,
    )  # fmt: skip
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].split()[:2] == ["length", "perplexity"]
    assert lines[1].split()[0] == "6"
    assert "4 windows: near tokens alone" in done.out
    assert "correlation of the gains" in done.out
    assert out.read_bytes().startswith(b"<?xml")
    assert f"wrote {out}" in done.err


@needs("transformers")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--lengths", "8,x"], "--lengths: '8,x' is not a list of numbers"),
        (["--lengths", "0"], "--lengths: 0 is not a length"),
        (["--lengths", "64"], "--lengths: 64 is more than the 48 positions of the model"),
        (["--lengths", "5000"], "the text has"),
        (["--lengths", "8", "--influential", "2"], "--influential: needs two --lengths"),
        (["--lengths", "8,10", "--influential", "2"], "of 10 tokens, 8 near ones leave 1 far ones"),
        (["--out", "losses.txt"], "--out: losses.txt: must end in"),
        (["--out", "nowhere/losses.svg"], "--out: nowhere/losses.svg: no such directory"),
        (["--device", "gpu"], "--device: "),
    ],
)  # fmt: skip
def test_bad_options_are_one_line(
    longreach: Call, directory: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    done = longreach("perplexity", directory, text_file(tmp_path, 20), *options)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(message)


def test_what_is_not_there(longreach: Call, tmp_path: Path) -> None:
    text = text_file(tmp_path)
    done = longreach("perplexity", tmp_path / "nothing", text)
    assert (done.code, "no such directory" in done.first_error) == (2, True)
    done = longreach("perplexity", tmp_path, text)
    assert "has no config.json" in done.first_error


@pytest.mark.parametrize("empty", [False, True], ids=["no tokenizer", "one without tokens"])
def test_a_model_without_a_tokenizer_is_refused(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty: bool
) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}', encoding="utf-8")
    (tmp_path / "model.safetensors").touch()
    if empty:
        (tmp_path / "tokenizer_config.json").write_text("{}", encoding="utf-8")
        monkeypatch.setattr("longreach.models.huggingface.library", lambda _: MagicMock())
        monkeypatch.setattr("longreach.models.huggingface.quietly", lambda *_: {"input_ids": []})
    text = text_file(tmp_path)
    for command in (("perplexity", tmp_path, text), ("inspect", tmp_path, "--text", text)):
        done = longreach(*command)
        said = f"{tmp_path}: has no tokenizer (tokenizer.json); save that of the model there"
        assert (done.code, done.out, done.err) == (2, "", f"{said}\n")
