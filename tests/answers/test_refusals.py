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
        ("aa", {"minutes": -1.0}, "minutes: must be at least 0, not -1"),
        ("aa", {"minutes": math.nan}, "minutes: must be finite, not nan"),
        ("aa", {"minutes": math.inf}, "minutes: must be finite, not inf"),
        ("aa", {"seeds": 0}, "seeds: must be at least 1, not 0"),
        ("aa", {"train_to": 0}, "train_to: must be at least 1, not 0"),
        ("aa", {"encodings": ()}, "encoding: none is given"),
        ("aa", {"encodings": ("ape", "ape")}, "encoding: 'ape' appears twice"),
        ("aa", {"encodings": ("ropee",)}, "encoding: unknown encoding 'ropee'; did you mean 'rope'?"),
    ],
    forecast: [
        ("copy-uniqe", {}, "task: no task named 'copy-uniqe'; did you mean 'copy-unique'"),
        ("regex:(a", {}, "task: column 1"),
        ("crasp:none.cr", {}, "none.cr: no such file"),
        ("crasp:", {}, "task: the name of the program is empty"),
        ("nomodule:x", {}, "task: no module named 'nomodule'"),
        ("aa", {"budget": -1}, "budget: must be at least 0 seconds, not -1"),
        ("aa", {"budget": math.nan}, "budget: must be at least 0 seconds, not nan"),
    ],
    advise: [("addition", {"train_to": 4}, "train_to: 4 is not above the shortest input, of length 4")],
    train: [
        ("aa", {"seeds": 0}, "seeds: 0: at least one run has to be trained"),
        ("aa", {"width": 7, "heads": 2}, "width: 7 is not a multiple of 2 heads"),
        ("ab", {}, "task: no task named 'ab'"),
    ],
    threshold: [
        ("aa", {"minutes": -1}, "minutes: must be at least 0, not -1"),
        ("aa", {"minutes": math.nan}, "minutes: must be finite, not nan"),
        ("aa", {"seed": 3}, "seed: the search chooses these itself"),
        ("aa", {"train_lengths": (1, 5)}, "train_lengths: the search chooses these itself"),
        ("aa", {"seeds": 0}, "seeds: must be at least 1, not 0"),
        ("aa", {"within": 0}, "within: must be at least 1, not 0"),
        ("aa", {"most": -2}, "most: must be at least 1, not -2"),
        ("aa", {"to": 0}, "to: must be at least 1, not 0"),
        ("aa", {"to": 10**9}, "to: must be at most 20000, not 1000000000"),
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
        ("aaa", {}, "task: no task named 'aaa'"),
        ("sort", {"loss": 0.1}, "loss: only for tasks whose answers are numbers"),
        ("simple-task", {"loss": 0.0}, "loss: 0 is not a number above 0"),
        ("simple-task", {"loss": math.nan}, "loss: nan is not a number above 0"),
        ("simple-task", {"encoding": "ape"}, "encoding: simple-task has nope, not ape"),
        ("simple-task", {"heads": 2}, "heads: cannot be used with simple-task:omega=1"),
        ("simple-task", {"alphabet": ("a", "b")}, "alphabet: cannot be used with simple-task:omega=1"),
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
