"""Input formats: one file each; a new one is a line in the table."""

from typing import Final

from beam_rs.formats.base import Broken, Format, Record, Split

FORMATS: Final[dict[str, str]] = {
    "jsonl": "beam_rs.formats.jsonl:JsonLines",
}

__all__ = ["FORMATS", "Broken", "Format", "Record", "Split"]
