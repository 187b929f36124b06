import pytest

from beam_rs.schema import Case
from beam_rs.verifiers._evalai import CONTRACTIONS, normalise, normalise_text
from beam_rs.verifiers.vqa_soft import VqaSoft, soft_accuracy


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Black.", "black"), ("the T-shirt", "t shirt"), ("t - shirt", "t shirt"), ("1,000", "1000"), ("a, b", "b"),
        ("Two cats", "2 cats"),
        ("none", "0"), (".5", ".5"), ("3.5", "3.5"), ("50%", "50%"), ("can't", "can't"), ("cant", "can't"),
        ("dont've", "dont've"),
        ("couldnt've", "couldn't've"), ("black/white", "black white"), ("what?", "what"), ("", ""), ("it's", "it's"),
        (":)", ":"),
    ],
)  # fmt: skip
def test_normaliser(text, folded):
    assert normalise(text).strip() == folded


def test_contractions_are_known_by_each_spelling_without_an_apostrophe():
    assert (
        CONTRACTIONS["youre"] == "you're"
        and CONTRACTIONS["y'allll"] == "y'all'll"
        and CONTRACTIONS["'ow'sat"] == "'ow's'at"
    )
    assert "its" not in CONTRACTIONS and len(CONTRACTIONS) > 110


@pytest.mark.parametrize(
    ("text", "folded"), [("McDonald's", "mcdonald 's"), ("1,000", "1000"), ("New York, NY", "new york ny")]
)
def test_normaliser_of_textvqa(text, folded):
    assert normalise_text(text) == folded


@pytest.mark.parametrize(
    ("matching", "annotators", "score"),
    [
        *[(0, 10, 0), (1, 10, 0.3), (2, 10, 0.6), (3, 10, 0.9), (4, 10, 1), (10, 10, 1)],
        *[(0, 1, 0), (1, 1, 1), (1, 3, 1), (4, 4, 1), (1, 4, 0.25)],
    ],
)
def test_leave_one_out(matching, annotators, score):
    assert soft_accuracy(matching, annotators) == pytest.approx(score)


@pytest.mark.parametrize(
    ("variant", "references", "answer", "score"),
    [
        ("vqa", ["black"] * 9 + ["dark"], "Black.", 1.0),
        ("vqa", ["black"] * 10, "Black.", 0.0),
        ("vqa", ["black"] * 10, "black", 1.0),
        ("always", ["black"] * 10, "Black.", 1.0),
        ("text", ["mcdonald's"] * 10, "McDonald's", 1.0),
        ("vqa", ["lg"] * 7 + ["nokia"] * 3, "nokia", 0.9),
        ("always", ["dog"], "The dog.", 1.0),
        ("always", ["dog", "puppy"], "puppy", 1.0),
        ("always", ["dog"] * 10, "", 0.0),
        ("always", ["the"] * 5 + ["dog"] * 5, "an", 0.0),
    ],
)
def test_scores(variant, references, answer, score):
    verdict = VqaSoft(variant=variant).compare(Case(tuple(references)), answer)
    assert verdict.score == pytest.approx(score)
    assert verdict.outcome == ("match" if score >= 0.5 else "no_match")


def test_references_that_contradict_each_other_admit_neither():
    case = Case(("yes",) * 5 + ("no",) * 5)
    for answer in ("yes", "no"):
        verdict = VqaSoft().compare(case, answer)
        assert (verdict.outcome, verdict.admitted) == ("match", False)
    assert VqaSoft().compare(Case(("yes",) * 9 + ("no",)), "yes").admitted


def test_threshold():
    case = Case(("lg",) * 8 + ("nokia",) * 2)
    assert VqaSoft(accept_at=0.6).compare(case, "nokia").outcome == "match"
    assert VqaSoft(accept_at=0.7).compare(case, "nokia").outcome == "no_match"
