"""From a pool record to an item, and back to a record for the audit."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from beam_rs.keys import canonical
from beam_rs.naming import FAMILY
from beam_rs.prompts import LETTERS
from beam_rs.schema import Item, Json, Source

KNOWN: Final = ("id", "family", "image", "question", "answer", "answers", "options", "source", "slice")

References: TypeAlias = Callable[[Json], tuple[str, ...]]
"""A verifier's reading of what stands under `answer`; raises `TypeError` for what it does not take."""

_STEP: Final = re.compile(r"([^.\[\]]+)|\[(-?\d+)\]")


@dataclass(frozen=True)
class Malformed:
    """Why a record is no item: the part of the reason code behind `malformed.`, and what was found."""

    code: str
    detail: str
    item_id: str = ""
    family: str = ""


@dataclass(frozen=True)
class Reader:
    """How the records of one pool entry become items.

    Attributes:
      references: family to the verifier's reading of its references.
      family: family of records that name none.
      map: field of an item to the place in the record that holds it.
    """

    references: Mapping[str, References]
    family: str | None = None
    map: Mapping[str, str] = field(default_factory=dict)

    def item(self, record: Json) -> Item | Malformed:
        """The item of a record, or why it is none."""
        if not isinstance(record, dict):
            return Malformed("not_an_object", f"expected an object, got {type(record).__name__}")
        values = self._mapped(record)
        item_id = values["id"] if isinstance(values.get("id"), str) else ""
        family = values["family"] if isinstance(values.get("family"), str) else ""
        known = family if family in self.references else ""
        try:
            return self._checked(values)
        except _Fault as fault:
            return Malformed(fault.code, str(fault), item_id, known)
        except RecursionError:
            return Malformed("bad_json", "nested too deeply", item_id, known)

    def _mapped(self, record: dict[str, Any]) -> dict[str, Any]:
        values = dict(record)
        for name, place in self.map.items():
            found = _look(record, place)
            if found is not None:
                values[name] = found
                values.pop(place, None) if place != name else None
        if values.get("family") is None and self.family is not None:
            values["family"] = self.family
        return values

    def _checked(self, values: dict[str, Any]) -> Item:
        family = _text(values, "family")
        if family not in self.references:
            shown = family if FAMILY.fullmatch(family) else ascii(family)[:80]
            raise _Fault("unknown_family", f"family {shown} is not configured; add it under families")
        item = Item(
            id=_text(values, "id"),
            family=family,
            image=_text(values, "image"),
            question=_text(values, "question"),
            references=_references(values, self.references[family]),
            options=_options(values.get("options")),
            source=_source(values.get("source")),
            slice=_text(values, "slice") if values.get("slice") is not None else "",
            meta=canonical({key: value for key, value in values.items() if key not in KNOWN}),
        )
        if not item.id:
            raise _Fault("missing_field", "'id' is empty")
        return item


def record(item: Item) -> dict[str, Any]:
    """The pool record of an item, with what the rules changed beside it."""
    import json

    values: dict[str, Any] = {
        **json.loads(item.meta),
        "id": item.id,
        "family": item.family,
        "image": item.image,
        "question": item.question,
        "answers": list(item.references),
    }
    if item.options:
        values["options"] = list(item.options)
    if item.source:
        values["source"] = {"dataset": item.source.dataset, "image": item.source.image}
    if item.slice:
        values["slice"] = item.slice
    if item.changes:
        values["changes"] = [
            {"rule": change.rule, "before": json.loads(change.before), "after": json.loads(change.after)}
            for change in item.changes
        ]
    return values


class _Fault(Exception):
    """A fault of one field; becomes a `Malformed`."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    if value is None:
        raise _Fault("missing_field", f"no {name!r}")
    if not isinstance(value, str):
        raise _Fault("bad_type", f"{name!r} must be a text, got {type(value).__name__}")
    return value


def _references(values: Mapping[str, Any], read: References) -> tuple[str, ...]:
    """What the verifier makes of `answers`, or of `answer` where that is absent."""
    value = values.get("answers")
    if value is None:
        value = values.get("answer")
    if value is None or value == []:
        raise _Fault("missing_field", "no 'answer' or 'answers'")
    try:
        found = read(value)
    except (TypeError, ValueError) as error:
        raise _Fault("bad_type", f"answer: {error}") from error
    if not found:
        raise _Fault("missing_field", "'answers' is empty")
    return found


def _options(value: Json) -> tuple[str, ...]:
    """Options as a list of texts, or as an object of letters to texts."""
    if value is None:
        return ()
    texts = _lettered(value) if isinstance(value, dict) else value
    if not isinstance(texts, list):
        raise _Fault("bad_type", f"'options' must be a list of texts, got {type(value).__name__}")
    for text in texts:
        if not isinstance(text, (str, int, float)) or isinstance(text, bool):
            raise _Fault("bad_type", f"'options' must hold texts, got {type(text).__name__}")
    return tuple(map(str, texts))


def _lettered(options: dict[str, Any]) -> list[Any]:
    """Options under letters, in the order of the letters: a JSON object has none of its own."""
    letters = sorted(options, key=str.upper)
    if not all(len(letter) == 1 and letter.isascii() and letter.isalpha() for letter in letters):
        return list(options.values())
    if [letter.upper() for letter in letters] != list(LETTERS[: len(letters)]):
        raise _Fault("bad_type", f"the letters of 'options' must be A, B, …, got {', '.join(letters)}")
    return [options[letter] for letter in letters]


def _source(value: Json) -> Source | None:
    """The recorded origin; one that names no image, or nothing at all, resolves to no picture later on."""
    if value is None or value == {}:
        return None
    if not isinstance(value, dict):
        raise _Fault("bad_type", f"'source' must be an object, got {type(value).__name__}")
    parts = [value.get(name) or "" for name in ("dataset", "image")]
    for name, part in zip(("dataset", "image"), parts, strict=True):
        if not isinstance(part, str):
            raise _Fault("bad_type", f"'source.{name}' must be a text, got {type(part).__name__}")
    return Source(*parts)


def _look(record: Json, place: str) -> Json:
    """The value at a place such as `conversations[0].value`, or None."""
    if isinstance(record, dict) and place in record:
        return record[place]
    for name, index in _STEP.findall(place):
        if name and isinstance(record, dict):
            record = record.get(name)
        elif index and isinstance(record, list) and -len(record) <= int(index) < len(record):
            record = record[int(index)]
        else:
            return None
    return record
