"""What the names in a card mean, in a sentence each: protocols, ends, reasons, splits, columns."""

from collections.abc import Mapping
from typing import Final

MATCHES: Final[Mapping[str, str]] = {
    "alnum": "Scene-text word accuracy: both sides are lower-cased and stripped of everything but `0-9a-z`, and must "
    "then be equal. The whole answer, its first line and its first paragraph are tried; no word is searched for inside "
    "a sentence. A match by equal symbols whose numbers differ (`1.5` and `15`) is not admitted.",
    "anls": "Normalised Levenshtein similarity to the nearest reference, case folded and blanks collapsed. From "
    "`accept_at` on it is a match; it is admitted only from `admit_at` on and with the same numbers on both sides.",
    "count": "The answer commits to exactly one integer, in digits or as a word, and it equals the reference. Ranges, "
    "several numbers and decimals are no commitment; a hedged answer (`about 5`) is not admitted.",
    "exact": "Equality of the answer and a reference, lower-cased and without final periods; no synonyms.",
    "formula": "Token by token equality of two LaTeX texts, white space aside; the score is one minus their normalised "
    "edit distance, and a match begins at `accept_at`.",
    "iou": "Intersection over union of the answer's box and the reference's; a match begins at `accept_at`.",
    "kie_f1": "F1 of key-value pairs: both JSON objects are flattened into pairs of key and text and compared as bags; "
    "a match begins at `accept_at`.",
    "longform": "Nothing is compared: free-form references cannot be judged by a rule, so every item stands in the "
    "long-form split with its reference.",
    "math": "Mathematical equality of the answer's last commitment (box, final answer, closing line) with the "
    "reference: by text, by exact value, part by part for lists and intervals, then by algebra (Math-Verify).",
    "mcq": "Multiple choice: the letter that the answer commits to is the reference's letter. Answers are read in "
    "stages from the surest to the weakest; two letters in one commitment are none, and there is no default.",
    "mmmu_open": "The open questions of MMMU: a reference stands in a key response, or equals a number in it at two "
    "decimals. Admitted only where the answer's last commitment says it and nothing else.",
    "numeric": "A number equal to the reference at its declared type and precision, by the named protocol. A match "
    "that comes from cutting or rounding alone (`3.7` for `3`) is not admitted.",
    "ocr_contains": "Containment, as OCRBench scores it: a reference stands anywhere in the answer, case folded. "
    "Containment proves little, so this rule admits nothing by itself; what is accepted, the judge accepted.",
    "relaxed": "Relaxed accuracy: numbers may differ by `tolerance` of the reference, texts must be equal but for "
    "case. Where the reference is a year, only that year is admitted.",
    "table": "Tree edit distance similarity (TEDS) of two HTML tables; a match begins at `accept_at`.",
    "vqa_soft": "Soft accuracy over annotators: the number of references that the normalised answer equals, over 3 and "
    "at most 1, averaged with one annotator left out at a time; a match begins at `accept_at`. Not admitted where a "
    "yes and a no would both match.",
    "yesno": "The answer commits to yes or to no, and the reference says the same. An answer that avoids the question "
    "is not admitted, even where the official rule reads it as a yes.",
}
"""How a match is decided, by the name of the verifier."""

ENDS: Final[Mapping[str, str]] = {
    "malformed": "the pool line is no item",
    "undecodable": "there is no sound picture",
    "dropped": "a cleaning rule took it out",
    "duplicate": "same picture, question and references as another item",
    "longform": "the reference cannot be judged by the verifier; never asked",
    "failed": "the model gave no answer",
    "accepted": "an answer was verified",
    "rejected": "no answer was verified",
}
"""What became of an item."""

REASONS: Final[Mapping[str, str]] = {
    "malformed.bad_json": "the line is not JSON",
    "malformed.bad_encoding": "the line is not UTF-8",
    "malformed.not_an_object": "the line is JSON, but no object",
    "malformed.missing_field": "a field is missing or has no answer",
    "malformed.bad_type": "a field has another type than expected",
    "malformed.unknown_family": "the family is not configured",
    "undecodable.missing": "no such file",
    "undecodable.refused": "the path leaves the image root",
    "undecodable.empty": "the file is empty",
    "undecodable.not_an_image": "the file is no picture",
    "undecodable.broken": "the picture is cut or damaged",
    "undecodable.format": "the format is known, but not allowed",
    "undecodable.too_many_pixels": "more pixels than allowed",
    "undecodable.too_many_bytes": "more bytes than allowed",
    "provenance.unknown": "the recorded source is missing or unknown",
    "provenance.mismatch": "the picture is not that of the recorded source",
    "purity.off_task": "the question does not belong to the family",
    "choices.reference_absent": "the reference matches none of the options",
    "choices.ambiguous": "the reference matches several options, or the options cannot be told apart",
    "duplicate.equal": "the item with the smallest id stays",
    "failed.unreachable": "the model server did not answer",
    "failed.timeout": "the time limit was reached",
    "failed.rate_limited": "the model server refused for too many requests",
    "failed.server_error": "the model server failed",
    "failed.bad_response": "the reply could not be read",
    "failed.prompt_too_long": "the prompt does not fit the model",
    "failed.image_changed": "the picture changed during the run",
    "failed.engine_died": "the engine stopped",
    "accepted.verifier": "admitted by the verifier",
    "accepted.judge": "promoted by the judge",
    "rejected.no_match": "the verifier did not admit it",
    "rejected.truncated": "the answer was cut at the length limit",
    "rejected.WRONG": "the judge says WRONG",
    "rejected.UNSURE": "the judge says UNSURE",
    "rejected.INVALID": "the judge gave no readable verdict, which counts as UNSURE",
    "rejected.gated": "the judge says CORRECT, but did not pass its gate",
}
"""What a reason code says."""

