"""Bytes of a picture: decoded once and wholly, within limits, described; whatever is wrong becomes a `Fault`."""

import hashlib
import io
import re
from dataclasses import dataclass
from typing import Any, Final

from PIL import ExifTags, Image, ImageFile, ImageOps, UnidentifiedImageError

from beam_rs.images.ends import is_whole
from beam_rs.schema import ImageRef

FORMATS: Final = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
MEDIA_TYPES: Final = {
    "JPEG": "image/jpeg",
    "PNG": "image/png",
    "WEBP": "image/webp",
    "GIF": "image/gif",
    "BMP": "image/bmp",
    "TIFF": "image/tiff",
}
EXTENSIONS: Final = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp", "GIF": "gif", "BMP": "bmp", "TIFF": "tiff"}

STRIP: Final = 1 << 16
"""Bytes of pixels that are hashed at a time."""

_OTHER_FORMATS: Final = ("AVIF", "JPEG2000", "ICO", "ICNS", "PSD", "PPM", "DDS", "SGI", "EPS", "FITS", "XPM", "QOI")
_MAGIC: Final = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"II*\x00", b"MM\x00*")
_BRAND: Final = re.compile(rb"....ftyp(heic|heix|hevc|heim|heis|mif1|msf1|avif|avis)", re.DOTALL)

Image.MAX_IMAGE_PIXELS = None  # the limit of the configuration is checked instead, before any pixel is decoded


@dataclass(frozen=True)
class Limits:
    """What a picture may cost.

    Attributes:
      max_pixels: width times height, read from the header before anything is decoded.
      max_bytes: length of the source bytes.
      formats: Pillow's names of the formats that are decoded at all.
    """

    max_pixels: int = 100_000_000
    max_bytes: int = 50_000_000
    formats: tuple[str, ...] = FORMATS


@dataclass(frozen=True)
class Fault:
    """Why there is no picture: the part of the reason code behind `undecodable.`, and a detail."""

    code: str
    detail: str


def inspect(data: bytes, uri: str, limits: Limits) -> ImageRef | Fault:
    """Decode source bytes once and wholly and describe them, or say what is wrong with them."""
    opened = _open(data, limits.formats)
    if isinstance(opened, Fault):
        return opened
    if opened.width * opened.height > limits.max_pixels:
        return Fault("too_many_pixels", f"{opened.width}x{opened.height}, limit {limits.max_pixels} pixels")
    image_format = _format(opened)
    try:
        animated = bool(getattr(opened, "is_animated", False))
        opened.seek(0)
        if not is_whole(data, opened):
            return Fault("broken", f"{image_format}: the end of the file is missing")
        rgb = _to_rgb(opened)
    except Exception as error:  # Pillow's decoders raise whatever the damage leads them to
        return Fault("broken", f"{image_format}: {error}")
    return ImageRef(
        uri=uri,
        sha256=hashlib.sha256(data).hexdigest(),
        media_type=MEDIA_TYPES[image_format],
        width=rgb.width,
        height=rgb.height,
        bytes=len(data),
        format=image_format,
        pixel_sha256=_pixel_hash(rgb),
        note="animated: the first frame is used" if animated else "",
    )


def picture(data: bytes, max_pixels: int | None = None) -> Image.Image:
    """The RGB picture of checked bytes: EXIF-oriented, first frame, scaled down only beyond the budget.

    Args:
      data: source bytes that `inspect` accepted.
      max_pixels: pixel budget; None is no limit.
    """
    opened = Image.open(io.BytesIO(data), formats=list(FORMATS))
    rgb = _to_rgb(opened)
    if max_pixels is not None and rgb.width * rgb.height > max_pixels:
        scale = (max_pixels / (rgb.width * rgb.height)) ** 0.5
        size = max(1, int(rgb.width * scale)), max(1, int(rgb.height * scale))
        rgb = rgb.resize(size, Image.Resampling.LANCZOS)
    return rgb


def _open(data: bytes, formats: tuple[str, ...]) -> Any:
    """The opened, not yet decoded picture, or a fault."""
    try:
        return Image.open(io.BytesIO(data), formats=list(formats))
    except Exception as error:  # a damaged header may raise anything
        if not isinstance(error, UnidentifiedImageError):
            return Fault("broken", str(error))
    known = _known_format(data, formats)
    if known:
        return Fault("format", f"{known} is not among the allowed formats {', '.join(formats)}")
    webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    if webp or data.startswith(_MAGIC):
        return Fault("broken", "it begins like a picture, but its header cannot be read")
    return Fault("not_an_image", f"begins with {data[:16]!r}")


def _known_format(data: bytes, formats: tuple[str, ...]) -> str | None:
    """Name of a picture format that is recognised but not allowed."""
    brand = _BRAND.match(data)
    if brand:
        return "AVIF" if brand[1].startswith(b"avi") else "HEIC"
    Image.init()
    names: tuple[str, ...] = (*FORMATS, *_OTHER_FORMATS)
    others = [name for name in names if name not in formats and name in Image.OPEN]
    try:
        return str(Image.open(io.BytesIO(data), formats=others).format)
    except Exception:  # not one of those either, or too damaged to tell
        return None


def _format(opened: Any) -> str:
    """`JPEG` also for the multi-picture JPEG files of phones, which Pillow calls MPO."""
    return "JPEG" if opened.format == "MPO" else str(opened.format)


def _to_rgb(opened: Any) -> Image.Image:
    """Decode wholly, orient and convert to RGB; transparency is laid over white."""
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    opened.load()
    oriented = _oriented(opened)
    if oriented.mode == "RGB":
        rgb: Image.Image = oriented
        return rgb
    if oriented.mode.startswith(("I", "F")):
        return _from_deep(oriented)
    if "A" in oriented.getbands() or "transparency" in oriented.info:
        rgba = oriented.convert("RGBA")
        white = Image.new("RGBA", rgba.size, "white")
        return Image.alpha_composite(white, rgba).convert("RGB")
    converted: Image.Image = oriented.convert("RGB")
    return converted


def _oriented(opened: Any) -> Any:
    """The picture as EXIF says it is to be held; most say nothing, and are not copied."""
    try:
        upright = opened.getexif().get(ExifTags.Base.Orientation, 1) == 1
        return opened if upright else ImageOps.exif_transpose(opened)
    except Exception:  # damaged EXIF says nothing about the pixels
        return opened


def _from_deep(image: Any) -> Image.Image:
    """Grey levels of more than eight bits, scaled to eight instead of clipped."""
    import numpy as np

    values = np.nan_to_num(np.asarray(image, dtype=np.float64))
    top = 65535.0 if values.max(initial=0) > 255 else 255.0 if values.max(initial=0) > 1 else 1.0
    grey = np.clip(values * (255.0 / top), 0, 255).astype(np.uint8)
    return Image.fromarray(grey).convert("RGB")


def _pixel_hash(rgb: Image.Image) -> str:
    """SHA-256 over size and pixels, strip by strip.

    All pixels in one block would be memory that the system hands out and takes back for every picture: that took half
    as long again as decoding.
    """
    digest = hashlib.sha256(b"%dx%d:" % rgb.size)
    rows = max(1, STRIP // (3 * rgb.width))
    for top in range(0, rgb.height, rows):
        digest.update(rgb.crop((0, top, rgb.width, min(top + rows, rgb.height))).tobytes())
    return digest.hexdigest()
