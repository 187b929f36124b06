"""Counters of the pipeline: the namespace is the transform, the name is the reason."""

from functools import cache
from typing import Any

from apache_beam.metrics import Metrics

from beam_rs import progress


@cache
def _counter(transform: str, name: str) -> Any:
    return Metrics.counter(f"beam_rs.{transform}", name)


def count(transform: str, name: str, amount: int = 1) -> None:
    """Count for Beam's metrics, and for the live table of this process."""
    _counter(transform, name).inc(amount)
    progress.add(name, amount)
