"""Visual grounding: intersection over union of two boxes."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from beam_rs.keys import canonical
from beam_rs.schema import Case, Json, Verdict
from beam_rs.verifiers._boxes import Box, as_box, find_box
from beam_rs.verifiers._json_answers import parse_json
from beam_rs.verifiers.base import Verifier

GRID = 1000


@dataclass(frozen=True, kw_only=True)
class Iou(Verifier):
    """Intersection over union, a match from `accept_at` on, as on RefCOCO, RefCOCO+ and RefCOCOg.

    References are boxes in pixels of the picture, in the declared order of their numbers; one of several is enough.
    Answers are read as corners x1, y1, x2, y2 in the declared scale. Nothing is guessed from the size of the
    numbers: `[100, 100, 500, 400]` is another box on the grid of 1000 than in pixels. Source: lichengunc/refer and
    lmms-eval `refcoco/utils_rec.py`, continuous coordinates without the extra pixel.

    Args:
      reference_format: order of a reference's numbers: two corners, or a corner with width and height (COCO).
      scale: what the answer's numbers count: pixels, fractions of the picture, or thousandths of it.
      width: pixels of the picture the references count in; 0 takes the item's own.
      height: the same, upright.
      accept_at: smallest IoU that matches.
    """

    name: ClassVar[str] = "iou"
    reference_format: Literal["xyxy", "xywh"] = "xyxy"
    scale: Literal["pixel", "0-1", "0-1000"] = "pixel"
    width: int = 0
    height: int = 0
    accept_at: float = 0.5

    def references(self, value: Json) -> tuple[str, ...]:
        """One reference from four numbers (or a text that spells them), several from a list of boxes."""
        parsed = parse_json(value) if isinstance(value, str) else value
        boxes = [parsed] if as_box(parsed) else parsed
        if not isinstance(boxes, list) or not boxes or not all(as_box(box) for box in boxes):
            raise TypeError(f"a reference must be a box of four numbers or a list of boxes, got {value!r:.80}")
        return tuple(canonical(box) for box in boxes)

    def unjudgeable(self, case: Case) -> str | None:
        if not case.references:
            return "no reference"
        boxes = [as_box(parse_json(reference)) for reference in case.references]
        if any(box is None for box in boxes):
            return "the reference is not a box of four numbers"
        if any(self._corners(box).area <= 0 for box in boxes if box):
            return f"reference box in {self.reference_format} has no area"
        if self.scale != "pixel" and not all(self._size(case)):
            return f"the picture's size is unknown, and {self.scale} needs it"
        return None

    def compare(self, case: Case, answer: str) -> Verdict:
        found = find_box(answer)
        if found.box is None:
            return self.verdict("no_match", reason=found.reason)
        predicted = self._in_pixels(found.box, case)
        wanted = [as_box(parse_json(reference)) for reference in case.references]
        score = max(overlap(predicted, self._corners(box)) for box in wanted if box)
        matched = score >= self.accept_at
        return self.verdict(
            "match" if matched else "no_match",
            score=score,
            extracted=canonical(list(found.box)),
            form=found.form,
            reason="" if matched else _reason(predicted),
        )

    def _size(self, case: Case) -> tuple[int, int]:
        return self.width or case.width, self.height or case.height

    def _corners(self, box: Box) -> Box:
        """A reference as two corners."""
        return box if self.reference_format == "xyxy" else Box(box.x1, box.y1, box.x1 + box.x2, box.y1 + box.y2)

    def _in_pixels(self, box: Box, case: Case) -> Box:
        """An answer's box in pixels of the picture."""
        if self.scale == "pixel":
            return box
        full = GRID if self.scale == "0-1000" else 1
        width, height = self._size(case)
        return Box(box.x1 * width / full, box.y1 * height / full, box.x2 * width / full, box.y2 * height / full)


def _reason(predicted: Box) -> str:
    return "the box has no area" if predicted.area <= 0 else "overlap too small"


def overlap(a: Box, b: Box) -> float:
    """Intersection over union; 0 where a box has no area.

    >>> overlap(Box(0, 0, 2, 2), Box(1, 0, 3, 2))
    0.3333333333333333
    """
    if a.area <= 0 or b.area <= 0:
        return 0.0
    shared = Box(max(a.x1, b.x1), max(a.y1, b.y1), min(a.x2, b.x2), min(a.y2, b.y2)).area
    return shared / (a.area + b.area - shared)
