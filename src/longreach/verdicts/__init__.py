"""Verdicts: whether a class of programs has one for a language or a task, and what proves it.

`verdict` is the one type, with its programs and certificates made when they are asked for.
`automaton_to_verdicts` judges a regular language; `decision_to_reason` says why in one sentence.
`plain_words` says of any verdict what is expected, why in one clause that needs no paper, and what that rests
on; of regular languages `decision_to_clause` makes the clause, `program_to_basis` looks at the program.
The verdicts of tasks are made from their evidence in `longreach.forecast`; there stands the one table of
certificate kinds as well (`certificate_kinds`), because some checkers ask tasks.
"""
