"""From an automaton to a program."""
