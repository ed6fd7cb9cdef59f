"""A program of one's own as a transformer: read it, run it, look inside, and write the weights."""

from pathlib import Path

import longreach
from longreach.theory.crasp.program import parse_file
from longreach.theory.limit.files import load, save
from longreach.theory.limit.run import accepts

program = parse_file(Path(__file__).parent / "majority.cr")
print(repr(program))
print(program.trace("aabb"))

words = ["a", "ab", "ba", "aab", "baa"]
transformer = longreach.compile(program, context=32)
print(transformer)
print(
    "the program and the transformer agree:",
    [program.accepts(word) for word in words] == [*accepts(transformer, words)],
)

save(transformer, "majority")
print("written and read again:", load("majority"))
