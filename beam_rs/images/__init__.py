"""Pictures: found under their root, hashed as they stand, decoded once and wholly, within limits.

No text in `image` and no bytes in a file stop a run: whatever is wrong becomes a `Fault` with a reason code.

    places      where they lie, and reading them
    decoding    what is in the bytes
    ends        whether a file goes on to its end
"""

from beam_rs.images.decoding import EXTENSIONS, FORMATS, MEDIA_TYPES, Fault, Limits, inspect, picture
from beam_rs.images.places import Place, read, read_checked, resolve

__all__ = [
    "EXTENSIONS",
    "FORMATS",
    "MEDIA_TYPES",
    "Fault",
    "Limits",
    "Place",
    "inspect",
    "picture",
    "read",
    "read_checked",
    "resolve",
]
