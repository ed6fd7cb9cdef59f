"""The crasp commands: documents, exit codes, and what bad input gets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from longreach.cli import crasp as crasp_commands
from longreach.cli.screen import Screen
from longreach.theory.crasp.library import ENTRIES
from tests.cli.conftest import Call

MAJORITY = 'A = # "a"\nB = # "b"\nM = A >= B\n'


# True of all words that anybody can list; that needs nested counts, and no proof of either is found.
NESTED = """#alphabet a b
o = # "a"
c = # "b"
P = # (o - c > 100000) == 0
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "majority.cr"
    path.write_text(MAJORITY, encoding="utf-8")
    return path


def test_run_document(longreach: Call, program: Path) -> None:
    done = longreach("crasp", "run", program, "aab", "abb", "ε", "", "a b x", "--json")
    assert done.code == 0
    assert done.document == {
        "program": str(program),
        "alphabet": ["a", "b"],
        "accepted": [True, False, True, True, True],
    }


def test_run_words_file_skips_blank_lines_and_comments(
    longreach: Call, program: Path, tmp_path: Path
) -> None:
    words = tmp_path / "words.txt"
    words.write_text("// words\naab\n\n  \nε\nb\n", encoding="utf-8")
    done = longreach("crasp", "run", program, "a", "--input", words, "--json")
    assert done.document["accepted"] == [True, True, True, False]


