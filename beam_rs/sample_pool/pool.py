"""A sample pool that shows every way out: words drawn here, and the mess that real pools have.

`write` makes a folder with `config.yaml`, `pool.jsonl`, `sources.jsonl` and `images/`; `expected` says how many items
leave by which end and for which reason. What the model makes of the rest is its own affair: the embedded engine reads
more than nine in ten.
"""

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from beam_rs.images import EXTENSIONS
from beam_rs.sample_pool.mess import INSTRUCTION, MALFORMED, MESS, Oddity
from beam_rs.sample_pool.pictures import FORMATS, broken_files, encoded, plain, styled

FAMILY: Final = "SampleText"
DATASET: Final = "SampleWords"
QUESTIONS: Final = ("What is the word in the image?", "Read the word.", "What does the sign say?")

_PLAIN_WORDS = (
    "coffee hotel open market police exit sale fresh bakery london ticket office school pharmacy welcome beware"
)
_STYLED_WORDS = (
    "STATION garden Museum library AIRPORT bridge Castle river STREET avenue Theatre cinema PARKING taxi Harbour "
    "island WINTER summer Autumn spring MONDAY friday Sunday morning EVENING breakfast Dinner kitchen GROCERY butcher "
    "Flowers florist HARDWARE pottery Jewellery watches BOOKS stationery Records guitars PIANO violin Concert "
    "festival DANGER caution Warning private ENTRANCE reception Elevator staircase TOILETS smoking Recycling "
    "glass PAPER plastic Metal organic 24 1987 2048 350 CAFE pizzeria Noodles sushi BURGER sandwich Chocolate "
    "vanilla LEMON orange Banana cherry PEPPER ginger Cinnamon almond HOSPITAL dentist Surgery optician UNIVERSITY "
    "college Academy nursery STADIUM tennis Football rowing CYCLING sailing Climbing skating MOUNTAIN valley Forest "
    "meadow"
)
PLAIN: Final = tuple(_PLAIN_WORDS.split())
"""Words that a tiny model can be trained to read: their pictures are all alike but for the word."""
WORDS: Final = tuple(_STYLED_WORDS.split())
MIN_ITEMS: Final = 60

CONFIG: Final = f"""\
# A sample pool with the mess that real pools have, read by the embedded engine.
output: out
pool: [pool.jsonl]
images: {{root: images}}
cleaning:
  provenance: {{manifest: sources.jsonl}}
  purity: {{threshold: 0.05}}
families:
  {FAMILY}:
    verifier: alnum
    instruction: {INSTRUCTION}
    genuine: {{questions: ['(?i)\\b(word|text|read|sign)\\b', '^$']}}
engine: {{name: ocr}}
judge: {{enabled: false}}                        # the embedded engine cannot judge
limits: {{dead_letters: 0.2}}                    # one line in twelve is broken on purpose
"""


@dataclass
class _Pool:
    """What is written, and what is to be expected of it."""

    lines: list[bytes] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    sources: list[dict[str, str]] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    slices: dict[str, Counter[bool]] = field(default_factory=dict)

    def add_picture(self, name: str, data: bytes, dataset: str = DATASET) -> None:
        self.files[name] = data
        self.sources.append({"dataset": dataset, "image": name, "sha256": hashlib.sha256(data).hexdigest()})

    def add(self, line: dict[str, Any], end: str = "", reason: str = "", genuine: bool = True) -> None:
        """A line that ends as said, or is asked; its share in the purity of its slice is noted alike."""
        self.lines.append(json.dumps({"id": f"sample-{len(self.lines):05d}", **line}, ensure_ascii=False).encode())
        self.count(end, reason)
        if end not in ("malformed", "undecodable") and not reason.startswith("provenance"):
            self.slices.setdefault(line["slice"], Counter())[genuine] += 1

    def count(self, end: str, reason: str) -> None:
        self.ends[end or "asked"] += 1
        if reason:
            self.reasons[reason] += 1


