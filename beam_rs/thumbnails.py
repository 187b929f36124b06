"""The picture files beside a card's examples."""

import io
from typing import Any, Final

from PIL import Image

from beam_rs.images import EXTENSIONS, MEDIA_TYPES, picture

MAX_BYTES: Final = 200_000
MAX_SIDE: Final = 640
SHOWN: Final = ("PNG", "JPEG", "WEBP", "GIF")
"""Formats that every browser shows."""


def thumbnail(data: bytes, media_type: str) -> tuple[bytes, str]:
    """A picture for a card: small source bytes as they are, any other scaled down as JPEG.

    Args:
      data: source bytes that were checked.
      media_type: theirs, such as `image/png`.

    Returns:
      The bytes and the file name's extension, the same for the same bytes.
    """
    known = next((name for name in SHOWN if MEDIA_TYPES[name] == media_type), None)
    if known and len(data) <= MAX_BYTES:
        return data, EXTENSIONS[known]
    small: Any = picture(data)
    small.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    small.save(file, "JPEG", quality=85)
    return file.getvalue(), "jpg"
