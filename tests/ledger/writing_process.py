"""A process that records answers from several threads and says so after each, for tests that kill it."""

import os
import sys
import threading

from beam_rs.keys import digest
from beam_rs.ledger import Ledger
from beam_rs.schema import Completion, Message, Request, Sampling


def write_on(ledger: Ledger, start: str, thread: int) -> None:
    for n in range(10**9):
        key = digest(f"{start}-{thread}-{n}")
        request = Request(key, key, "item", None, (Message("user", "?"),), Sampling())
        ledger.append(request, Completion(key, key, f"{key} " * (1 + n % 200)))
        os.write(1, f"{key}\n".encode())


if __name__ == "__main__":
    folder, start, threads = sys.argv[1:]
    for thread in range(int(threads)):
        threading.Thread(target=write_on, args=(Ledger(folder), start, thread)).start()
