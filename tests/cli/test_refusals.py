"""What commands refuse: one line that names what is wrong, exit code 2, and nothing written."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

REFUSALS = [
    # theory communicate
    ("communicate equalty", "TASK: no task or language is named 'equalty'; did you mean 'equality'"),
    ("communicate 'regex:(a'", "TASK: column 1: this bracket is never closed"),
    ("communicate parity --alphabet ab", "--alphabet: goes with a TASK regex:"),
    ("communicate --alphabet ab", "--alphabet: goes with a TASK regex:"),
    ("communicate parity --max-length 40", "--max-length: parity at length 40 has 1099511627776 inputs"),
    ("communicate parity --max-length 0", "--max-length: "),
    ("communicate parity --out figure.doc", "--out: figure.doc: must end in .png or .svg"),
    (
        "communicate parity --out no-such-place/figure.png",
        "--out: no-such-place/figure.png: no such directory",
    ),
    # crasp
    ("crasp rn", "No such command 'rn'; did you mean 'run'?"),
    ("nothing", "No such command 'nothing'; the commands are ask, forecast, "),
    ("CRASP run", "No such command 'CRASP'; did you mean 'crasp'?"),
    ("crasp run lib:aa --input", "--input: needs a value"),
    ("crasp run lib:aa a --json=yes", "--json: takes no value"),
    ("crasp check lib:aa 'a*' --length -1", "--length: -1 is less than 0"),
    ("crasp empty lib:aa --length 1e3", "--length: expected a whole number, not '1e3'"),
    ("crasp infer lib:aa --to 41", "--to: 41 is more than 40"),
    ("crasp run", "FILE: missing"),
    ("crasp run '' a", "FILE: the name of the program is empty"),
    ("crasp run lib:aa", "WORD: nothing to run on"),
    ("crasp run lib:aa a --jsn", "--jsn: no such option; did you mean '--json'"),
    ("crasp run lib:dyck1 a", "lib:dyck1: no such library program; did you mean 'dyck-1'"),
    ("crasp run lib:aa aab", "WORD:1:3: token 'b' is not in the alphabet (a)"),
    ("crasp equal lib:aa lib:aaaa --length x", "--length: "),
    ("crasp equal lib:aa lib:aaaa --length -3", "--length: "),
    ("crasp equal lib:d-2 lib:dyck-1", "FILE: the alphabets differ"),
    ("crasp equal lib:d-2 lib:sort", "FILE: one program is a predictor"),
    ("crasp lower lib:aa --notation pdf", "--notation: 'pdf' is not one of"),
    ("crasp run no-such-file.cr a", "no-such-file.cr: no such file"),
    ("crasp run dyck-1 '()'", "dyck-1: no such file; the library program is lib:dyck-1"),
    ("crasp lower d-3", "d-3: no such file; the library program is lib:d-3"),
    ("crasp run lib:aa --input no-such-words", "no-such-words: no such file"),
    # language
    ("language", "REGEX: give one of"),
    ("language 'a*' --name aa", "REGEX and --name: give one of"),
    ("language '(a' --json", "REGEX: column 1"),
    ("language '(?:ab)*'", "REGEX: column 1: a group is written ( )"),
    ("language 'a*c' --alphabet ab", "REGEX: column 3"),
    ("language --name aa --alphabet ab", "--alphabet: "),
    ("language 'a{100000000}'", "REGEX: "),
    ("language '(a|b)*a(a|b){24}'", "REGEX: "),
    ("language 'a*' --budget 0", "--budget: "),
    ("language 'a*' --draw a.gif", "--draw: a.gif: must end in .svg, .pdf or .png"),
    ("language 'a*' --alphabet ,", "--alphabet: a comma divides letters"),
    ("language 'a*' --convention eso", "--convention: "),
    ("language 'a*' --convention eos --program", "--convention: programs are written"),
    ("language --file x --why", "--why: goes with one language"),
    ("language 'a*' --budget nan", "--budget: "),
    ("language --file no-such-list", "no-such-list: no such file"),
    ("language --dfa no-such-dfa", "no-such-dfa: no such file"),
    # crasp synthesize and transform
    ("crasp synthesize", "--regex, --examples or --task: give exactly one of the three"),
    ("crasp synthesize --regex a --task aa", "--regex and --task: give exactly one of the three"),
    ("crasp synthesize --regex '(a'", "--regex: "),
    ("crasp synthesize --task addition", "--task: addition: says more of a word than yes or no"),
    ("crasp synthesize --task lib:sort", "--task: lib:sort: is a predictor"),
    (
        "crasp synthesize --task tests.cli.test_programs:ends_in_b",
        "--task: tests.cli.test_programs:ends_in_b: a function needs its letters: --alphabet",
    ),
    ("crasp synthesize --examples nowhere.txt", "nowhere.txt: "),
    ("crasp synthesize --regex 'a*' --max-size 0", "--max-size"),
    ("crasp synthesize --regex 'a*' --class locl", "--class"),
    # crasp synthesize and transform
    ("crasp transform lib:dyck-1", "--not, --and, …: give one transformation"),
    ("crasp transform lib:dyck-1 --not --strict", "--not, --strict: one transformation at a time"),
    ("crasp transform lib:sort --not", "lib:sort: is a predictor"),
    ("crasp transform lib:aa --and lib:dyck-1", "--and: the alphabets differ"),
    ("crasp transform lib:aa --or nothing.cr", "--or: nothing.cr: no such file"),
    ("crasp transform lib:aa --left-quotient ab", "--left-quotient: 1:2: token 'b' is not in the alphabet"),
    ("crasp transform lib:aa --inverse-image x", "--inverse-image: 'x' is not LETTER=WORD"),
    ("crasp transform lib:aa --inverse-image x=a --inverse-image x=a", "--inverse-image: letter 'x'"),
    ("crasp transform lib:aa --inverse-image x=a --inverse-image y=aa", "--inverse-image: the morphism"),
    ("crasp transform lib:aa --remove-relations e", "--remove-relations: the neutral letter 'e'"),
    ("crasp transform lib:aa --word a --not", "--word: is for --to"),
    ("crasp transform lib:aa --to first-order", "--to: 'first-order' is not one of"),
    ("crasp transform lib:aa --to majority-logic --word b", "--word:1:1: token 'b'"),
    # theory simulate
    ("simulate hand:simple-task 0012 --error 0", "--error: 0: an error is a positive number"),
    ("simulate hand:simple-task 0012 --error -1", "--error: -1: an error is a positive number"),
    ("simulate hand:simple-task 0012 --error nan", "--error: nan: an error is a positive number"),
    ("simulate hand:simple-task 0012 --error x", "--error: expected a number, not 'x'"),
    ("simulate hand:simple-task 0013 --error 1", "WORD: token 4, '3', is not one of the model's (0 1 2)"),
    ("simulate hand:simple-task 0012", "--error: missing"),
    ("simulate hand:simple 0012 --error 1", "MODEL: no model is built by hand as 'simple'"),
    ("simulate lib:dyck-1 '()' --error 1 --precision 3", "--precision: two layers are run without"),
    ("simulate lib:majority 01 --error 1", "MODEL: 1 of 1 units of the MLP are Heaviside steps"),
    ("simulate lib:tomita-7 01 --error 1", "MODEL: 4 layers; the theorems are about one and two"),
    ("simulate hand:simple-task 01 --error 1 --length 300", "--length: one layer"),
    ("simulate hand:simple-task 01 --error 1 --against nowhere", "--against: no directory 'nowhere'"),
    ("simulate hand:simple-task 01 --error 1 --against hand:modp-task", "--against: it reads other"),
    ("simulate hand:simple-task 01 --error 1 --plot a.xyz", "--plot: a.xyz: must end in .png"),
    ("simulate hand:simple-task 01 --error 1 --plot a.svg", "--plot: no z is shorter"),
    # tasks
    ("tasks check", "TASK: missing, as in longreach tasks check sort"),
    ("tasks check sort mode", "TASK: one at a time"),
    ("tasks sort mode", "TASK: one at a time; expected show or check before it, not 'sort'"),
    ("tasks evenpairs", "TASK: no task is named 'evenpairs'; did you mean 'even-pairs'"),
    ("tasks check data:none.jsonl", "none.jsonl: no such file"),
    ("tasks check dfa:none.json", "none.json: no such file"),
    ("tasks --alphabet ab", "--alphabet: goes with a TASK regex:…"),
    # files that cannot be written, names that are wrong
    ("crasp synthesize --task partiy", "--task: no task is named 'partiy'; did you mean 'parity'"),
    ("crasp synthesize --task none:x", "--task: no module is named 'none'"),
    ("crasp infer some.cr", "TARGET: no task is named 'some.cr'; did you mean 'crasp:some.cr'?"),
    ("limit infer some.cr", "TARGET: no task is named 'some.cr'; did you mean 'crasp:some.cr'?"),
    ("limit info lib:aa --growth g.xyz", "--growth: g.xyz: must end in .png"),
    ("limit build lib:aa --out file", "--out: file: not a directory"),
    ("crasp compile lib:aa --out file", "--out: file: not a directory"),
    ("crasp trace lib:aa ab", "WORD:1:2: token 'b'"),
    ("crasp trace lib:aa aa --html directory", "--html: directory: is a directory"),
    ("crasp attend lib:aa aa --out none/x.svg", "--out: none/x.svg: no such directory"),
    ("crasp attend lib:aa aa --out x.txt", "--out: x.txt: must end in .png"),
    ("crasp transform lib:aa --not --out directory", "--out: directory: is a directory"),
    ("crasp empty lib:sort", "lib:sort: the program is a predictor: it accepts no words"),
    ("language aa --draw directory", "--draw: directory: is a directory"),
    ("inspect none", "RUN|CHECKPOINT|HF_DIRECTORY: none: no such file or directory"),
    ("extract none", "RUN_DIRECTORY: none: no model.safetensors and result.json there"),
    ("ask parity copy-unique", "TASK: one is expected; left over: copy-unique"),
    ("verify one two", "CERTIFICATE: one is expected; left over: two"),
    ("doctor one two", "doctor: takes no argument; left over: one two"),
    ("ask aa --minutes 0 --runs file", "--runs: file: not a directory"),
    ("advise aa --minutes 0 --runs file", "--runs: file: not a directory"),
    ("ask aa --minutes 0 --out x.pdf", "--out: x.pdf: must end in .html"),
    ("advise aa --minutes 0 --out x.md", "--out: x.md: must end in .html"),
    ("report --out x.PDF", "--out: x.PDF: must end in .html"),
    ("crasp trace lib:aa aa --html x.svg", "--html: x.svg: must end in .html"),
    ("ask aa --minutes 0 --out directory", "--out: directory: is a directory"),
    ("forecast parity+scratchpadd", "TASK: no task is named 'parity+scratchpadd'; did you mean 'parity+scr"),
    ("tasks d-0", "TASK: d-0: the depth must lie between 1 and 4000"),
    ("tasks own_errors:task", "TASK: own_errors:task: boom(a) fails: ValueError: boom"),
    # options that do not go together
    ("ask parity --try --to 30", "--try: goes without --to"),
    ("ask parity --try --encoding ape", "--encoding: goes without --try"),
    ("ask parity --try --budget 1", "--budget: goes without --try"),
    ("ask parity --to 30 --train-to 10", "--train-to: goes without --to"),
    ("ask parity --lengths 5 --encoding ape --encoding nope", "--encoding: one at a time with --lengths"),
    ("crasp show --simplify", "FILE: missing"),
    ("crasp compare lib:aa", "FILE: give a second program or regex:…, or --empty"),
    ("crasp compare lib:aa lib:aa --empty", "FILE: give a second program or regex:…, or --empty"),
    ("crasp compare lib:aa lib:aa --prove", "--prove: goes with regex:…"),
    ("crasp compare lib:aa (aa)*", "(aa)*: no such file; an expression is written regex:(aa)*"),
    ("crasp compile lib:aa --attend aa", "--attend: goes with --figure FIGURE"),
    ("crasp compile lib:aa --attend aa --figure x.txt", "--figure: x.txt: must end in .png"),
    ("report --serve --out x.html", "--out: goes without --serve"),
    ("inspect none --automaton --text x", "--automaton: goes without --text"),
    ("inspect none --automaton --out x", "--out: goes without --automaton"),
    ("forecast sort --measures", "--measures: goes with a regular language"),
    ("forecast sort --convention eos", "--convention: goes with a regular language"),
    ("forecast --all --file x", "--file: goes without --all"),
    ("forecast --all --explain", "--explain: goes with one TASK, not with --all"),
]


@pytest.mark.parametrize(("command", "message"), REFUSALS)
def test_the_first_line_names_what_is_wrong(
    longreach: Callable[..., Outcome],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "file").touch()
    (tmp_path / "directory").mkdir()
    (tmp_path / "own_errors.py").write_text(
        "from longreach.tasks.task import Task\ndef boom(x):\n    raise ValueError('boom')\n"
        "task = Task.from_function(lambda n, rng: ['a'] * n, boom, name='mine', about='mine')\n"
    )
    before = sorted(tmp_path.iterdir())
    done = longreach(*shlex.split(command))
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(message)
    assert "Traceback" not in done.err
    assert [path for path in sorted(tmp_path.iterdir()) if path.name != "__pycache__"] == before
