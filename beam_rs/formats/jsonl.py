"""JSON Lines: one object a line, UTF-8. Whatever bytes a file holds, no line stops the run."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import IO, ClassVar, Final, NoReturn

from beam_rs.files import COMPRESSED, Damaged
from beam_rs.formats.base import Broken, Format, Opener, Record, Split
from beam_rs.schema import Json

BOM: Final = b"\xef\xbb\xbf"
SHOWN: Final = 2_000
DEEPEST: Final = 200
"""Levels of nesting; what is deeper could not be written out again by every step."""


@dataclass(frozen=True)
class JsonLines(Format):
    """JSON Lines, plain or compressed.

    Attributes:
      split_bytes: files above this size are read by several workers, unless they are compressed.
      max_line: longest line in bytes; a longer one is malformed and is skipped without being held.
    """

    name: ClassVar[str] = "jsonl"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson", *(f".jsonl{suffix}" for suffix in COMPRESSED))

    split_bytes: int = 64_000_000
    max_line: int = 64_000_000

    def splits(self, path: str, size: int) -> list[Split]:
        if size <= self.split_bytes or path.endswith(COMPRESSED):
            return [Split(path)]
        return [Split(path, start, min(start + self.split_bytes, size)) for start in range(0, size, self.split_bytes)]

    def read(self, split: Split, opener: Opener) -> Iterator[Record | Broken]:
        taken = number = 0
        try:
            with opener(split.path) as file:
                for number, line in _lines(file, split, self.max_line):
                    if split.limit is not None and taken >= split.limit:
                        return
                    parsed = _parse(line, self.max_line)
                    if parsed is not None:
                        taken += 1
                        yield replace(parsed, line=number)
        except Damaged as error:
            yield Broken("bad_encoding", f"the rest of the file cannot be decompressed: {error}", "", number + 1)

    def lines_before(self, split: Split, opener: Opener) -> int:
        if split.start == 0:
            return 0
        count, left = 0, split.start
        with opener(split.path) as file:
            while left > 0 and (chunk := file.read(min(left, 1 << 20))):
                count += chunk.count(b"\n")
                left -= len(chunk)
        return count + (not _starts_line(split, opener))


def _starts_line(split: Split, opener: Opener) -> bool:
    """Whether the first byte of a split is the first of a line."""
    with opener(split.path) as file:
        file.seek(split.start - 1)
        return file.read(1) == b"\n"


def _lines(file: IO[bytes], split: Split, max_line: int) -> Iterator[tuple[int, bytes]]:
    """Number within the split and bytes of each line that starts in it."""
    position = split.start
    if position:
        file.seek(position - 1)
        _whole_line(file, max_line)
        position = file.tell()
    number = 0
    while split.end is None or position < split.end:
        line = _whole_line(file, max_line)
        if not line:
            return
        number += 1
        # A line beyond the limit comes back cut; the file itself knows where the next one starts.
        position = position + len(line) if len(line) <= max_line else file.tell()
        yield number, line.removeprefix(BOM) if number == 1 and split.start == 0 else line


def _whole_line(file: IO[bytes], max_line: int) -> bytes:
    """The next line; of one beyond the limit a byte more than the limit, the rest of it passed over."""
    line = piece = file.readline(max_line + 1)
    while len(piece) > max_line and not piece.endswith(b"\n"):
        piece = file.readline(max_line + 1)
    return line


def _parse(line: bytes, max_line: int) -> Record | Broken | None:
    """The value of a line, why it has none, or None for a blank line."""
    if len(line) > max_line:
        return _broken("bad_json", f"the line is longer than {max_line} bytes", line)
    line = line.strip(b" \t\r\n")
    if not line:
        return None
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        return _broken("bad_encoding", f"not UTF-8: {error.reason} at byte {error.start}", line)
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        return _broken("bad_json", "nested too deeply", line)
    except ValueError as error:
        return _broken("bad_json", str(error), line)
    if text.count("[") + text.count("{") > DEEPEST and _depth(value) > DEEPEST:
        return _broken("bad_json", f"nested more than {DEEPEST} levels deep", line)
    return _encodable(value, text, line)


def _depth(value: Json) -> int:
    """Levels of lists and objects in a value, counted without recursion."""
    depth, level = 0, [value]
    while level := [part for part in level if isinstance(part, (list, dict))]:
        depth += 1
        level = [item for part in level for item in (part.values() if isinstance(part, dict) else part)]
    return depth


def _encodable(value: Json, text: str, line: bytes) -> Record | Broken:
    r"""Escapes such as a lone \ud800 parse, but no file can hold the text."""
    if "\\u" not in text:
        return Record(value, 0)
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (UnicodeEncodeError, RecursionError) as error:
        return _broken("bad_encoding", f"an escape stands for half a character: {error}", line)
    return Record(value, 0)


def _broken(code: str, detail: str, line: bytes) -> Broken:
    shown = line[:SHOWN].decode("utf-8", "backslashreplace").rstrip("\r\n")
    return Broken(code, detail, shown + ("…" if len(line) > SHOWN else ""), 0)


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"the number {digits[:40]} is too large")
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
