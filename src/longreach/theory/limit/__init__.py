"""Limit transformers: compiled from programs, run, measured and written to files."""
