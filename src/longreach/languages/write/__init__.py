"""From an automaton to a program: the constructive half of the criteria.

`automaton_to_program` writes acceptors and predictors: `run_blocks` cuts runs into blocks, `block_writer`
writes what a program does in one of them, `visible` what it sees directly.
"""
