"""Pictures: found under their root, hashed as they stand, decoded once and wholly, within limits.

No text in `image` and no bytes in a file stop a run: whatever is wrong becomes a `Fault` with a reason code.
"""

import errno
import hashlib
import io
import os
import re
import stat
from dataclasses import dataclass
from typing import Any, Final

from PIL import ExifTags, Image, ImageFile, ImageOps, UnidentifiedImageError

from beam_rs.errors import ImageChanged
from beam_rs.image_ends import is_whole
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
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
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


@dataclass(frozen=True)
class Place:
    """Where images may lie.

    Attributes:
      root: folder or URI prefix that relative paths are looked up under.
      allow: further prefixes, such as `gs://bucket/images/`, under which full URIs are accepted.
    """

    root: str
    allow: tuple[str, ...] = ()

    def locate(self, image: str) -> str | Fault:
        """The path or URI behind an image's text, or why it is refused.

        >>> Place("gs://bucket/images").locate("a/b.png")
        'gs://bucket/images/a/b.png'
        >>> Place("gs://bucket/images").locate("../secret.png").code
        'refused'
        """
        if _SCHEME.match(image):
            return self._allowed(image)
        if _SCHEME.match(self.root):
            if image.startswith("/") or ".." in image.split("/"):
                return Fault("refused", f"{image!r} leaves the image root {self.root}")
            return f"{self.root.rstrip('/')}/{image}"
        try:
            return self._local(image)
        except (ValueError, OSError) as error:
            return Fault("missing", f"{_shown(image)} cannot be a file: {error}")

    def _allowed(self, uri: str) -> str | Fault:
        prefixes = [prefix.rstrip("/") + "/" for prefix in (*self.allow, self.root) if _SCHEME.match(prefix)]
        if ".." in uri.split("/") or not any(uri.startswith(prefix) for prefix in prefixes):
            return Fault("refused", f"{_shown(uri)} is under no allowed prefix; add it to images.allow")
        return uri

    def _local(self, image: str) -> str | Fault:
        path = os.path.realpath(os.path.join(self.root, image))
        roots = [self.root, *(prefix for prefix in self.allow if os.path.isabs(prefix))]
        for root in map(os.path.realpath, roots):
            if path == root or path.startswith(root.rstrip(os.sep) + os.sep):
                return path
        return Fault("refused", f"{_shown(image)} leaves the image root")


def resolve(image: str, place: Place, limits: Limits) -> ImageRef | Fault:
    """The checked picture behind an image's text, or why there is none.

    Args:
      image: as the pool writes it.
      place: where images may lie.
      limits: what one may cost.
    """
    found = place.locate(image)
    if isinstance(found, Fault):
        return found
    data = read(found, limits.max_bytes)
    return data if isinstance(data, Fault) else inspect(data, found, limits)


def read(uri: str, max_bytes: int | None = None) -> bytes | Fault:
    """The bytes behind a path or URI; `missing`, `empty` and `too_many_bytes` come back as faults."""
    try:
        size, data = _read_remote(uri, max_bytes) if _SCHEME.match(uri) else _read_local(uri, max_bytes)
    except Exception as error:  # file systems of object stores raise errors of their own
        return Fault("missing", f"{_shown(uri)}: {_why(error)}")
    if max_bytes is not None and size > max_bytes:
        return Fault("too_many_bytes", f"{size} bytes, limit {max_bytes}")
    return data or Fault("empty", f"{_shown(uri)} has no bytes")


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


def read_checked(ref: ImageRef) -> bytes:
    """The source bytes of a checked picture.

    Raises:
      ImageChanged: the bytes are gone, or are not those that were checked.
    """
    data = read(ref.uri)
    if isinstance(data, Fault):
        raise ImageChanged(f"image {ref.sha256} cannot be read again: {data.detail}")
    if hashlib.sha256(data).hexdigest() != ref.sha256:
        raise ImageChanged(f"{ref.uri} changed since it was checked (expected SHA-256 {ref.sha256})")
    return data


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


def _read_local(path: str, max_bytes: int | None) -> tuple[int, bytes]:
    """Size and bytes of a regular file; pipes and devices are never opened."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EISDIR, "not a regular file")
    if max_bytes is not None and status.st_size > max_bytes:
        return status.st_size, b""
    with open(path, "rb") as file:
        data = file.read()
    return len(data), data


def _read_remote(uri: str, max_bytes: int | None) -> tuple[int, bytes]:
    from apache_beam.io.filesystems import FileSystems

    with FileSystems.open(uri, compression_type="uncompressed") as file:
        data: bytes = file.read() if max_bytes is None else file.read(max_bytes + 1)
    return len(data), data


def _shown(text: str) -> str:
    """A name in a message, shortened, whatever it holds."""
    return ascii(text if len(text) <= 120 else text[:120] + "…")


def _why(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__)[:200]
