"""Regular languages: which of them have a C-RASP program, with a certificate either way.

`regular` reads: an expression, a name or a JSON document becomes a minimal automaton.
`decide` decides: an automaton becomes a decision for each class of programs (`automaton_to_decisions`).
`write` writes: a yes becomes a program (`automaton_to_program`).
`prove` proves: certificates, their checkers, and proofs of programs for all lengths (`induction`).
`profile` measures: what is true of random words of a length, where a verdict is about all lengths.
"""
