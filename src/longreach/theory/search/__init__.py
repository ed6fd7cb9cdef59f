"""Searching for programs and automata: enumeration, synthesis, learning and inference."""
