"""The ledger: every answer of the model, kept as it ends, so that no finished request is asked again.

A folder of Avro files, one a process and start. `Ledger` writes and reads it, `choose` says which of several records
of one key counts, `Recent` looks keys up once more while a run is on, `inspect` sums a ledger up.
"""

from beam_rs.ledger.books import Ledger, Reading, read
from beam_rs.ledger.index import Index, Recent
from beam_rs.ledger.inspect import Summary, find, inspect, render
from beam_rs.ledger.records import Record, choose, completion_of, record_of, settled
from beam_rs.ledger.writer import Writer

__all__ = [
    "Index",
    "Ledger",
    "Reading",
    "Recent",
    "Record",
    "Summary",
    "Writer",
    "choose",
    "completion_of",
    "find",
    "inspect",
    "read",
    "record_of",
    "render",
    "settled",
]
