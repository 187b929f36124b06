"""One million answers: how fast they are kept, read and looked up, against plain reading with fastavro.

    python benchmarks/ledger.py [RECORDS] [WORDS]

Each measurement runs in a process of its own, so that peak memory is its own.
"""

import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeAlias

import fastavro

from beam_rs.keys import digest
from beam_rs.ledger import Index, Ledger, inspect, read
from beam_rs.ledger.storage import listing
from beam_rs.schema import Completion, Message, Request, Sampling

Work: TypeAlias = Callable[[str, int, int], str]

BUNDLE = 2000


def answers(count: int, words: int) -> Iterator[tuple[Request, Completion]]:
    pick = random.Random(1)
    vocabulary = [digest(str(n))[: pick.randint(1, 9)] for n in range(5000)]
    texts = [" ".join(pick.choices(vocabulary, k=words)) for _ in range(997)]
    for n in range(count):
        key, thought = digest(str(n)), texts[n % 997]
        request = Request(key, key, f"item-{n}", None, (Message("user", "?"),), Sampling(), 0, n)
        text = f"<think>\n{thought}\n</think>\n\n{n}"
        yield request, Completion(key, key, text, thought, str(n), "stop", False, 400, words)


def append(folder: str, count: int, words: int) -> str:
    writer = Ledger(folder, "Qwen/Qwen3-VL-8B-Instruct", "main").writer()
    for request, completion in answers(count, words):
        writer.append(request, completion, "generate", 1.0)
    writer.close()
    return f"{sum(found.size for found in listing(folder)) / 1e6:,.0f} MB"


def plainly(folder: str, count: int, words: int) -> str:
    seen = 0
    for path in Ledger(folder).files():
        with open(path, "rb") as file:
            seen += sum(1 for _ in fastavro.reader(file))
    return f"{seen:,} records"


def twice(folder: str, count: int, words: int) -> str:
    plainly(folder, count, words)
    return plainly(folder, count, words)


def ours(folder: str, count: int, words: int) -> str:
    return f"{sum(1 for path in Ledger(folder).files() for _ in read(path)):,} records"


def look_up(folder: str, wanted: Iterator[int]) -> str:
    index, found, bundle = Index(), 0, list[str]()
    for path, size, _ in listing(folder):
        index.follow(path, size)
    for n in wanted:
        bundle.append(digest(str(n)))
        if len(bundle) == BUNDLE:
            found += sum(1 for _ in index.lookup(bundle))
            bundle.clear()
    return f"{found + sum(1 for _ in index.lookup(bundle)):,} answers found"


def all_keys(folder: str, count: int, words: int) -> str:
    return look_up(folder, iter(range(count)))


def absent_keys(folder: str, count: int, words: int) -> str:
    return look_up(folder, iter(range(count, 2 * count)))


def summary(folder: str, count: int, words: int) -> str:
    return f"{inspect(folder).keys:,} keys"


def measured(work: Work, folder: str, count: int, words: int) -> tuple[float, float, float, str]:
    start, before = time.perf_counter(), time.process_time()
    said = work(folder, count, words)
    seconds, cpu = time.perf_counter() - start, time.process_time() - before
    return seconds, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, said


def main(count: int = 1_000_000, words: int = 60) -> None:
    steps: list[tuple[str, Work]] = [
        ("append, one thread", append),
        ("fastavro.reader", plainly),
        ("fastavro.reader, twice", twice),
        ("beam_rs.ledger.read", ours),
        ("look up all keys", all_keys),
        ("look up as many absent keys", absent_keys),
        ("inspect", summary),
    ]
    print(f"{count:,} answers of {words} words, looked up {BUNDLE:,} at a time\n")
    print(f"{'':<28} {'seconds':>8} {'CPU s':>8} {'records/s':>11} {'peak MB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, work in steps:
            with ProcessPoolExecutor(1, get_context("spawn")) as process:
                seconds, cpu, peak, said = process.submit(measured, work, folder, count, words).result()
            print(f"{name:<28} {seconds:8.1f} {cpu:8.1f} {count / seconds:11,.0f} {peak:8.0f}  {said}", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
