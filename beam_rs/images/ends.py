"""Whether a picture's file goes on to its end.

Decoding alone does not tell: Pillow takes a PNG without its last chunk, and of an animated or a multi-page file it
reads the first picture and never sees that the others are cut. So the file's own structure is walked, without
decoding anything. Bytes behind the end, which phones and editors leave there, are no fault.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

_PAUSE: Final = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
"""What ends the coded pixels of a JPEG: any marker but a stuffed zero, a restart or a fill byte."""

_OFFSETS: Final = ((273, 279), (324, 325))
"""TIFF tags of the places and lengths of strips, and of tiles."""


def is_whole(data: bytes, opened: Any) -> bool:
    """Whether nothing is missing at the end of a file that Pillow has opened.

    Args:
      data: the file's bytes.
      opened: the picture, before it is decoded; it is left at its first page.
    """
    check = _CHECKS.get(str(opened.format))
    try:
        return check is None or check(data, opened)
    except Exception:  # a table that cannot be read has lost its end as well
        return False


def _png(data: bytes, opened: Any) -> bool:
    """The last chunk is there, with its checksum."""
    at = 8
    while at + 12 <= len(data):
        behind = at + 12 + int.from_bytes(data[at : at + 4], "big")
        if data[at + 4 : at + 8] == b"IEND":
            return behind <= len(data)
        at = behind
    return False


def _jpeg(data: bytes, opened: Any) -> bool:
    """The end marker of the first picture is there; a thumbnail's lies inside a segment that is stepped over."""
    at = 2
    while (mark := data[at + 1 : at + 2]) and data[at] == 0xFF:
        if mark == b"\xd9":
            return True
        if mark == b"\xff":  # fill byte
            at += 1
            continue
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if mark == b"\xda":
            found = _PAUSE.search(data, at)
            at = found.start() if found else len(data)
    return False


def _gif(data: bytes, opened: Any) -> bool:
    """The trailer is there, behind whole blocks."""
    at = 13 + _palette(data[10])
    while (kind := data[at : at + 1]) and kind != b";":
        if kind == b"!":
            at = _behind_blocks(data, at + 2)
        elif kind == b",":
            at = _behind_blocks(data, at + 11 + _palette(data[at + 9]))
        else:
            return False
    return bool(kind)


def _palette(flags: int) -> int:
    """Length of the colour table that a byte of flags announces."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _behind_blocks(data: bytes, at: int) -> int:
    """Where a chain of data blocks ends."""
    while data[at]:
        at += data[at] + 1
    return at + 1


def _tiff(data: bytes, opened: Any) -> bool:
    """The pixels of every page lie inside the file."""
    ends = [end for page in range(opened.n_frames) for end in _ends(opened, page)]
    opened.seek(0)
    return max(ends, default=0) <= len(data)


def _ends(opened: Any, page: int) -> Iterator[int]:
    opened.seek(page)
    for offsets, lengths in _OFFSETS:
        places = zip(opened.tag_v2.get(offsets, ()), opened.tag_v2.get(lengths, ()), strict=False)
        yield from (offset + length for offset, length in places)


_CHECKS: Final[Mapping[str, Callable[[bytes, Any], bool]]] = {
    "PNG": _png,
    "JPEG": _jpeg,
    "MPO": _jpeg,
    "GIF": _gif,
    "TIFF": _tiff,
}
"""WebP and BMP need none: their decoders compare the length that the header names. Of a phone's multi-picture file the
first picture counts alone: what edits such files often drops the others and leaves their table."""
