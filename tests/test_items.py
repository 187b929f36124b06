import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beam_rs import items, registry
from beam_rs.items import Malformed, Reader
from beam_rs.schema import Item, Source
from beam_rs.verifiers import VERIFIERS

READER = Reader({name: registry.build(VERIFIERS, name, "verifier").references for name in ("alnum", "iou", "kie_f1")})
LINE: dict[str, Any] = {"id": "1", "family": "alnum", "image": "a.png", "question": "What?", "answer": "OPEN"}
GONE = object()


def read(reader: Reader = READER, **changed: Any) -> Item | Malformed:
    return reader.item({key: value for key, value in {**LINE, **changed}.items() if value is not GONE})


@pytest.mark.parametrize(
    ("changed", "field", "value"),
    [
        ({}, "references", ("OPEN",)),
        ({"answer": 5}, "references", ("5",)),
        ({"answer": -0.5}, "references", ("-0.5",)),
        ({"answer": ""}, "references", ("",)),
        ({"answers": ["A", 7]}, "references", ("A", "7")),
        ({"answers": None}, "references", ("OPEN",)),
        ({"question": ""}, "question", ""),
        ({"question": " as it\r\ncame "}, "question", " as it\r\ncame "),
        ({"options": ["cat", 2]}, "options", ("cat", "2")),
        ({"options": {"A": "cat", "B": "dog"}}, "options", ("cat", "dog")),
        ({"options": {"b": "dog", "a": "cat"}}, "options", ("cat", "dog")),
        ({"options": {"2": "dog", "1": "cat"}}, "options", ("dog", "cat")),
        ({"source": {"dataset": "D", "image": "x", "more": 1}}, "source", Source("D", "x")),
        ({"source": None}, "source", None),
        ({"slice": "s"}, "slice", "s"),
        ({"seen": [1, {"b": None}]}, "meta", '{"seen":[1,{"b":null}]}'),
        ({"family": "iou", "answer": [1, 2, 30, 40]}, "family", "iou"),
        ({"family": "kie_f1", "answer": {"total": "5"}}, "family", "kie_f1"),
        ({"family": "kie_f1", "answer": {}}, "references", ("{}",)),
    ],
)
def test_items(changed: dict[str, Any], field: str, value: Any):
    found = read(**changed)
    assert isinstance(found, Item) and getattr(found, field) == value


@pytest.mark.parametrize("name", ["id", "family", "image", "question"])
@pytest.mark.parametrize(("value", "code"), [(GONE, "missing_field"), (None, "missing_field"), (5, "bad_type")])
def test_fields_that_are_needed(name: str, value: Any, code: str):
    found = read(**{name: value})
    assert isinstance(found, Malformed) and found.code == code and repr(name) in found.detail


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"answer": GONE}, "missing_field"),
        ({"answer": None}, "missing_field"),
        ({"answer": []}, "missing_field"),
        ({"answers": []}, "missing_field"),
        ({"answer": {}}, "bad_type"),
        ({"answer": True}, "bad_type"),
        ({"answer": ["A", None]}, "bad_type"),
        ({"answer": {"a": 1}}, "bad_type"),
        ({"family": "iou", "answer": "left"}, "bad_type"),
        ({"family": "Other"}, "unknown_family"),
        ({"family": "\x00\n../"}, "unknown_family"),
        ({"id": ""}, "missing_field"),
        ({"options": "A or B"}, "bad_type"),
        ({"options": [["A"]]}, "bad_type"),
        ({"options": [True]}, "bad_type"),
        ({"options": {"A": "cat", "C": "dog"}}, "bad_type"),
        ({"source": "D/x"}, "bad_type"),
        ({"source": {"dataset": 5}}, "bad_type"),
        ({"source": {"dataset": "D", "image": 5}}, "bad_type"),
        ({"slice": 5}, "bad_type"),
    ],
)
def test_malformed(changed: dict[str, Any], code: str):
    found = read(**changed)
    assert isinstance(found, Malformed) and found.code == code


@pytest.mark.parametrize("record", [None, 5, "text", [], [LINE], True])
def test_what_is_no_object(record: Any):
    found = READER.item(record)
    assert isinstance(found, Malformed) and found.code == "not_an_object"


def test_a_malformed_record_keeps_its_id_and_a_family_that_is_known():
    assert read(answer=GONE) == Malformed("missing_field", "no 'answer' or 'answers'", "1", "alnum")
    found = read(family="Other")
    assert isinstance(found, Malformed) and (found.item_id, found.family) == ("1", "")


@pytest.mark.parametrize(
    ("place", "record"),
    [
        ("conversations[0].value", {"conversations": [{"value": "Read it."}]}),
        ("conversations[-1].value", {"conversations": [{"value": "First."}, {"value": "Read it."}]}),
        ("q", {"q": "Read it."}),
        ("a.b", {"a.b": "Read it."}),
        ("a.b", {"a": {"b": "Read it."}}),
    ],
)
def test_map(place: str, record: dict[str, Any]):
    reader = Reader(READER.references, "alnum", {"question": place})
    found = reader.item({"id": "1", "image": "a.png", "answer": "x", **record})
    assert isinstance(found, Item) and found.question == "Read it."


@pytest.mark.parametrize(
    "place", ["conversations[5].value", "conversations[-2].value", "conversations.value", "none", "id.more", "id[0]"]
)
def test_map_to_a_place_that_is_not_there(place: str):
    reader = Reader(READER.references, "alnum", {"question": place})
    found = reader.item({"id": "1", "image": "a.png", "answer": "x", "conversations": [{"value": "Read it."}]})
    assert isinstance(found, Malformed) and found.code == "missing_field"


def test_a_family_for_lines_that_name_none():
    reader = Reader(READER.references, "iou")
    assert reader.item({**LINE, "family": None, "answer": [0, 0, 1, 1]}).family == "iou"  # type: ignore[union-attr]
    assert reader.item(LINE).family == "alnum"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*items.KNOWN, "more"]), JSON) | JSON)
def test_any_json_is_an_item_or_malformed(record: Any):
    found = READER.item(record)
    assert isinstance(found, Malformed) or items.record(found)["id"] == record["id"]


def test_the_record_of_an_item_reads_back_as_the_item():
    found = read(options=["a", "b"], source={"dataset": "D", "image": "x"}, slice="s", more={"z": [1]})
    assert isinstance(found, Item)
    assert READER.item(json.loads(json.dumps(items.record(found)))) == found


@pytest.mark.parametrize("source", [None, {}, {"dataset": "D"}, {"dataset": None, "image": None}])
def test_an_incomplete_source_is_no_fault_of_the_line(source: Any):
    assert isinstance(read(source=source), Item)
