"""What tasks refuse: by their names, by files, and by calls, each with its message."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from longreach.tasks.arithmetic import BooleanExpressions
from longreach.tasks.catalog import load_argument, load_task, name_of_task
from longreach.tasks.changes import changed_task
from longreach.tasks.counting import Parity
from longreach.tasks.dependence import measured_parents
from longreach.tasks.families import KgramRetrieval, SparseParity, VariableAssignment
from longreach.tasks.layouts import check_distinct
from longreach.tasks.lengths import read_option
from longreach.tasks.numbers import load_regression
from longreach.tasks.outside import ProgramTask
from longreach.tasks.positions import locality
from longreach.tasks.regular import LabelledLanguage, RegularLanguage, StateTask, after_each_letter
from longreach.tasks.targets import target_named
from longreach.tasks.task import Task
from longreach.theory.automata.automaton import labelled, minimal
from longreach.theory.automata.regex import from_expression
from longreach.theory.crasp.library import load
from tests.helpers.refusals import refusal


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("binary-majorty", "no task named 'binary-majorty'; did you mean 'binary-majority'"),
        ("quicksort", "no task named 'quicksort'"),
        ("(aa)*", "no task named '(aa)*'; for a regular expression write 'regex:(aa)*'"),
        ("PARITY", "no task named 'PARITY'; did you mean 'parity'?"),
        ("Regex:(aa)*", "no task named 'Regex:(aa)*'; did you mean 'regex:(aa)*'?"),
        (" regex:(aa)*", "no task named ' regex:(aa)*'; did you mean 'regex:(aa)*'?"),
        ("", "no task named ''; `longreach tasks` lists the names; others are regex:…, "),
        ("mine.json", "no task named 'mine.json'; did you mean 'dfa:mine.json'?"),
        ("mine.jsonl", "no task named 'mine.jsonl'; did you mean 'data:mine.jsonl'?"),
        ("in/mine.cr", "no task named 'in/mine.cr'; did you mean 'crasp:in/mine.cr'?"),
        (
            "modp-task:p=5",
            "modp-task:p=5,k=0 has numbers as answers: longreach train, threshold and study take it",
        ),
        ("parity-scratchpad:0", "parity-scratchpad: k: 0 is not in 1 to 100"),
        ("d-0", "d-0: the depth must lie between 1 and 4000"),
        ("d-5000", "d-5000: the depth must lie between 1 and 4000"),
        ("regex:(a", "column 1: this bracket is never closed"),
        ("regex:a&b", "regex:a&b: the language is empty"),
        ("sparse-parity:0", "sparse-parity: k: 0 is not in 1 to 200"),
        ("sparse-parity:6-4", "sparse-parity: k: 6-4 is not in 1 to 200"),
        ("sparse-parity:few", "sparse-parity: k: 'few' is not a whole number, or a range as in 4-6"),
        ("parity-scratchpad:1-2", "parity-scratchpad: k: '1-2' is not a whole number"),
        ("parity-scratchpad:", "parity-scratchpad: k: '' is not a whole number"),
        ("parity-scratchpad:1,k=2", "parity-scratchpad:1,k=2: k appears twice"),
        ("parity-scratchpad:1,2", "parity-scratchpad:1,2: expected parameters as in parity-scratchpad:1,scr"),
        (
            "parity-scratchpad:scratchpad=maybe",
            "parity-scratchpad: scratchpad: 'maybe' is neither yes nor no",
        ),
        ("variable-assignment:depth=2", "variable-assignment has no parameter 'depth'; it has d, variables"),
        ("kgram-retrieval:99999999999", "kgram-retrieval: k: '99999999999' is not a whole number"),
        (
            "kgram-retrieval:k=1,3",
            "kgram-retrieval:k=1,3: expected parameters as in kgram-retrieval:2",
        ),
        ("kgram-retrieval:=3", "kgram-retrieval:=3: expected parameters as in"),
        ("kgram-retrieval:symbol=3", "kgram-retrieval has no parameter 'symbol'; did you mean 'symbols'?"),
        (
            "word-problem:S9",
            "word-problem: group: 'S9' is unknown; known are Z2 to Z60, D4, Q8, S3, A4, S4, A5",
        ),
        ("word-problem:Z61", "word-problem: group: 'Z61' is unknown"),
        ("recall-then-fold:s3", "recall-then-fold: group: 's3' is unknown"),
        ("recall-then-fold:pairs=20", "recall-then-fold:pairs=20: 20 pairs need as many keys"),
        ("mqar:8,symbols=8", "mqar:8,symbols=8: 8 pairs need as many keys; symbols has two for each"),
        ("flip-flop:1", "flip-flop: ignore: 1 is not in 0 to 0.999"),
        ("simple-task:", "simple-task:: expected parameters as in simple-task:omega=1"),
        ("simple-task:2", "simple-task:2: expected parameters as in simple-task:omega=1"),
        ("simple-task:omega=two", "simple-task: omega: 'two' is not a number"),
        ("simple-task:omega=nan", "simple-task: omega: nan is not in 1e-06 to 1e+06"),
        ("simple-task:omega=0", "simple-task: omega: 0 is not in"),
        ("simple-task:omega=1,omega=2", "simple-task:omega=1,omega=2: omega appears twice"),
        ("simple-task:omgea=1", "simple-task has no parameter 'omgea'; did you mean 'omega'?"),
        ("modp-task:p=2.5", "modp-task: p: '2.5' is not a whole number"),
        ("modp-task:p=3,k=3", "modp-task:p=3,k=3: k must be less than p"),
        (
            "in-context-kgram:S=10,k=3",
            "in-context-kgram:S=10,k=3: 1000 contexts of k tokens are more than 256",
        ),
        *(
            (f"{name}+scratchpad", f"{name}+scratchpad: no steps are known")
            for name in (
                "sort",
                "copy-repeat",
                "dyck-1",
                "states-after:(ab)*",
            )
        ),
        ("aa+reversed", "aa+reversed: it has no answer that could be written in another order"),
        ("parity+reversed", "parity+reversed: its answer is one token"),
        *(
            (f"{name}+scratchpad+reversed", f"{name}+scratchpad+reversed: the steps of a scratchpad have one")
            for name in ("parity", "boolean-expressions")
        ),
        ("parity-scratchpad:2+reversed", "parity-scratchpad:2+reversed: its answers have no EOS"),
        ("parity-scratchpad:2+index-hints", "parity-scratchpad:2+index-hints: its answers have no EOS"),
        ("parity+scratchpads", "no task named 'parity+scratchpads'"),
        ("sort+index-hints", "sort+index-hints: the task has no coupled ids"),
        ("aa+index-hints", "aa+index-hints: the task has no coupled ids"),
        ("parity-scratchpad:2,scratchpad=no", "parity-scratchpad: k needs a scratchpad"),
        ("states:a&b", "states:a&b: the language is empty"),
        (
            'dfa:{"alphabet":["q1","a"],"transitions":[[1,0],[0,1]],"accepting":[0]}+scratchpad',
            "dfa:2-states-fa21d120+scratchpad: 'q1' cannot be a symbol",
        ),
    ],
)
def test_names(name: str, message: str) -> None:
    assert refusal(load_task, name).startswith(message)


MODULES = {
    "outside_tasks": """
