"""Beam's RunInference, without the model manager that its module imports where PyTorch is installed.

Nothing here uses that manager, and PyTorch behind it costs every process 450 MB and 1.5 s of CPU, also those that ask a
server and never load a model. Beam takes its absence for what it is on a machine without PyTorch.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_MANAGER: Final = "apache_beam.ml.inference.model_manager"


@contextmanager
def _absent(module: str) -> Iterator[None]:
    """Let imports of a module fail that has not been imported yet."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[module]


with _absent(_MANAGER):
    from apache_beam.ml.inference.base import ModelHandler, RunInference

__all__ = ["ModelHandler", "RunInference"]
