"""A task of one's own from two functions: draw examples, answer them, forecast and train."""

import numpy as np

import longreach


def draw(length: int, rng: np.random.Generator) -> list[str]:
    """An input of that many tokens."""
    return ["abc"[k] for k in rng.integers(0, 3, length)]


def first_symbol(x: tuple[str, ...]) -> str:
    """The symbol that came first."""
    return x[0]


task = longreach.Task.from_function(draw, first_symbol)
print(longreach.forecast(task))

# An object is trained in this process; put it into a module, and name it module:attribute, for more.
tiny = {"train_lengths": (1, 8), "max_steps": 200, "test_size": 100}
shape = {"layers": 1, "heads": 1, "width": 16, "lr": 0.005}
print(longreach.train(task, "nope", seeds=1, **tiny, **shape))
print(longreach.results("runs"))
