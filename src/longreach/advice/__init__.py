"""What would help a task that does not work on longer inputs, and whether it does when tried.

`task_to_remedies` finds the changes and what speaks for them; `remedy_sparsity` measures on how many tokens,
and how far away, each step depends; `trials` trains the original and its remedies side by side within some
minutes, with the members of `trial_members`; `task_to_advice` puts all of it together, and `advice_words`
says it.

>>> from longreach.advice import advise
>>> advise("parity", minutes=0).remedies[0].name
'parity+scratchpad with coupled-local'
"""

from longreach.advice.remedy import Remedy
from longreach.advice.task_advice import TaskAdvice
from longreach.advice.task_to_advice import advise

__all__ = ["Remedy", "TaskAdvice", "advise"]
