"""What the program behind a forecast says of an input: its trace, and its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longreach.crasp.evaluate import Stream
from longreach.crasp.program import Program
from longreach.crasp.trace import Trace
from longreach.crasp.words import EMPTY, Encoder
from longreach.errors import InputError
from longreach.languages.program_class import ENCODING_SIDES
from longreach.tasks.language_task import LanguageTask, RegularLanguage
from longreach.tasks.layout import SequenceTask
from longreach.tasks.program_task import ACCEPTED, REJECTED
from longreach.tasks.state_task import StateTask
from longreach.tasks.task import EOS, SEP, SOS, Task
from longreach.verdicts.verdict import Answer, Proof, Verdict


def expected_to_work(sides: Mapping[str, Verdict]) -> Verdict | None:
    """The first side, NoPE before APE, on which what is trained is expected to work, if there is one."""
    return next((sides[key] for key in ENCODING_SIDES if sides[key].trained is Answer.YES), None)


def program_of(sides: Mapping[str, Verdict]) -> Program | None:
    """The program of that side: for a language one that accepts its words where there is one."""
    side = expected_to_work(sides)
    return None if side is None else side.trained_proof.program


def known_program(sides: Mapping[str, Verdict], *, predicting: bool = False) -> Program:
    """The same, or for a language the one that predicts what may follow; an error says why there is none."""
    side = expected_to_work(sides)
    if side is None:
        undecided = any(sides[key].trained is Answer.UNDECIDED for key in ENCODING_SIDES)
        why = "whether there is one is not known" if undecided else "none exists, and it is expected to fail"
        raise InputError(f"there is no program: {why}")
    proof: Proof = side.prediction_proof if predicting and side.predicts else side.trained_proof
    if proof.program is None:
        raise InputError(f"the program is not written: {proof.not_written or 'nobody has'}")
    return proof.program


def tokens_of(task: Task, word: str | Sequence[str]) -> list[str]:
    """The tokens of an input: separated by spaces, or written together.

    >>> from longreach.tasks.catalog import load_task
    >>> tokens_of(load_task("sort"), "14 3"), tokens_of(load_task("aa"), "aaa")
    (['14', '3'], ['a', 'a', 'a'])
    """
    if not isinstance(word, str):
        return list(word)
    text = word.strip()
    if text in ("", EMPTY):
        return []
    return text.split() if " " in text or text in task.tokens else list(text)


def read_by_program(task: Task, tokens: Sequence[str]) -> list[str]:
    """What a program reads before it answers: of a language the word alone, else all that the model reads.

    >>> from longreach.tasks.catalog import load_task
    >>> read_by_program(load_task("parity"), ["1", "0"])
    ['SOS', '1', '0', 'SEP']
    """
    if isinstance(task, LanguageTask):
        return list(task.read(tokens))
    if tuple(tokens[:1]) == (SOS,):
        return list(tokens)
    separated = isinstance(task, SequenceTask) and task.separated
    return [SOS, *tokens, *([SEP] if separated else [])]


def trace_of(task: Task, sides: Mapping[str, Verdict], word: str | Sequence[str]) -> Trace:
    """The trace of the program on an input of the task."""
    return known_program(sides).trace(read_by_program(task, tokens_of(task, word)))


def predict(task: Task, sides: Mapping[str, Verdict], word: str | Sequence[str]) -> tuple[str, ...]:
    """What the program answers: for a language the tokens that may follow, or accept or reject.

    For other tasks the whole answer, which the program writes token by token; the next token where the
    answer has no end.

    >>> from longreach.forecast import forecast
    >>> asked = {"regex:(ab)*": "ab", "crasp:lib:tomita-1": "110", "binary-majority": "110"}
    >>> [predict(each.task, each.sides, asked[each.name]) for each in map(forecast, asked)]
    [('a', 'EOS'), ('reject',), ('1', 'EOS')]
    """
    core = known_program(sides, predicting=True).core
    tokens = tokens_of(task, word)
    if isinstance(task, RegularLanguage | StateTask):
        task.answer(tokens)  # says so where no word of the language begins like that
    encoder, stream = Encoder(core), Stream(core)
    stream.feed(encoder.tokens(read_by_program(task, tokens)))
    if not core.is_predictor:
        return ACCEPTED if stream.accepted else REJECTED
    if isinstance(task, LanguageTask):
        return tuple(stream.predicted)
    written: list[str] = []
    most = task.answer_size(len(tokens)) + 1 if isinstance(task, SequenceTask) else 1
    while len(written) < most and EOS not in written:
        said = stream.predicted
        if len(said) != 1:
            raise InputError(f"{task.name}: the program predicts {' '.join(said) or 'nothing'} there")
        written += said
        stream.feed(encoder.tokens(said))
    return tuple(written)
