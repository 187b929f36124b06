"""RapidOCR's text recognition network, run directly on ONNX Runtime.

Only the weights and the character list that the network carries are taken from the `rapidocr` wheel: importing the
package would bring OpenCV, a logger of its own and code that downloads what it does not find. The preparation of a
picture follows the PP-OCR recognisers: height 48, blue before red, values in -1…1, padded on the right with zeros to
a width of at least 320. Very low crops are enlarged in two steps, much as RapidOCR's own pipeline does.
"""

import math
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image

from beam_rs.errors import EngineError, MissingExtra

HEIGHT: Final = 48
LOW: Final = 32
"""Crops below this height are enlarged to it first: on the IIIT5K train crops that reads 4 of 2,200 more."""

MIN_WIDTH: Final = 320
MAX_WIDTH: Final = 4800
"""A hundred times the height: longer strips are squeezed, so that no picture takes more than about 200 MB."""

BLANK: Final = 0
"""Index of the class that separates characters in CTC output."""


def installed_version() -> str:
    """Version of the installed `rapidocr`, read from its metadata; nothing is imported.

    Raises:
      MissingExtra: it is not installed.
    """
    try:
        return metadata.version("rapidocr")
    except metadata.PackageNotFoundError as error:
        raise MissingExtra("rapidocr", "ocr") from error


def wheel_models() -> dict[str, Path]:
    """Recognition models that came in the wheel, by name; what was downloaded beside them later does not count.

    Raises:
      MissingExtra: `rapidocr` is not installed.
    """
    installed_version()
    files = metadata.files("rapidocr") or []
    weights = [file for file in files if file.match("rapidocr/models/*rec*.onnx")]
    return {file.stem: Path(str(file.locate())) for file in sorted(weights)}


@dataclass(frozen=True)
class Recogniser:
    """A loaded network. Several threads may read at once: a session keeps no state between runs.

    Attributes:
      session: the ONNX Runtime session, with one thread a run.
      input: name of its input.
      characters: a text for each class; the blank's is empty.
    """

    session: Any
    input: str
    characters: tuple[str, ...]

    @classmethod
    def load(cls, weights: Path) -> "Recogniser":
        """Load a model from its file.

        Raises:
          MissingExtra: ONNX Runtime is not installed.
          EngineError: the file is no recognition model, or is damaged.
        """
        try:
            import onnxruntime
        except ImportError as error:
            raise MissingExtra("onnxruntime", "ocr") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        # An arena keeps the memory of the widest picture it ever saw.
        options.enable_cpu_mem_arena = False
        try:
            session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
            listed = session.get_modelmeta().custom_metadata_map["character"]
        except Exception as error:  # ONNX Runtime's errors share no base class of their own
            raise EngineError(f"{weights.name} cannot be loaded as a recognition model: {error}") from error
        return cls(session, session.get_inputs()[0].name, ("", *listed.splitlines(), " "))

    def read(self, image: Image.Image) -> str:
        """The text of a crop that shows one line; empty where none is found."""
        (scores,) = self.session.run(None, {self.input: prepare(image)})
        return decode(scores[0].argmax(axis=1), self.characters)


def prepare(image: Image.Image) -> Any:
    """An RGB picture as the array that the network takes: 1 x 3 x 48 x width, float32.

    >>> prepare(Image.new("RGB", (140, 48), "white")).shape
    (1, 3, 48, 320)
    >>> prepare(Image.new("RGB", (960, 96))).shape
    (1, 3, 48, 480)
    """
    ratio = image.width / image.height
    width = min(MAX_WIDTH, max(MIN_WIDTH, int(HEIGHT * ratio)))
    filled = min(width, max(1, math.ceil(HEIGHT * ratio)))
    if image.height < LOW:
        image = image.resize((min(MAX_WIDTH, round(image.width * LOW / image.height)), LOW), Image.Resampling.BILINEAR)
    pixels = np.asarray(image.resize((filled, HEIGHT), Image.Resampling.BILINEAR), dtype=np.float32)
    padded: Any = np.zeros((1, 3, HEIGHT, width), dtype=np.float32)
    padded[0, :, :, :filled] = (pixels[:, :, ::-1] / 127.5 - 1.0).transpose(2, 0, 1)
    return padded


def decode(classes: Any, characters: tuple[str, ...]) -> str:
    """The text of a row of CTC classes: repeats are merged, then blanks go.

    >>> decode(np.array([0, 1, 1, 0, 1, 2, 2]), ("", "a", "b"))
    'aab'
    """
    starts: Any = np.ones(len(classes), dtype=bool)
    starts[1:] = classes[1:] != classes[:-1]
    return "".join(characters[i] for i in classes[starts & (classes != BLANK)])