from longreach.tasks.copying import Sort
small = Sort(9)
def even_a(word):
    return word.count("a") % 2 == 0
def asks(size, symbols):
    return Sort(size)
def fails():
    raise KeyError("x")
class Box:
    inside = small
number = 3
""",
    "outside_broken": "1 / 0",
    "outside_ends": "import sys; sys.exit('usage: ends FILE')",
    "outside_needs": "import no_such_package",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name, text in MODULES.items():
        monkeypatch.delitem(sys.modules, name, raising=False)
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    return tmp_path


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("outside_tasks:smal", "task: module 'outside_tasks' has no attribute 'smal'; did you mean 'small'"),
        (
            "outside_tasks:number",
            "task: outside_tasks:number: expected a Task, or a function that makes one, not int",
        ),
        (
            "outside_tasks:Box",
            "task: outside_tasks:Box: expected a Task, or a function that makes one, not Box",
        ),
        (
            "outside_tasks:even_a",
            "alphabet: missing; give the letters of the words that even_a reads, as in ab",
        ),
        ("outside_tasks:asks", "task: outside_tasks:asks: calling it without arguments fails: TypeError"),
        ("outside_tasks:fails", "task: outside_tasks:fails: calling it without arguments fails: KeyError"),
        ("outside_broken:x", "task: module 'outside_broken' cannot be imported: ZeroDivisionError"),
        ("outside_ends:x", "task: module 'outside_ends' cannot be imported: SystemExit: usage: ends FILE"),
        ("outside_needs:x", "task: module 'outside_needs' cannot be imported: ModuleNotFoundError"),
        ("no_such_module:x", "task: no module named 'no_such_module'"),
        ("longreach.nothing:x", "task: no module named 'longreach.nothing'"),
        ("no such module:x", "task: no task named 'no such module:x'"),
        ("data:nothing.jsonl", "nothing.jsonl: no such file"),
        ("data:.", ".: is a directory, not a file"),
        ("data:", "task: the name of the file is empty; expected data:FILE"),
        ("data:bytes", "bytes: is not a text file (byte 0 is not UTF-8)"),
        ("dfa:none.json", "none.json: no such file"),
        ("dfa:", "task: the name of the file is empty"),
        ("dfa:{", "dfa:automaton-"),
    ],
)
def test_modules_and_files(name: str, message: str) -> None:
    assert refusal(load_argument, name).startswith(message)


def _lines(**second: object) -> str:
    """Two examples with position ids, of which the second is changed."""
    first = {"input": "a", "output": "c", "position_ids": [0, 1, 0, 1, 0]}
    return "\n".join(map(json.dumps, (first, {"input": "b", "output": "c", **second})))


CONTENTS: dict[str, list[tuple[str, str]]] = {
    "data:x.jsonl": [
        (_lines(), "x.jsonl: position_ids: missing for the input b; all lines have them, or none"),
        (_lines(position_ids=3), "x.jsonl:2: position_ids: expected a list of 5 ids, for SOS x SEP y EOS"),
        (_lines(position_ids=[0]), "x.jsonl:2: position_ids: expected a list of 5 ids, for SOS x SEP y EOS"),
        (_lines(position_ids=[0, 0, 0, 0, -1]), "x.jsonl:2: position_ids: ids are whole numbers from 0 on"),
        (_lines(position_ids=[0, 0, 0, 0, True]), "x.jsonl:2: position_ids: ids are whole numbers from 0 on"),
        (
            _lines(input="a", position_ids=[0] * 5),
            "x.jsonl:2: position_ids: an earlier line has the same input with others",
        ),
        ("", "x.jsonl: no examples; expected lines such as"),
        ("\n \n", "x.jsonl: no examples"),
        ('{"input": "a", "output": "b"}\n{"input": ', "x.jsonl:2:11: not JSON: Expecting value"),
        ("[1]", "x.jsonl:1: expected an object"),
        ('{"input": "a"}', "x.jsonl:1: output: missing"),
        ('{"input": "a", "output": true}', "x.jsonl:1: output: expected a string or a list of tokens"),
        ('{"input": [["a"]], "output": ""}', "x.jsonl:1: input: a token is a string or a whole number"),
        ('{"input": ["a b"], "output": ""}', "x.jsonl:1: input: the token 'a b' is empty or has a blank"),
        ('{"input": ["SEP"], "output": ""}', "x.jsonl:1: input: the token SEP is one that the task needs"),
        (
            '{"input": "a", "output": "b"}\n\n{"input": "a", "output": "c"}',
            "x.jsonl:3: output: the input of line 1 again, with another output",
        ),
    ],
    "crasp:mine.cr": [
        ("L = ", "mine.cr:1:"),
        ("L = i % 2 == 0", "mine.cr: the program names no token; declare its letters"),
        ("", "mine.cr:1:1: the file holds no statement"),
    ],
    "dfa:mine.json": [
        ("", "mine.json:1:1: not JSON: Expecting value"),
        ("[]", "mine.json: automaton: expected a JSON object"),
        (
            '{"initial": 0, "accepting": [1], "transitions": {"0": {"a": 0}}}',
            "mine.json: accepting: no state",
        ),
        (
            '{"alphabet": ["EOS"], "transitions": [[0]], "accepting": [0]}',
            "mine.json: alphabet: EOS cannot be",
        ),
        (
            '{"alphabet": ["a"], "transitions": [[0]], "accepting": []}',
            "dfa:mine.json: the language is empty",
        ),
        (
            '{"alphabet": ["a", "b"], "transitions": [[0]], "accepting": [0]}',
            "mine.json: transitions.0: 1 move for 2 letters of the alphabet",
        ),
    ],
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "text", "message"), [(name, *row) for name, rows in CONTENTS.items() for row in rows]
)
def test_contents_of_files(name: str, text: str, message: str) -> None:
    Path(name.partition(":")[2]).write_text(text)
    assert refusal(load_argument, name).startswith(message)


def _word(length: int, rng: np.random.Generator) -> list[str]:
    return ["ab"[k] for k in rng.integers(0, 2, length)]


def _balanced(word: tuple[str, ...]) -> bool:
    depths = [word[:end].count("(") - word[:end].count(")") for end in range(len(word) + 1)]
    return min(depths) == depths[-1] == 0


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


ANSWERS = "task: expected the name of a task or a Task, not "
CALLS: list[tuple[Callable[[], object], str]] = [
    (lambda: load_task("sort", ["a"]), "sort: an alphabet is only for regex:…, states:…"),
    (lambda: load_task("crasp:lib:dyck-1", ["a"]), "crasp:lib:dyck-1: an alphabet is only for regex:"),
    (lambda: name_of_task(3), f"{ANSWERS}int"),  # type: ignore[arg-type]
    (lambda: name_of_task(Parity), f"{ANSWERS}the class Parity"),  # type: ignore[arg-type]
    (lambda: name_of_task(Parity(), "ab"), "task: an alphabet is only for regex:…; a Task has its own"),
    (lambda: target_named("addition"), "target: addition: says more of a word than yes or no"),
    (lambda: target_named("sort"), "target: lib:sort: is a predictor"),
    (
        lambda: load_task("copy-repeat+index-hints").answer(["#1", "a", "#3", "b"]),
        "copy-repeat+index-hints: #1 a #3 b does not have the hints that belong there",
    ),
    (
        lambda: load_task("copy-repeat+index-hints").sample([200], _rng()),
        "copy-repeat+index-hints: no input has length 200",
    ),
    (
        lambda: load_task("parity-with-empty+scratchpad").sample([0], _rng()),
        "parity-with-empty+scratchpad: no input has length 0",
    ),
    (
        lambda: load_task("boolean-expressions+scratchpad").answer(["0", "1"]),
        "boolean-expressions: 0 1 goes on after the formula",
    ),
    *(
        (lambda word=word: BooleanExpressions().answer(word), f"boolean-expressions: {message}")
        for word, message in (
            (["and", "1"], "and 1 is not a whole formula"),
            (["1", "1"], "1 1 goes on after the formula"),
            ([], "nothing is not a whole formula"),
            (["xor", "1", "1"], "'xor' is not part of a formula"),
            (["not"], "not is not a whole formula"),
        )
    ),
    (
        lambda: changed_task(Task.from_function(_word, len, name="mine"), ["scratchpad"]),
        "mine+scratchpad: its answers show no steps that could be written down: say which, ",
    ),
    (
        lambda: KgramRetrieval(1).answer("12131"),
        "kgram-retrieval:1: the last 1 tokens stand 2 times before, not once",
    ),
    (
        lambda: KgramRetrieval(2, 2).sample([60], _rng()),
        "kgram-retrieval:symbols=2: among 2 symbols hardly any input of length 60",
    ),
    (lambda: SparseParity().answer(["3", "4"]), "sparse-parity: x is numbers and bits by turns"),
    (lambda: VariableAssignment(3, 3), "variable-assignment: a chain of 3 steps needs 4 variables"),
    *(
        (lambda x=x: VariableAssignment().answer(x.split()), f"variable-assignment: {message}")
        for x, message in (
            ("v1 SEP1 v1 ← v3", "nothing is assigned to v3"),
            ("v1 ← v3", "x begins with a variable and SEP1"),
            ("v1 SEP1 v1 v2 v3", "assignments are written as in"),
        )
    ),
    *(
        (lambda name=name, x=x: load_regression(name).answer(x), f"{name}: {message}")
        for name, x, message in (
            ("simple-task:omega=1", (2, 2), "a sequence without 0 and 1 has no answer"),
            ("modp-task:p=3,k=0", (1, 1), "a sequence of 2 tokens has no answer"),
            ("in-context-kgram:S=2,k=1", (0, 1), "the last 1 tokens did not occur before: no answer"),
        )
    ),
    (lambda: ProgramTask("mine", load("sort")).tokens, "mine: 151 outputs make too many labels to train on"),
    (lambda: ProgramTask("mine", load("binary-majority")).tokens, "mine: 'SOS' cannot be a symbol"),
    *(
        (lambda given=given: Task.from_function(_word, len, name="mine", **given), f"mine: {message}")
        for given, message in (
            ({"tokens": ["a", "a"]}, "tokens: 'a' appears twice"),
            ({"tokens": ["SOS"]}, "tokens: the token SOS is one that the task needs itself"),
            ({"least_length": -1}, "least_length: must be at least 0, not -1"),
        )
    ),
    (
        lambda: Task.from_predicate(_balanced, "()", name="mine", labels="next").sample([4], _rng()),
        "mine: labels='next' need completes=… and draw=…: no automaton",
    ),
    (
        lambda: Task.from_predicate(
            lambda word: "b" not in word, "ab", name="mine", labels="next", draw=lambda n, rng: ["b"] * n
        ).sample([2], _rng()),
        "mine: the word b b is drawn, and not of the language",
    ),
    (
        lambda: Task.from_predicate(lambda word: word[7], "ab", name="mine").answer("ab"),
        "mine: predicate(ε) fails: IndexError",
    ),
    (
        lambda: locality(load_task("sort"), lengths=(3,)),
        "sort has no position ids of its own; give a function",
    ),
    (
        lambda: locality(load_task("sort"), lambda batch: batch.position_ids, lengths=(3,), examples=5),
        "sort: ids of the shape (5, 8), a column more than tokens is needed",
    ),
    (
        lambda: locality(
            load_task("reverse"), lengths=(3,), parents=lambda batch: [{}] * len(batch), examples=2
        ),
        "reverse: no parents for the supervised token at place 5",
    ),
    (
        lambda: measured_parents(load_task("reverse"), 2, _rng(), examples=0),
        "examples: at least one example and one sequence are needed",
    ),
    (lambda: LabelledLanguage("mine", labelled(["{x}"], [[0]], 0, ["x"])), "mine: '{x}' cannot be a symbol"),
    (lambda: RegularLanguage("mine", minimal(("a",), [[0]], 0, ())), "mine: the language is empty"),
    (lambda: RegularLanguage("mine", minimal(("EOS",), [[0]], 0, {0})), "mine: EOS is the end of a word"),
    (lambda: load_task("states:(ab)*").answer("aab"), "states:(ab)*: no word begins with a a"),
    (
        lambda: StateTask("mine", after_each_letter(from_expression("a*"), "SEP")),
        "mine: 'SEP' cannot be a symbol, the task needs it itself",
    ),
    (lambda: load_task("addition").lengths(1, 3), "addition: no input has a length in 1:3"),
    (lambda: load_task("dyck-1").sample([2, 3], _rng()), "dyck-1: no input has length 3"),
    (lambda: load_task("sort").sample([-1], _rng()), "sort: no input has length -1"),
    (lambda: load_task("sort").sample([], _rng()), "sort: lengths must be a list of at least one number"),
    (lambda: check_distinct("mine", ["a", "b", "a"]), "mine: 'a' cannot be a symbol"),
    *(
        (lambda text=text: read_option(text), f"{text!r} is not a range of lengths, as in 1:50")
        for text in ("", "1-50", "1:", ":5", "1:2:3", "-1:5", "²:3", "a:b")
    ),
]


@pytest.mark.parametrize(("call", "message"), CALLS, ids=[message for _, message in CALLS])
def test_calls(call: Callable[[], object], message: str) -> None:
    assert refusal(call).startswith(message)
