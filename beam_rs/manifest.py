"""What a run says of itself: counts that add up, by family and reason, and every file with its hash."""

import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any, Final, TypeAlias

from beam_rs import __version__, naming
from beam_rs.errors import CountsError
from beam_rs.parquet import Written

Tally: TypeAlias = Mapping[tuple[str, str, str], Any]
"""(what is counted, family, name) to amount: `("end", "ChartQA", "accepted")`."""

LIBRARIES: Final = ("apache-beam", "pyarrow", "pillow", "vllm", "rapidocr", "onnxruntime")


@dataclass(frozen=True)
class Header:
    """What is known of a run before it starts.

    Attributes:
      configuration: with paths relative to its file.
      fingerprint: what tells the run from others.
      model: name, revision and engine.
      judge: the same of the judge, and its settings; None where it is off.
      families: by name: verifier, version, parameters and how it is asked.
      policy: name of the cleaning policy.
    """

    configuration: Mapping[str, Any]
    fingerprint: str
    model: Mapping[str, Any]
    families: Mapping[str, Mapping[str, Any]]
    judge: Mapping[str, Any] | None = None
    policy: str = "v1"
    started: str = ""


@dataclass(frozen=True)
class Outcome:
    """What a run came to.

    Attributes:
      tally: all sums.
      purity: family and slice to the share of foreign items.
      calibration: family to the judge's calibration, as JSON values.
      files: what was written.
    """

    tally: Tally
    files: tuple[Written, ...]
    purity: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    calibration: Mapping[str, Any] = field(default_factory=dict)


def counts(tally: Tally, families: Iterable[str]) -> dict[str, Any]:
    """Items read and the eight ends, in total and by family; lines without a known family only in the total.

    Raises:
      CountsError: the ends do not add up to what was read.
    """
    total = _ends(tally, None)
    by_family = {family: _ends(tally, family) for family in sorted(families)}
    for name, figures in {"the run": total, **by_family}.items():
        left = sum(figures[end] for end in naming.ENDS)
        if left != figures["read"]:
            raise CountsError(f"{name}: {figures['read']} items were read, but {left} left; nothing is published")
    return {"total": total, "families": by_family}


def _ends(tally: Tally, family: str | None) -> dict[str, int]:
    figures = dict.fromkeys(("read", *naming.ENDS), 0)
    for (kind, of, name), amount in tally.items():
        if kind in ("end", "read") and family in (None, of):
            figures["read" if kind == "read" else name] += amount
    return figures


def reasons(tally: Tally, families: Iterable[str]) -> dict[str, Any]:
    """Reason codes with their counts, in total and by family."""
    return {
        "total": _named(tally, "reason", None),
        "families": {f: _named(tally, "reason", f) for f in sorted(families)},
    }


def _named(tally: Tally, kind: str, family: str | None) -> dict[str, int]:
    figures: dict[str, int] = {}
    for (what, of, name), amount in tally.items():
        if what == kind and family in (None, of):
            figures[name] = figures.get(name, 0) + amount
    return dict(sorted(figures.items()))


def accept_rate(figures: Mapping[str, int]) -> float | None:
    """Accepted / (accepted + rejected), or None where neither is there.

    >>> accept_rate({"accepted": 3, "rejected": 1})
    0.75
    """
    judged = figures["accepted"] + figures["rejected"]
    return figures["accepted"] / judged if judged else None


def dead_letters(figures: Mapping[str, int]) -> float:
    """Share of malformed, undecodable and failed items."""
    return sum(figures[end] for end in naming.DEAD_LETTERS) / figures["read"] if figures["read"] else 0.0


def build(header: Header, outcome: Outcome, finished: str) -> dict[str, Any]:
    """The manifest.

    Raises:
      CountsError: the ends do not add up to what was read.
    """
    numbers = counts(outcome.tally, header.families)
    return {
        "beam_rs": __version__,
        "fingerprint": header.fingerprint,
        "started": header.started,
        "finished": finished,
        "configuration": header.configuration,
        "versions": versions(),
        "model": header.model,
        "judge": header.judge,
        "policy": header.policy,
        "counts": numbers,
        "reasons": reasons(outcome.tally, header.families),
        "accept_rate": {
            "total": accept_rate(numbers["total"]),
            "families": {family: accept_rate(figures) for family, figures in numbers["families"].items()},
        },
        "purity_shares": outcome.purity,
        "calibration": outcome.calibration,
        "usage": usage(outcome.tally, numbers),
        "families": {family: _family(header, outcome, family) for family in sorted(header.families)},
        "files": [_file(written) for written in sorted(outcome.files, key=lambda w: w.path)],
    }


def usage(tally: Tally, numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Tokens, requests and their time, in total and by family, and what an accepted item cost, the judge included."""
    made = {}
    for family in (None, *numbers["families"]):
        figures: dict[str, Any] = _named(tally, "usage", family)
        accepted = (numbers["families"][family] if family else numbers["total"])["accepted"]
        for name in ("request_seconds", "judge_request_seconds"):
            figures[name] = round(figures.get(name, 0.0), 3)
        figures["judge_failed_requests"] = figures.get("judge_failed_requests", 0)
        tokens = sum(
            figures.get(f"{who}{what}_tokens", 0) for who in ("", "judge_") for what in ("prompt", "completion")
        )
        seconds = figures["request_seconds"] + figures["judge_request_seconds"]
        figures["tokens_per_accepted"] = round(tokens / accepted, 1) if accepted else None
        figures["request_seconds_per_accepted"] = round(seconds / accepted, 3) if accepted else None
        made[family] = figures
    return {"total": made.pop(None), "families": made}


def versions() -> dict[str, str]:
    """Versions of what decides the output."""
    found = {"beam_rs": __version__, "python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def dump(manifest: Mapping[str, Any]) -> bytes:
    """The manifest as it is written."""
    return json.dumps(manifest, indent=1, ensure_ascii=False).encode() + b"\n"


def _family(header: Header, outcome: Outcome, family: str) -> dict[str, Any]:
    splits = {}
    for split in naming.SPLITS:
        folder = naming.split_folder(family, split) + "/"
        shards = [written for written in outcome.files if written.path.startswith(folder)]
        splits[f"{family}_{split}"] = {
            "rows": sum(written.rows for written in shards),
            "qa": sum(written.qa for written in shards),
            "shards": len(shards),
            "bytes": sum(written.bytes for written in shards),
        }
    return {**header.families[family], "splits": splits}


def _file(written: Written) -> dict[str, Any]:
    return {"path": written.path, "sha256": written.sha256, "bytes": written.bytes, "rows": written.rows}