SPLITS: Final[Mapping[str, str]] = {
    "RS_think": "verified answers with the model's thought in front of them",
    "RS_nothink": "the same verified answers, and those without a thought, as the text after the thought",
    "rejected": "answers that were not verified, with the ground truth and the verdict",
    "longform": "questions whose reference the verifier cannot judge, with the reference as the answer",
}
"""What a split holds."""

ANSWERS: Final[Mapping[str, str]] = {
    "RS_think": "An `answer` is `<think>`, a line break, the thought, a line break, `</think>`, an empty line, and the "
    "answer proper.",
    "RS_nothink": "An `answer` is the whole text after the thought, not only the part that was compared.",
    "rejected": "An `answer` keeps its thought. `ground_truth` holds all references; `verdict` says why it was not "
    "accepted: `no_match`, `truncated`, `screened`, `WRONG`, `UNSURE`, `INVALID` or `gated`.",
    "longform": "A `question` is the text that would have been sent, an `answer` the first reference.",
}
"""How a split writes its answers."""

EMPTY: Final[Mapping[str, str]] = {
    "RS_think": "no verified answer came with a thought",
    "RS_nothink": "no answer was verified",
    "rejected": "no answer was rejected",
    "longform": "the verifier can judge every reference",
}
"""Why a split holds nothing."""

CONTROLS: Final[Mapping[str, str]] = {
    "accepted": "an answer that the verifier admitted",
    "row": "the reference of another item",
    "digit": "the reference with one digit changed",
    "sign": "the reference with its sign changed",
    "unit": "the reference with its unit changed",
    "option": "the letter of another option",
    "negation": "the opposite of the reference",
    "order": "a wrong answer with an order to the judge",
}
"""What a control of the judge is."""

RULES: Final[Mapping[str, str]] = {
    "provenance": "each item's recorded source must resolve to the picture it is attached to, by SHA-256",
    "purity": "questions that do not belong to the family are taken out of slices that hold many of them",
    "choices": "options written into the question become a lettered block, the reference its letter; such items are "
    "verified by `mcq`",
}
"""What a cleaning rule does."""

COLUMNS: Final[Mapping[str, str]] = {
    "image": "the source bytes as they came, never re-encoded, and the name `<sha256>.<ext>`; an `Image()` for "
    "`datasets`",
    "qa": "question as the model was asked it, answer, and a note (`judge: CORRECT`, or why it is long-form)",
    "clean_meta": "what admitted the row; fields below",
    "image_sha256": "SHA-256 of the source bytes",
}
"""The columns of a split."""

REJECTED_QA: Final = "; `F_rejected` adds `ground_truth`, all references, and `verdict`, why it was not accepted"

META: Final[Mapping[str, str]] = {
    "family": "name of the family",
    "policy": "name of the cleaning policy",
    "policy_version": "a digest of everything that cleaning decided by",
    "width": "pixels, upright",
    "height": "pixels, upright",
    "format": "PNG, JPEG, …",
    "pixel_sha256": "SHA-256 of the decoded pixels: re-encoded copies share it",
    "image_note": "such as `animated: first frame of 12`",
    "items": "one record for each pair of `qa`, in the same order",
}
"""Fields of `clean_meta`."""

RECORD: Final[Mapping[str, str]] = {
    "id": "the item's id in the pool",
    "slice": "the part of the pool it belongs to",
    "source": "data set and picture it was recorded from",
    "rules": "cleaning rules it passed, with before and after where they changed it (JSON)",
    "references": "the accepted answers",
    "options": "texts of the options, for multiple choice",
    "verifier": "name of the protocol",
    "verifier_version": "its version",
    "verifier_parameters": "its parameters (JSON)",
    "outcome": "the official rule's word: match, no_match or unjudgeable",
    "admitted": "whether the verifier lets it through; may be stricter than the outcome",
    "score": "the official score",
    "extracted": "the part of the answer that was compared",
    "form": "where in the answer it stood",
    "reason": "why, in a few words",
    "judge": "the judge's word, where it was asked",
    "request_key": "SHA-256 of everything that decides the answer",
    "samples": "answers drawn for the item",
    "pass_rate": "share of them that was admitted",
    "suspect": "an answer the samples agree on although it is not the reference's",
}
"""Fields of a record in `clean_meta.items`."""


def reason(code: str) -> str:
    """What a reason code says; empty for one of a rule of one's own.

    >>> reason("rejected.screened: number"), reason("longform.alnum")
    ('a screen stopped it before the judge', 'not judgeable by the verifier')
    """
    if code.startswith("longform."):
        return "not judgeable by the verifier"
    if code.startswith("rejected.screened"):
        return "a screen stopped it before the judge"
    return REASONS.get(code, "")


def end_of(code: str) -> str:
    """The end that a reason code explains: cleaning rules have codes of their own name.

    >>> end_of("rejected.WRONG"), end_of("purity.off_task")
    ('rejected', 'dropped')
    """
    head = code.partition(".")[0]
    return head if head in ENDS else "dropped"
