"""Constructions of the theory that run: Theorem 12 as a protocol, and finite to limit transformers."""
