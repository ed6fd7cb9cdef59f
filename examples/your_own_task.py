"""A task of one's own as an object: say what it is, draw examples, and train on it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import longreach
from longreach.tasks.evidence import Evidence
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS, IntArray


@dataclass(frozen=True)
class FirstSymbol(SequenceTask):
    """SOS b a b SEP b EOS: which symbol came first."""

    name = "first-symbol"
    about = "the symbol that came first"
    symbols = ("a", "b", "c")
    nope = ape = Evidence("none", None, "nobody has written a program yet")

    def answer_size(self, length: int) -> int:
        return 1

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (x[0], EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = rng.integers(0, len(self.symbols), (len(lengths), int(lengths.max())))
        return x, x[:, :1], np.ones_like(lengths)


task = FirstSymbol()
print(longreach.forecast(task))

# An object is trained in this process; put the class into a module, and name it module:attribute, for more.
tiny = {
    "train_lengths": (1, 8),
    "max_steps": 200,
    "test_size": 100,
    "layers": 1,
    "heads": 1,
    "width": 16,
    "lr": 0.005,
}
print(longreach.train(task, "nope", seeds=1, **tiny))
print(longreach.results("runs"))
