"""Programs and automata from answers: nothing but right answers is asked of what they are made from.

`answers_to_automaton` learns an automaton by asking, `examples_to_automaton` from a file of examples.
"""
