"""What a member is that learns a task with numbers as answers: frozen, checked, every number of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError

from longreach import errors
from longreach.config.decoder import first_error
from longreach.config.length_range import LengthRange
from longreach.config.member_document import MemberDocument
from longreach.config.regression_name import FAMILIES, Encoding, RegressionName
from longreach.config.training import Positive
from longreach.errors import InputError


class RegressionConfig(MemberDocument):
    """One member; the defaults are those of Izzo, Nichani and Lee (arXiv 2510.27015), appendix B.

    >>> config = RegressionConfig.read(
    ...     {"task": "simple-task:omega=2", "train_lengths": [1, 20], "test_lengths": [[40, 40]]}
    ... )
    >>> config.batch, config.encoding, config.target_loss
    (1024, 'nope', 1e-05)
    """

    task: Annotated[str, Field(description="As in simple-task:omega=2.")]
    encoding: Annotated[Encoding, Field(description="What positions the model sees: by the task.")]
    layers: Annotated[Positive, Field(description="By the task.")]
    width: Annotated[Positive, Field(description="The residual stream.")] = 16
    hidden: Annotated[Positive, Field(description="Rectifiers in the MLP of a layer.")] = 256
    log_length: Annotated[
        bool, Field(description="Multiply attention logits by the logarithm of the length.")
    ] = False
    lr: Annotated[float, Field(gt=0, description="The rate of embeddings; others: divided by the width.")] = (
        0.01
    )
    batch: Annotated[Positive, Field(description="Fresh sequences per step.")] = 1024
    max_steps: Annotated[Positive, Field(description="Stop here at the latest.")] = 20_000
    target_loss: Annotated[
        float, Field(ge=0, description="Stop when the loss of a fresh batch is below.")
    ] = 1e-5
    train_lengths: Annotated[LengthRange, Field(description="Lengths are uniform in this range.")]
    test_lengths: Annotated[tuple[LengthRange, ...], Field(min_length=1, description="Ranges to test on.")]
    evaluate_every: Annotated[Positive, Field(description="Steps between notes of the loss.")] = 500
    test_size: Annotated[Positive, Field(description="Test sequences per range.")] = 4096
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """The configuration in these fields, as JSON has them, or an error of one line."""
        try:
            name = RegressionName.read(str(document.get("task")))
        except InputError as error:
            raise error.at(errors.Field("task")) from None
        family = FAMILIES[name.family]
        by_task: dict[str, Any] = {"encoding": family.encoding, "layers": family.layers}
        for field, value in by_task.items():
            if document.get(field, value) != value:
                raise _refused(field, f"{name.family} has {value}, not {document[field]}")
        try:
            config = cls.model_validate_json(json.dumps({**document, **by_task, "task": name.text}))
        except ValidationError as error:
            raise first_error(error, cls) from None
        config._check()
        return config

    @property
    def stop_early(self) -> bool:
        """Whether it may stop before its last step."""
        return self.target_loss > 0

    def _check(self) -> None:
        """Refuse settings that contradict each other."""
        if self.log_length and self.layers > 1:
            raise _refused("log_length", "goes with models of one layer; its own scaling is that of φ")
        seen: set[LengthRange] = set()
        for field, lengths in self.named_ranges:
            if lengths.first > lengths.last:
                raise _refused(field, f"{lengths.option} has no length, the first is above the last")
            if lengths in seen:
                raise _refused(field, f"the range {lengths.option} stands twice")
            seen.add(lengths)


def _refused(field: str, reason: str) -> InputError:
    return InputError(reason, place=errors.Field(field))
