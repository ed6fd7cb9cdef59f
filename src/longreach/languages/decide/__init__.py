"""From an automaton to decisions, exactly and within a budget.

`automaton_to_decisions` decides all classes; `without_positions` decides C-RASP[∅], `with_positions` the
classes with local and periodic relations, `prediction` the task that is trained. They rest on
`potentials` and `flows` (what counts can and cannot tell apart), `extended_automaton` (windows and
positions), `arrows`, `idempotents` and `sampled_arrows` (what these hide), and `rational_algebra`.
"""
