"""Verified training data for vision-language models, as one Apache Beam pipeline.

The package itself is light: Beam, vLLM, TensorFlow and the OCR runtime are imported where they are used.
"""

from beam_rs.errors import BeamRsError
from beam_rs.schema import Completion, Drop, Failure, ImageRef, Item, Request, Sampling, Verdict

__version__ = "0.1.0"

__all__ = [
    "BeamRsError",
    "Completion",
    "Drop",
    "Failure",
    "ImageRef",
    "Item",
    "Request",
    "Sampling",
    "Verdict",
    "__version__",
]
