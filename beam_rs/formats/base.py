"""The contract of an input format."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, ClassVar, TypeAlias

from beam_rs.schema import Json

Opener: TypeAlias = Callable[[str], IO[bytes]]
"""Opens a path or URI for reading, decompressed where its name says so."""


@dataclass(frozen=True)
class Split:
    """A part of a file that one worker reads.

    Attributes:
      path: path or URI.
      start: first byte, or first unit of the format.
      end: one past the last; records that start before it belong to the split. None is the end of the file.
      limit: most records to read; None is all.
    """

    path: str
    start: int = 0
    end: int | None = None
    limit: int | None = None


@dataclass(frozen=True)
class Record:
    """One record, as parsed; its line is counted from the first of its split."""

    value: Json
    line: int


@dataclass(frozen=True)
class Broken:
    """A record that cannot be parsed: the part of the reason code behind `malformed.`, and what was found."""

    code: str
    detail: str
    raw: str
    line: int


class Format(ABC):
    """How a kind of file is cut and read. It never raises for what a file holds."""

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]

    @abstractmethod
    def splits(self, path: str, size: int) -> list[Split]:
        """The parts of a file of so many bytes."""

    @abstractmethod
    def read(self, split: Split, opener: Opener) -> Iterator[Record | Broken]:
        """The records of a part, the broken ones among them."""

    def lines_before(self, split: Split, opener: Opener) -> int:
        """Lines of the file before a split; asked only where a record is malformed, for it may cost a reading."""
        return 0
