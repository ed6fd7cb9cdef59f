"""Weights of a decoder with the encoding `reach` that compute a cascade, at every length.

The construction and its margins are Theorem 7 of docs/reach-proofs.md. A level is a layer, a memory a strict
head. Its share is 1 at tokens whose event sets the memory and 0 elsewhere, up to (i + 1)^-SHARPNESS. What it
reads is made of whole numbers again by the MLP, which has a unit for each event of the level.

The residual stream has named places: ("token", t), ("read", …) for what heads found, and what the MLP makes
of it, ("clock", c), ("memory", …), ("sets", …), ("value", …) and ("answer", a).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

from longreach.config.model import ModelConfig
from longreach.config.reach import reach_heads
from longreach.errors import InputError
from longreach.models.decoder import Memory, parameter_table, unembedded
from longreach.models.parameters import Parameters
from longreach.tasks.task import PAD, SOS
from longreach.theory.architectures.documents import NOTHING, CascadeCertificate

SHARPNESS = 24
"""Logits are this or minus this, times log(i + 1)."""
STEEPNESS = 64
"""Of the units: GELU(64x)/64 differs from max(x, 0) by less than 10^-19 where |x| ≥ 1/4 - 1/8."""
MARGIN = 0.25
"""By which the conditions of a unit may be wrong in sum."""
ROUNDOFF = 2.0**-24
"""Of 32 bits, in which models are stored."""
LONGEST = 2**24 - 1
"""Places up to here are whole numbers in 32 bits, in which logarithms of them are taken."""
MOST_UNITS = 20_000
END = "$"
State = tuple[int, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Compiled:
    """A decoder that computes a cascade."""

    parameters: Parameters
    config: ModelConfig
    tokens: tuple[str, ...]
    """By id, of what is read and what is answered."""
    end: str | None
    """The token at which the answer is asked; None if it is asked at every letter."""
    outputs: Mapping[int, str]
    """The answer that a token is, by its id."""
    units: int
    """MLP units that are used, at most."""
    error: float
    """By which the conditions of a unit are wrong in sum, at most, in exact arithmetic."""
    amplified: float
    """How much of an error of what a head reads the conditions of a unit have in sum."""

    @property
    def rounded(self) -> float:
        """The same with what rounding to 32 bits adds: what is read is a sum of a few terms, each from a
        share that is the exponential of a number known to some units in the last place of 40 (`sticks`)."""
        return self.error + self.amplified * 256 * ROUNDOFF

    @torch.inference_mode()
    def answers(self, word: Sequence[str], *, at_once: int = 256) -> list[str]:
        """What is most likely after SOS and after each letter, or at the end token; read in pieces."""
        ids = [1, *(self.tokens.index(letter) for letter in word)]
        if self.end is not None:
            ids.append(self.tokens.index(self.end))
        memory = Memory(self.parameters, self.config, rows=1, columns=len(ids))
        found: list[int] = []
        for start in range(0, len(ids), at_once):
            piece = torch.tensor([ids[start : start + at_once]])
            places = torch.arange(start, start + piece.shape[1])[None]
            states = memory.follow(piece, places, torch.tensor([piece.shape[1]]))
            found += unembedded(self.parameters, self.config, states).tokens[0].argmax(-1).tolist()
        said = [self.outputs.get(each, self.tokens[each]) for each in found]
        return said if self.end is None else said[-1:]


@dataclass(frozen=True, eq=False)
class _Plan:
    """A cascade as a decoder sees it: what is attended to, layer by layer, and all events that happen."""

    certificate: CascadeCertificate
    levels: int
    """Those that need attention."""
    first: int
    """The layer of the first level."""
    layers: int
    refined: bool
    """Whether memories of the first level hold the letter and the clock at it, not a value made of them."""
    events: tuple[tuple[State, int | None, str], ...]
    """The clock and all memories before a letter, level by level; the letter, None for the end; the answer
    after it, empty where nothing is asked."""
    start: str

    def widths(self) -> list[int]:
        """Memories of each level."""
        return [len(level.memories) for level in self.certificate.levels[: self.levels]]

    def upto(self, level: int) -> int:
        """How many numbers the clock and the memories of so many levels are."""
        return 1 + sum(self.widths()[:level])


def compile_cascade(
    certificate: CascadeCertificate, tokens: Sequence[str] | None = None, *, end: str | None = None
) -> Compiled:
    """A decoder that gives the answers of a cascade after every word of every length.

    `tokens` are those of a task, PAD and SOS first; its letters and answers must be among them. By default
    they are made of the letters and the answers.

    >>> from longreach.theory.architectures.cascades import find_cascade
    >>> from longreach.theory.architectures.documents import Question
    >>> from longreach.theory.automata.automaton import labelled
    >>> flip = labelled("set reset keep".split(), [[1, 0, 0], [1, 0, 1]], 0, ["off", "on"])
    >>> made = compile_cascade(find_cascade(Question(flip), [1]))
    >>> made.answers("keep set keep keep reset keep".split())
    ['off', 'off', 'on', 'on', 'on', 'off', 'off']
    """
    plan = _plan(certificate)
    alphabet, answers = certificate.machine.alphabet, tuple(dict.fromkeys(certificate.answers))
    if certificate.machine.at_end:
        end = end or END
    if tokens is None:
        said = [f"={each}" if each in (*alphabet, end) else each for each in answers]
        tokens = [PAD, SOS, *alphabet, *([end] if end else []), *said]
    else:
        said = list(answers)
        missing = [each for each in (*alphabet, *answers, *([end] if end else [])) if each not in tokens]
        if missing:
            raise InputError(f"the task has no token {missing[0]!r}")
    numbers = {token: number for number, token in enumerate(tokens)}
    made = _Writer(plan, [numbers[each] for each in alphabet], numbers[end] if end else None)
    outputs = {answer: numbers[word] for answer, word in zip(answers, said, strict=True)}
    config, parameters = made.write(len(tokens), outputs)
    amplified = max(made.amplified, 1.0)
    found = Compiled(
        parameters={name: value.float() for name, value in parameters.items()},
        config=config,
        tokens=tuple(tokens),
        end=end,
        outputs={number: answer for answer, number in outputs.items()},
        units=made.units,
        error=amplified * 2 * 2.0 ** (1 - SHARPNESS),
        amplified=amplified,
    )
    if found.rounded > MARGIN / 2:
        reason = f"{found.rounded:.2g}, more than half the margin of {MARGIN}"
        raise InputError(f"a modulus of {certificate.modulus} is too large: units would be wrong by {reason}")
    return found


def _plan(certificate: CascadeCertificate) -> _Plan:
    """What happens, from all words as long as something may still be asked."""
    machine, modulus = certificate.machine, certificate.modulus
    hopeful = {state for state, output in enumerate(machine.outputs) if output != NOTHING}
    while more := {q for q, row in enumerate(machine.transitions) if q not in hopeful and hopeful & {*row}}:
        hopeful |= more
    tables = [
        dict(zip(level.events, zip(*level.memories, strict=True), strict=False))
        for level in certificate.levels
    ]
    sizes = [len(level.memories) for level in certificate.levels]
    sets_by_letter: dict[int, set[tuple[bool, ...]]] = defaultdict(set)
    last_sets_always = True
    letters = len(machine.alphabet)
    start: State = (0,) * (1 + sum(sizes))
    first: tuple[State, State, int] = (start, (0,) * (sizes[0] if sizes else 0), 0)
    found, waiting = {first}, [first]
    steps: list[tuple[State, State, int, int]] = []
    for state, when, here in waiting:
        for letter in range(letters):
            there = machine.transitions[here][letter]
            if there not in hopeful:
                continue
            after, when_after = [(state[0] + 1) % modulus], when
            for number, (size, table) in enumerate(zip(sizes, tables, strict=True)):
                known = len(after)
                new = table.get((*state[:known], letter), (0,) * size)
                after += [value or old for value, old in zip(new, state[known : known + size], strict=True)]
                if number == 0:
                    sets_by_letter[letter].add(tuple(map(bool, new)))
                    event = 1 + state[0] * letters + letter
                    when_after = tuple(event if v else old for v, old in zip(new, when, strict=True))
                if number == len(sizes) - 1:
                    last_sets_always &= all(new)
            steps.append((state, when, letter, there))
            place = (tuple(after), when_after, there)
            if place not in found:
                found.add(place)
                waiting.append(place)
                if len(found) > MOST_UNITS:
                    raise InputError(f"the cascade has more than {MOST_UNITS:,} states (budget)")
    levels = len(sizes) - (len(sizes) > 0 and last_sets_always and not machine.at_end)
    waits = modulus > 1 and levels > 0 and any(len(each) > 1 for each in sets_by_letter.values())
    refined = modulus > 1 and levels > 0 and not waits
    kept = 1 + sum(sizes[:levels])

    def shown(state: State, when: State) -> State:
        known = (state[0], *when, *state[1 + len(when) :]) if refined else state
        return known[:kept]

    events: dict[tuple[State, int | None], str] = {}
    for state, when, letter, there in steps:
        said = "" if machine.at_end else machine.outputs[there]
        events[shown(state, when), letter] = said
    if machine.at_end:
        for state, when, here in waiting:
            events[shown(state, when), None] = machine.outputs[here]
    return _Plan(
        certificate,
        levels,
        int(waits),
        max(levels + waits, 1),
        refined,
        tuple((state, letter, said) for (state, letter), said in events.items()),
        "" if machine.at_end else machine.outputs[0],
    )


class _Writer:
    """Writes the matrices; places of the residual stream get their coordinates when they are first named."""

    def __init__(self, plan: _Plan, letters: list[int], end: int | None) -> None:
        self.plan, self.letters, self.end = plan, letters, end
        self.modulus = plan.certificate.modulus
        self.coordinates: dict[tuple[object, ...], int] = {}
        self.units, self.amplified = 0, 0.0
        angle = 1 - math.cos(2 * math.pi / self.modulus) if self.modulus > 1 else 1.0
        self.turn = 1 / angle

    def at(self, *place: object) -> int:
        return self.coordinates.setdefault(place, len(self.coordinates))

    def token(self, letter: int | None) -> int:
        """The coordinate that says which letter is read, or that the input ends."""
        number = self.end if letter is None else self.letters[letter]
        return self.at("token", number)

    def level_of(self, layer: int) -> int | None:
        level = layer - self.plan.first
        return level if 0 <= level < self.plan.levels else None

    def values(self, level: int) -> list[int]:
        """What heads of the level read apart: letters, or values of any of the memories."""
        if level == 0 and self.plan.refined:
            return list(range(1, 1 + len(self.letters)))
        memories = self.plan.certificate.levels[level].memories
        return sorted({value for memory in memories for value in memory} - {0})

    # Events as conditions

    def conditions(
        self, layer: int, state: State, letter: int | None
    ) -> Iterator[tuple[dict[int, float], float]]:
        """Weights and a constant whose sum is 1 where a condition holds, and at most 0 where it does not."""
        yield {self.token(letter): 1.0}, 0.0
        plan, level = self.plan, self.level_of(layer)
        if self.modulus > 1:
            if layer == 0:  # the distance to SOS is one more than the clock before the letter
                yield self.distance(("read", "clock"), state[0] + 1)
            else:
                yield {self.at("clock", state[0]): 1.0}, 0.0
        place = 1
        for number, size in enumerate(plan.widths()):
            if level is None or number > level:
                break
            for memory in range(size):
                yield from self.memory(number, memory, state[place], state[0], fresh=number == level)
                place += 1

    def memory(
        self, level: int, memory: int, value: int, clock: int, *, fresh: bool
    ) -> Iterator[tuple[dict[int, float], float]]:
        """That a memory has a value; `fresh` if a head has just read it."""
        if not fresh:
            yield {self.at("memory", level, memory, value): 1.0}, 0.0
        elif value == 0:
            yield {self.at("read", level, memory, each): -1.0 for each in self.values(level)}, 1.0
        elif level == 0 and self.plan.refined:
            when, letter = divmod(value - 1, len(self.letters))
            yield {self.at("read", level, memory, letter + 1): 1.0}, 0.0
            yield self.distance(("read", level, memory), clock - when)
        else:
            yield {self.at("read", level, memory, value): 1.0}, 0.0

    def distance(self, place: tuple[object, ...], distance: int) -> tuple[dict[int, float], float]:
        angle = 2 * math.pi * (distance % self.modulus) / self.modulus
        weights = {
            self.at(*place, "cos"): math.cos(angle) * self.turn,
            self.at(*place, "sin"): math.sin(angle) * self.turn,
        }
        return weights, 1 - self.turn

    def results(self, layer: int, state: State, letter: int | None, said: str) -> Iterator[int]:
        """Coordinates that are 1 after the layer if the event happens."""
        plan, level = self.plan, self.level_of(layer)
        if layer == 0 and self.modulus > 1:
            yield self.at("clock", state[0])
        if level is not None:
            place = plan.upto(level)
            for memory in range(plan.widths()[level]):
                yield self.at("memory", level, memory, state[place + memory])
        above = 0 if level is None and layer < plan.first else None if level is None else level + 1
        if above is not None and above < plan.levels and letter is not None:
            event = (*self.real(state[: plan.upto(above)]), letter)
            written = plan.certificate.levels[above]
            if event in written.events:
                number = written.events.index(event)
                for memory, values in enumerate(written.memories):
                    if values[number]:
                        yield self.at("sets", above, memory)
                        yield self.at("value", above, memory, values[number])
        if layer == plan.layers - 1 and said:
            yield self.at("answer", said)

    def real(self, state: State) -> State:
        """With values for the events that a refined first level holds."""
        if not self.plan.refined:
            return state
        level, count = self.plan.certificate.levels[0], len(self.letters)
        row = list(state)
        for memory, values in enumerate(level.memories[: len(state) - 1]):
            if state[1 + memory]:
                when, letter = divmod(state[1 + memory] - 1, count)
                row[1 + memory] = values[level.events.index((when, letter))]
        return tuple(row)

    # Layers

    def write(self, vocabulary: int, outputs: Mapping[str, int]) -> tuple[ModelConfig, Parameters]:
        plan = self.plan
        mlps = [self.mlp(layer) for layer in range(plan.layers)]
        needed = [self.heads(layer) for layer in range(plan.layers)]
        heads = 2 * max(1, *map(len, needed)) if needed else 2
        frequencies = self.modulus // 2 + 1
        values = max((len(head) for layer in needed for head in layer), default=1)
        head_width = 2 * frequencies * (values // 2 + 1)
        for token in (1, *self.letters, *([] if self.end is None else [self.end])):
            self.at("token", token)
        for answer in outputs:
            self.at("answer", answer)
        width = max(heads * head_width, -(-len(self.coordinates) // (2 * heads)) * 2 * heads)
        config = ModelConfig(
            layers=plan.layers, heads=heads, width=width, vocabulary=vocabulary, positions=LONGEST,
            encoding="reach", reach_modulus=self.modulus, layer_norm=False, tied=False,
            mlp_ratio=-(-max(map(len, mlps)) * 2 // width),
        )  # fmt: skip
        made = {
            name: torch.zeros(initial.shape, dtype=torch.float64)
            for name, initial in parameter_table(config).items()
        }
        for number in (1, *self.letters, *([] if self.end is None else [self.end])):
            made["embedding"][number, self.at("token", number)] = 1
        for answer, number in outputs.items():
            made["unembedding"][number, self.at("answer", answer)] = 1
        for layer, (units, found) in enumerate(zip(mlps, needed, strict=True)):
            self.write_heads(made, config, layer, found)
            self.write_units(made, layer, units)
        return config, made

    def mlp(self, layer: int) -> list[tuple[dict[int, float], float, int, list[int]]]:
        """A unit for each event, as far as it is known in the layer: weights, constant, number of conditions,
        results."""
        plan, level = self.plan, self.level_of(layer)
        seen = plan.upto(0 if level is None else level + 1)
        last = layer == plan.layers - 1
        units: dict[tuple[State, int | None], tuple[dict[int, float], float, int, list[int]]] = {}
        for state, letter, said in plan.events:
            if (state[:seen], letter) in units:
                continue
            weights: dict[int, float] = defaultdict(float)
            constant, count, wrong = 0.0, 0, 0.0
            for part, more in self.conditions(layer, state, letter):
                for coordinate, weight in part.items():
                    weights[coordinate] += weight
                    if coordinate in self.read_coordinates():
                        wrong += abs(weight)
                constant += more
                count += 1
            self.amplified = max(self.amplified, wrong)
            units[state[:seen], letter] = (
                dict(weights),
                constant,
                count,
                list(self.results(layer, state, letter, said)),
            )
        made = list(units.values())
        if last and plan.start:
            made.append(({self.at("token", 1): 1.0}, 0.0, 1, [self.at("answer", plan.start)]))
        self.units = max(self.units, len(made))
        return made

    def read_coordinates(self) -> set[int]:
        return {number for place, number in self.coordinates.items() if place[0] == "read"}

    def heads(self, layer: int) -> list[dict[object, int]]:
        """For each head what it reads, by value, and where to."""
        found: list[dict[object, int]] = []
        if layer == 0 and self.modulus > 1:
            found.append({"cos": self.at("read", "clock", "cos"), "sin": self.at("read", "clock", "sin")})
        level = self.level_of(layer)
        if level is not None:
            for memory in range(self.plan.widths()[level]):
                head: dict[object, int] = {v: self.at("read", level, memory, v) for v in self.values(level)}
                if level == 0 and self.plan.refined:
                    head |= {part: self.at("read", level, memory, part) for part in ("cos", "sin")}
                found.append(head)
        return found

    def write_heads(
        self, made: Parameters, config: ModelConfig, layer: int, found: list[dict[object, int]]
    ) -> None:
        name, size = f"layers.{layer}.attention", config.head_width
        strict = [n for n, head in enumerate(reach_heads(layer, config.heads, self.modulus)) if head.strict]
        level = self.level_of(layer)
        for number, (head, to) in enumerate(zip(strict, found, strict=False)):
            start = head * size
            made[f"{name}.query.bias"][start] = math.sqrt(size)
            made[f"{name}.key.bias"][start] = -SHARPNESS
            clock = layer == 0 and self.modulus > 1 and number == 0
            memory = number - (layer == 0 and self.modulus > 1)
            pairs = [pair for pair in range(size // 2) if pair % (self.modulus // 2 + 1) == 0]
            still = [start + 2 * pair + part for pair in pairs for part in (0, 1)]
            place = dict(zip((each for each in to if isinstance(each, int)), still, strict=False))
            if "cos" in to:
                made[f"{name}.value.bias"][start + 2] = 1  # pair 1 turns by 1/modulus
                for part, offset in (("cos", 2), ("sin", 3)):
                    made[f"{name}.out.weight"][to[part], start + offset] = 1
            for value, dimension in place.items():
                made[f"{name}.out.weight"][to[value], dimension] = 1
            if clock:
                made[f"{name}.key.weight"][start, self.at("token", 1)] = 2 * SHARPNESS
                continue
            assert level is not None
            for source, told in self.setting(level, memory):
                made[f"{name}.key.weight"][start, source] = 2 * SHARPNESS
                if told is not None:
                    made[f"{name}.value.weight"][place[told], source] = 1
            if level + self.plan.first > 0:
                for value, dimension in place.items():
                    if ("value", level, memory, value) in self.coordinates:
                        source = self.at("value", level, memory, value)
                        made[f"{name}.value.weight"][dimension, source] = 1

    def setting(self, level: int, memory: int) -> Iterator[tuple[int, int | None]]:
        """Coordinates that are 1 at tokens whose event sets a memory, and the value if they tell it."""
        if level + self.plan.first > 0:
            yield self.at("sets", level, memory), None
            return
        written = self.plan.certificate.levels[0]
        done: set[int] = set()
        for (_, letter), value in zip(written.events, written.memories[memory], strict=True):
            if value and letter not in done:
                done.add(letter)
                yield self.token(letter), letter + 1 if self.plan.refined else value

    def write_units(
        self, made: Parameters, layer: int, units: list[tuple[dict[int, float], float, int, list[int]]]
    ) -> None:
        name = f"layers.{layer}.mlp"
        into, bias, out = made[f"{name}.in.weight"], made[f"{name}.in.bias"], made[f"{name}.out.weight"]
        for number, (weights, constant, count, results) in enumerate(units):
            for half, (place, sign) in enumerate(((0.75, 1), (0.25, -1))):
                unit = 2 * number + half
                for coordinate, weight in weights.items():
                    into[unit, coordinate] = STEEPNESS * weight
                bias[unit] = STEEPNESS * (constant - count + place)
                for coordinate in results:
                    out[coordinate, unit] += sign * 2 / STEEPNESS
