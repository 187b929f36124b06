"""What must become of each line of a pool, told from the contracts alone and not by the code under test."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

SPLITS = ("RS_think", "RS_nothink", "rejected", "longform")
FAMILIES: dict[str, dict[str, Any]] = {
    "Signs": {
        "verifier": "alnum",
        "instruction": "Answer in short.",
        "genuine": {"origins": ["S1", "S2"], "max_reference_words": 4},
    },
    "Docs": {
        "verifier": {"name": "anls", "accept_at": 0.9},
        "system": "Be exact.",
        "genuine": {"questions": ["(?i)what"]},
    },
    "Votes": {"verifier": "vqa_soft"},
    "Boxes": {"verifier": "iou"},
    "Fields": {"verifier": "kie_f1"},
    "Sums": {"verifier": "numeric"},
    "Truth": {"verifier": "yesno"},
    "Tally": {"verifier": "count"},
    "Tales": {"verifier": "longform"},
    "Quiz": {"verifier": "mcq", "instruction": "Answer with the letter.", "genuine": {"questions": ["(?i)which"]}},
    "No.body-1_": {"verifier": "exact"},
}


@dataclass
class Expected:
    """One line of the pool, and what is known of its fate.

    Attributes:
      raw: its bytes.
      family: of the item, where it has a known one.
      record: the item as the pool has it.
      asked: the text that the model gets.
      references: as they are compared.
      reason: why it must leave, where that is known from the line alone.
      answer: what the model replies.
      end: accepted or rejected by that reply, longform where it is never asked.
    """

    raw: bytes
    family: str | None = None
    record: dict[str, Any] = field(default_factory=dict)
    asked: str = ""
    references: list[Any] = field(default_factory=list)
    reason: str = ""
    answer: str = ""
    end: str = ""


@dataclass
class Outcome:
    """What the manifest must say, by family; under None in total."""

    counts: dict[str | None, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    reasons: dict[str | None, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    shares: dict[str, dict[str, float]] = field(default_factory=dict)
    rows: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)

    def leave(self, line: Expected, end: str, reason: str = "") -> None:
        for family in {None, line.family}:
            self.counts[family].update(["read", end])
            self.reasons[family].update([reason] if reason else [])

    def enter(self, line: Expected, split: str, sha: str) -> None:
        assert line.family
        self.rows[line.family, split].add(sha)
        self.pairs[line.family, split] += 1


def is_genuine(one: Expected) -> bool:
    assert one.family
    wanted = FAMILIES[one.family].get("genuine", {})
    source, value = one.record["source"], one.record.get("answers", one.record.get("answer"))
    texts = map(str, value if isinstance(value, list) else [value])
    return (
        source["dataset"] in wanted.get("origins", [source["dataset"]])
        and any(re.search(pattern, one.record["question"]) for pattern in wanted.get("questions", [""]))
        and all(len(text.split()) <= wanted.get("max_reference_words", 99) for text in texts)
    )


def settle(
    lines: Iterable[Expected], pictures: Mapping[str, tuple[bytes, str]], known: Mapping[str, str], threshold: float
) -> Outcome:
    """Each line leaves by the first end that applies."""
    out, sound = Outcome(), []
    for one in lines:
        if not one.record:
            out.leave(one, "malformed", f"malformed.{one.reason}")
        elif pictures[one.record["image"]][1]:
            out.leave(one, "undecodable", f"undecodable.{pictures[one.record['image']][1]}")
        elif one.record["source"] is None or one.record["source"]["image"] not in known:
            out.leave(one, "dropped", "provenance.unknown")
        elif known[one.record["source"]["image"]] != known[one.record["image"]]:
            out.leave(one, "dropped", "provenance.mismatch")
        else:
            sound.append(one)
    slices: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in sound:
        if one.family and "genuine" in FAMILIES[one.family]:
            slices[one.family, one.record.get("slice", "")].append(is_genuine(one))
    for (family, part), found in slices.items():
        out.shares.setdefault(family, {})[part] = found.count(False) / len(found)
    groups: dict[str, list[Expected]] = defaultdict(list)
    for one in sound:
        share = out.shares.get(one.family or "", {}).get(one.record.get("slice", ""), 0)
        if share > threshold and not is_genuine(one):
            out.leave(one, "dropped", "purity.off_task")
        elif one.reason:
            out.leave(one, "dropped", one.reason)
        else:
            same = [one.family, known[one.record["image"]], one.asked, one.references]
            groups[json.dumps(same, sort_keys=True)].append(one)
    for group in groups.values():
        first, *others = sorted(group, key=lambda one: one.record["id"])
        for one in others:
            out.leave(one, "duplicate", "duplicate.equal")
        finish(out, first, known[first.record["image"]])
    return out


def finish(out: Outcome, one: Expected, sha: str) -> None:
    """The end of an item that was asked, or was not to be, and the splits it enters."""
    if one.end == "failed":
        out.leave(one, "failed", "failed.timeout")
        return
    end = "rejected" if one.end == "cut" else one.end
    out.leave(one, end)
    splits = {"longform": ["longform"], "rejected": ["rejected"]}.get(end, ["RS_nothink"])
    for split in [*splits, *(["RS_think"] if end == "accepted" and "</think>" in one.answer else [])]:
        out.enter(one, split, sha)
