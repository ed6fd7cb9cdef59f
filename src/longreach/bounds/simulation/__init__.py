"""Simulation strings: from a long x a short z on which two models behave as on x (arXiv 2510.27015).

One layer, finite precision: `attended_classes` says what is attended to, `simulation_counts` how often each
token stands in z (the three cases of the proof), `finite_string` puts z together. Two layers, infinite
precision: `kept_pieces` draws which pieces of x are kept, and `infinite_string` chooses. `error_curve` draws.
"""
