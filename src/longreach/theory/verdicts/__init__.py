"""Verdicts on languages and tasks, and their explanation."""
