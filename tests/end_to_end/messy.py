"""Random messy pools: every kind of bad line, picture, source and answer, in files of every kind."""

import gzip
import hashlib
import io
import json
import os
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from fates import FAMILIES, Expected, Outcome, settle
from PIL import Image

WORDS = [
    "apple",
    "banana",
    "cherry",
    "dragon",
    "elder",
    "feather",
    "garnet",
    "hollow",
    "iris",
    "jungle",
    "kettle",
    "lemon",
    "mango",
    "nettle",
]
QUESTIONS = (
    "What is written?",
    "Read *this* `now` <b>bold</b>",
    "Zero\u200bwidth what",
    "مرحبا ما هذا؟",
    "🙂 what?",
    "two\nlines",
    "what\r\n",
    "| cell | ![x](y)",
    "---\nyaml: 1",
    "NUL\0 inside",
)
BASE = {"id": "m", "family": "Signs", "image": "ok0.png", "question": "What?", "answer": "x"}


def encoded(rng: random.Random, kind: str = "PNG", mode: str = "RGB", size: int = 12) -> bytes:
    data = io.BytesIO()
    Image.frombytes("RGB", (size, size), rng.randbytes(3 * size * size)).convert(mode).save(data, kind)
    return data.getvalue()


def draw(rng: random.Random, folder: Path) -> dict[str, tuple[bytes, str]]:
    """Pictures by what `image` says, each with its bytes and the reason code it must get, empty for none."""
    files = {f"ok{n}.png": (encoded(rng), "") for n in range(9)}
    for name, kind, mode in (
        ("deep/er.jpg", "JPEG", "RGB"),
        ("cmyk.jpg", "JPEG", "CMYK"),
        ("p.gif", "GIF", "P"),
        ("w.webp", "WEBP", "RGB"),
        ("b.bmp", "BMP", "RGB"),
        ("t.tif", "TIFF", "RGB"),
        ("lies.jpg", "PNG", "RGBA"),
        ("ünï 名", "PNG", "L"),
    ):
        files[name] = (encoded(rng, kind, mode), "")
    files["twin.png"] = files["ok0.png"]
    files |= {"empty.png": (b"", "empty"), "html.jpg": (b"<html>404</html>", "not_an_image")}
    files |= {f"cut.{kind}": (encoded(rng, kind)[:-9], "broken") for kind in ("PNG", "JPEG", "GIF", "WEBP", "TIFF")}
    files |= {
        "x.ppm": (encoded(rng, "PPM"), "format"),
        "wide.png": (encoded(rng, mode="1", size=41), "too_many_pixels"),
    }
    files["heavy.png"] = (encoded(rng, size=40), "too_many_bytes")
    for name, (data, _) in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / "dir.png").mkdir()
    (folder.parent / "secret.png").write_bytes(files["ok1.png"][0])
    for link, target in {"in.png": "ok2.png", "out.png": "../secret.png", "loop.png": "loop.png"}.items():
        os.symlink(target, folder / link)
    missing = ("none.png", "", ".", "dir.png", "loop.png", "a\0b.png", "x" * 5000, "ok0.png/a.png", "ok\n0.png")
    refused = (
        "../secret.png",
        "out.png",
        "/etc/passwd",
        "http://host/a.png",
        "gs://bucket/a.png",
        "file:///etc/passwd",
    )
    files |= {name: (b"", "missing") for name in missing} | {name: (b"", "refused") for name in refused}
    return files | {"in.png": files["ok2.png"], "deep/../ok3.png": files["ok3.png"]}


