"""Verifiers: one file a protocol; a new one is a line in the table."""

from typing import Final

from beam_rs.verifiers.base import Verifier, verify

VERIFIERS: Final[dict[str, str]] = {
    "alnum": "beam_rs.verifiers.alnum:Alnum",
    "anls": "beam_rs.verifiers.anls:Anls",
    "count": "beam_rs.verifiers.count:Count",
    "exact": "beam_rs.verifiers.exact:Exact",
    "formula": "beam_rs.verifiers.formula:Formula",
    "iou": "beam_rs.verifiers.iou:Iou",
    "kie_f1": "beam_rs.verifiers.kie_f1:KieF1",
    "longform": "beam_rs.verifiers.longform:Longform",
    "math": "beam_rs.verifiers.math:Math",
    "mcq": "beam_rs.verifiers.mcq:Mcq",
    "mmmu_open": "beam_rs.verifiers.mmmu_open:MmmuOpen",
    "numeric": "beam_rs.verifiers.numeric:Numeric",
    "ocr_contains": "beam_rs.verifiers.ocr_contains:OcrContains",
    "relaxed": "beam_rs.verifiers.relaxed:Relaxed",
    "table": "beam_rs.verifiers.table:Table",
    "vqa_soft": "beam_rs.verifiers.vqa_soft:VqaSoft",
    "yesno": "beam_rs.verifiers.yesno:YesNo",
}

__all__ = ["VERIFIERS", "Verifier", "verify"]
