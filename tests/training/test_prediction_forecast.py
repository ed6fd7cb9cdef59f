"""What theory says of training on words of a language, tried."""

from __future__ import annotations

from longreach.answers.forecast import forecast
from longreach.training.loop import train
from tests.training.test_loop import tiny

TASK = "regex:(a|ba)*b?"


def test_a_language_outside_the_class_whose_words_are_predicted_at_three_times_the_length() -> None:
    side = forecast(TASK).sides["nope"]
    assert (side.answer, side.trained) == ("no", "yes")
    lengths = {"train_lengths": (1, 20), "test_lengths": ((21, 40), (41, 60))}
    config = tiny(task=TASK, encoding="nope", max_steps=100, test_size=200, **lengths)
    trained = train(config)
    assert trained.rows[-1].accuracy["41-60"] >= 0.99
