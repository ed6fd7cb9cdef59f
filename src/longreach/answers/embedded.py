"""A no from a part of the inputs: with the rest fixed, what remains is a language that no program decides.

Inputs are cut into a fixed beginning, any number of blocks of one length, and a fixed end. For every choice
of blocks that the task is seen to allow an automaton is learned of the answers; where theory says no to it,
the task is reduced to it. Where an input has two free parts of one length, its communication is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product

import numpy as np

from longreach.answers.finders import by_reduction
from longreach.tasks.layouts import UNDEFINED
from longreach.tasks.task import SEP, Evidence, Reduction, Task
from longreach.theory.automata.automaton import Automaton, Word
from longreach.theory.automata.evidence import doubt
from longreach.theory.automata.files import write_automaton
from longreach.theory.automata.learn import LearnedAutomaton, LearningLimits, NotLearned, learn_automaton
from longreach.theory.budget import Budget
from longreach.theory.communication.rows import Cut
from longreach.theory.names import AUTOMATON
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer, Proof, Verdict
from longreach.wording import counted

LONGEST_BEFORE, LONGEST_BLOCK, LONGEST_AFTER = 4, 3, 3
MOST_BLOCKS = 5
"""Of one embedding."""
LONGEST_RUN = 12
"""Of one letter at the end of inputs."""
MOST_SUBSETS = 24
"""Choices of a few letters where every word is an input."""
STATES, SHORT, LONG, NEAR, SPARSE = 12, 1200, 300, 150, 3000
"""Of the automata that are learned of embedded words, and the words on which they are tried."""
MOST_ASKED = 6000


@dataclass(frozen=True)
class Embedding:
    """Inputs of a fixed beginning, blocks of one length, and a fixed end."""

    before: Word
    blocks: tuple[Word, ...]
    after: Word

    @property
    def letters(self) -> dict[str, Word]:
        """A name for each block: its letters, where these tell them apart."""
        names = ["".join(block) for block in self.blocks]
        if len(set(names)) < len(names) or any(len(name) > 12 for name in names):
            names = [chr(ord("a") + number) for number in range(len(self.blocks))]
        return dict(zip(names, self.blocks, strict=True))

    def word(self, names: Iterable[str]) -> Word:
        letters = self.letters
        return (*self.before, *(symbol for name in names for symbol in letters[name]), *self.after)

    @property
    def words(self) -> str:
        """For people.

        >>> Embedding(("w", "0"), (("w", "1"), ("i", "0")), ("r",)).words
        'w 0 (w 1 | i 0)* r'
        """
        middle = f"({' | '.join(' '.join(block) for block in self.blocks)})*"
        return " ".join([*self.before, middle, *self.after])


def drawn_embeddings(inputs: Mapping[int, Iterable[Word]]) -> Iterator[Embedding]:
    """Those all of whose words with one and two blocks, and with three of a few, are among the inputs.

    >>> words = {1 + 2 * n: [(*"".join(w), "?") for w in product(["x0", "x1"], repeat=n)] for n in (1, 2, 3)}
    >>> next(drawn_embeddings(words)).words
    '(x 0 | x 1)* ?'
    """
    known = {length: frozenset(words) for length, words in inputs.items()}
    met: set[tuple[object, ...]] = set()
    sizes = product(range(LONGEST_BEFORE + 1), range(1, LONGEST_BLOCK + 1), range(LONGEST_AFTER + 1))
    for before, block, after in sorted(sizes, key=lambda each: (each[0] + each[2] + 2 * each[1], each)):
        length = before + 2 * block + after
        groups: dict[tuple[Word, Word], set[Word]] = {}
        for word in known.get(length, ()):
            groups.setdefault((word[:before], word[length - after :]), set()).add(word)
        best = sorted(groups.items(), key=lambda each: (-len(each[1]), each[0]))[:2]
        for (start, end), words in best:
            middles = [word[before : before + 2 * block] for word in words]
            firsts, seconds = {m[:block] for m in middles}, {m[block:] for m in middles}
            for blocks in _squares(sorted(firsts & seconds), set(middles)):
                found = Embedding(start, blocks, end)
                more = {(*start, *b, *end) for b in blocks}
                if not more <= known.get(before + block + after, frozenset()):
                    continue
                key = (blocks, end)
                if key not in met:
                    met.add(key)
                    yield found


def _squares(blocks: list[Word], pairs: set[Word]) -> Iterator[tuple[Word, ...]]:
    """Sets of blocks any two of which follow one another, large ones first; one block alone may be counted
    modulo a number."""
    fine = [a for a in blocks if (*a, *a) in pairs]
    for count in range(min(MOST_BLOCKS, len(fine)), 0, -1):
        for chosen in combinations(fine[: 2 * MOST_BLOCKS], count):
            if all((*a, *b) in pairs for a, b in product(chosen, repeat=2)):
                yield chosen
                return


def letter_embeddings(letters: tuple[str, ...]) -> Iterator[Embedding]:
    """Where every word is an input: some of the letters alone, after at most one letter, or before a run of
    one letter, which hides the end from a function that looks a few places back.

    >>> [each.words for each in letter_embeddings(("a", "b"))][:4]
    ['(a)*', '(b)*', 'a (a)*', 'a (b)*']
    """
    sizes = [size for size in (1, 2, 3) if size < len(letters)]
    chosen = [part for size in sizes for part in combinations(letters[:6], size)][:MOST_SUBSETS]
    for part in chosen:
        yield Embedding((), tuple((letter,) for letter in part), ())
    for first in letters[:6]:
        for part in chosen[:MOST_SUBSETS]:
            yield Embedding((first,), tuple((letter,) for letter in part), ())
    for size in range(1, LONGEST_RUN + 1) if len(letters) > 1 else ():
        yield Embedding((), ((letters[0],), (letters[1],)), (letters[0],) * size)


def embedded_sides(
    task: Task,
    name: str,
    keys: Iterable[str],
    embeddings: Iterable[Embedding],
    answer: Callable[[Word], tuple[str, ...] | None],
    *,
    separated: bool,
    left: Callable[[], float],
    clock: Callable[[], float],
) -> dict[str, Verdict]:
    """A no for each side that has an embedding whose language is one."""
    found: dict[str, Verdict] = {}
    open_keys = list(keys)
    for embedding in embeddings:
        if left() < 0 or not open_keys:
            break
        learned = _learned(embedding, answer, Budget(seconds=max(0.05, left() / 2), clock=clock))
        if learned is None:
            continue
        for label in learned.machine.classes:
            if label == UNDEFINED or not open_keys:
                continue
            language = learned.machine.language(label)
            sides = _reduced(task, name, open_keys, embedding, learned, language, label, separated)
            found |= sides
            open_keys = [key for key in open_keys if key not in found]
    return found


def _learned(
    embedding: Embedding, answer: Callable[[Word], tuple[str, ...] | None], budget: Budget
) -> LearnedAutomaton | None:
    """The automaton of the first token of answers to embedded words, if there is evidence for it."""

    def teacher(names: Word) -> str:
        said = answer(embedding.word(names))
        return UNDEFINED if said is None else said[0]

    limits = LearningLimits(
        states=STATES, short=SHORT, long=LONG, near=NEAR, sparse=SPARSE, asked=MOST_ASKED, budget=budget
    )
    found = learn_automaton(teacher, tuple(embedding.letters), limits, undefined=UNDEFINED)
    if isinstance(found, NotLearned) or UNDEFINED in found.machine.classes[1:]:
        return None
    why = doubt(found.machine, found.seen, found.length, rare=found.rare, undefined=UNDEFINED)
    return found if why is None else None


def _reduced(
    task: Task,
    name: str,
    keys: list[str],
    embedding: Embedding,
    learned: LearnedAutomaton,
    language: Automaton,
    label: str,
    separated: bool,
) -> dict[str, Verdict]:
    judged = judge(language)
    found: dict[str, Verdict] = {}
    for key in keys:
        side = judged.sides[key]
        if side.answer is not Answer.NO and side.at_end.answer is not Answer.NO:
            continue
        why = side.reason if side.answer is Answer.NO else side.at_end.proof.reason
        states = counted(len(learned.machine), "state")
        reduction = Reduction(
            letters={
                each: (block if len(block) > 1 else block[0]) for each, block in embedding.letters.items()
            },
            after=(*embedding.after, SEP) if separated else embedding.after,
            token=label,
            about=f"of the inputs {embedding.words} a program would tell which have the answer {label}",
            before=embedding.before,
        )
        evidence = Evidence(
            "reduction",
            AUTOMATON + write_automaton(language, "embedded"),
            f"of the inputs {embedding.words} an automaton with {states}, learned up to "
            f"{counted(learned.length, 'block')}, gives the answer: {why}",
            reduction=reduction,
        )
        verdict = by_reduction(task, name, key, evidence, False)
        if verdict.answer is Answer.NO:
            length = len(embedding.word(list(embedding.letters)[:1] * learned.length))
            told = replace(verdict.with_proofs(partial(_told, embedding, learned)), checked_to=length)
            found[key] = told
    return found


def _told(embedding: Embedding, learned: LearnedAutomaton, proof: Proof) -> Proof:
    """The same proof, which says of which inputs it speaks, and on what it rests."""
    states, clause = counted(len(learned.machine), "state"), proof.clause or proof.reason
    return replace(
        proof,
        say=lambda: f"on inputs {embedding.words}, {clause}",
        weigh=lambda: f"automaton with {states}, learned to {counted(learned.length, 'block')}",
    )


# Two free parts of one length


def two_parts(inputs: Mapping[int, Iterable[Word]]) -> Iterator[Cut]:
    """Ways to cut inputs into two parts of one length, of any letters, with fixed letters between and after.

    >>> words = {2 * n + 1: [(*a, "#", *b) for a in product("01", repeat=n) for b in product("01", repeat=n)]
    ...          for n in (1, 2, 3)}
    >>> [(cut.alice, cut.between, cut.bob, cut.end) for cut in two_parts(words)]
    [(('0', '1'), ('#',), ('0', '1'), ())]
    """
    known = {length: frozenset(words) for length, words in inputs.items() if words}
    for between, end in product(range(1, 3), range(2)):
        lengths = [length for length in known if (length - between - end) % 2 == 0]
        sizes = {length: (length - between - end) // 2 for length in lengths}
        few = [length for length in lengths if sizes[length] in (1, 2)]
        if len(few) < 2:
            continue
        fixed = {
            (word[size : size + between], word[len(word) - end :])
            for length in lengths
            if (size := sizes[length]) > 0
            for word in known[length]
        }
        if len(fixed) != 1:
            continue
        middle, last = next(iter(fixed))
        pairs = known[max(few)]
        alice = tuple(sorted({letter for word in pairs for letter in word[:2]}))
        bob = tuple(sorted({letter for word in pairs for letter in word[2 + between : 4 + between]}))
        cut = Cut(alice=alice, bob=bob, size=None, between=middle, end=last)
        if len(alice) < 2 or len(bob) < 2 or {*middle} & {*alice, *bob}:
            continue
        if all(_whole(cut, sizes[length]) <= known[length] for length in few):
            yield cut
        elif len(_whole(cut, 1) & known[min(few)]) >= NEARLY * len(_whole(cut, 1)) and _seems_whole(
            cut, pairs
        ):
            # Of many letters not all inputs are drawn, and few letters reach far.
            ends = [(alice[0], letter) for letter in (alice[1], alice[-1]) if {letter, alice[0]} <= {*bob}]
            yield from (replace(cut, alice=both, bob=both) for both in dict.fromkeys(ends))


COLOURINGS, NEARLY = 6, 0.9
"""Ways to divide the letters in two, and the share of inputs with one letter on each side that are drawn."""


def _seems_whole(cut: Cut, words: frozenset[Word]) -> bool:
    """Whether inputs with two letters on each side look like all of them: with the letters divided in two, in
    any way, each of the sixteen patterns is drawn."""
    rng = np.random.default_rng(0)
    letters = sorted({*cut.alice, *cut.bob})
    places = [0, 1, 2 + len(cut.between), 3 + len(cut.between)]
    for _ in range(COLOURINGS):
        half = {letters[k] for k in rng.permutation(len(letters))[: len(letters) // 2]}
        if len({tuple(word[place] in half for place in places) for word in words}) < 2 ** len(places):
            return False
    return True


def _whole(cut: Cut, size: int) -> set[Word]:
    starts, ends = product(cut.alice, repeat=size), list(product(cut.bob, repeat=size))
    return {(*start, *cut.between, *end, *cut.end) for start in starts for end in ends}
