"""TASK → three answers: will it work on longer inputs, from which training length on, and what would help.

`question` is what is asked; `question_to_answers` answers it: the forecast, then what `measurement` finds
within the minutes with the members that `question_to_members` chooses, then what `what_helps` makes of both.
`answers_to_words` says it so that it needs no paper, for the terminal, the page and notebooks alike.

`threshold_answer` answers the second question alone, for a `threshold_question`. Both use `threshold_sweep`,
which trains what `threshold_rule` asks for within the time that there is, and `threshold_curve`, which says
what was found; `threshold_theory` is what stands beside it.

>>> from longreach.answer import ask
>>> ask("aa", minutes=0).document()["judgement"]
'cannot be judged'
"""

from longreach.answer.question import Question
from longreach.answer.question_to_answers import ask
from longreach.answer.three_answers import ThreeAnswers

__all__ = ["Question", "ThreeAnswers", "ask"]
