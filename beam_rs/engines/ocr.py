"""The embedded engine: reads the text of a crop. It needs no GPU, no network and no download."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rapidfuzz import fuzz

from beam_rs.engines._recogniser import Recogniser, installed_version, wheel_models
from beam_rs.engines.base import DRAIN, Engine, OnDone, failed
from beam_rs.errors import ConfigError, EngineError, ImageChanged, Interrupted
from beam_rs.images import picture, read_checked
from beam_rs.prompts import LETTERS, last_user_text, parse_block
from beam_rs.schema import Completion, Request


@dataclass(kw_only=True)
class OcrEngine(Engine):
    """RapidOCR's recognition model on the CPU, one crop at a time in the thread that asks.

    It reads whatever the question is, cannot reason and cannot judge. A lettered block is answered with the letter
    of the option that is nearest to what was read. Sampling settings change nothing: the same crop gives the same
    text. Crops run one by one because a batch pads them to a common width, which changes a text in a thousand.

    Attributes:
      model: a recognition model in the installed `rapidocr` wheel; by default the one that is there.
      revision: version of `rapidocr` that is expected; by default the installed one.
    """

    name: ClassVar[str] = "ocr"
    judges: ClassVar[bool] = False

    model: str = ""

    def __post_init__(self) -> None:
        """Fill in the defaults; with model and revision given, the machine that starts a run needs no `rapidocr`.

        Raises:
          MissingExtra: a default is asked for and `rapidocr` is not installed.
          ConfigError: the wheel holds no such model.
        """
        self._recogniser: Recogniser | None = None
        if not (self.model and self.revision):
            self.revision = self.revision or installed_version()
            models = wheel_models()
            self.model = self.model or next(iter(models), "")
            if self.model not in models:
                known = ", ".join(models) or "none"
                raise ConfigError(f"engine 'ocr': model {self.model!r} is not in the rapidocr wheel; it holds: {known}")

    def start(self) -> None:
        found = installed_version()
        weights = wheel_models().get(self.model)
        if found != self.revision or weights is None:
            raise EngineError(
                f"engine 'ocr' was configured for {self.model} of rapidocr {self.revision}, but rapidocr {found} "
                f"is installed here; run: pip install rapidocr=={self.revision}"
            )
        self._recogniser = Recogniser.load(weights)

    def generate(self, requests: Sequence[Request], on_done: OnDone) -> None:
        if self._recogniser is None:
            raise EngineError("engine 'ocr' was asked before it was started, or after it was closed")
        for request in requests:
            if DRAIN.is_set():
                raise Interrupted("stopped before all pictures were read; run the same command again to go on")
            on_done(_answer(request, self._recogniser, self.pixels))

    def close(self) -> None:
        self._recogniser = None


def _answer(request: Request, recogniser: Recogniser, pixels: int | None) -> Completion:
    """The completion of one request; whatever goes wrong with a picture is its error."""
    if request.image is None:
        return failed(request, "bad_response", "it reads pictures only")
    if request.messages[-1].role == "assistant":
        return failed(request, "bad_response", "it reads pictures only and continues no answer")
    try:
        seen = recogniser.read(picture(read_checked(request.image), pixels))
    except ImageChanged as error:
        return failed(request, "image_changed", str(error))
    except Exception as error:  # decoder or network, on a picture that only this request has
        return failed(request, "bad_response", f"{type(error).__name__}: {error}"[:500])
    answer = _letter(seen, last_user_text(request.messages))
    return Completion(request.key, request.group, text=answer, answer=answer)


def _letter(seen: str, question: str) -> str:
    """The letter of the option nearest to what was read, or the reading itself where there is nothing to choose."""
    block = parse_block(question)
    if block is None or not seen:
        return seen
    scores = [fuzz.ratio(_bare(seen), _bare(option)) for option in block.options]
    return LETTERS[scores.index(max(scores))] if max(scores) > 0 else seen


def _bare(text: str) -> str:
    """Letters and digits in one case; the text as it is where it has none.

    >>> _bare("Café, open!")
    'caféopen'
    """
    return "".join(c for c in text.casefold() if c.isalnum()) or text
