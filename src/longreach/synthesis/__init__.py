"""Searching programs: enumeration in order of size, and a synthesizer for languages, predicates and examples.

`word_tree` and `behaviours` evaluate operations on many words at once, `program_sets` and `enumeration` list
programs by size with equal behaviour merged, `smallest_program` searches for a target (`search_target`)
guided by counterexamples, and `synthesizer` joins these with what is written by construction.
`answers_to_automaton` learns an automaton by asking, `examples_to_automaton` from a file of examples.

>>> from longreach.synthesis import synthesize
>>> synthesize(lambda word: word.count("1") >= word.count("0"), alphabet="01").size
5
"""

from longreach.synthesis.program_family import Family
from longreach.synthesis.synthesizer import Status, Synthesis, synthesize

__all__ = ["Family", "Status", "Synthesis", "synthesize"]
