"""What a ledger holds, summed up, and single answers found in it."""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Final

import numpy as np

from beam_rs.errors import LedgerError
from beam_rs.ledger import storage
from beam_rs.ledger.books import read
from beam_rs.ledger.records import Record, settled

_PREFIX: Final = 12


@dataclass
class Summary:
    """A ledger in figures.

    Attributes:
      folder: where it is.
      files: how many files.
      bytes: their length together.
      records: whole records.
      keys: different keys.
      open: keys without an answer that stands: a run asks them again.
      duplicates: answers beyond the first that stands for its key.
      torn_files: files that end in a piece of a record, as a killed process leaves them.
      torn_bytes: length of those pieces.
      gaps: damaged stretches inside files.
      truncated: answers cut by the limit on tokens.
      prompt_tokens: of all records.
      completion_tokens: of all records.
      seconds: that requests took, added up.
      first: when the oldest record was written, in seconds since 1970.
      last: when the newest was.
      kinds: records by kind.
      models: records by model and revision.
      errors: records by error.
      faults: files that cannot be read at all, with why.
    """

    folder: str
    files: int = 0
    bytes: int = 0
    records: int = 0
    keys: int = 0
    open: int = 0
    duplicates: int = 0
    torn_files: int = 0
    torn_bytes: int = 0
    gaps: int = 0
    truncated: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    first: float = 0.0
    last: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


class _Tally:
    """Adds records up; eight bytes of memory a record and as many again for one that stands."""

    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self._all, self._settled = array("q"), array("q")

    def add(self, record: Record) -> None:
        """Count one record."""
        number, summary = hash(record["key"]), self._summary
        self._all.append(number)
        if settled(record):
            self._settled.append(number)
        summary.kinds[record["kind"]] += 1
        summary.models["@".join(part for part in (record["model"], record["revision"]) if part)] += 1
        if record["error"]:
            summary.errors[record["error"]] += 1
        summary.truncated += record["truncated"]
        summary.prompt_tokens += record["prompt_tokens"]
        summary.completion_tokens += record["completion_tokens"]
        summary.seconds += record["seconds"]
        summary.first = min(summary.first or record["at"], record["at"])
        summary.last = max(summary.last, record["at"])

    def close(self) -> None:
        """Work out what needs all records at once."""
        standing = _distinct(self._settled)
        self._summary.records = len(self._all)
        self._summary.keys = _distinct(self._all)
        self._summary.open = self._summary.keys - standing
        self._summary.duplicates = len(self._settled) - standing


def inspect(folder: str) -> Summary:
    """Sum up a ledger, a record at a time.

    Raises:
      LedgerError: the folder cannot be listed. A file that cannot be read is named in the summary.
    """
    folder = storage.normal(folder)
    summary = Summary(folder)
    tally = _Tally(summary)
    for path, size, _ in storage.listing(folder):
        summary.files += 1
        summary.bytes += size
        reading = read(path)
        try:
            for record in reading:
                tally.add(record)
        except LedgerError as error:
            summary.faults.append(str(error))
        summary.gaps += reading.gaps
        summary.torn_files += reading.torn > 0
        summary.torn_bytes += reading.torn
    tally.close()
    return summary


def find(folder: str, wanted: str) -> Iterator[Record]:
    """The records of a request key (its first twelve characters will do) or of an item, in the order of the files.

    Raises:
      LedgerError: the ledger cannot be read.
    """
    for path, _, _ in storage.listing(storage.normal(folder)):
        for record in read(path):
            key = record["key"]
            if wanted in (key, record["item_id"]) or (len(wanted) >= _PREFIX and key.startswith(wanted)):
                yield record


def render(summary: Summary) -> str:
    """The summary as plain text, for a terminal."""
    rows = [
        ("ledger", summary.folder),
        ("files", f"{summary.files:,} ({summary.bytes / 1e6:,.1f} MB)"),
        ("records", f"{summary.records:,}"),
        ("requests", f"{summary.keys:,} ({summary.open:,} to be asked again, {summary.duplicates:,} answered twice)"),
        ("tokens", f"{summary.prompt_tokens:,} in, {summary.completion_tokens:,} out"),
        ("truncated", f"{summary.truncated:,}"),
        ("request time", f"{summary.seconds:,.0f} s"),
        ("written", f"{_moment(summary.first)} to {_moment(summary.last)}" if summary.records else "never"),
        ("damage", _damage(summary)),
        *_counted("kind", summary.kinds),
        *_counted("model", summary.models),
        *_counted("error", summary.errors),
        *(("unreadable", fault) for fault in summary.faults),
    ]
    return "\n".join(f"{name:<13} {value}" for name, value in rows)


def _counted(name: str, counts: Counter[str]) -> Iterator[tuple[str, str]]:
    for value, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        yield name, f"{value or '(not named)'}: {count:,}"


def _damage(summary: Summary) -> str:
    if not summary.torn_files and not summary.gaps:
        return "none"
    torn = f"torn ends: {summary.torn_files:,} ({summary.torn_bytes:,} bytes)"
    return f"{torn}, gaps: {summary.gaps:,}; what stood there is asked again"


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")


def _distinct(numbers: "array[int]") -> int:
    return len(np.unique(np.frombuffer(numbers, np.int64))) if numbers else 0
