"""The last step: everything finished takes its place, what is stale goes, and the manifest comes last."""

import re
import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Final

from beam_rs import files, manifest, naming
from beam_rs.parquet import Written

OWN: Final = re.compile(
    r"(?P<family>[^/]+)/(README\.md|(?P=family)_[^/]+/(README\.md|train-\d{5}-of-\d{5}\.parquet|examples/[0-9a-f]{16}\.\w+))"
    r"|audit/[a-z]+-\d{5}-of-\d{5}\.jsonl|report\.html"
)
"""Names that a run writes; only files of such a name are ever removed."""


def publish(output: str, written: Iterable[Written], value: Mapping[str, Any]) -> None:
    """Put finished files in their place and write the manifest.

    Who finds a manifest finds a whole data set: the old one goes first, the new one comes last. A repeated call ends
    in the same place.

    Args:
      output: folder or URI prefix.
      written: all files of the run.
      value: the manifest.
    """
    data = manifest.dump(value)
    target = files.join(output, naming.MANIFEST)
    if files.read(target) == data:
        return
    files.delete(target)
    named = set()
    for file in written:
        files.move(file.attempt, files.join(output, *file.path.split("/")))
        named.add(file.path)
    for name in stale(files.listing(output), named):
        files.delete(files.join(output, name))
    files.write(target, data)
    files.delete_tree(files.join(output, naming.ATTEMPTS))


def stale(present: Iterable[str], named: set[str]) -> list[str]:
    """Files of an earlier run that the new manifest does not name; what others put there is left alone.

    >>> stale(["A/README.md", "A/A_rejected/train-00000-of-00002.parquet", "notes/README.md"], set())
    ['A/README.md', 'A/A_rejected/train-00000-of-00002.parquet']
    """
    names = list(present)
    ours = {name.split("/")[0] for name in names if re.match(r"([^/]+)/\1_", name)} | {"audit", naming.REPORT}
    return [name for name in names if OWN.fullmatch(name) and name not in named and name.split("/")[0] in ours]


def attempt(output: str, path: str, data: bytes, rows: int = 0) -> Written:
    """A small finished file, under `.work` until it is published."""
    name = files.join(output, naming.ATTEMPTS, uuid.uuid4().hex)
    with files.HashingFile(name) as file:
        file.write(data)
    return Written(path, name, file.sha256, file.length, rows)
