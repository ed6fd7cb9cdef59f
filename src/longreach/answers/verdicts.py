"""All evidence about a task → a verdict for each class of programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from longreach.answers.kinds import finder
from longreach.answers.oracle import SECONDS as BLACK_BOX_SECONDS
from longreach.answers.oracle import automaton_of_task, is_black_box
from longreach.errors import InputError
from longreach.tasks.data import DataTask
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.outside import ACCEPTED, REJECTED, ProgramTask
from longreach.tasks.regular import LabelledLanguage, LanguageTask, RegularLanguage, StateTask
from longreach.tasks.task import EOS, SEP, SOS, Evidence, Task
from longreach.theory.crasp.evaluate import Stream
from longreach.theory.crasp.program import Program
from longreach.theory.crasp.words import Encoder
from longreach.theory.program_class import PROGRAM_SIDES, SIDES
from longreach.theory.verdicts.judge import language_sides
from longreach.theory.verdicts.verdict import Answer, Proof, Verdict, undecided
from longreach.wording import EMPTY


def sides(task: Task, name: str, trusted: bool, *, seconds: float = BLACK_BOX_SECONDS) -> dict[str, Verdict]:
    """The sides of all encodings with a forecast, and "local" where the task is a regular language or made of
    some.

    `name` is how the task is found. A task that is not trusted has its programs tried on examples; rows of
    communication are counted from the answers of every task, and every reduction is tried. Where the task is
    somebody's function and names no evidence, evidence is sought in its answers for `seconds`.

    >>> found = sides(load_task("copy-unique"), "copy-unique", True)
    >>> found["nope"].answer.value, found["ape"].answer.value
    ('no', 'yes')
    """
    from longreach.answers.reach import reach_side  # `architecture`, which it needs, reads forecasts

    found = _sides_of_programs(task, name, trusted, seconds)
    return found if "reach" in found else found | {"reach": reach_side(task, found, trusted=trusted)}


def _sides_of_programs(task: Task, name: str, trusted: bool, seconds: float) -> dict[str, Verdict]:
    # Loaded when used: most tasks need only one of these.
    if isinstance(task, ProgramTask | LabelledLanguage | StateTask):
        from longreach.answers.structured import structured_sides

        return structured_sides(task, name, trusted)
    evidence = {key: getattr(task, key, None) or _NO_EVIDENCE for key in PROGRAM_SIDES}
    if all(each.kind == "language" for each in evidence.values()):
        return _own_language(task, trusted)
    found = {
        key: _verdict_of_evidence(task, name, key, each, trusted)
        for key, each in evidence.items()
        if each.kind != "none"
    }
    unknown = tuple(key for key in evidence if key not in found)
    if unknown and seconds > 0 and isinstance(task, DataTask):
        from longreach.answers.examples import example_sides

        found |= example_sides(task, unknown, seconds=seconds)
    elif unknown and seconds > 0 and is_black_box(task, trusted):
        from longreach.answers.black_box import black_box_sides

        found |= black_box_sides(task, name, unknown, seconds=seconds)
    else:
        found |= {key: _verdict_of_evidence(task, name, key, evidence[key], trusted) for key in unknown}
    return {key: found[key] for key in (*SIDES, "reach") if key in found}


_NO_EVIDENCE = Evidence("none", None, "the task names no evidence")


def _own_language(task: Task, trusted: bool) -> dict[str, Verdict]:
    """Decided from the automaton of the task, which of somebody's code is its own word."""
    found = language_sides(automaton_of_task(task), trained=isinstance(task, RegularLanguage))
    if trusted or type(task) is RegularLanguage:
        return found
    return {key: _on_its_word(verdict) for key, verdict in found.items()}


def _on_its_word(verdict: Verdict) -> Verdict:
    def less(proof: Proof) -> Proof:
        return replace(proof, weigh=lambda: f"{proof.basis}, if its automaton is right")

    return verdict.with_proofs(less)


def _verdict_of_evidence(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    if evidence.kind == "language":
        return _own_language(task, trusted)[key]
    find = finder(evidence.kind)
    return (
        undecided(SIDES[key], evidence.reason) if find is None else find(task, name, key, evidence, trusted)
    )


def expected_to_work(sides: Mapping[str, Verdict]) -> Verdict | None:
    """The first side, NoPE before APE, on which what is trained is expected to work, if there is one."""
    return next((sides[key] for key in PROGRAM_SIDES if sides[key].trained is Answer.YES), None)


def program_of(sides: Mapping[str, Verdict]) -> Program | None:
    """The program of that side: for a language one that accepts its words where there is one."""
    side = expected_to_work(sides)
    return None if side is None else side.trained_proof.program


def known_program(sides: Mapping[str, Verdict], *, predicting: bool = False) -> Program:
    """The same, or for a language the one that predicts what may follow; an error says why there is none."""
    side = expected_to_work(sides)
    if side is None:
        undecided = any(sides[key].trained is Answer.UNDECIDED for key in PROGRAM_SIDES)
        raise InputError("no program is known" if undecided else "no program exists: it is expected to fail")
    proof: Proof = side.prediction.proof if predicting and side.predicts else side.trained_proof
    if proof.program is None:
        raise InputError(f"the program is not written: {proof.not_written or 'nobody has'}")
    return proof.program


def tokens_of(task: Task, word: str | Sequence[str]) -> list[str]:
    """The tokens of an input: separated by spaces, or written together.

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

    >>> read_by_program(load_task("parity"), ["1", "0"])
    ['SOS', '1', '0', 'SEP']
    """
    if isinstance(task, LanguageTask):
        return list(task.read(tokens))
    if tuple(tokens[:1]) == (SOS,):
        return list(tokens)
    separated = isinstance(task, SequenceTask) and task.separated
    return [SOS, *tokens, *([SEP] if separated else [])]


def predict(task: Task, sides: Mapping[str, Verdict], word: str | Sequence[str]) -> tuple[str, ...]:
    """What the program answers: for a language the tokens that may follow, or accept or reject.

    For other tasks the whole answer, which the program writes token by token; the next token where the
    answer has no end.

    >>> from longreach.answers.forecast import forecast
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
