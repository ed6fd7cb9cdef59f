"""The decoder again, written for speed: packed rows, gradients by hand, cached decoding."""
