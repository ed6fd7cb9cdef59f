"""From an expression to its minimal automaton, and what can be said of that without programs.

`expression_to_automaton`, `named_languages` and `automaton_documents` read; `automaton` is what all else
takes. `monoid` has the transition monoid, `measures` the other measures of a language,
`automaton_drawing` the picture (`automaton_layout` where all stands, `automaton_figure` as PDF and PNG),
`longest_word` whether it is finite, `automaton_to_expression` the way back.
"""
