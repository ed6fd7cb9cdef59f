"""What all configurations of members have in common: their document, their key, their ranges of lengths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict

from longreach.config.keys import job_key
from longreach.config.length_range import LengthRange


class MemberDocument(BaseModel):
    """One member, frozen. Fields are declared by each kind, since their order is that of documents."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    later: ClassVar[tuple[str, ...]] = ()
    """Fields that came after results were kept: left out of documents while at their default."""

    if TYPE_CHECKING:
        train_lengths: LengthRange
        test_lengths: tuple[LengthRange, ...]

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """The configuration in these fields, as JSON has them, or an error of one line."""
        raise NotImplementedError

    def document(self) -> dict[str, Any]:
        """The fields as JSON has them: what `read` reads, and what the key is made of.

        Fields of `later` stand there only if they say something, so that keys of earlier results hold.
        """
        fields = type(self).model_fields
        usual = {name for name in self.later if getattr(self, name) == fields[name].default}
        return self.model_dump(mode="json", exclude=usual)

    def with_seed(self, seed: int) -> Self:
        """The same member with another seed."""
        return type(self).read({**self.document(), "seed": seed})

    @property
    def key(self) -> str:
        """The name of the member's results."""
        return job_key(self.document())

    @property
    def ranges(self) -> tuple[LengthRange, ...]:
        """The training range and the test ranges."""
        return (self.train_lengths, *self.test_lengths)

    @property
    def named_ranges(self) -> tuple[tuple[str, LengthRange], ...]:
        """The same, each with the field that it stands in."""
        tests = [("test_lengths", lengths) for lengths in self.test_lengths]
        return (("train_lengths", self.train_lengths), *tests)
