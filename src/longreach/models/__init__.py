"""Transformers in PyTorch (extra `train`)."""
