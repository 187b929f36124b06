"""What goes into vLLM for a request, and what its output becomes."""

import re
from functools import lru_cache
from typing import Any, Final

from PIL import Image

from beam_rs import images, reasoning
from beam_rs.engines._vllm_prompt import Prompt, Renderer
from beam_rs.engines.base import failed
from beam_rs.errors import ImageChanged
from beam_rs.schema import Completion, ImageRef, Request

_TOO_LONG: Final = re.compile(r"longer than the maximum|maximum (model|context) length|too long", re.IGNORECASE)
_PICTURES: Final = 8


class Preparer:
    """Renders requests and opens their pictures; used by several threads.

    Args:
      renderer: of the model.
      pixels: pixel budget, or None.
    """

    def __init__(self, renderer: Renderer, pixels: int | None) -> None:
        self.renderer, self._pixels = renderer, pixels
        self._picture = lru_cache(_PICTURES)(self._load)  # the samples of one prompt follow one another

    def prepare(self, request: Request) -> tuple[Prompt, Image.Image | None] | Completion:
        """What is sent for a request, or the completion of one that cannot be sent."""
        prompt = self.renderer.render(request)
        if isinstance(prompt, Completion):
            return prompt
        try:
            return prompt, self._picture(request.image) if request.image else None
        except ImageChanged as error:
            return failed(request, "image_changed", str(error))
        except Exception as error:  # a picture that was decoded before and cannot be now
            return failed(request, "image_changed", f"{type(error).__name__}: {error}")

    def _load(self, ref: ImageRef) -> Image.Image:
        return images.picture(images.read_checked(ref), self._pixels)


def answered(request: Request, output: Any, prompt: Prompt) -> Completion:
    """The completion of a request that vLLM answered.

    Args:
      request: what was asked.
      output: vLLM's final output.
      prompt: what was sent.
    """
    answer = output.outputs[0]
    if answer.finish_reason == "abort":
        return failed(request, "server_error", "the engine aborted the request")
    return reasoning.completion(
        request,
        answer.text,
        finish_reason="length" if answer.finish_reason == "length" else "stop",
        prompt_tokens=len(output.prompt_token_ids or prompt.tokens),
        completion_tokens=len(answer.token_ids),
        thinking=prompt.thinking,
    )


def refused(request: Request, error: Exception) -> Completion:
    """The completion of a request that vLLM has something against; the engine lives on."""
    cause = error.__cause__ or error
    code = "prompt_too_long" if _TOO_LONG.search(str(cause)) else "bad_response"
    return failed(request, code, f"{type(cause).__name__}: {cause}"[:500])
