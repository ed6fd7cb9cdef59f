"""What a document says, side by side with what its certificates prove."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from longreach.answers.documents import ModelDocument, SideDocument, VerdictDocument, unchecked
from longreach.answers.kinds import ArchitectureKind, kind_of
from longreach.answers.proved import AT_END, LAST_LETTER, answers_of
from longreach.answers.verify import (
    BESIDE,
    MODEL,
    Statement,
    Subject,
    check_certificate,
    is_about_membership,
    own_subject,
)
from longreach.errors import InputError
from longreach.tasks.regular import LabelledLanguage, RegularLanguage, StateTask
from longreach.theory.architectures.classes import ABILITY, ModelClass, model_class
from longreach.theory.architectures.documents import CascadeCertificate
from longreach.theory.automata.automaton import Automaton
from longreach.theory.certificates.check_no import Finding, Status
from longreach.theory.certificates.check_yes import check_program
from longreach.theory.certificates.documents import AutomatonTable, ProgramCertificate
from longreach.theory.certificates.tables import automaton_of, automaton_table, same_language
from longreach.theory.crasp.program import parse
from longreach.theory.names import TaskName
from longreach.theory.program_class import CLASSES, IN_AC0, SIDES
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import CertificateDocument
from longreach.wording import counted

OF_PROGRAMS = (
    "window", "modulus", "depth", "levels", "prediction_window", "prediction_modulus", "prediction_depth",
    "prediction_levels", "program", "proof", "predictor",
)  # fmt: skip
"""What a side says of programs and cascades, and an undecided one has nothing to say of."""


def _class_of(certificate: CertificateDocument, usual: str) -> str:
    """What a certificate is about, by its kind alone where it names no class."""
    if isinstance(kind_of(certificate), ArchitectureKind):
        return IN_AC0
    return str(getattr(certificate, "program_class", usual))


@dataclass(frozen=True)
class Checked:
    """One certificate, or one answer without, and what was found."""

    place: str
    """The side, and the answer if it is not the verdict; empty for a certificate that stands alone."""
    certificate: CertificateDocument | None
    finding: Finding
    program_class: str | None = None
    subject: Subject | None = None
    also: tuple[str, ...] = ()
    """What else was derived for the side, in words."""
    beside: tuple[CertificateDocument, ...] = ()
    """Further certificates from which it was derived."""

    @property
    def convention(self) -> str:
        return str(getattr(self.certificate, "convention", LAST_LETTER))

    @property
    def prediction(self) -> bool:
        return bool(getattr(self.certificate, "prediction", False))


def check_statement(statement: Statement, subject: Subject | Finding | None) -> list[Checked]:
    """What is found for each side; sides of which nothing is claimed are left out, unless all are."""
    own = subject if isinstance(subject, Subject) else None
    document = statement.document
    if document is None:
        assert statement.certificate is not None
        finding = check_certificate(statement.certificate, subject)
        about = getattr(statement.certificate, "program_class", None)
        return [Checked("", statement.certificate, finding, about, own)]
    problem = None if own is None else _document_problem(document, own)
    sides = {key: _Side(key, statement, subject, problem) for key in document.sides}
    claimed = {key: side for key, side in sides.items() if not side.open}
    model = _checked_model(statement, subject, problem)
    if not claimed and model:
        return model
    if not claimed:
        nothing = Finding.claimed("nothing is certified: every side is undecided")
        if not sides:
            return [Checked(MODEL, None, nothing, None, own)]
        return [Checked(key, None, nothing, CLASSES[key], own) for key in sides]
    return [checked for side in claimed.values() for checked in side.checked()] + model


def _checked_model(
    statement: Statement, subject: Subject | Finding | None, problem: Finding | None
) -> list[Checked]:
    """The side about an architecture; empty where there is none, or it claims nothing."""
    said = None if statement.document is None else statement.document.model
    certificate = (statement.certificates or {}).get((MODEL, ""))
    if said is None:
        return []
    own = subject if isinstance(subject, Subject) else None
    try:
        about = model_class(said.name, said.options)
    except InputError as error:
        return [Checked(MODEL, certificate, Finding.invalid(error.about_argument), None, own)]
    title = None if about is None else about.title
    if said.model_class not in (None, title):
        problem = problem or Finding.invalid(f"class: {said.name} is about {title or 'no known class'}")
    if said.verdict == "not known" and certificate is None and problem is None:
        return []
    if certificate is None or about is None:
        finding = Finding.claimed(f"verdict: no certificate proves {said.verdict!r}")
        return [Checked(MODEL, certificate, problem or finding, title, own)]
    found = check_certificate(certificate, subject)
    if found.status is Status.INVALID:
        return [Checked(MODEL, certificate, found, title, own)]
    proved = _proved_of_model(certificate, about, own)
    if proved is None:
        problem = problem or Finding.claimed(f"verdict: no certificate proves {said.verdict!r}")
    elif proved != said.verdict:
        differs = f"verdict: the document says {said.verdict!r}, which is not what its certificate proves"
        problem = problem or Finding.invalid(differs)
    problem = problem or next(_numbers_of_cascade(said, certificate), None)
    worst = found if problem is None else _worst([found, problem])
    also = () if proved is None else (_about_model(said.name, said.options, about, proved),)
    return [Checked(MODEL, certificate, worst, title, own, also)]


def _numbers_of_cascade(said: ModelDocument, certificate: CertificateDocument) -> Iterator[Finding]:
    for name, right in (("modulus", "modulus"), ("levels", "layers")):
        number, known = getattr(said, name), getattr(certificate, right, None)
        is_cascade = isinstance(certificate, CascadeCertificate)
        if number is not None and not is_cascade:
            yield Finding.claimed(f"{name}: no certificate proves {number}")
        elif number is not None and number != known:
            yield Finding.invalid(f"{name}: it is {known}, not {number}")


def _proved_of_model(certificate: CertificateDocument, about: ModelClass, own: Subject | None) -> str | None:
    """What a certificate proves of an architecture of that class."""
    kind = kind_of(certificate)
    if isinstance(kind, ArchitectureKind):  # models are about what is trained
        trained = not is_about_membership(certificate, own)
        return about.proves(certificate) if trained else None  # type: ignore[arg-type]
    predicts = isinstance(getattr(own, "task", None), RegularLanguage)
    proved = answers_of(certificate, own).get("prediction" if predicts else "verdict")
    if about.side is not None:
        return proved if getattr(certificate, "program_class", None) == SIDES[about.side] else None
    from longreach.answers.architecture import by_other_certificate

    task = getattr(own, "task", None)
    return proved if proved == by_other_certificate(about, certificate.kind, task) else None


def _about_model(name: str, options: Mapping[str, object], about: ModelClass, proved: str) -> str:
    """What was derived for an architecture, in words."""
    given = ", ".join(f"{key}={json.dumps(value)}" for key, value in sorted(options.items()))
    model = f"{name} ({given})" if given else name
    if about.side is not None:
        return f"{model}: {'a' if proved == 'yes' else 'no'} program exists in {about.title}"
    return f"{model} {ABILITY[proved]}"


def _document_problem(document: VerdictDocument, subject: Subject) -> Finding | None:
    """What the document says of its task that is not so."""
    if document.alphabet is not None and sorted(document.alphabet) != sorted(subject.alphabet):
        return Finding.invalid("the document's alphabet is not that of the task")
    named = TaskName(document.task)
    if document.convention == AT_END and not isinstance(subject.task, RegularLanguage | None):
        return Finding.claimed("reading after the end is decided for regular languages only")
    if not (named.is_attribute or named.is_file or "." in document.task or "/" in document.task):
        about = own_subject(Statement(None, document, {}))
        if isinstance(about, Subject) and not _same_subject(about, subject):
            return Finding.invalid(f"the document is about the task {named.short}")
    if document.states is not None and document.states != subject.states:
        if subject.states is None:
            return Finding.claimed(f"states: nothing certifies {document.states}")
        return Finding.invalid(f"states: the automaton has {subject.states}, not {document.states}")
    classes = list(subject.task.machine.classes) if isinstance(subject.task, LabelledLanguage) else None
    if document.classes is not None and document.classes != classes:
        return Finding.invalid("classes: these are not the classes of the task")
    if document.measures is not None:
        from longreach.theory.automata.monoid import measure

        if subject.automaton is None:
            return Finding.claimed("measures: the task is not a regular language")
        if json.loads(json.dumps(asdict(measure(subject.automaton)))) != document.measures:
            return Finding.invalid("measures: these are not the measures of the language")
    extra = set(document.trained or {}) - set(document.sides)
    return Finding.claimed(f"trained: there is no side {min(extra)}") if extra else None


def _same_subject(left: Subject, right: Subject) -> bool:
    if left.name == right.name:
        return True
    if left.automaton is None or right.automaton is None:
        return False
    return same_language(left.automaton, right.automaton)


class _Side:
    """One side of a document: its certificates, what they prove, and what the document says."""

    def __init__(
        self,
        key: str,
        statement: Statement,
        subject: Subject | Finding | None,
        problem: Finding | None,
    ) -> None:
        assert statement.document is not None
        self.key, self.subject, self.document = key, subject, statement.document
        self.problem = problem
        self.own = subject if isinstance(subject, Subject) else None
        self.said: SideDocument = self.document.sides[key]
        self.certificates = {
            answer: certificate
            for (side, answer), certificate in (statement.certificates or {}).items()
            if side == key
        }
        self.at_end = self.document.convention == AT_END

    @property
    def open(self) -> bool:
        """Nothing is claimed and nothing is certified."""
        kinds = {each.kind for each in self.certificates.values()}
        said = {self.said.verdict, self.trained or "undecided", *self._answers_said().values()}
        numbers = any(getattr(self.said, name) is not None for name in OF_PROGRAMS)
        return said == {"undecided"} and kinds <= {"none"} and not numbers

    @property
    def trained(self) -> str | None:
        """What the document says of training this side."""
        return (self.document.trained or {}).get(self.key)

    def _answers_said(self) -> dict[str, str]:
        found = {name: getattr(self.said, name) for name in BESIDE}
        return {name: answer for name, answer in found.items() if answer is not None}

    def checked(self) -> Iterator[Checked]:
        """For the verdict and, where it has a certificate of its own, for prediction."""
        findings = {answer: self._finding(each) for answer, each in self.certificates.items()}
        proved: dict[str, str] = {}
        problem = self.problem or self._class_problem()
        refuted = any(finding.status is Status.INVALID for finding in findings.values())
        for certificate in () if refuted else self.certificates.values():
            for field, value in self._answers(certificate).items():
                if proved.setdefault(field, value) != value:
                    problem = Finding.invalid(f"{field}: its certificates contradict each other")
        if problem is None and not refuted:
            problem = self._compared(proved)
        # Prediction has a line of its own where it has another answer than the verdict.
        apart = "prediction" in findings and proved.get("prediction") != proved.get("verdict")
        main = findings.pop("", Finding.claimed("there is no certificate"))
        predicted = findings.pop("prediction") if apart else None
        worst = _worst([main, *findings.values(), *([] if problem is None else [problem])])
        also = self._also(proved) if worst.valid else ()
        beside = tuple(self.certificates[answer] for answer in findings)
        yield Checked(self.key, self.certificates.get(""), worst, CLASSES[self.key], self.own, also, beside)
        if predicted is not None:
            own = self.certificates["prediction"]
            yield Checked(f"{self.key}.prediction", own, predicted, CLASSES[self.key], self.own)

    def _finding(self, certificate: CertificateDocument) -> Finding:
        about = _class_of(certificate, CLASSES[self.key])
        if about != CLASSES[self.key]:
            return Finding.invalid(f"the certificate is about {about}, not about {CLASSES[self.key]}")
        found = check_certificate(certificate, self.subject)
        if found.valid and self.said.checked_to is not None:
            return Finding(Status.CHECKED, found.how, "the document says that it is checked to a length")
        return found

    def _class_problem(self) -> Finding | None:
        said = self.said.program_class
        if said not in (None, CLASSES[self.key]):
            return Finding.invalid(f"the side {self.key} is about {CLASSES[self.key]}")
        return None

    def _answers(self, certificate: CertificateDocument) -> dict[str, str]:
        """What a certificate proves, by the fields of this document."""
        found = answers_of(certificate, self.own)
        if not self.at_end:
            return found
        # What may follow is certified beside the other convention only.
        last = {"last_letter": found["verdict"]} if "verdict" in found else {}
        end = found.get("end_of_sequence")
        return last | ({} if end is None else {"verdict": end, "end_of_sequence": end})

    def _compared(self, proved: dict[str, str]) -> Finding | None:
        """The first field that says something else than is proved, or else one that nothing proves."""
        if not self.at_end and proved.get("prediction_everywhere") is None and self._regular():
            proved = proved | {"prediction_everywhere": proved.get("verdict", "undecided")}
        said = {"verdict": self.said.verdict, **self._answers_said()}
        derived: dict[str, str | None] = {field: proved.get(field) for field in said}
        if self.trained is not None:
            predicts = isinstance(getattr(self.own, "task", None), RegularLanguage)
            said["trained"] = self.trained
            derived["trained"] = proved.get("prediction" if predicts else "verdict")
        differing = [
            Finding.invalid(
                f"{field}: the document says {said[field]!r}, which is not what its certificate proves"
            )
            for field, value in derived.items()
            if value is not None and value != said[field]
        ]
        open_ = [
            Finding.claimed(f"{field}: no certificate proves {said[field]!r}")
            for field, value in derived.items()
            if value is None and said[field] != "undecided"
        ]
        return next(iter([*differing, *self._numbers(proved), *self._programs(), *open_]), None)

    def _regular(self) -> bool:
        """Whether a certificate carries the automaton of the task's language."""
        regular = any(getattr(each, "automaton", None) is not None for each in self.certificates.values())
        return regular and not isinstance(getattr(self.own, "task", None), StateTask | LabelledLanguage)

    def _numbers(self, proved: Mapping[str, str]) -> Iterator[Finding]:
        """Window, modulus and depth of the program of a yes, modulus and levels of a cascade."""
        is_cascade = self.key not in SIDES
        for prefix, sources in (("", ("",)), ("prediction_", ("prediction", ""))):
            # A cascade for membership need not have the levels that are enough for what may follow.
            found = [self.certificates.get(each) for each in sources[: 1 if is_cascade else None]]
            held = "layers" if is_cascade else "program"
            source = next((each for each in found if hasattr(each, held)), None)
            for name in ("window", "modulus", "depth", "levels"):
                said = getattr(self.said, f"{prefix}{name}")
                if said is None:
                    continue
                right = (
                    self._depth(prefix, source)
                    if name == "depth"
                    else getattr(source, "layers" if name == "levels" else name, None)
                )
                if right is None:
                    yield Finding.claimed(f"{prefix}{name}: no certificate proves {said}")
                elif said != right:
                    yield Finding.invalid(f"{prefix}{name}: it is {right}, not {said}")

    def _depth(self, prefix: str, program: CertificateDocument | None) -> int | None:
        """That of the task's program; for a language the least, recomputed from the automaton."""
        task = getattr(self.own, "task", None)
        if program is None or self.key not in SIDES:
            return None
        if isinstance(task, LabelledLanguage):
            languages = [task.machine.language(label) for label in task.machine.classes]
            depths = [judge(each).sides[self.key].proof.depth for each in languages]
            return None if None in depths else max(depth or 0 for depth in depths)
        automaton = self._automaton()
        if not prefix and hasattr(program, "depth") and not isinstance(task, StateTask):
            return int(program.depth)
        if automaton is None:
            return None
        found = judge(automaton).sides[self.key]
        predicted = bool(prefix) or isinstance(task, StateTask)
        proof = (found.prediction if predicted else found.membership).proof
        same = (proof.window, proof.modulus) == (
            getattr(program, "window", None),
            getattr(program, "modulus", None),
        )
        return proof.depth if same else None

    def _automaton(self) -> Automaton | None:
        """Of the language that is read: the subject's, or for a program that of a certificate."""
        if self.own is not None and self.own.automaton is not None:
            return self.own.automaton
        tables = [getattr(each, "automaton", None) for each in self.certificates.values()]
        return next((automaton_of(each) for each in tables if isinstance(each, AutomatonTable)), None)

    def _programs(self) -> Iterator[Finding]:
        """The programs that stand in the document beside its certificates."""
        texts = {getattr(each, "program", None) for each in self.certificates.values()}
        for name, text in (("program", self.said.program), ("predictor", self.said.predictor)):
            if text is not None and text not in texts:
                found = self._alone(text, predicts=name == "predictor")
                if not found.valid:
                    yield replace(found, problem=f"{name}: {found.problem}")
        if self.said.proof is not None and (self.said.program is None or self.said.proof != "proved"):
            yield Finding.claimed("proof: the document has no program that is proved right")

    def _alone(self, text: str, *, predicts: bool) -> Finding:
        """Whether a program without a certificate is right for the language of the side."""
        automaton = self._automaton()
        if automaton is None or self.key not in SIDES:
            return Finding.claimed("it is not the program of a certificate")
        try:
            core = parse(text, "program").core
        except InputError as error:
            return Finding.invalid(error.message)
        certificate = ProgramCertificate(
            program_class=SIDES[self.key],
            automaton=automaton_table(automaton),
            program=text,
            window=core.locality,
            modulus=core.modulus,
            prediction=predicts,
        )
        return check_program(certificate, None)

    def _also(self, proved: Mapping[str, str]) -> tuple[str, ...]:
        """What was derived beside the verdict and stands in the document."""
        if self.key not in SIDES:
            return self._of_cascades(proved)
        task = getattr(self.own, "task", None)
        if not isinstance(task, RegularLanguage | None):
            return ()
        other, words = (
            ("last_letter", "read at the last letter")
            if self.at_end
            else ("end_of_sequence", "read after the last letter")
        )
        said = []
        if other in proved and getattr(self.said, other) is not None and proved[other] != proved["verdict"]:
            said.append(f"{words}: {proved[other]}")
        return tuple(said)

    def _of_cascades(self, proved: Mapping[str, str]) -> tuple[str, ...]:
        """What attention to the last match can do, and with which cascade."""
        said = [f"{self.key} {ABILITY[proved['verdict']]}"] if "verdict" in proved else []
        for place, words in (("", ""), ("prediction", "for what may follow ")):
            cascade = self.certificates.get(place)
            if isinstance(cascade, CascadeCertificate):
                levels = counted(cascade.layers, "level")
                said.append(f"{words}modulus {cascade.modulus}, {levels}")
        return tuple(said)


def _worst(findings: Sequence[Finding]) -> Finding:
    """The finding that decides: one that refutes, else the first that is not valid."""
    refuted = [each for each in findings if each.status is Status.INVALID]
    doubtful = [each for each in findings if not each.valid]
    return next(iter([*refuted, *doubtful, *findings]))


def not_checked(statement: Statement) -> list[str]:
    """The fields of a document that nothing certifies: prose, measurements, odds.

    >>> from longreach.answers.verify import read_statements
    >>> not_checked(read_statements('{"kind": "none", "reason": ""}', "mine.json")[0])
    []
    """
    document = statement.document
    if document is None:
        return []
    parts = [*document.sides.values(), *([] if document.model is None else [document.model])]
    sides = {name for side in parts for name in unchecked(side)}
    return [*unchecked(document), *sorted(sides)]
