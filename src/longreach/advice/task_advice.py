"""All that is known of what would help a task: remedies, their sparsity, and what trying them showed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from longreach.advice.remedy import Remedy
from longreach.advice.remedy_sparsity import StepSparsity
from longreach.advice.study_runs import StudyRuns, study_runs
from longreach.advice.trial_members import AdviceQuestion
from longreach.advice.trials import Trials
from longreach.forecast import Forecast
from longreach.verdicts.verdict import Answer


@dataclass(frozen=True, eq=False, kw_only=True)
class TaskAdvice:
    """Remedies of a task, the surest first, measured as far as there was time."""

    question: AdviceQuestion
    forecast: Forecast
    remedies: tuple[Remedy, ...]
    sparsity: tuple[StepSparsity, ...]
    """Of the original, then of the changed tasks, each once."""
    trials: Trials
    seconds: float

    @property
    def is_needed(self) -> bool:
        """Whether theory does not expect the task to work without positions, as it is."""
        return self.forecast.sides["nope"].trained is not Answer.YES

    @property
    def best(self) -> Remedy | None:
        """The one that works when it is tried, or else the surest that was not seen to fail."""
        if self.trials.working is not None:
            return self.trials.working[0]
        return next((each for each in self.remedies if each not in self.trials.failed), None)

    def in_study(self, remedy: Remedy) -> StudyRuns | None:
        """What `longreach study advice` found of a remedy."""
        return study_runs(remedy.task, remedy.label)

    def document(self) -> dict[str, Any]:
        """As `longreach advise --json` prints it."""
        from longreach.advice.advice_words import conclusion  # which needs this

        trials = self.trials
        measured = dict(trials.tried)
        waiting = dict(trials.untried)
        sparsity = {(each.task, each.coupled): each.document() for each in self.sparsity}
        return {
            "task": self.forecast.name,
            "about": self.forecast.task.about,
            "trained": {key: side.trained.value for key, side in self.forecast.sides.items()},
            "original": None if trials.original is None else trials.original.document(),
            "original_sparsity": sparsity.get((self.forecast.stored, False)),
            "advice": [
                {
                    **remedy.document(),
                    "sparsity": sparsity.get((remedy.task, remedy.is_coupled)),
                    "study": None if (known := self.in_study(remedy)) is None else known.document(),
                    "measured": measured[remedy].document() if remedy in measured else None,
                    "works": measured[remedy].works if remedy in measured else None,
                    "seconds_to_try": waiting.get(remedy),
                }
                for remedy in self.remedies
            ],
            "best": None if self.best is None else self.best.name,
            "conclusion": conclusion(self),
            "minutes": self.question.minutes,
            "seeds": self.question.seeds,
            "share_of_steps": trials.share,
            "interrupted": trials.interrupted,
            "seconds": round(self.seconds, 1),
        }

    def __repr__(self) -> str:
        from longreach.advice.advice_words import as_text

        return as_text(self)
