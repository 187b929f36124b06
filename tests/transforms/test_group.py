import itertools
from dataclasses import replace

import pytest

from beam_rs.rows import Entry, Graded, entries
from beam_rs.schema import ImageRef, Item, Verdict
from beam_rs.transforms.group import row

REF = ImageRef("/a.png", "0" * 64, "image/png", 3, 2, 9, "PNG")
ITEM = Item("1", "F", "a.png", "Why?", ("A long tale.",), slice="s", ref=REF)
APART = Verdict("unjudgeable", False, "longform", "1", reason="longform")


def entry(asked: str = "Why?", **changed) -> Entry:
    item = replace(ITEM, **changed)
    (made,) = entries(Graded(item, asked, "longform", "{}", verdict=APART))
    return made


@pytest.mark.parametrize(
    "group",
    [
        [entry(), entry(id="2"), entry(id="10")],
        [entry("Why?"), entry("How?"), entry("When?")],
        [entry(slice="s"), entry(slice="t"), entry(references=("A long tale.", "Another."))],
        [entry(), entry(ref=replace(REF, uri="/b.png")), entry(id="2", ref=replace(REF, uri="/0.png"))],
    ],
)
def test_a_row_is_the_same_in_whatever_order_its_pairs_come(group: list[Entry]):
    key = "\0".join(("F", "longform", REF.sha256))
    rows = [row((key, iter(order)), "v1", {}) for order in itertools.permutations(group)]
    assert all(one == rows[0] for one in rows)
    ids = [record["id"] for record in rows[0][1].clean_meta["items"]]
    assert ids == sorted(ids) and len(rows[0][1].qa) == 3