def write(folder: str | Path, items: int = 120) -> Path:
    """Write a sample pool; the same one each time.

    Args:
      folder: made where it is missing; files of the same names are replaced.
      items: pictures of words, 60 or more; the mess beside them stays the same.

    Returns:
      Path of its `config.yaml`.
    """
    pool, folder = _build(items, draw=True), Path(folder)
    for name, data in pool.files.items():
        path = folder / "images" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (folder / "pool.jsonl").write_bytes(b"\n".join(pool.lines) + b"\n")
    rows = [json.dumps(row) for row in pool.sources]
    (folder / "sources.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    (folder / "config.yaml").write_text(CONFIG, "utf-8")
    return folder / "config.yaml"


def expected(items: int = 120) -> dict[str, Any]:
    """What becomes of the pool: items read, ends, reasons, and the share of foreign items in each slice.

    >>> counts = expected()["counts"]
    >>> sum(counts.values()) == expected()["read"]
    True
    """
    pool = _build(items, draw=False)
    ends = ("malformed", "undecodable", "dropped", "duplicate", "longform")
    counts = {end: pool.ends[end] for end in ends} | {"failed": 0, "accepted+rejected": pool.ends["asked"]}
    shares = {name: count[False] / count.total() for name, count in sorted(pool.slices.items())}
    return {
        "read": pool.ends.total(),
        "counts": counts,
        "reasons": dict(sorted(pool.reasons.items())),
        "purity_shares": shares,
        "accepted_at_least": int(0.9 * pool.ends["asked"]),
    }


def _build(items: int, draw: bool) -> _Pool:
    """The pool; without `draw` its pictures are left empty, which changes no count."""
    if items < MIN_ITEMS:
        raise ValueError(f"a sample pool has at least {MIN_ITEMS} words, got {items}")
    pool = _Pool()
    for index in range(items):
        word, name = _word(index), _name(index)
        pool.add_picture(name, _drawn(word, index) if draw else b"")
        pool.add(_line(name, word, QUESTIONS[index % 3]))
        if index % 6 == 5:
            pool.add(_line(name, word, QUESTIONS[(index + 1) % 3]))
    for name, data in (broken_files() if draw else {}).items():
        pool.files[f"broken/{name}"] = data
    for oddity in MESS:
        _add_oddity(pool, oddity, draw)
    for line, reason in MALFORMED:
        pool.lines.append(line)
        pool.count("malformed", reason)
    pool.lines.insert(7, b"")
    pool.lines[3] += b"\r"
    pool.lines[0] = b"\xef\xbb\xbf" + pool.lines[0]
    return pool


def _add_oddity(pool: _Pool, oddity: Oddity, draw: bool) -> None:
    """One line of the mess, on the picture of a word or on one of its own."""
    word, name = _word(oddity.word), _name(oddity.word)
    if oddity.copy_to:
        pool.add_picture(oddity.copy_to, _drawn(word, oddity.word) if draw else b"", oddity.dataset or DATASET)
        name = oddity.copy_to
    line = {**_line(name, word, QUESTIONS[oddity.word % 3]), **oddity.line}
    if oddity.dataset:
        line["source"] = {"dataset": oddity.dataset, "image": name}
    pool.add({k: v for k, v in line.items() if v is not None}, oddity.end, oddity.reason, oddity.genuine)


def _line(image: str, word: str, question: str) -> dict[str, Any]:
    return {
        "family": FAMILY,
        "image": image,
        "question": question,
        "answer": int(word) if word.isdigit() else word,
        "source": {"dataset": DATASET, "image": image},
        "slice": DATASET,
    }


def _word(index: int) -> str:
    return PLAIN[index] if index < len(PLAIN) else WORDS[(index - len(PLAIN)) % len(WORDS)]


def _format(index: int) -> str:
    return "PNG" if index < len(PLAIN) else FORMATS[index % len(FORMATS)]


def _name(index: int) -> str:
    return f"words/{index:05d}.{EXTENSIONS[_format(index)]}"


def _drawn(word: str, index: int) -> bytes:
    picture = plain(word) if index < len(PLAIN) else styled(word, index)
    return encoded(picture, _format(index))
