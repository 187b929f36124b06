"""Names that other tools read: splits, folders, files, reason codes."""

import re
from typing import Final

FAMILY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
RESERVED_FAMILIES: Final = frozenset({"audit"})

THINK: Final = "RS_think"
NOTHINK: Final = "RS_nothink"
REJECTED: Final = "rejected"
LONGFORM: Final = "longform"
SPLITS: Final = (THINK, NOTHINK, REJECTED, LONGFORM)

ENDS: Final = ("malformed", "undecodable", "dropped", "duplicate", "longform", "failed", "accepted", "rejected")
AUDITED: Final = ("malformed", "undecodable", "dropped", "duplicate", "failed")
DEAD_LETTERS: Final = ("malformed", "undecodable", "failed")

MANIFEST: Final = "manifest.json"
REPORT: Final = "report.html"
CONFIG: Final = "config.yaml"
WORK: Final = ".work"
LEDGER: Final = ".work/ledger"
IMAGE_STORE: Final = ".work/images"
ATTEMPTS: Final = ".work/attempts"

JUDGE_NOTE: Final = "judge: CORRECT"


def split_folder(family: str, split: str) -> str:
    """Folder of a split below the output: `F/F_RS_think`.

    >>> split_folder("ChartQA", REJECTED)
    'ChartQA/ChartQA_rejected'
    """
    return f"{family}/{family}_{split}"


def shard_name(index: int, count: int) -> str:
    """Name of a shard file.

    >>> shard_name(0, 2)
    'train-00000-of-00002.parquet'
    """
    return f"train-{index:05d}-of-{count:05d}.parquet"


def audit_name(end: str, index: int, count: int) -> str:
    """Name of an audit file below the output.

    >>> audit_name("dropped", 0, 1)
    'audit/dropped-00000-of-00001.jsonl'
    """
    return f"audit/{end}-{index:05d}-of-{count:05d}.jsonl"


def longform_note(verifier: str) -> str:
    """The note of an item that its verifier cannot judge."""
    return f"long-form: not judgeable by {verifier}"