def test_run_reads_standard_input(program: Path) -> None:
    command = [sys.executable, "-m", "longreach", "crasp", "run", str(program), "--input", "-", "--json"]
    done = subprocess.run(command, input="ab\nbb\n", capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["accepted"] == [True, False]


def test_run_predictor_document(longreach: Call) -> None:
    done = longreach("crasp", "run", "lib:binary-majority", "SOS 0 1 1 SEP 1", "ε", "--json")
    assert done.document["predicted"] == [[[], [], [], [], ["1"], ["EOS"]], []]


def test_run_for_people(longreach: Call) -> None:
    done = longreach("crasp", "run", "lib:dyck-1", "(())", ")(")
    assert done.out == "accept  (())\nreject  )(\n"
    done = longreach("crasp", "run", "lib:binary-majority", "SOS 1 SEP 1")
    assert done.out.splitlines() == [
        "SOS 1 SEP 1",
        "    1  SOS → ·",
        "    2  1   → ·",
        "    3  SEP → 1",
        "    4  1   → EOS",
    ]


def test_trace_table_is_aligned(longreach: Call) -> None:
    done = longreach("crasp", "trace", "lib:dyck-1", "(()")
    lines = done.out.splitlines()
    assert lines[1].split() == ["(", "(", ")"]
    assert lines[2] == 'C_open = # "("        1 2 2'
    assert len({len(line) for line in lines[:-1]}) == 1
    assert lines[-1] == "reject"


def test_trace_document_and_page(longreach: Call, tmp_path: Path) -> None:
    page = tmp_path / "trace.html"
    done = longreach("crasp", "trace", "lib:dyck-1", "()", "--html", page, "--json")
    document = done.document
    assert document["word"] == ["(", ")"]
    assert document["positions"] == [1, 2]
    assert document["accepted"] is True
    assert document["operations"][0] == {
        "name": "C_open", "text": 'C_open = # "("', "sort": "count", "values": [1, 1],
    }  # fmt: skip
    html = page.read_text(encoding="utf-8")
    assert "C_open" in html
    assert "http" not in html
    assert list(tmp_path.iterdir()) == [page]


def test_trace_of_every_core_operation_and_of_the_empty_word(longreach: Call) -> None:
    document = longreach("crasp", "trace", "lib:dyck-1", "ε", "--core", "--json").document
    assert document["positions"] == [0]
    assert len(document["operations"]) > 7
    assert document["accepted"] is True


def test_check_agrees(longreach: Call) -> None:
    done = longreach("crasp", "check", "lib:tomita-2", "(10)*", "--length", 30, "--json")
    assert done.code == 0
    assert done.document == {"equal": True, "length": 30, "proof": "checked", "witness": None}


def test_check_proves_on_request(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crasp_commands, "SECONDS", 0.5)
    done = longreach("crasp", "check", "lib:d-2", "(a(ab)*b)*", "--prove", "--json")
    assert done.document["proof"] == "proved"
    path = tmp_path / "short.cr"
    path.write_text('#alphabet a\nP = # "a" <= 20', encoding="utf-8")
    done = longreach("crasp", "check", path, "a*", "--prove", "--json")
    assert (done.code, done.document["witness"]) == (1, ["a"] * 21)  # the proof fails at a word
    assert longreach("crasp", "check", path, "a*", "--prove").out.startswith(f"different on {'a' * 21}")
    path.write_text('#alphabet a b\nP = # "a" - # "b" <= 100000', encoding="utf-8")
    done = longreach("crasp", "check", path, "(a|b)*", "--prove", "--json")
    assert (done.code, done.document["witness"]) == (1, ["a"] * 100001)
    path.write_text(NESTED, encoding="utf-8")
    done = longreach("crasp", "check", path, "(a|b)*", "--prove", "--json")
    assert (done.code, done.document["proof"]) == (0, "checked")
    assert "no proof for all lengths" in done.err


def test_check_finds_the_first_difference(longreach: Call) -> None:
    done = longreach("crasp", "check", "lib:d-2", "(a(ab)*b)*|a{3}b{3}", "--length", 12, "--json")
    assert done.code == 1
    assert done.document == {
        "equal": False, "length": 12, "proof": "checked", "witness": ["a", "a", "a", "b", "b", "b"],
    }  # fmt: skip
    done = longreach("crasp", "check", "lib:d-2", "(ab)*")
    assert done.out == "different on aabb, accepted by the program alone\n"


def test_check_letters_of_an_open_program_and_the_expression(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "no-a.cr"
    path.write_text('P = # "a" == 0', encoding="utf-8")
    assert longreach("crasp", "check", path, "b*").code == 0
    assert longreach("crasp", "check", path, "(b|c)*").code == 0
    assert longreach("crasp", "check", path, "b*c?").out == "different on cb, accepted by the program alone\n"


def test_tokens_that_expressions_do_not_have(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "long.cr"
    path.write_text('P = exists "word"', encoding="utf-8")
    done = longreach("crasp", "check", path, "a*")
    assert "'word'" in done.first_error


def test_equal_documents(longreach: Call, program: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.cr"
    other.write_text('P = # "b" - # "a" <= 0', encoding="utf-8")
    done = longreach("crasp", "equal", program, other, "--length", 25, "--json")
    assert done.code == 0
    assert done.document == {"equal": True, "length": 25, "proof": "proved", "witness": None}
    assert longreach("crasp", "equal", program, program, "--json").document["proof"] == "proved"
    done = longreach("crasp", "equal", "lib:d-2", "lib:d-3", "--json")
    assert done.code == 1
    assert done.document["witness"] == list("aaabbb")


@pytest.mark.slow
def test_equal_says_when_the_budget_ends_it(longreach: Call, tmp_path: Path) -> None:
    wide = tmp_path / "wide.cr"
    letters = "abcdefghijklmnop"
    ordered = " && ".join(f'# "{x}" <= # "{y}"' for x, y in pairwise(letters))
    wide.write_text(f"P = # ({ordered}) >= 1", encoding="utf-8")
    other = tmp_path / "other.cr"
    other.write_text(f'P = # ({ordered} && # "a" <= # "c") >= 1', encoding="utf-8")
    done = longreach("crasp", "equal", wide, other, "--length", 200, "--json")
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith("--length: ")
    done = longreach("crasp", "equal", wide, other, "--json")
    assert done.code == 0
    assert done.document["length"] < 12
    assert "stopped early" in done.err


def test_equal_for_all_lengths(longreach: Call, program: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.cr"
    other.write_text('P = # "a" >= # "b" && (# "b" != 20)', encoding="utf-8")
    done = longreach("crasp", "equal", program, other, "--json")
    assert done.code == 1
    assert done.document == {
        "equal": False, "length": 40, "proof": "checked", "witness": ["a"] * 20 + ["b"] * 20,
    }  # fmt: skip
    # What is asked about words up to a length is answered for these; the rest is a remark.
    done = longreach("crasp", "equal", program, other, "--length", 30, "--json")
    assert (done.code, done.document["equal"]) == (0, True)
    assert "beyond length 30 there is a difference, first at length 40" in done.err
    other.write_text('P = # "a" >= # "b" && (# "b" != 2000000)', encoding="utf-8")
    done = longreach("crasp", "equal", program, other, "--json")
    assert done.document == {
        "equal": False, "length": 4000000, "proof": "checked", "witness": None, "shortest": 4000000,
    }  # fmt: skip
    assert longreach("crasp", "equal", program, other).out == "different, first on a word of length 4000000\n"


@pytest.mark.slow
def test_equal_says_what_is_unknown(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crasp_commands, "SECONDS", 0.5)
    nested, other = tmp_path / "nested.cr", tmp_path / "other.cr"
    nested.write_text(NESTED, encoding="utf-8")
    other.write_text("#alphabet a b\nP = true", encoding="utf-8")
    done = longreach("crasp", "equal", nested, other)
    assert (done.code, done.out) == (0, "equal on all words up to length 12 (checked; unknown beyond)\n")
    assert done.err.startswith("no proof for all lengths: a count reads another count")


def test_empty(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "program.cr"
    path.write_text('#alphabet a b\nP = (# "a" > # "b") && (# "b" > # "a")', encoding="utf-8")
    done = longreach("crasp", "empty", path, "--json")
    assert done.code == 0
    assert done.document == {"empty": True, "length": 12, "proof": "proved", "witness": None}
    assert longreach("crasp", "empty", path).out == "empty: accepts no word of any length (proved)\n"
    path.write_text('#alphabet a b\nP = (# "a" > # "b") && (# "b" > 10)', encoding="utf-8")
    done = longreach("crasp", "empty", path, "--json")
    assert done.code == 1
    assert done.document["witness"] == ["a"] * 12 + ["b"] * 11
    done = longreach("crasp", "empty", path)
    assert done.out == f"not empty: the first word that is accepted is {'a' * 12}{'b' * 11}\n"
    done = longreach("crasp", "empty", path, "--length", 20)
    assert (done.code, done.out) == (0, "empty: accepts no word up to length 20 (checked; unknown beyond)\n")
    assert longreach("crasp", "empty", "lib:sort").code == 2


def test_lower_notations(longreach: Call) -> None:
    text = longreach("crasp", "lower", "lib:dyck-1").out
    assert text.startswith("// C-RASP[∅], 15 operations, depth 2\n#alphabet ( )\n")
    assert (
        "C_open(i) := #[j ≤ i] Q_((j)" in longreach("crasp", "lower", "lib:dyck-1", "--notation", "paper").out
    )
    assert "\\begin{align*}" in longreach("crasp", "lower", "lib:dyck-1", "--notation", "latex").out
    document = longreach("crasp", "lower", "lib:dyck-1", "--simplify", "--json").document
    assert (document["class"], document["size"], document["depth"]) == ("C-RASP[∅]", 13, 2)


def test_lowered_text_is_a_program_again(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "lowered.cr"
    path.write_text(longreach("crasp", "lower", "lib:ab-d-bc").out, encoding="utf-8")
    assert longreach("crasp", "equal", path, "lib:ab-d-bc", "--json").document["proof"] == "proved"


def test_list(longreach: Call) -> None:
    listed = {entry["name"]: entry for entry in longreach("crasp", "list", "--json").document["programs"]}
    assert listed["dyck-1"]["class"] == "C-RASP[∅]"
    assert listed["copy-unique"]["kind"] == "predictor"
    table = longreach("crasp", "list").out
    assert all(f"lib:{name}" in table for name in listed)


@pytest.mark.parametrize(("width", "left_out"), [(50, "family, class, size, depth"), (80, "family")])
def test_the_list_leaves_out_columns_rather_than_letters(
    longreach: Call, monkeypatch: pytest.MonkeyPatch, width: int, left_out: str
) -> None:
    monkeypatch.setattr(crasp_commands, "console", lambda: Screen(width=width, highlight=False))
    shown = longreach("crasp", "show")
    assert all(len(line) <= width for line in shown.out.splitlines())
    assert all(f"lib:{entry.example} " in shown.out for entry in ENTRIES.values())
    assert shown.err == f"no room for: {left_out}\n"


def test_syntax_error_has_place_and_caret(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "bad.cr"
    path.write_text('A = # "a"\nP = A >=\n', encoding="utf-8")
    done = longreach("crasp", "run", path, "a", "--json")
    assert (done.code, done.out) == (2, "")
    first, source, caret = done.err.splitlines()
    assert first == f"{path}:2:9: unexpected end of line; expected an expression"
    assert source == "  P = A >="
    assert caret.index("^") == len(source)


@pytest.mark.parametrize("content", [b"", b"\n// nothing\n", b"\x00\x01", b"\xff\xfe\x00"])
def test_files_that_hold_no_program(longreach: Call, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.cr"
    path.write_bytes(content)
    done = longreach("crasp", "run", path, "a")
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(f"{path}:")
    assert longreach("crasp", "run", tmp_path, "a").first_error == f"{tmp_path}: is a directory, not a file"


def test_word_outside_the_alphabet_names_line_and_column(longreach: Call, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("aa\n\na b\n", encoding="utf-8")
    done = longreach("crasp", "run", "lib:aa", "--input", words)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(f"{words}:3:3: token 'b'")


def test_words_are_shown_as_they_are(longreach: Call, tmp_path: Path) -> None:
    (tmp_path / "p.cr").write_text('P = exists ":a:"', encoding="utf-8")
    done = longreach("crasp", "run", tmp_path / "p.cr", ":a:", "[red] :smile:")
    assert done.out == "accept  :a:\nreject  [red] :smile:\n"


def test_traces_show_counts_of_any_size(longreach: Call, tmp_path: Path) -> None:
    nines = "9" * 1000
    chain = "\n".join(f"C{k} = {nines} * C{k - 1}" for k in range(1, 6))
    (tmp_path / "p.cr").write_text(f'C0 = # "a"\n{chain}\nP = C5 >= 1', encoding="utf-8")
    done = longreach("crasp", "trace", tmp_path / "p.cr", "a", "--json")
    assert done.code == 0
    assert len(done.out) > 5000
    assert longreach("crasp", "trace", tmp_path / "p.cr", "a").code == 0


def test_standard_input_is_read_as_files_are(program: Path) -> None:
    command = [sys.executable, "-m", "longreach", "crasp", "run", str(program), "--input", "-", "--json"]
    done = subprocess.run(command, input=b"\xef\xbb\xbfbb\r\nab", capture_output=True, check=True)
    assert json.loads(done.stdout)["accepted"] == [False, True]
    done = subprocess.run(command, input=b"a\xff\n", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"<stdin>: is not a text file")


def test_pages_are_written_through_links_and_into_devices(
    longreach: Call, program: Path, tmp_path: Path
) -> None:
    link, target, pipe = tmp_path / "link.html", tmp_path / "target.html", tmp_path / "pipe"
    link.symlink_to(target)
    assert longreach("crasp", "trace", program, "ab", "--html", link).code == 0
    assert link.is_symlink()
    assert "<html" in target.read_text(encoding="utf-8")
    long_name = tmp_path / ("x" * 250)
    assert longreach("crasp", "trace", program, "ab", "--html", long_name).code == 0
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        assert longreach("crasp", "trace", program, "ab", "--html", pipe).code == 0
        assert reader.communicate()[0] == target.read_bytes()
    assert pipe.is_fifo()


FIELD = 'p = "a"\nL = !p && "b"\n'


def test_files_of_the_field(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "field.cr"
    path.write_text(FIELD, encoding="utf-8")
    done = longreach("crasp", "run", path, "a", "b", "--json")
    assert done.document["accepted"] == [False, True]
    assert done.err.startswith(
        f"warning: {path}:2:5: coli-saar's interpreter reads this otherwise: '!' takes"
    )
    assert len(done.err.splitlines()) == 1
    done = longreach("crasp", "run", path, "a", "b", "--peer", "--json")
    assert (done.document["accepted"], done.err) == ([True, True], "")


@pytest.mark.parametrize(
    "command",
    [["trace", "a"], ["check", "a|b"], ["equal", "lib:tomita-1"], ["lower"], ["compile"]],
)
def test_every_command_reads_the_peers_way(longreach: Call, tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / "field.cr"
    path.write_text(FIELD, encoding="utf-8")
    arguments = ["crasp", command[0], path, *command[1:]]
    assert longreach(*arguments).err.count("warning: ") == 1
    done = longreach(*arguments, "--peer")
    assert (done.code in (0, 1, 2), "warning" in done.err) == (True, False)


def test_a_task_reads_the_peers_way(longreach: Call, tmp_path: Path) -> None:
    path = tmp_path / "field.cr"
    path.write_text(FIELD, encoding="utf-8")
    assert longreach("forecast", f"crasp:{path}").err.count("warning: ") == 1
    done = longreach("forecast", f"crasp:peer:{path}", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.document["nope"]["verdict"] == "yes"
