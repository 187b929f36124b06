"""Key information extraction: the F1 of fields, as Donut counts it on CORD and SROIE."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from beam_rs.keys import canonical
from beam_rs.schema import Case, Json, Verdict
from beam_rs.verifiers._json_answers import find_json, parse_json
from beam_rs.verifiers.base import Verifier

Field = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class KieF1(Verifier):
    """Field-level F1 between two JSON objects.

    Both objects are flattened into pairs of a dotted key and a stripped text; empty values fall out, numbers become
    text, and the pairs are compared as a bag, so the order of items is free while case and spelling are not. The
    score is `tp / (tp + (fp + fn) / 2)`. Source: clovaai/donut, `JSONParseEvaluator.normalize_dict` and `cal_f1`.

    Args:
      accept_at: smallest F1 that matches; 1 asks for every field and no other.
    """

    name: ClassVar[str] = "kie_f1"
    accept_at: float = 1.0

    def references(self, value: Json) -> tuple[str, ...]:
        """One reference from an object, or from a text that spells one; several from a list of them."""
        values = value if isinstance(value, list) else [value]
        return tuple(canonical(_as_object(v)) for v in values)

    def unjudgeable(self, case: Case) -> str | None:
        if not case.references:
            return "no reference"
        for reference in case.references:
            parsed = parse_json(reference)
            if not isinstance(parsed, dict):
                return "the reference is not a JSON object"
            if not bag(parsed):
                return "the reference has no field with a value"
        return None

    def compare(self, case: Case, answer: str) -> Verdict:
        found = find_json(answer)
        if found is None:
            return self.verdict("no_match", reason="no JSON object in the answer")
        predicted = bag(found.value)
        score = max(f1(predicted, bag(parse_json(reference))) for reference in case.references)
        outcome, reason = ("match", "") if score >= self.accept_at - 1e-9 else ("no_match", "fields differ")
        return self.verdict(
            "match" if outcome == "match" else "no_match",
            score=score,
            extracted=found.text,
            form=found.form,
            reason=reason,
        )


def _as_object(value: Json) -> Json:
    """The object itself, or the one that a text spells.

    Raises:
      TypeError: neither.
    """
    parsed = parse_json(value) if isinstance(value, str) else value
    if not isinstance(parsed, dict):
        raise TypeError(f"a reference must be a JSON object of fields, got {type(value).__name__}")
    return parsed


def bag(value: Json) -> Counter[Field]:
    """The fields of an object with their multiplicity.

    >>> sorted(bag({"menu": [{"nm": "cake", "cnt": 2}, {"nm": "tea", "cnt": ""}]}).items())
    [(('menu.cnt', '2'), 1), (('menu.nm', 'cake'), 1), (('menu.nm', 'tea'), 1)]
    """
    return Counter(_pairs(value, ""))


def _pairs(value: Json, key: str) -> Iterator[Field]:
    """Pairs of dotted key and text; what is empty or false in Python's sense is left out, as Donut does."""
    if not value:
        return
    if isinstance(value, dict):
        for name, child in value.items():
            yield from _pairs(child, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        yield from _items(value, key)
    elif text := str(value).strip():
        yield key, text


def _items(values: list[Json], key: str) -> Iterator[Field]:
    """Pairs of a list: of objects, or of scalars; in a mixed list only the scalars count."""
    if all(isinstance(v, dict) for v in values):
        for child in values:
            yield from _pairs(child, key)
        return
    for scalar in values:
        # bool is an int to isinstance, but not to Donut's test on the exact type
        if type(scalar) in (str, int, float) and (text := str(scalar).strip()):
            yield key, text


def f1(predicted: Counter[Field], wanted: Counter[Field]) -> float:
    """Harmonic mean of precision and recall over two bags; 0 where nothing is shared.

    >>> f1(Counter("ab"), Counter("ac"))
    0.5
    """
    shared = (predicted & wanted).total()
    return 2 * shared / (predicted.total() + wanted.total()) if shared else 0.0
