import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import apache_beam as beam
import pytest
from apache_beam.testing.util import assert_that, equal_to

from beam_rs.cleaning.base import Refusal, Rule
from beam_rs.cleaning.choices import Choices
from beam_rs.cleaning.purity import Genuine, Purity
from beam_rs.schema import ImageRef, Item
from beam_rs.transforms.clean import Clean, Cleaned, keep_one

REF = ImageRef("/a.png", "0" * 64, "image/png", 3, 2, 9, "PNG")
PURE = Purity(threshold=0.4, families={"F": Genuine(questions=("word",))})


def item(n: int, question: str = "What word?", **changed) -> Item:
    return replace(Item(str(n), "F", "a.png", question, ("OPEN",), slice="s", ref=REF), **changed)


def clean(items: list[Item], *rules) -> Cleaned:
    found = items | Clean(rules)
    return Cleaned(sorted(found.items, key=lambda one: one.id), found.dropped, found.measured)


def test_without_rules_everything_stays():
    assert clean([item(1), item(2)]).items == [item(1), item(2)]


def test_a_rule_that_measures_sees_all_items_before_it_decides():
    foreign = [item(n, "How many cats?") for n in (1, 2)]
    found = clean([*foreign, item(3), item(4)], PURE)
    assert [one.id for one in found.items] == ["3", "4"]
    assert {(drop.item_id, drop.rule, drop.reason) for drop in found.dropped} == {
        ("1", "purity", "purity.off_task"),
        ("2", "purity", "purity.off_task"),
    }


def test_below_the_threshold_foreign_items_stay():
    assert len(clean([item(1, "How many cats?"), item(2), item(3)], PURE).items) == 3


def test_a_dropped_item_is_kept_whole_with_its_reason():
    dropped = clean([item(1, "Which?\nA. cat\nB. dog", options=("cat", "dog"))], Choices()).dropped
    assert [drop.reason for drop in dropped] == ["choices.reference_absent"]
    (drop,) = dropped
    assert (drop.end, drop.stage, drop.rule, drop.family) == ("dropped", "Clean", "choices", "F")
    assert json.loads(drop.item)["question"] == "Which?\nA. cat\nB. dog"


def test_an_item_names_the_rules_that_let_it_pass_in_order():
    (kept,) = clean([item(1)], PURE, Choices()).items
    assert kept.rules == ("purity", "choices") and kept.changes == ()


@dataclass(frozen=True, kw_only=True)
class AtMost(Rule):
    """Refuses everything where more than so many items reach it."""

    name: ClassVar[str] = "at_most"
    measures: ClassVar[bool] = True

    most: int

    def measure(self, item: Item) -> Iterable[str]:
        return ("all",)

    def apply(self, item: Item, measured: Mapping[str, int]) -> Item | Refusal:
        return item if measured["all"] <= self.most else Refusal("at_most.more", "too many")


@pytest.mark.parametrize(("most", "kept"), [(1, 1), (0, 0)])
def test_a_rule_measures_what_the_one_before_left(most: int, kept: int):
    found = clean([item(1, "How many cats?"), item(2, "How many cats?"), item(3)], PURE, AtMost(most=most))
    assert len(found.items) == kept and len(found.dropped) == 3 - kept


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_of_equal_items_the_smallest_id_stays(order):
    members = [item(n) for n in (1, 2, 3)]
    first, *others = keep_one("key", [members[n] for n in order])
    assert first == members[0]
    assert [tagged.value.detail for tagged in others] == ["equal to item 1"] * 2


@pytest.mark.parametrize("turned", [False, True])
def test_equal_ids_are_told_apart_by_everything_else(turned: bool):
    members = [item(1, meta='{"a":1}'), item(1, meta='{"a":2}')]
    assert next(iter(keep_one("key", reversed(members) if turned else members))) == members[0]


def test_measuring_an_empty_pool():
    with beam.Pipeline("FnApiRunner") as pipeline:
        found = pipeline | beam.Create([]).with_output_types(Item) | Clean([PURE, Choices()])
        assert_that(found.items, equal_to([]))
