from collections import Counter

import pytest

from beam_rs.cleaning.base import Refusal
from beam_rs.cleaning.purity import OFF_TASK, Genuine, Purity, shares
from beam_rs.errors import ConfigError
from beam_rs.schema import Item, Source

WORDS = Genuine(origins=("IIIT5K",), questions=(r"(?i)\b(word|read)\b", "^$"), max_reference_words=2)


def item(question="What word is it?", reference="OPEN", origin="IIIT5K", family="F", part="s"):
    source = Source(origin, "a.png") if origin else None
    return Item("1", family, "a.png", question, (reference,), source=source, slice=part)


def clean(rule, items):
    measured = Counter(label for one in items for label in rule.measure(one))
    return [rule.apply(one, measured) for one in items], shares(measured)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({}, None),
        ({"question": ""}, None),
        ({"question": "READ it"}, None),
        ({"question": "How many cats?"}, "the question matches no pattern"),
        ({"question": "What password?"}, "the question matches no pattern"),
        ({"origin": "VQA"}, "origin 'VQA'"),
        ({"origin": ""}, "no recorded origin"),
        ({"reference": "far too long"}, "reference of 3 words, at most 2"),
    ],
)
def test_conditions(changed, fault):
    assert WORDS.fault(item(**changed)) == fault


def test_references_may_be_too_short():
    assert Genuine(min_reference_words=2).fault(item()) == "reference of 1 words, at least 2"


@pytest.mark.parametrize(("foreign", "dropped"), [(0, 0), (1, 0), (2, 2), (19, 19)])
def test_only_a_slice_above_the_threshold_loses_its_foreign_items(foreign, dropped):
    items = [item("How many?")] * foreign + [item()] * (20 - foreign)
    kept, found = clean(Purity(threshold=0.05, families={"F": WORDS}), items)
    refused = [one for one in kept if isinstance(one, Refusal)]
    assert len(refused) == dropped and {one.reason for one in refused} <= {OFF_TASK}
    assert [one for one in kept if isinstance(one, Item)] == items[dropped:]
    assert found == {"F": {"s": foreign / 20}}


def test_slices_and_families_are_measured_apart():
    items = [item("How?", part="dirty"), item(), item("How?", family="G"), item(family="H", part='a"],[')]
    kept, found = clean(Purity(families={"F": WORDS, "H": Genuine()}), items)
    assert isinstance(kept[0], Refusal) and kept[1:] == items[1:]
    assert found == {"F": {"dirty": 1.0, "s": 0.0}, "H": {'a"],[': 0.0}}


def test_labels_of_other_rules_are_passed_over():
    assert shares({"other": 3, '["F","s","odd"]': 1, "[": 1, '["F","s","genuine"]': 2}) == {"F": {"s": 0.0}}


@pytest.mark.parametrize("make", [lambda: Genuine(questions=("(",)), lambda: Purity(threshold=5)])
def test_wrong_settings_are_found_early(make):
    with pytest.raises(ConfigError):
        make()
