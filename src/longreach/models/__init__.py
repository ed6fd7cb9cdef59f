"""Models in PyTorch (extra `train`) behind one seam, `network`; `fast` has the hand-written paths."""
