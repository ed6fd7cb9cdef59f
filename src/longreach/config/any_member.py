"""The configuration of whatever can be trained."""

from __future__ import annotations

from typing import TypeAlias

from longreach.config.regression import RegressionConfig
from longreach.config.training import TrainConfig

AnyMember: TypeAlias = TrainConfig | RegressionConfig
"""One that learns tokens, or one that learns numbers."""