def references(rng: random.Random, family: str) -> tuple[Any, str | None]:
    """What stands under `answer` for a family, and the right answer; None where no answer can be judged."""
    word, number, odd = rng.choice(WORDS), rng.randint(0, 99), rng.random() < 0.12
    box = [1, 1, 4 + number % 5, 5]
    fields = {"total": str(number + 1), "items": [{"name": word}]}
    long = " ".join(rng.choices(WORDS, k=rng.randint(5, 8)))
    unjudgeable: dict[str, Any] = {
        "Signs": rng.choice(["", "!!!", "x_{1}", "\\frac{a}{b}", "x ^ {2}", f"{long} a b c d"]),
        "Boxes": [3, 3, 3, 9],
        "Fields": {"total": ""},
        "Truth": "perhaps",
        "Tally": "many",
    }
    if family == "Tales" or (odd and family in unjudgeable):
        return unjudgeable.get(family, f"A tale of {word}."), None
    made: dict[str, tuple[Any, str]] = {
        "Signs": rng.choice([(word, word.upper()), (number, f"{number}."), ([word, "other"], "Other!"), (long, long)]),
        "Docs": ([f"{word} {number}", "other"], f"{word} {number}"),
        "Votes": ([word] * 6 + ["other"] * 4, word),
        "Boxes": rng.choice([(box, json.dumps(box)), ([[0, 0, 1, 1], box], json.dumps(box))]),
        "Fields": (fields, json.dumps(fields)),
        "Sums": rng.choice([(number, str(number)), (number + 0.5, f"{number}.5")]),
        "Truth": rng.choice([("yes", "Yes."), ("No", "no")]),
        "Tally": rng.choice([(number, str(number)), (str(number), f"{number}.")]),
    }
    return made[family]


def choice(rng: random.Random, stem: str) -> tuple[dict[str, Any], str, str]:
    """A line's multiple-choice fields, the question in finished form, and its letter or the reason of the drop."""
    options = rng.sample(WORDS, rng.randint(3, 5))
    right = rng.randrange(len(options))
    lettered = list(zip("ABCDE", options, strict=False))
    finished = "\n".join([stem, *(f"{letter}. {text}" for letter, text in lettered)])
    fields = rng.choice(
        [
            {"question": f"{stem} Options: " + " ".join(f"{a}. {b}" for a, b in lettered)},
            {"question": f"{stem} " + " ".join(f"({a}) {b}" for a, b in lettered)},
            {"question": f"{stem} Choices: " + ", ".join(options)},
            {"question": f"{stem}\n" + "\n".join(f"{a}) {b}" for a, b in lettered)},
            {"question": stem, "options": options},
            {"question": stem, "options": {a: b for a, b in reversed(lettered)}},
            {"question": finished},
        ]
    )
    letter, text = lettered[right]
    answers = dict.fromkeys([letter, text, text.upper(), f"{letter}. {text}", f"({letter})"], letter)
    answers |= {"zebra": "choices.reference_absent", "Z": "choices.reference_absent", "A, B": "choices.ambiguous"}
    answer = rng.choice(list(answers))
    return {**fields, "answer": answer}, finished, answers[answer]


def line(rng: random.Random, number: int, pictures: Mapping[str, tuple[bytes, str]]) -> Expected:
    """A line that can be read, and what the model will say to it. Its number keeps its question apart from others."""
    family = rng.choice([name for name in FAMILIES if name != "No.body-1_"])
    image = rng.choice(
        [name for name, (_, why) in pictures.items() if bool(why) == (rng.random() < 0.15)] or ["none.png"]
    )
    record: dict[str, Any] = {"id": rng.choice([str(number), "7", "07", "ä"]), "family": family, "image": image}
    made = Expected(b"", family)
    if family == "Quiz" or (family in ("Signs", "Votes") and rng.random() < 0.3):
        fields, stored, found = choice(rng, f"{rng.choice(['Which', 'What'])} is number {number}?")
        record |= fields
        right: str | None = found
        made.reason, made.references, separator = found if len(found) > 1 else "", [found], "\n"
    else:
        value, right = references(rng, family)
        stored = rng.choice([f"{rng.choice(QUESTIONS)} {number}", ""])
        record |= {
            "question": stored,
            ("answers" if isinstance(value, list) and family != "Boxes" else "answer"): value,
        }
        made.references, separator = [value], " "
    instruction = FAMILIES[family].get("instruction", "")
    made.asked = separator.join(filter(None, [stored, instruction]))
    source = {"dataset": rng.choice(["S1", "S1", "S2", "X9"]), "image": image}
    record["source"] = rng.choice([source] * 8 + [{**source, "image": "ok4.png"}, {**source, "image": "unheard"}, None])
    if rng.random() < 0.7:
        record["slice"] = rng.choice(["s", "ü sl"])
    made.end = "longform" if right is None else rng.choice(["accepted", "accepted", "rejected", "cut", "failed"])
    if not stored and made.end != "longform":
        made.end = "rejected"  # what many lines ask alike gets one answer, which none of them takes for right
    thought = rng.choice(["", "<think>I see\n\nit</think>\n\n"])
    wrong = "qqqq xxxx"
    made.answer = {
        "accepted": f"{thought}{right}",
        "cut": "<think>I see",
        "rejected": f"{thought if stored else ''}{wrong}",
    }.get(made.end, "")
    made.record, made.raw = record, json.dumps(record, ensure_ascii=rng.random() < 0.5).encode()
    return made


