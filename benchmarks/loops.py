"""The anchors of `benchmarks/pipeline.py`, each a process of its own: what the work costs without a pipeline.

python benchmarks/loops.py same CONFIG OUT        the package's own functions, one item after another
python benchmarks/loops.py plain CONFIG OUT       Pillow, hashlib and pyarrow only; no record of what was done
python benchmarks/loops.py read CONFIG LIST       the reader alone, over the pictures that a file lists
python benchmarks/loops.py empty                  a Beam pipeline of one element
python benchmarks/loops.py nothing                the interpreter and the package's imports, no pipeline
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def same(config: str, out: str) -> str:
    """Read, resolve, key, answer, verify and write with the functions that the pipeline calls."""
    from beam_rs import allocator, job, naming
    from beam_rs import config as configuration
    from beam_rs.items import Reader
    from beam_rs.parquet import write_shard
    from beam_rs.rows import Entry
    from beam_rs.schema import Item

    allocator.tune()
    loaded = configuration.load(config)
    built = job.build(loaded)
    reader = Reader(built.references)
    built.engine.start()
    splits: dict[str, list[Entry]] = {split: [] for split in naming.SPLITS}
    with open(loaded.settings.pool[0].path, "rb") as pool:
        for line in pool:
            item = reader.item(json.loads(line))
            assert isinstance(item, Item)
            for entry in _entries(item, built):
                splits[entry.split].append(entry)
    for split, entries in splits.items():
        rows = [_row(entry, built) for entry in entries]
        write_shard(rows, split, split, f"{out}/{split}.parquet")
    return f"{sum(map(len, splits.values()))} rows"


def _entries(item: Any, built: Any) -> Any:
    """The question-answer pairs of one item."""
    from dataclasses import replace

    from beam_rs import images
    from beam_rs.rows import Graded, Sample, entries
    from beam_rs.schema import Completion, ImageRef
    from beam_rs.verifiers import verify

    ref = images.resolve(item.image, built.place, built.limits)
    assert isinstance(ref, ImageRef)
    item = replace(item, ref=ref)
    request, done = built.request(item), list[Completion]()
    built.engine.generate([request], done.append)
    verifier, case = built.verifier(item), built.case(item)
    sample = Sample(request.key, done[0], verify(verifier, case, done[0]))
    chosen = (0,) if sample.verdict.admitted else ()
    return entries(
        Graded(item, case.question, verifier.spec, verifier.parameters, samples=(sample,), chosen=chosen, pass_rate=1.0)
    )


def _row(entry: Any, built: Any) -> Any:
    from beam_rs.parquet import Row

    ref = entry.ref
    meta = {
        "family": entry.family,
        "policy": built.policy,
        "width": ref.width,
        "height": ref.height,
        "format": ref.format,
        "pixel_sha256": ref.pixel_sha256,
        "items": [entry.record],
    }
    return Row(ref, (entry.qa,), meta)


def plain(config: str, out: str) -> str:
    """Decode, hash, compare and write, by nothing but the libraries that do the work."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = pa.schema(
        [(name, pa.binary() if name == "image" else pa.string()) for name in ("image", "path", "question", "answer")]
    )
    folder, written = Path(config).parent, 0
    writers = {
        right: pq.ParquetWriter(f"{out}/{right}.parquet", columns, compression="none") for right in (True, False)
    }
    groups: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
    for right, row in _plainly(folder):
        groups[right].append(row)
        written += 1
        if len(groups[right]) == 100:
            writers[right].write_table(pa.Table.from_pylist(groups[right], schema=columns))
            groups[right].clear()
    for right, writer in writers.items():
        writer.write_table(pa.Table.from_pylist(groups[right], schema=columns))
        writer.close()
    return f"{written} rows"


def _plainly(folder: Path) -> Iterator[tuple[bool, dict[str, Any]]]:
    """Each item's row, and whether the answer is right."""
    import io

    from PIL import Image

    for line in (folder / "pool.jsonl").open():
        item, answer = json.loads(line), "coffee"
        data = (folder / "images" / item["image"]).read_bytes()
        Image.open(io.BytesIO(data)).convert("RGB")
        right = "".join(c for c in item["answer"].lower() if c.isalnum()) == answer
        path = f"{hashlib.sha256(data).hexdigest()}.jpg"
        yield right, {"image": data, "path": path, "question": item["question"], "answer": answer}


def read(config: str, listed: str) -> str:
    """Read pictures with the embedded engine's network, one after another in one thread."""
    from beam_rs.engines._recogniser import Recogniser, wheel_models
    from beam_rs.images import picture

    del config
    recogniser = Recogniser.load(next(iter(wheel_models().values())))
    texts = [recogniser.read(picture(Path(path).read_bytes())) for path in Path(listed).read_text().splitlines()]
    return f"{len(texts)} texts"


def empty() -> str:
    """What Beam costs before it does anything."""
    import apache_beam as beam
    from apache_beam.runners.portability.fn_api_runner import FnApiRunner

    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        _ = pipeline | beam.Create([1]) | beam.Map(str)
    return "1 element"


def nothing() -> str:
    """What the imports cost."""
    from beam_rs.runners import launch

    return launch.__name__


WORK: dict[str, Callable[..., str]] = {
    "same": same,
    "plain": plain,
    "read": read,
    "empty": empty,
    "nothing": nothing,
}

if __name__ == "__main__":
    print(WORK[sys.argv[1]](*sys.argv[2:]))
