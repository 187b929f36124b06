"""Where records stand, for the keyed join: the same whatever wrote the file."""

from pathlib import Path
from typing import Any

import fastavro
import numpy as np
import pytest

from beam_rs.keys import digest
from beam_rs.ledger import record_of
from beam_rs.ledger.blocks import frame, new_sync
from beam_rs.ledger.coding import encode, header
from beam_rs.ledger.pointers import bucket_of, fetch, packed_keys, pointers
from beam_rs.ledger.records import SCHEMA
from beam_rs.schema import Completion, Message, Request, Sampling

KEYS = [digest(str(n)) for n in range(300)]


def record(key: str, group: str = "") -> dict[str, Any]:
    request = Request(key, group or key, "item", None, (Message("user", "?"),), Sampling(), 0, 1)
    return record_of(request, Completion(key, request.group, "x" * (len(key) + int(key[0], 16))), "generate", 1.0)


def ours(path: Path, codec: str) -> None:
    sync = new_sync()
    blocks = (frame(encode(record(key), codec), sync) for key in KEYS)
    path.write_bytes(header(sync, codec) + b"".join(blocks))


def foreign(path: Path, codec: str) -> None:
    """As another Avro writer would: many records a block, and an older schema of fewer fields."""
    older = {**SCHEMA, "fields": [f for f in SCHEMA["fields"] if f["name"] != "seconds"]}
    with path.open("wb") as file:
        rows = [{k: v for k, v in record(key).items() if k != "seconds"} for key in KEYS]
        fastavro.writer(file, older, rows, codec=codec, sync_interval=4000)


@pytest.mark.parametrize("codec", ["null", "deflate"])
@pytest.mark.parametrize("write", [ours, foreign])
def test_every_record_is_found_where_it_stands(tmp_path: Path, write: Any, codec: str) -> None:
    path = tmp_path / "some.avro"
    write(path, codec)
    found: set[str] = set()
    for bucket, places in pointers(str(path)):
        wanted = sorted(key for key in KEYS if bucket_of(key) == bucket)
        for index, offset in places.find(packed_keys(wanted)):
            assert wanted[index] in {r["key"] for r in fetch(str(path), [offset])}
            found.add(wanted[index])
    assert found == set(KEYS)


def test_short_keys_and_damage_cost_nothing_else(tmp_path: Path) -> None:
    path, sync = tmp_path / "some.avro", new_sync()
    blocks = [frame(encode(record(key)), sync) for key in ["ab", *KEYS[:5]]]
    path.write_bytes(header(sync) + blocks[0] + b"rubbish" + sync + b"".join(blocks[1:]) + blocks[1][:40])
    places = [place for _, part in pointers(str(path)) for place in part.find(packed_keys(sorted(["ab", *KEYS[:5]])))]
    assert len(places) == 6


def test_no_wanted_key(tmp_path: Path) -> None:
    ours(tmp_path / "some.avro", "null")
    assert [hit for _, part in pointers(str(tmp_path / "some.avro")) for hit in part.find(np.array([], "S16"))] == []
