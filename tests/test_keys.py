from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beam_rs.keys import canonical, digest, request
from beam_rs.prompts import messages
from beam_rs.schema import ImageRef, Request, Sampling

REF = ImageRef("/a.png", "0" * 64, "image/png", 3, 2, 9, "PNG")
ASKED = {
    "item_id": "1",
    "image": REF,
    "messages": messages("What is the word?"),
    "sampling": Sampling(),
    "sample": 0,
    "model": "m",
    "revision": "r",
    "pixels": None,
}


def made(**changed) -> Request:
    return request(**{**ASKED, **changed})


@pytest.mark.parametrize(
    "changed",
    [
        {"image": replace(REF, sha256="1" * 64)},
        {"image": None},
        {"messages": messages("What is the word? ")},
        {"messages": messages("What is the word?", "Be brief.")},
        {"sampling": Sampling(temperature=0.1)},
        {"sampling": Sampling(top_p=0.9)},
        {"sampling": Sampling(top_k=5)},
        {"sampling": Sampling(max_tokens=5)},
        {"sampling": Sampling(thinking=False)},
        {"sampling": Sampling(stop=("a",))},
        {"sampling": Sampling(choice=("a", "b"))},
        {"sample": 1},
        {"model": "n"},
        {"revision": "s"},
        {"pixels": 100},
    ],
    ids=str,
)
def test_whatever_changes_the_answer_changes_the_key(changed):
    assert made(**changed).key != made().key


@pytest.mark.parametrize(
    "changed",
    [{"item_id": "2"}, {"image": replace(REF, uri="/b.png", note="x")}, {"messages": messages("What is the word?")}],
    ids=str,
)
def test_what_does_not_change_the_answer_keeps_the_key(changed):
    assert made(**changed).key == made().key


def test_a_pixel_budget_says_nothing_about_a_text():
    assert made(image=None, pixels=100).key == made(image=None).key


def test_samples_of_one_prompt_share_a_group_and_have_seeds_of_their_own():
    samples = [made(sample=index) for index in range(20)]
    assert len({one.group for one in samples}) == 1 and len({one.key for one in samples}) == 20
    assert len({one.seed for one in samples}) == 20 and all(0 <= one.seed < 2**63 for one in samples)
    assert made(sample=3) == samples[3]


def test_the_key_stays_what_it_was():
    """Ledgers outlive versions: a change of this value asks everything again."""
    assert made().key == "9a35f0d6b3033b0570f2dc47092fafc3f700ba57ea96a72bd71d0cf5bedeefaf"
    assert made().seed == 6_151_324_882_385_342_447


def test_requests_of_one_picture_stand_together():
    assert made().locality == made(messages=messages("Other?")).locality == REF.sha256
    assert made(image=None).locality == made(image=None).group


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, max_size=5))
def test_canonical_json_does_not_depend_on_the_order_of_keys(value):
    assert canonical(dict(reversed(value.items()))) == canonical(value)
    assert len(digest(canonical(value))) == 64


@pytest.mark.parametrize("text", ["", "é", "\ud800", "\x00"])
def test_any_text_has_a_digest(text: str):
    assert len(digest(text)) == 64


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_json_is_refused(value: float):
    with pytest.raises(ValueError, match="JSON"):
        canonical({"a": value})
