"""The body of a chat request in the OpenAI protocol, with the fields that vLLM and SGLang add to it."""

import base64
import io
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from PIL import Image

from beam_rs.images import picture, read_checked
from beam_rs.schema import ImageRef, Json, Message, Request

RESERVED: Final = frozenset(
    {"model", "messages", "stream", "n", "seed", "temperature", "top_p", "top_k", "max_tokens", "stop"}
)
"""What the model, the request or its sampling say; given as an option it would stand in no request key."""

_NEUTRAL: Final[dict[str, Json]] = {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}
"""Has to be said: where it is not, servers take what the model's generation_config.json holds, unknown to the key."""

_SENT_AS_IS: Final = frozenset({"JPEG", "PNG", "WEBP", "GIF"})
_PLAIN_MODES: Final = frozenset({"RGB", "L", "P", "1"})
_ORIENTATION: Final = 0x0112
_PNG_EXIF: Final = (b"eXIf", b"tEXtRaw profile type", b"zTXtRaw profile type", b"iTXtXML:com.adobe.xmp")
_URL_MARK: Final = f"picture-{secrets.token_hex(16)}"


@dataclass(frozen=True)
class BodyStyle:
    """What all bodies of an engine have in common.

    Attributes:
      model: the name under which the server knows the model.
      pixels: pixel budget of a picture, None for no limit.
      thinking_argument: name of the chat template's argument that turns thinking on and off; empty sends none.
      extensions: whether the server takes the fields that vLLM and SGLang have beyond OpenAI's.
      options: further fields, merged into every body; null takes a field away.
    """

    model: str
    pixels: int | None = None
    thinking_argument: str = "enable_thinking"
    extensions: bool = True
    options: Mapping[str, Json] = field(default_factory=dict)

    def render(self, request: Request, constrained: bool = True) -> list[bytes]:
        """The body as UTF-8 JSON, in pieces to be sent one after the other.

        The picture's bytes are read here and encoded once; they are big, so no second copy is made of them.

        Args:
          request: what to ask.
          constrained: whether `sampling.choice` is asked for.

        Raises:
          ImageChanged: the picture is gone or is not the one that was checked.
        """
        text = json.dumps(self.fields(request, constrained))
        before, mark, after = text.partition(_URL_MARK)
        if request.image is None or not mark:
            return [text.encode()]
        media_type, data = _payload(request.image, self.pixels)
        return [f"{before}data:{media_type};base64,".encode(), base64.b64encode(data), after.encode()]

    def fields(self, request: Request, constrained: bool = True) -> dict[str, Json]:
        """The body's fields, with a mark where the picture goes."""
        sampling = request.sampling
        body: dict[str, Json] = {
            "model": self.model,
            "messages": _messages(request),
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "seed": request.seed,
            "n": 1,
        }
        if sampling.stop:
            body["stop"] = list(sampling.stop)
        if self.extensions:
            body |= _NEUTRAL
        if sampling.top_k > 0:
            body["top_k"] = sampling.top_k
        if self.extensions and sampling.choice and constrained:
            body["structured_outputs"] = {"choice": list(sampling.choice)}
        if self.extensions and self.thinking_argument:
            body["chat_template_kwargs"] = {self.thinking_argument: sampling.thinking}
        if request.messages[-1].role == "assistant":
            body |= {"continue_final_message": True, "add_generation_prompt": False}
        return _merged(body, self.options)


def _merged(body: dict[str, Json], options: Mapping[str, Json]) -> dict[str, Json]:
    """The body with options laid over it; objects are merged, null removes."""
    result = dict(body)
    for name, value in options.items():
        if value is None:
            result.pop(name, None)
        elif isinstance(value, Mapping) and isinstance(result.get(name), Mapping):
            result[name] = _merged(result[name], value)
        else:
            result[name] = value
    return result


def _messages(request: Request) -> list[Json]:
    users = [i for i, message in enumerate(request.messages) if message.role == "user"]
    shown = users[-1] if request.image and users else None
    return [_message(message, i == shown) for i, message in enumerate(request.messages)]


def _message(message: Message, with_picture: bool) -> Json:
    """A turn; the picture stands before the text, and an empty text beside it is left out."""
    if not with_picture:
        return {"role": message.role, "content": message.text}
    parts: list[Json] = [{"type": "image_url", "image_url": {"url": _URL_MARK}}]
    if message.text:
        parts.append({"type": "text", "text": message.text})
    return {"role": message.role, "content": parts}


def _payload(ref: ImageRef, pixels: int | None) -> tuple[str, bytes]:
    """Media type and bytes to send: the source bytes where any server sees the same picture in them as we do."""
    data = read_checked(ref)
    over_budget = pixels is not None and ref.width * ref.height > pixels
    if not over_budget and ref.format in _SENT_AS_IS and _is_plain(data):
        return ref.media_type, data
    encoded = io.BytesIO()
    picture(data, pixels).save(encoded, "PNG", compress_level=1)
    return "image/png", encoded.getvalue()


def _is_plain(data: bytes) -> bool:
    """Whether there is nothing to orient, to blend or to choose a frame from; no pixel is decoded to tell."""
    with Image.open(io.BytesIO(data), formats=sorted(_SENT_AS_IS)) as opened:
        if opened.mode not in _PLAIN_MODES or "transparency" in opened.info or getattr(opened, "is_animated", False):
            return False
        if opened.format == "PNG":  # its EXIF may stand behind the pixels, which Pillow decodes on the way there
            return not _png_has_exif(data)
        try:
            return opened.getexif().get(_ORIENTATION, 1) in (0, 1)
        except Exception:  # damaged EXIF: whatever the decoder makes of it, we send what we see
            return False


def _png_has_exif(data: bytes) -> bool:
    """Whether a chunk may hold an orientation, in any of the ways that Pillow reads; goes from header to header."""
    at = 8
    while at + 8 <= len(data):
        if data[at + 4 : at + 32].startswith(_PNG_EXIF):
            return True
        at += 12 + int.from_bytes(data[at : at + 4], "big")
    return False
