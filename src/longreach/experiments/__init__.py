"""Configurations → jobs → groups → engine → results.

`resolve` makes a configuration, `running` trains members and gives their results, `planning` says what would
run, `timed_training` trains within some minutes, `shape_search` looks for a shape as the paper did,
`engine_makers` says where and how many at a time.
PyTorch is asked for only when something trains.
"""

from longreach.experiments.engine_makers import engine_maker, stacked_maker
from longreach.experiments.planning import plan
from longreach.experiments.resolve import resolve
from longreach.experiments.running import train
from longreach.experiments.shape_search import search

__all__ = ["engine_maker", "plan", "resolve", "search", "stacked_maker", "train"]
