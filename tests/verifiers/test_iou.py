"""Boxes: overlap, spellings, and which of several counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beam_rs.schema import Case, Completion, Verdict
from beam_rs.verifiers import verify
from beam_rs.verifiers._boxes import Box
from beam_rs.verifiers.iou import Iou, overlap

REFERENCE = [100, 100, 200, 200]
BOXES = st.builds(Box, *[st.integers(0, 50)] * 4)


def judge(answer: str, reference=REFERENCE, width=640, height=480, **parameters) -> Verdict:
    verifier = Iou(**parameters)
    case = Case(verifier.references(reference), width=width, height=height)
    return verify(verifier, case, Completion("k", answer=answer))


@pytest.mark.parametrize(
    "answer",
    [
        "[100, 100, 200, 200]",
        "[[100,100,200,200]]",
        "(100, 100, 200, 200)",
        "100, 100, 200, 200",
        "100 100 200 200",
        "(100,100),(200,200)",
        "[[100, 100], [200, 200]]",
        "<box>(100,100),(200,200)</box>",
        "<|box_start|>(100,100),(200,200)<|box_end|>",
        "<ref>dog</ref><box>[[100, 100, 200, 200]]</box>",
        "<box>100 100 200 200</box>",
        "<box><100><100><200><200></box>",
        "{<100><100><200><200>}",
        '```json\n[\n  {"bbox_2d": [100, 100, 200, 200], "label": "dog"}\n]\n```',
        '{"x1": 100, "y1": 100, "x2": 200, "y2": 200}',
        "xmin=100, ymin=100, xmax=200, ymax=200",
        "- Top-left corner: (100, 100)\n- Bottom-right corner: (200, 200)",
        "The upper left corner is (100, 100) and the lower right corner is (200, 200).",
        "The dog on the left is at [100.0, 100.0, 200.0, 200.0].",
        "[100, 100, 200, 200]. So the box is [100, 100, 200, 200].",
        "First I see [0, 0, 10, 10]. Wait, the final box is [100, 100, 200, 200].",
    ],
)
def test_spellings(answer: str) -> None:
    assert judge(answer).score == 1.0


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "no box in the answer"),
        ("It is at 100, 100.", "no box in the answer"),
        ("[100, 100, 200]", "no box in the answer"),
        ("[100, 100, 200, 200, 300]", "no box in the answer"),
        ("[100, 100, 200, 200] or [0, 0, 10, 10]", "several different boxes"),
        ("[0, 0, 10, 10], [100, 100, 200, 200]", "several different boxes"),
        ("[200, 200, 100, 100]", "the box has no area"),
        ("[100, 100, 200, 149]", "overlap too small"),
    ],
)
def test_no_match(answer: str, reason: str) -> None:
    verdict = judge(answer)
    assert (verdict.outcome, verdict.reason) == ("no_match", reason)


@pytest.mark.parametrize(
    ("parameters", "reference", "answer", "score"),
    [
        ({"reference_format": "xywh"}, [100, 100, 100, 100], "[100, 100, 200, 200]", 1.0),
        ({"scale": "0-1000"}, [64, 48, 320, 240], "[100, 100, 500, 500]", 1.0),
        ({"scale": "0-1"}, [64, 48, 320, 240], "[0.1, 0.1, 0.5, 0.5]", 1.0),
        ({"scale": "0-1000", "width": 1000, "height": 1000}, REFERENCE, "[100, 100, 200, 200]", 1.0),
        ({}, [[0, 0, 9, 9], REFERENCE], "[100, 100, 200, 200]", 1.0),
        ({}, REFERENCE, "[100, 100, 200, 150]", 0.5),
    ],
)
def test_declared_order_and_scale(parameters, reference, answer, score) -> None:
    verdict = judge(answer, reference, **parameters)
    assert (verdict.score, verdict.outcome) == (score, "match")


def test_a_wide_picture_tells_width_from_height() -> None:
    assert judge("[0, 0, 500, 1000]", [0, 0, 320, 480], scale="0-1000").score == 1.0


@pytest.mark.parametrize(
    ("reference", "parameters", "size"),
    [
        ([100, 100, 100, 200], {}, 640),
        ([200, 200, 100, 100], {}, 640),
        ([100, 100, 0, 10], {"reference_format": "xywh"}, 640),
        (REFERENCE, {"scale": "0-1"}, 0),
    ],
)
def test_unjudgeable(reference, parameters, size) -> None:
    assert judge("[1, 2, 3, 4]", reference, size, size, **parameters).outcome == "unjudgeable"


@pytest.mark.parametrize("value", ["dog", [1, 2, 3], [1, 2, 3, "4"], {"x": 1}, [], [True, 1, 2, 3], [[1, 2, 3, 4], 5]])
def test_what_is_no_reference(value) -> None:
    with pytest.raises(TypeError, match="box"):
        Iou().references(value)


@given(BOXES, BOXES)
def test_overlap_is_symmetric_and_bounded(a: Box, b: Box) -> None:
    assert overlap(a, b) == overlap(b, a)
    assert 0 <= overlap(a, b) <= 1
    assert overlap(a, a) == (1 if a.area else 0)


@given(st.text(max_size=200))
def test_nothing_raises(text: str) -> None:
    assert judge(text).outcome in ("match", "no_match")
