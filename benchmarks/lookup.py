"""A million answers in the ledger, and a run that asks 20,000 questions, half of which are answered there.

    python benchmarks/lookup.py [RECORDS] [REQUESTS]

The pipeline's own look-up (`ReadLedger` and `Lookup` on Beam's in-process runner) beside what reading the ledger twice
with fastavro takes. Each measurement runs in a process of its own; `peak` is of the whole process, `before` what its
imports took.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeAlias

import fastavro

from beam_rs.keys import digest
from beam_rs.ledger import Ledger, record_of
from beam_rs.ledger.blocks import frame, new_sync
from beam_rs.ledger.coding import encode, header
from beam_rs.schema import Completion, Message, Request, Sampling

Work: TypeAlias = Callable[[str, int, int], str]

FILES = 4
TEXT = 200


def asked(n: int) -> Request:
    """Request number n."""
    key = digest(str(n))
    return Request(key, key, f"item-{n}", None, (Message("user", "?"),), Sampling(), 0, n)


def build(folder: str, count: int) -> None:
    """Write the ledger in as many files as runs would have left."""
    for number in range(FILES):
        sync = new_sync()
        with open(f"{folder}/{number}.avro", "wb") as file:
            file.write(header(sync))
            for n in range(number, count, FILES):
                request = asked(n)
                text = f"<think>\n{'x' * TEXT}\n</think>\n\n{n}"
                answer = Completion(request.key, request.group, text, "x" * TEXT, str(n), "stop", False, 400, 60)
                file.write(frame(encode(record_of(request, answer, "generate", 1.0)), sync))


def twice(folder: str, count: int, wanted: int) -> str:
    """Read everything twice, plainly: once for the keys, once for the answers."""
    seen = 0
    for _ in range(2):
        for path in Ledger(folder).files():
            with open(path, "rb") as file:
                seen += sum(1 for _ in fastavro.reader(file))
    return f"{seen:,} records"


def look_up(folder: str, count: int, wanted: int) -> str:
    """The pipeline's look-up; half of the requests are known."""
    import apache_beam as beam
    from apache_beam.runners.portability.fn_api_runner import FnApiRunner

    from beam_rs.transforms.lookup import Lookup, ReadLedger

    first = count - wanted // 2
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        known = pipeline | ReadLedger(Ledger(folder).files())
        numbers = pipeline | beam.Create(range(first, first + wanted), reshuffle=False)
        found = numbers | beam.Map(asked) | Lookup(known, "generate")
        for name, part in (("known", found.known), ("missing", found.missing)):
            expected = wanted // 2 if name == "known" else wanted - wanted // 2
            counted = part | f"Count {name}" >> beam.combiners.Count.Globally()
            _ = counted | f"Check {name}" >> beam.Map(expect, expected)
    return f"{wanted // 2:,} of {wanted:,} found"


def expect(found: int, wanted: int) -> None:
    """Stop where the figures are not those of a right answer."""
    assert found == wanted, f"{found} instead of {wanted}"


def measured(work: Work, folder: str, count: int, wanted: int) -> tuple[float, float, float, float, str]:
    import apache_beam.runners.portability.fn_api_runner  # noqa: F401

    import beam_rs.transforms.lookup  # noqa: F401

    before = peak()
    start, cpu = time.perf_counter(), time.process_time()
    said = work(folder, count, wanted)
    return time.perf_counter() - start, time.process_time() - cpu, peak(), before, said


def peak() -> float:
    """Megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(count: int = 1_000_000, wanted: int = 20_000) -> None:
    steps: list[tuple[str, Work]] = [("pipeline look-up", look_up), ("fastavro.reader, twice", twice)]
    with tempfile.TemporaryDirectory() as folder:
        build(folder, count)
        size = sum(Ledger(folder).snapshot().values())
        print(f"{count:,} answers, {size / 1e6:,.0f} MB in {FILES} files; {wanted:,} requests\n")
        print(f"{'':<24} {'seconds':>8} {'CPU s':>8} {'peak MB':>8} {'before':>8}")
        for name, work in steps:
            with ProcessPoolExecutor(1, get_context("spawn")) as process:
                seconds, cpu, most, before, said = process.submit(measured, work, folder, count, wanted).result()
            print(f"{name:<24} {seconds:8.1f} {cpu:8.1f} {most:8.0f} {before:8.0f}  {said}", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
