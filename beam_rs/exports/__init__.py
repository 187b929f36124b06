"""Further outputs of a data set: one file each, a line in the table. None yet: the splits are `beam_rs.parquet`'s."""

from typing import Final

EXPORTS: Final[dict[str, str]] = {}

__all__ = ["EXPORTS"]
