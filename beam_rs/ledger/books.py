"""A ledger folder, and the reading of its files."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from beam_rs.ledger import storage
from beam_rs.ledger.blocks import Blocks
from beam_rs.ledger.coding import read_header, records_of
from beam_rs.ledger.records import Record
from beam_rs.ledger.writer import Writer, writer_for
from beam_rs.schema import Completion, Request


@dataclass(frozen=True)
class Ledger:
    """A folder of answers. Plain enough to travel to any worker; holds no file open.

    Attributes:
      folder: a local path or a URI that Beam's file systems can write.
      model: name of the model whose answers are recorded.
      revision: its revision.
    """

    folder: str
    model: str = ""
    revision: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", storage.normal(self.folder))

    def check_writable(self) -> None:
        """Make sure, before the first request, that answers can be kept.

        Raises:
          LedgerError: they cannot, with what to do.
        """
        storage.check_writable(self.folder)

    def writer(self) -> Writer:
        """This process's writer for the folder: one, whoever asks."""
        return writer_for(self.folder)

    def append(self, request: Request, completion: Completion, kind: str = "generate", seconds: float = 0.0) -> None:
        """Record a finished request under this ledger's model; see `Writer.append`.

        Raises:
          LedgerError: it cannot be kept.
        """
        self.writer().append(request, completion, kind, seconds, self.model, self.revision)

    def flush(self) -> None:
        """Bring what this process has appended to stable storage.

        Raises:
          LedgerError: it does not get there.
        """
        self.writer().flush()

    def files(self) -> list[str]:
        """Paths of all files, by name; none where the folder does not exist."""
        return [found.path for found in storage.listing(self.folder)]

    def snapshot(self) -> dict[str, int]:
        """Length in bytes of each file now, for `Recent`."""
        return {found.path: found.size for found in storage.listing(self.folder)}


class Reading(Iterator[Record]):
    """The records of one file, one after the other. Damage costs the records it hit, and is counted.

    Attributes:
      path: the file.
      records: how many have been decoded.
      gaps: damaged stretches passed over.
      torn: bytes at the end that are no whole record, as a killed process leaves them.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.records = self.gaps = self.torn = 0
        self._stream = self._read()

    def __next__(self) -> Record:
        return next(self._stream)

    def __iter__(self) -> Iterator[Record]:
        return self._stream

    def _read(self) -> Iterator[Record]:
        with storage.reading(self.path) as file:
            head = read_header(file, self.path)
            if head is None:
                self.torn = file.seek(0, 2)
                return
            blocks = Blocks(file, head.sync, head.end)
            for some in chain.from_iterable(run.handfuls() for run in blocks.runs()):
                found = records_of(some, head)
                self.records += len(found)
                self.gaps += len(found) < sum(some.holds)
                yield from found
            self.gaps += blocks.gaps
            self.torn = blocks.torn


def read(path: str) -> Reading:
    """The records of a ledger file, in the order in which they were written, read as they are asked for.

    Raises:
      LedgerError: while reading, where the file cannot be opened or is no ledger file. Damage raises nothing.
    """
    return Reading(path)
