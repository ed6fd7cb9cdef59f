"""A program of one's own as a transformer: read it, run it, look inside, and write the weights."""

from pathlib import Path

import longreach
from longreach.crasp import parse_file
from longreach.limit.run.float_evaluator import accepts
from longreach.limit.run.model_files import load, save

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
