"""Pools for the benchmarks: the same bytes each time, every picture different from all others.

A few pictures are drawn, and each file is one of them with its number in a comment segment: thousands of files that
differ by SHA-256 and cost what real ones cost to read, decode and write, made in a second.

    python benchmarks/pool.py FOLDER --items 1000 --kind large
"""

import argparse
import io
import json
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

DRAWN: Final = 16
WRONG: Final = 5
"""One reference in so many is another word than the one that the engine answers."""

CONFIG: Final = """\
output: out
pool: [pool.jsonl]
images: {root: images}
families:
  Words:
    verifier: alnum
    instruction: Answer in short without any other content.
    genuine: {questions: ['(?i)\\b(word|text|read|sign)\\b', '^$']}
engine: {name: scripted, default: coffee}
judge: {enabled: false}
"""


def large(index: int) -> bytes:
    """A JPEG of 640 x 480 as busy as a photograph: 100 to 150 KB."""
    rng = random.Random(index)
    colours = Image.frombytes("RGB", (40, 30), rng.randbytes(3 * 40 * 30))
    grain = Image.frombytes("RGB", (320, 240), rng.randbytes(3 * 320 * 240))
    size = 640, 480
    smooth = Image.Resampling.BICUBIC
    picture = Image.blend(colours.resize(size, smooth), grain.resize(size, smooth), 0.3)
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=85)
    return file.getvalue()


def small(index: int) -> bytes:
    """A JPEG of one word, such as scene-text crops are: about 3 KB."""
    rng = random.Random(index)
    picture = Image.new("RGB", (110 + 4 * index, 44), (200 - 5 * index, 220, 180 + 3 * index))
    ImageDraw.Draw(picture).text((8, 2), "coffee", (90, 20, 5 * index), font=ImageFont.load_default(size=30))
    grain = Image.frombytes("RGB", picture.size, rng.randbytes(3 * picture.width * picture.height))
    file = io.BytesIO()
    Image.blend(picture, grain, 0.1).save(file, "JPEG", quality=90)
    return file.getvalue()


KINDS: Final[dict[str, Callable[[int], bytes]]] = {"large": large, "small": small}


def numbered(jpeg: bytes, index: int) -> bytes:
    """A JPEG with a number in a comment segment: the same picture, another file."""
    comment = f"number {index}".encode()
    return jpeg[:2] + b"\xff\xfe" + struct.pack(">H", len(comment) + 2) + comment + jpeg[2:]


def write(folder: Path, items: int, kind: str) -> Path:
    """Write a pool and its configuration.

    Returns:
      Path of the configuration.
    """
    images = folder / "images"
    images.mkdir(parents=True)
    drawn = [KINDS[kind](index) for index in range(DRAWN)]
    with (folder / "pool.jsonl").open("w") as pool:
        for index in range(items):
            name = f"{index // 1000:03d}/{index:06d}.jpg"
            if index % 1000 == 0:
                (images / name).parent.mkdir()
            (images / name).write_bytes(numbered(drawn[index % DRAWN], index))
            answer = "hotel" if index % WRONG == 0 else "Coffee"
            line = {"id": f"{index:06d}", "family": "Words", "image": name, "question": "What is the word?"}
            pool.write(json.dumps({**line, "answer": answer, "slice": "drawn"}) + "\n")
    (folder / "config.yaml").write_text(CONFIG)
    return folder / "config.yaml"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--kind", choices=KINDS, default="large")
    arguments = parser.parse_args()
    print(write(arguments.folder, arguments.items, arguments.kind))


if __name__ == "__main__":
    main()
