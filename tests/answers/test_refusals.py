"""What cannot be asked is refused in one line that names the field, before anything is trained or written."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longreach.answers.advice import advise
from longreach.answers.forecast import forecast
from longreach.answers.question import Question
from longreach.answers.threshold import threshold
from longreach.answers.trained import train
from longreach.errors import InputError

REFUSED: dict[Callable[..., object], list[tuple[str, dict[str, Any], str]]] = {
    Question: [
        ("aa", {"minutes": -1.0}, "minutes: -1 is less than 0"),
        ("aa", {"minutes": math.nan}, "minutes: nan is no number of minutes"),
        ("aa", {"minutes": math.inf}, "minutes: inf is no number of minutes"),
        ("aa", {"seeds": 0}, "seeds: 0 is less than 1"),
        ("aa", {"train_to": 0}, "train_to: 0 is less than 1"),
        ("aa", {"encodings": ()}, "encoding: none is given"),
        ("aa", {"encodings": ("ape", "ape")}, "encoding: 'ape' stands twice"),
        ("aa", {"encodings": ("ropee",)}, "encoding: unknown encoding 'ropee'; did you mean 'rope'?"),
    ],
    forecast: [
        ("copy-uniqe", {}, "task: no task is named 'copy-uniqe'; did you mean 'copy-unique'"),
        ("regex:(a", {}, "task: column 1"),
        ("crasp:none.cr", {}, "none.cr: no such file"),
        ("crasp:", {}, "task: the name of the program is empty"),
        ("nomodule:x", {}, "task: no module is named 'nomodule'"),
        ("aa", {"budget": -1}, "budget: -1 is no number of seconds"),
        ("aa", {"budget": math.nan}, "budget: nan is no number of seconds"),
    ],
    advise: [("addition", {"train_to": 4}, "train_to: 4 is not above the shortest input, of length 4")],
    train: [
        ("aa", {"seeds": 0}, "seeds: 0: at least one run has to be trained"),
        ("aa", {"width": 7, "heads": 2}, "width: 7 is not a multiple of 2 heads"),
        ("ab", {}, "task: no task is named 'ab'"),
    ],
    threshold: [
        ("aa", {"minutes": -1}, "minutes: -1 is less than 0"),
        ("aa", {"minutes": math.nan}, "minutes: nan is no number of minutes"),
        ("aa", {"seed": 3}, "seed: the search chooses these itself"),
        ("aa", {"train_lengths": (1, 5)}, "train_lengths: the search chooses these itself"),
        ("aa", {"seeds": 0}, "seeds: 0 is less than 1"),
        ("aa", {"within": 0}, "within: 0 is less than 1"),
        ("aa", {"most": -2}, "most: -2 is less than 1"),
        ("aa", {"to": 0}, "to: 0 is less than 1"),
        ("aa", {"to": 10**9}, "to: 1000000000 is more than 20000"),
        ("aa", {"lengths": (5, 10**9)}, "lengths: not all are from 1 to 20000"),
        ("aa", {"lengths": ()}, "lengths: none is given"),
        ("aa", {"lengths": (0,)}, "lengths: not all are from 1 to 20000"),
        ("aa", {"to": 1}, "to: 1 is less than the shortest input, of length 2"),
        ("aa", {"to": 3}, "to: no input has a length from 3 to 3"),
        ("aa", {"to": 4}, "to: 4 leaves no training length between the shortest input, of length 2, "),
        ("aa", {"most": 2}, "most: no length from 3 to 2 has inputs 2 to 3 times as long"),
        ("aa", {"to": 60, "lengths": (5, 50)}, "lengths: 50 is not possible: lengths from 3 to 40 are"),
        ("aa", {"lengths": (1,)}, "lengths: 1 is not possible"),
        ("aa", {"encoding": "ropes"}, "encoding: unknown encoding 'ropes'"),
        ("aa", {"width": 7}, "width: 7 is not a multiple of 4 heads"),
        ("regex:a|bb", {}, "task: no length from 2 to 40 has inputs 2 to 3 times as long"),
        ("aaa", {}, "task: no task is named 'aaa'"),
        ("sort", {"loss": 0.1}, "loss: goes with tasks whose answers are numbers"),
        ("simple-task", {"loss": 0.0}, "loss: 0 is not a number above 0"),
        ("simple-task", {"loss": math.nan}, "loss: nan is not a number above 0"),
        ("simple-task", {"encoding": "ape"}, "encoding: simple-task has nope, not ape"),
        ("simple-task", {"heads": 2}, "heads: does not go with simple-task:omega=1"),
        ("simple-task", {"alphabet": ("a", "b")}, "alphabet: does not go with simple-task:omega=1"),
        ("modp-task:p=0", {}, "task: modp-task: p: 0 is not in 1 to 64"),
    ],
}
CASES = [(call, *case) for call, cases in REFUSED.items() for case in cases]


@pytest.mark.parametrize(("call", "task", "given", "message"), CASES)
def test_refusals(
    call: Callable[..., object],
    task: str,
    given: dict[str, Any],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        call(task=task, **given)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
