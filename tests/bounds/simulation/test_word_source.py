"""Words from text, files and the generator."""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.bounds.simulation.model_pair import ModelPair
from longreach.bounds.simulation.word_source import read_word
from longreach.errors import InputError
from longreach.limit.compile.attention_averages import simple_task_model
from longreach.limit.compile.kgram_head import kgram_head

PAIR = ModelPair(simple_task_model(), simple_task_model())


def test_tokens_together_or_apart() -> None:
    assert read_word(PAIR, "0120").tolist() == read_word(PAIR, " 0 1 2 0 ").tolist() == [0, 1, 2, 0]
    long = kgram_head(["up", "down"], 1)
    assert read_word(ModelPair(long, long), "up down up").tolist() == [0, 1, 0]


def test_a_file_may_have_many_lines(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("012\n210\n")
    assert read_word(PAIR, f"@{tmp_path / 'word'}").tolist() == [0, 1, 2, 2, 1, 0]


def test_random_words_are_the_same_for_the_same_seed() -> None:
    one, other, third = (read_word(PAIR, f"random:100{seed}") for seed in ("", ":0", ":1"))
    assert one.tolist() == other.tolist() != third.tolist()
    assert set(one.tolist()) == {0, 1, 2}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("013", "word: token 3, '3', is not one of the model's"),
        ("random:x", "word: 'random:x': random:LENGTH"),
        ("random:999999999999", "has up to 50,000,000 tokens"),
        ("@nowhere", "nowhere: cannot be read"),
        ("@.", "cannot be read"),
    ],
)
def test_bad_words_are_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as error:
        read_word(PAIR, text)
    assert "\n" not in error.value.message


def test_a_bad_token_in_a_file_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("0 1\nx")
    with pytest.raises(InputError, match=r"word: token 3, 'x', is not one"):
        read_word(PAIR, f"@{tmp_path / 'word'}")
    (tmp_path / "word").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_word(PAIR, f"@{tmp_path / 'word'}")
