"""Keys and seeds from content: the same question to the same model has the same key on every run."""

import hashlib
import json
from typing import Final

from beam_rs.schema import ImageRef, Json, Message, Request, Sampling

_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical(value: Json) -> str:
    """JSON text that depends on the value alone: sorted keys, no blanks, no escapes beyond need.

    >>> canonical({"b": 1, "a": ["é"]})
    '{"a":["é"],"b":1}'
    """
    return _ENCODER.encode(value)


def digest(text: str) -> str:
    """SHA-256 of a text in UTF-8, lower-case hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def request(
    item_id: str,
    image: ImageRef | None,
    messages: tuple[Message, ...],
    sampling: Sampling,
    sample: int = 0,
    *,
    model: str,
    revision: str = "",
    pixels: int | None = None,
) -> Request:
    """A request with its key, group and seed.

    Args:
      item_id: an item that asks; not part of the key.
      image: the picture, if one is shown.
      messages: the exact texts.
      sampling: how to draw.
      sample: index of the sample.
      model: name of the model.
      revision: its revision, empty where none is configured.
      pixels: pixel budget of the engine, where it scales pictures down.
    """
    content = {
        "model": model,
        "revision": revision,
        "image": image.sha256 if image else None,
        "pixels": pixels if image else None,
        "messages": [[m.role, m.text] for m in messages],
        "sampling": vars(sampling),
    }
    group = digest(canonical(content))
    seed = int(digest(f"{group}:{sample}")[:16], 16) >> 1
    key = digest(canonical({**content, "sample": sample, "seed": seed}))
    return Request(key, group, item_id, image, messages, sampling, sample, seed)
