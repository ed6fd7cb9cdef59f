"""Architectures and the classes of tasks that they can express, with the statement each rests on.

"Yes" says that weights exist which are right at every length, in a precision that does not grow; it promises
nothing about training. "No" says that there are none, at any depth. What was read of each paper, and what is
an argument of this project, is on the page docs/models-theory.md.

>>> from longreach.theory.automata.automaton import labelled
>>> parity = Question(labelled("ab", [[1, 0], [0, 1]], 0, ["even", "odd"]))
>>> [judge_architecture(name, {}, parity).answer for name in ("lstm", "ssm", "ssm-signed", "mlp")]
['yes', 'no', 'yes', 'no']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from longreach.errors import Field, InputError, near_names
from longreach.theory.architectures.documents import (
    ArchitectureCertificate,
    CascadeCertificate,
    CycleCertificate,
    FiniteStateCertificate,
    LastTokenCertificate,
    PeriodsCertificate,
    Question,
    SameTokenCertificate,
    SolvableCertificate,
    StableGroupCertificate,
    UnsolvableCertificate,
)
from longreach.theory.architectures.groups import Groups
from longreach.theory.budget import DEFAULT_BUDGET, Budget, OverBudget
from longreach.theory.program_class import SIDES
from longreach.wording import counted, some, spelled

Said: TypeAlias = Literal["yes", "no", "not known"]
Options: TypeAlias = Mapping[str, Any]

MEANING = (
    "yes: weights exist that are right at every length, under the condition; no: none exist, at any depth; "
    "neither is a promise about training"
)
MEANING_BY_PROGRAMS = (
    "yes: a program exists, which predicts length generalization; no: none exists, which predicts that it "
    "fails; neither is a promise about training"
)
ABILITY: Final = {"yes": "can express it", "no": "cannot express it"}
EXPECTED: Final = {"yes": "expected to work", "no": "expected to fail"}
SILENT = "theory says nothing about this model"

SARROF = "Sarrof, Veitsman and Hahn, arXiv 2405.17394"
GRAZZI = "Grazzi et al., arXiv 2411.12537"
SIEMS = "Siems et al., arXiv 2502.10297"
SHAKERINAVA = "Shakerinava et al., arXiv 2603.01959"
YANG = "Yang, Chiang and Angluin, arXiv 2310.13897"
KNEE_DEEP = "Yang, Cadilhac and Chiang, arXiv 2506.16055"
WEISS = "Weiss, Goldberg and Yahav, arXiv 1805.04908"
MERRILL_RNN = "Merrill et al., arXiv 2004.08500"
MERRILL_SATURATED = "Merrill, arXiv 1906.01615"
MERRILL_LOOPED = "Merrill and Sabharwal, arXiv 2503.03961"
JELASSI = "Jelassi et al., arXiv 2402.01032"
HUANG = "Huang et al., arXiv 2410.02140"
OWN = "own argument"


Proves: TypeAlias = Callable[[ArchitectureCertificate], bool]
"""Whether a certificate proves something."""


def _is(kind: type) -> Proves:
    return lambda certificate: isinstance(certificate, kind)


def _never(certificate: ArchitectureCertificate) -> bool:
    return False


def _aperiodic(certificate: ArchitectureCertificate) -> bool:
    return isinstance(certificate, PeriodsCertificate) and certificate.period == 1


def _two_groups(certificate: ArchitectureCertificate) -> bool:
    # A group whose elements all have orders that are powers of two is a 2-group (Cauchy).
    return isinstance(certificate, PeriodsCertificate) and certificate.period.bit_count() == 1


def _cycles_oddly(certificate: ArchitectureCertificate) -> bool:
    return isinstance(certificate, CycleCertificate) and len(certificate.states) % 2 == 1


def _cascade_without_clock(certificate: ArchitectureCertificate) -> bool:
    return isinstance(certificate, CascadeCertificate) and certificate.modulus == 1


@dataclass(frozen=True, kw_only=True)
class ModelClass:
    """What an architecture can express."""

    title: str
    """As documents name it."""
    source: str
    condition: str = "at every length with fixed precision"
    """Under which the statement is proved."""
    tries: tuple[str, ...] = ()
    """Which of the finders of `Groups` are asked, in this order."""
    yes: Proves = _never
    """Whether a certificate proves that the task is in the class."""
    no: Proves = _never
    beyond: str = "the groups of its automaton do not decide it"
    """What is said where no certificate decides."""
    side: str | None = None
    """The side of a forecast that decides instead."""
    state: bool = False
    """Whether the model has a state of a fixed size: what must be remembered may not grow with the length."""
    counts: bool = False
    """Whether its state has counters without a bound."""

    def proves(self, certificate: ArchitectureCertificate) -> Said | None:
        """What a valid certificate says of the architecture."""
        if self.yes(certificate):
            return "yes"
        return "no" if self.no(certificate) else None


STAR_FREE: Final = ModelClass(
    title="star-free languages",
    source=f"{SARROF}; {GRAZZI}",
    tries=("periods", "cycle"),
    yes=_aperiodic,
    no=_is(CycleCertificate),
    state=True,
)
"""Gates in [0, 1]. Sarrof et al.: all star-free languages, and no parity (Theorem 2). Grazzi et al., Theorem
1: without an eigenvalue outside [0, ∞) no number of layers does parity."""

TWO_GROUPS: Final = ModelClass(
    title="regular languages whose groups are 2-groups",
    source=f"{GRAZZI}; yes beyond parity: {OWN}",
    tries=("periods", "odd_cycle"),
    yes=_two_groups,
    no=_cycles_oddly,
    state=True,
)
"""Real gates in [-1, 1]. Grazzi et al., Theorem 2: without complex eigenvalues no number of layers counts
modulo a number that is no power of two. Flips and resets in a cascade do the rest (Krohn and Rhodes)."""

SOLVABLE: Final = ModelClass(
    title="regular languages whose groups are solvable",
    source=f"{SHAKERINAVA}; with resets: {OWN}",
    condition="at every length; rotations are exact, what is read from the state is rounded",
    tries=("periods", "series"),
    yes=lambda certificate: _aperiodic(certificate) or isinstance(certificate, SolvableCertificate),
    no=_is(UnsolvableCertificate),
    state=True,
)
"""Complex diagonal gates. Shakerinava et al.: k layers track a group exactly if it has a subnormal series of
length k with abelian factors."""

REGULAR: Final = ModelClass(
    title="regular languages",
    source=f"{MERRILL_SATURATED} and {MERRILL_RNN}; {WEISS}",
    tries=("finite_state",),
    yes=_is(FiniteStateCertificate),
    state=True,
    beyond="it is not given by an automaton",
)
"""A recurrence with a squashing nonlinearity keeps the state of any automaton, saturated."""

COUNTERS: Final = replace(
    REGULAR,
    title="regular languages and counters",
    condition="at every length with fixed precision; counters are exact while a number holds them",
    counts=True,
)

LOG_LOOPS: Final = ModelClass(
    title="regular languages, with loops that grow with log n",
    source=f"{MERRILL_LOOPED}, Theorem 1; after every letter: {OWN}",
    condition="loops and precision grow with the logarithm of the length; averaging hard attention",
    tries=("finite_state",),
    yes=_is(FiniteStateCertificate),
    beyond="it is not given by an automaton",
)

CURRENT_TOKEN: Final = ModelClass(
    title="functions of the current token",
    source="by definition",
    tries=("token",),
    yes=_is(LastTokenCertificate),
    no=_is(SameTokenCertificate),
    beyond="it is not given by an automaton",
)

HARD_LIMIT: Final = ModelClass(
    title="star-free languages, in the limit of hard attention",
    source=YANG,
    condition="at every length, with weights of 0 and 1 and heads that are masked from themselves",
    tries=("steady_cascade", "periods"),
    yes=lambda certificate: _aperiodic(certificate) or _cascade_without_clock(certificate),
    beyond="not star-free: hard attention cannot do it, and of soft weights nothing is known",
)

AC0: Final = ModelClass(
    title="regular languages in AC⁰",
    source=YANG,
    condition="at every length, in the limit of hard attention: a head finds the last match and how long ago "
    "it was, modulo a number",
    tries=("stable_group", "cascade"),
    yes=_is(CascadeCertificate),
    no=_is(StableGroupCertificate),
    beyond="no cascade was found",
)
"""Rightmost hard attention, masked from itself, and positions modulo a number. Yang et al.: this recognizes
exactly the regular languages in AC⁰, those without a group among the maps of words of one length."""

_SIDE_SOURCE = {
    "nope": f"{HUANG}, Theorems 7 and 9",
    "ape": f"{HUANG}, Theorems 7 and 9",
    "local": f"{KNEE_DEEP}; with attention within a window: {OWN}",
}
ENCODINGS: Final[Mapping[str, str | ModelClass | None]] = {
    "nope": "nope",
    "ape": "ape",
    "window": "local",
    "stick-breaking": HARD_LIMIT,
    "reach": AC0,
    "fox": None,
    "cope": None,
}
"""The side of a forecast, or the class, of a decoder with the encoding; None: nothing is known."""


def _contractions(options: Options) -> ModelClass:
    """Products of two factors have eigenvalues in [0, 1] (Grazzi et al., Proposition 1); those of three may
    have negative ones: projections onto lines at 0°, 60° and 120° multiply a state by -1/8."""
    count = _factors(options)

    def no(certificate: ArchitectureCertificate) -> bool:
        return isinstance(certificate, CycleCertificate) and len(certificate.word) * count <= 2

    return replace(
        STAR_FREE,
        source=f"{GRAZZI}; for yes: {OWN}",
        no=no,
        beyond="a repeated word cycles through states, and products of three factors may turn a state",
    )


def _reflections(options: Options) -> ModelClass:
    count = _factors(options)
    return ModelClass(
        title="regular languages",
        source=f"{GRAZZI}, Theorems 3 and 4; with fewer reflections a token: {SIEMS}, Theorem 1, and {OWN}",
        condition=f"at every length, with exact reflections; {counted(count, 'reflection')} a token do steps "
        "that need more in further layers",
        tries=("periods", "reflected"),
        yes=lambda certificate: _two_groups(certificate) or isinstance(certificate, FiniteStateCertificate),
        beyond="it is not given by an automaton",
        state=True,
    )


def _deltanet(options: Options) -> ModelClass:
    return _reflections(options) if _option(options, "signed", False, bool) else _contractions(options)


def _factors(options: Options) -> int:
    count: int = _option(options, "reflections", 1, int)
    if count < 1:
        raise _refused(f"reflections must be at least 1, not {count}")
    return count


def _looped(options: Options) -> ModelClass | None:
    loops = options.get("loops", 4)
    if loops == "log":
        return LOG_LOOPS
    if isinstance(loops, bool) or not isinstance(loops, int) or loops < 1:
        raise _refused(f'loops must be "log" or a number of at least 1, not {loops!r}')
    return _decoder(options)


def _decoder(options: Options) -> ModelClass | None:
    encoding = _option(options, "encoding", "ape", str)
    place = ENCODINGS.get(encoding)
    if not isinstance(place, str):
        return place
    return ModelClass(
        title=SIDES[place],
        source=_SIDE_SOURCE[place],
        condition="programs at every length: this predicts length generalization",
        side=place,
        beyond="not decided",
    )


def _hybrid(options: Options) -> ModelClass | None:
    recurrence = _option(options, "recurrence", "ssm", str)
    if recurrence in ("hybrid", "decoder", "looped", "mlp"):
        raise _refused(f"recurrence: {recurrence} is not a recurrence")
    part = model_class(recurrence, {name: value for name, value in options.items() if name != "recurrence"})
    if part is None:
        return None
    return replace(
        part,
        title=f"at least {part.title}",
        source=f"its {recurrence} layers alone: {part.source}",
        no=_never,
        beyond=f"what its {recurrence} layers and a window do together is not known",
    )


_ROWS: Final[dict[str, Callable[[Options], ModelClass | None]]] = {
    "decoder": _decoder,
    "mlp": lambda options: CURRENT_TOKEN,
    "lstm": lambda options: COUNTERS,
    "gru": lambda options: REGULAR,
    "rnn": lambda options: REGULAR,
    "looped": _looped,
    "ssm": lambda options: STAR_FREE,
    "ssm-signed": lambda options: TWO_GROUPS,
    "ssm-complex": lambda options: SOLVABLE,
    "deltanet": _deltanet,
    "hybrid": _hybrid,
}
ARCHITECTURES: Final = tuple(_ROWS)


def _option(options: Options, name: str, usual: Any, kind: type) -> Any:
    value = options.get(name, usual)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise _refused(f"{name}: must be {_KINDS[kind]}, not {value!r}")
    return value


_KINDS = {bool: "true or false", int: "a whole number", str: "a name"}


def _refused(reason: str) -> InputError:
    return InputError(reason, place=Field("model_option"))


def model_class(name: str, options: Options) -> ModelClass | None:
    """The class of an architecture with its options; None where theory says nothing.

    A model of the user's, `module:make`, has the class that its option `theory` names.

    >>> model_class("deltanet", {"signed": True, "reflections": 2}).title
    'regular languages'
    >>> model_class("mine:make", {}) is None, model_class("mine:make", {"theory": "ssm"}).title
    (True, 'star-free languages')
    """
    theory = options.get("theory")
    if theory is not None:
        if not isinstance(theory, str) or theory not in _ROWS:
            raise _refused(f"theory: unknown architecture {theory!r}{near_names(str(theory), _ROWS)}")
        return model_class(theory, {key: value for key, value in options.items() if key != "theory"})
    if name in _ROWS:
        return _ROWS[name](options)
    if ":" in name:
        return None
    raise InputError(
        f"unknown architecture {name!r}{near_names(name, _ROWS) or '; they are ' + ', '.join(_ROWS)}",
        place=Field("model"),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class ArchitectureVerdict:
    """What theory says of one architecture and one task."""

    name: str
    options: Options
    answer: Said
    model_class: str | None
    reason: str
    source: str | None
    condition: str | None = None
    meaning: str = MEANING
    certificate: Any = None
    """A document; None where nothing is certified."""

    @property
    def modulus(self) -> int | None:
        """Of the clock that a cascade needs; None where the certificate is none."""
        return self.certificate.modulus if isinstance(self.certificate, CascadeCertificate) else None

    @property
    def levels(self) -> int | None:
        """Layers of attention that suffice for a cascade."""
        return self.certificate.layers if isinstance(self.certificate, CascadeCertificate) else None

    @property
    def words(self) -> str:
        """The answer, in plain words."""
        return (EXPECTED if self.is_about_programs else ABILITY).get(self.answer, self.answer)

    @property
    def is_about_programs(self) -> bool:
        """Whether it predicts length generalization; otherwise it says what weights can do."""
        return self.meaning == MEANING_BY_PROGRAMS

    def document(self, *, certificates: bool = True) -> dict[str, Any]:
        """As the side `model` of a forecast."""
        found: dict[str, Any] = {"name": self.name}
        if self.options:
            found["options"] = dict(self.options)
        found |= {
            "verdict": self.answer,
            "class": self.model_class,
            "reason": self.reason,
            "source": self.source,
            "condition": self.condition,
            "meaning": self.meaning,
        }
        if self.levels is not None:
            found |= {"modulus": self.modulus, "levels": self.levels}
        if certificates:
            made = self.certificate
            found["certificate"] = None if made is None else made.model_dump(mode="json", by_alias=True)
        return found


def not_known(name: str, options: Options, found: ModelClass | None, reason: str) -> ArchitectureVerdict:
    """Nothing is known, and why."""
    return ArchitectureVerdict(
        name=name,
        options=options,
        answer="not known",
        model_class=None if found is None else found.title,
        reason=reason,
        source=None if found is None else found.source,
    )


def judge_architecture(
    name: str, options: Options, question: Question, budget: Budget = DEFAULT_BUDGET
) -> ArchitectureVerdict:
    """What theory says of an architecture for what is asked; where a side decides, nothing."""
    found = model_class(name, options)
    if found is None:
        return not_known(name, options, None, SILENT)
    groups = Groups(question, budget.running())
    reasons = []
    try:
        for finder in found.tries:
            certificate: ArchitectureCertificate | None = getattr(groups, finder)()
            answer = None if certificate is None else found.proves(certificate)
            if certificate is not None and answer is not None:
                return ArchitectureVerdict(
                    name=name,
                    options=options,
                    answer=answer,
                    model_class=found.title,
                    reason=reason_of(certificate),
                    source=found.source,
                    condition=found.condition,
                    certificate=certificate,
                )
    except OverBudget as spent:
        reasons.append(str(spent))
    if found.tries and set(found.tries) & {"periods", "series", "stable_group"} and groups.monoid is None:
        reasons.append(f"words induce more than {budget.monoid} maps (budget)")
    return not_known(name, options, found, "; ".join([*reasons, found.beyond]))


def reason_of(certificate: ArchitectureCertificate) -> str:
    """What a certificate says, in one clause."""
    if isinstance(certificate, PeriodsCertificate):
        if certificate.period == 1:
            return "no word that is repeated cycles through states"
        return f"repeated words cycle through states with periods that divide {certificate.period} only"
    if isinstance(certificate, CycleCertificate):
        return f"repeating {_shown(certificate.word)} cycles through {len(certificate.states)} states"
    if isinstance(certificate, StableGroupCertificate):
        one, other = _shown(certificate.word), _shown(certificate.steady)
        return f"{one} cycles through {len(certificate.states)} states, and {other}, as long, stays at each"
    if isinstance(certificate, CascadeCertificate):
        return _of_cascade(certificate)
    if isinstance(certificate, SolvableCertificate):
        orders = ", ".join(map(str, certificate.orders))
        return f"its groups are solvable, the largest series has the orders {orders}"
    if isinstance(certificate, UnsolvableCertificate):
        states, order = len(certificate.states), certificate.order
        return f"words permute {states} states as a group of order {order} that is not solvable"
    if isinstance(certificate, FiniteStateCertificate):
        made = f"an automaton with {counted(len(certificate.machine.outputs), 'state')} answers it"
        needed = certificate.reflections
        if needed is not None:
            made += f"; {counted(needed, 'reflection')} make every step in one layer"
        return made
    if isinstance(certificate, LastTokenCertificate):
        return "the current token says what is right"
    first, second = _shown(certificate.first), _shown(certificate.second)
    return f"after {first} and after {second} different answers are right"


def _of_cascade(certificate: CascadeCertificate) -> str:
    clock = [f"the position modulo {certificate.modulus}"] if certificate.modulus > 1 else []
    levels = (
        [f"what occurred last, in {counted(len(certificate.levels), 'level')},"] if certificate.levels else []
    )
    if not clock + levels:
        return "the same is right after every word"
    return f"{' and '.join(clock + levels)} {'say' if clock and levels else 'says'} what is right"


MOST_LETTERS = 12
"""Of a word that is shown."""


def _shown(word: tuple[str, ...]) -> str:
    return f'"{spelled(word) if len(word) <= MOST_LETTERS else some(word, MOST_LETTERS)}"'
