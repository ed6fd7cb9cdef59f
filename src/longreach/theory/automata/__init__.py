"""Automata, regular expressions, monoids and drawings."""
