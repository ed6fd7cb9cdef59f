"""A trained model → the smallest programs that agree with what it says up to its training length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longreach.config.decoder import DecoderConfig
from longreach.config.length_range import LengthRange
from longreach.languages.regular.automaton import Word
from longreach.synthesis.program_family import Family
from longreach.synthesis.search_target import ExamplesTarget, accepted_words
from longreach.synthesis.synthesizer import Synthesis, synthesize_target
from longreach.training.model_to_automaton import TrainedModel

MOST_CLASSES = 4
"""Different answers for which programs are searched, at most."""


@dataclass(frozen=True, kw_only=True)
class ProgramAgreement:
    """On how many inputs of a range a program agrees with the model, and with the task, on where the token
    stands, at every position that is asked about."""

    lengths: LengthRange
    inputs: int
    model_and_program: int
    program_and_task: int

    def document(self) -> dict[str, Any]:
        return {
            "lengths": self.lengths.name,
            "inputs": self.inputs,
            "model_and_program": self.model_and_program,
            "program_and_task": self.program_and_task,
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class ExtractedProgram:
    """Where the model says a token: the words that a program accepts."""

    says: str
    family: Family
    found: Synthesis
    agreements: tuple[ProgramAgreement, ...]
    """The training range first; empty where no program was found."""

    def document(self) -> dict[str, Any]:
        """As `longreach extract --json` prints it."""
        program = self.found.program
        return {
            "says": self.says,
            "class": self.family.class_name,
            "program": None if program is None else program.text,
            "size": self.found.size,
            "examples": self.found.examples,
            "smallest": self.found.smallest,
            "none_up_to": self.found.none_up_to,
            "agreement": [each.document() for each in self.agreements],
        }


def extract_programs(
    trained: TrainedModel, inputs: Mapping[LengthRange, Sequence[Word]], *, seconds: float, seed: int = 0
) -> tuple[ExtractedProgram, ...] | str:
    """For each token that the model says a program; of two tokens one, since the other is said elsewhere.

    The examples are what the model was asked about so far, up to its training length. For one token, or for
    many, nothing is tried: why not, in words.
    """
    asked = {
        word: said
        for word, said in trained.known.items()
        if len(word) <= trained.train_lengths.last and trained.right(word) is not None
    }
    tokens = sorted(set(asked.values()))
    if not 2 <= len(tokens) <= MOST_CLASSES:
        few = "one and the same thing" if len(tokens) < 2 else f"{len(tokens)} different things"
        return f"it says {few}; programs are searched for where it says 2 to {MOST_CLASSES}"
    met = [*asked, *(word for words in inputs.values() for word in words)]
    letters = tuple(sorted({letter for word in met for letter in word}))
    positions = isinstance(trained.model, DecoderConfig) and trained.model.encoding != "nope"
    family = Family.named("both" if positions else "empty")
    wanted = tokens[-1:] if len(tokens) == 2 else tokens
    programs = []
    for token in wanted:
        target = ExamplesTarget({word: said == token for word, said in asked.items()}, letters)
        found = synthesize_target(target, family, seconds=seconds / len(wanted), seed=seed)
        agreements = () if found.program is None else _agreements(trained, found, token, inputs)
        programs.append(ExtractedProgram(says=token, family=family, found=found, agreements=agreements))
    return tuple(programs)


def _agreements(
    trained: TrainedModel, found: Synthesis, token: str, inputs: Mapping[LengthRange, Sequence[Word]]
) -> tuple[ProgramAgreement, ...]:
    assert found.program is not None
    counted = []
    for lengths, words in inputs.items():
        agree = right = 0
        for x in words:
            trained.said(x)  # all prefixes at once
            asked = [x[:size] for size in range(len(x) + 1)] if trained.whole_words else [x]
            accepted = accepted_words(found.program.core, asked)
            agree += bool((accepted == [trained.said(word) == token for word in asked]).all())
            right += bool((accepted == [trained.right(word) == token for word in asked]).all())
        counted.append(
            ProgramAgreement(
                lengths=lengths, inputs=len(words), model_and_program=agree, program_and_task=right
            )
        )
    return tuple(counted)
