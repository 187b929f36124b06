"""What becomes of a graded item: its end, the question-answer pairs it gives, and the record beside each."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from beam_rs import naming
from beam_rs.keys import canonical
from beam_rs.schema import Completion, End, ImageRef, Item, Verdict


@dataclass(frozen=True)
class Sample:
    """One answer to an item, with its verdict."""

    key: str
    completion: Completion
    verdict: Verdict


@dataclass(frozen=True)
class Graded:
    """An item with all its answers, verified.

    Attributes:
      item: the item.
      asked: the exact text of the user turn.
      verifier: its verifier as a configuration would name it.
      parameters: the verifier's, as JSON text.
      samples: the answers, in order of their index; empty where the item was never asked.
      chosen: indexes of the samples that enter the accepted splits.
      shown: index of the sample that stands for the item where none is chosen.
      pass_rate: share of admitted samples among those that did not fail.
      suspect: the answer on which the samples agree although it is not the reference's.
      verdict: why an item was never asked; None for the others.
      judge: empty, `CORRECT`, `WRONG`, `UNSURE`, `INVALID`, `screened: <screen>` or `gated`.
    """

    item: Item
    asked: str
    verifier: str
    parameters: str
    samples: tuple[Sample, ...] = ()
    chosen: tuple[int, ...] = ()
    shown: int = 0
    pass_rate: float | None = None
    suspect: str | None = None
    verdict: Verdict | None = None
    judge: str = ""

    @property
    def end(self) -> End:
        """The way out: longform, failed, accepted or rejected."""
        if not self.samples:
            return "longform"
        if all(sample.completion.error for sample in self.samples):
            return "failed"
        return "accepted" if self.chosen or self.judge == "CORRECT" else "rejected"


@dataclass(frozen=True)
class Entry:
    """One question-answer pair of one split, on its way to the row of its image.

    Attributes:
      family: of the item.
      split: `RS_think` and the like.
      ref: the image.
      qa: the pair, as the column holds it.
      record: what stands beside it in `clean_meta.items`.
    """

    family: str
    split: str
    ref: ImageRef
    qa: Mapping[str, Any]
    record: Mapping[str, Any]


def entries(graded: Graded) -> list[Entry]:
    """The question-answer pairs of a graded item, over all splits."""
    end = graded.end
    if end == "longform":
        return [_entry(graded, naming.LONGFORM, _longform(graded), None)]
    if end == "rejected":
        sample = graded.samples[graded.shown]
        return [_entry(graded, naming.REJECTED, _rejected(graded, sample), sample)]
    made = []
    for index in graded.chosen or (graded.shown,):
        sample = graded.samples[index]
        note = None if graded.chosen else naming.JUDGE_NOTE
        answer = sample.completion.answer
        if sample.completion.reasoning:
            made.append(_entry(graded, naming.THINK, _qa(graded, thought(sample.completion), note), sample))
        made.append(_entry(graded, naming.NOTHINK, _qa(graded, answer, note), sample))
    return made


def thought(completion: Completion) -> str:
    r"""The answer with its thought in front, in the form that the think split stores.

    >>> thought(Completion("k", reasoning="It reads STOP.", answer="STOP"))
    '<think>\nIt reads STOP.\n</think>\n\nSTOP'
    """
    return f"<think>\n{completion.reasoning}\n</think>\n\n{completion.answer}"


def _longform(graded: Graded) -> dict[str, Any]:
    verifier = graded.verdict.verifier if graded.verdict else ""
    return _qa(graded, graded.item.references[0], naming.longform_note(verifier))


def _rejected(graded: Graded, sample: Sample) -> dict[str, Any]:
    completion = sample.completion
    cut = completion.truncated
    answer = completion.text if cut else thought(completion) if completion.reasoning else completion.answer
    verdict = "truncated" if cut else graded.judge.partition(":")[0] or sample.verdict.outcome
    return {**_qa(graded, answer, None), "ground_truth": list(graded.item.references), "verdict": verdict}


def _qa(graded: Graded, answer: str, note: str | None) -> dict[str, Any]:
    return {"question": graded.asked, "answer": answer, "note": note}


def _entry(graded: Graded, split: str, qa: dict[str, Any], sample: Sample | None) -> Entry:
    item = graded.item
    assert item.ref is not None, "an item without a picture never comes this far"
    return Entry(item.family, split, item.ref, qa, record(graded, sample))


def record(graded: Graded, sample: Sample | None) -> dict[str, Any]:
    """What `clean_meta.items` says of one question-answer pair."""
    item, verdict = graded.item, sample.verdict if sample else graded.verdict
    assert verdict is not None, "an item that was never asked carries the verdict that says why"
    return {
        "id": item.id,
        "slice": item.slice,
        "source": {"dataset": item.source.dataset, "image": item.source.image} if item.source else None,
        "rules": rules(item),
        "references": list(item.references),
        "options": list(item.options),
        "verifier": graded.verifier,
        "verifier_version": verdict.version,
        "verifier_parameters": graded.parameters,
        "outcome": verdict.outcome,
        "admitted": verdict.admitted,
        "score": verdict.score,
        "extracted": verdict.extracted,
        "form": verdict.form,
        "reason": verdict.reason,
        "judge": graded.judge if sample and graded.judge else None,
        "request_key": sample.key if sample else "",
        "samples": len(graded.samples),
        "pass_rate": graded.pass_rate,
        "suspect": graded.suspect,
    }


def rules(item: Item) -> str:
    """The rules that looked at an item, with before and after where they changed something, as JSON."""
    changed = {change.rule: change for change in item.changes}
    listed = []
    for name in item.rules:
        change = changed.get(name)
        entry: dict[str, Any] = {"rule": name}
        if change:
            entry |= {"before": json.loads(change.before), "after": json.loads(change.after)}
        listed.append(entry)
    return canonical(listed)