def malformed() -> list[Expected]:
    """Lines that are no items."""
    raw = {
        "bad_json": [b"{", b"text", b"NaN", b"\0\0", b"[" * 9_000, b'{"id": "a",}'],
        "not_an_object": [b"[1]", b"null", b"7"],
    }
    raw["bad_encoding"] = [b'{"id": "\xff"}', b'{"id": "\\ud800"}']
    made = [Expected(data, reason=code) for code, lines in raw.items() for data in lines]
    changed: list[tuple[str, dict[str, Any]]] = [
        *(("missing_field", {name: None}) for name in BASE),
        *(("bad_type", {name: 7}) for name in ("id", "image", "question", "source", "slice", "options", "family")),
        *(("missing_field", {name: []}) for name in ("answer", "answers")),
        *(("bad_type", {"answer": value}) for value in (True, {}, {"a": 1}, [None], [["a"]])),
        *(("unknown_family", {"family": name}) for name in ("Other", "", "audit", "signs")),
        ("bad_type", {"family": "Boxes", "answer": "left"}),
        ("bad_type", {"family": "Fields", "answer": [1]}),
    ]
    for code, change in changed:
        record = {**BASE, **change}
        known = record["family"] if record["family"] in FAMILIES else None
        made.append(Expected(json.dumps(record).encode(), known, reason=code))
    return made


def write(folder: Path, seed: int, size: int = 150) -> Outcome:
    """A pool with its configuration in a folder, and what must come of it."""
    rng = random.Random(seed)
    pictures = draw(rng, folder / "images")
    lines = [line(rng, number, pictures) for number in range(size)]
    for one in rng.sample(lines, size // 4):
        record = {**one.record, "id": rng.choice(["0", "zz", one.record["id"]])}
        record["image"] = "twin.png" if record["image"] == "ok0.png" else record["image"]
        lines.append(Expected(**{**vars(one), "record": record, "raw": json.dumps(record).encode()}))
    whole = [*lines, *rng.sample(malformed(), 20)]
    rng.shuffle(whole)
    (folder / "pool" / "dir.jsonl").mkdir(parents=True)
    for part, (name, end) in enumerate({"a": b"\n", "b": b"\r\n", "c [1]": b"\n\n \n"}.items()):
        data = end.join(one.raw for one in whole[part::4])
        (folder / "pool" / f"{name}.jsonl").write_bytes((b"\xef\xbb\xbf" if part else b"") + data)
    (folder / "pool" / "d.jsonl.gz").write_bytes(gzip.compress(b"\n".join(one.raw for one in whole[3::4])))
    (folder / "pool" / "empty.jsonl").write_bytes(b"")
    known = {name: hashlib.sha256(data).hexdigest() for name, (data, why) in pictures.items() if not why}
    sources = [{"dataset": d, "image": name, "sha256": sha} for d in ("S1", "S2", "X9") for name, sha in known.items()]
    (folder / "sources.jsonl").write_text("\n".join(map(json.dumps, sources)))
    threshold = rng.choice([0.05, 0.25, 0.5])
    table = {one.asked: one.answer for one in lines if one.answer}
    faults = {one.asked: "timeout" for one in lines if one.end == "failed"}
    configuration = {
        "output": "out",
        "pool": ["pool/*.jsonl", "pool/*.gz"],
        "images": {"root": "images", "max_pixels": 1600, "max_bytes": 4000},
        "cleaning": {"provenance": {"manifest": "sources.jsonl"}, "purity": {"threshold": threshold}},
        "families": FAMILIES,
        "engine": {"name": "scripted", "faults": faults, "default": "", "table": "answers.jsonl"},
        "judge": {"enabled": False},
        "limits": {"dead_letters": 1.0},
    }
    rows = [{"question": asked, "answer": answer} for asked, answer in table.items()]
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "config.yaml").write_text(yaml.safe_dump(configuration, allow_unicode=True))
    return settle(whole, pictures, known, threshold)
