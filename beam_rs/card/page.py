"""A card as Markdown: the templates, and the small tables that they are filled with."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

import jinja2

from beam_rs import naming, parquet
from beam_rs.card import phrases
from beam_rs.card import text as texts
from beam_rs.card.figures import Example, FamilyFigures, SplitFigures
from beam_rs.card.head import family_head, split_head
from beam_rs.card.text import block, cell, code, escape
from beam_rs.keys import canonical

Rows: TypeAlias = Sequence[tuple[str, ...]]

PAIRS: Final = 3
"""Question-answer pairs that an example shows of one picture."""

REFERENCES: Final = 5
"""References that an example shows of one item."""

SLICES: Final = 30
"""Slices whose purity a card shows."""

PROTOCOL: Final = "This is a verifier of the project's own, imported as"


@dataclass(frozen=True)
class Pair:
    """A question-answer pair as an example shows it: two blocks and a few labelled values, all Markdown."""

    question: str
    answer: str
    facts: tuple[tuple[str, str], ...]


def family_card(figures: FamilyFigures) -> str:
    """The card of a family: `F/README.md`."""
    return family_head(figures) + _render("family.md.j2", figures, figures.default)


def split_card(figures: FamilyFigures, split: SplitFigures) -> str:
    """The card of a split: `F/F_RS_think/README.md`."""
    return split_head(figures, split) + _render("split.md.j2", figures, split)


def _render(template: str, figures: FamilyFigures, split: SplitFigures | None) -> str:
    text = (
        _environment()
        .get_template(template)
        .render(
            f=figures,
            split=split,
            naming=naming,
            phrases=phrases,
            match=match(figures),
            ends=ends(figures),
            settings=settings(figures),
            purity=purity(figures),
            controls=controls(figures),
            columns=columns(),
            records=_types(parquet.RECORD, phrases.RECORD),
            meta=_types(parquet.CLEAN_META, phrases.META),
        )
    )
    return f"{text.rstrip()}\n"


@cache
def _environment() -> jinja2.Environment:
    # Markdown, not HTML: foreign text goes through the filters of `text`.
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("beam_rs.card", "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    made.filters |= {"code": code, "block": block, "escape": escape, "json": lambda value: code(canonical(value))}
    made.filters |= {"number": texts.number, "percent": texts.percent, "size": texts.size, "rate": rate}
    made.globals |= {"pairs": pairs, "hidden_pairs": lambda example: len(example.row.qa) - PAIRS}
    return made


def match(figures: FamilyFigures) -> str:
    """How a match is decided, in the words of the protocol or, for one's own, by its import path."""
    return phrases.MATCHES.get(figures.verifier) or f"{PROTOCOL} {code(figures.verifier)}."


def ends(figures: FamilyFigures) -> Rows:
    """A row an end: its name, items, meaning, and reasons with their counts."""
    made = []
    for end in naming.ENDS:
        found = [(name, amount) for name, amount in figures.reasons.items() if phrases.end_of(name) == end]
        reasons = "<br>".join(_reason(name, amount) for name, amount in sorted(found, key=lambda f: (-f[1], f[0])))
        made.append((end, texts.number(figures.counts[end]), phrases.ENDS[end], reasons))
    return made


def _reason(name: str, amount: int) -> str:
    meaning = phrases.reason(name)
    return f"{texts.number(amount)} {cell(name)}" + (f" {meaning}" if meaning else "")


def settings(figures: FamilyFigures) -> Rows:
    """Model and sampling, a row a setting."""
    model, drawn = figures.model, figures.sampling
    greedy = " (greedy)" if drawn["temperature"] == 0 else ""
    made = [
        ("engine", cell(str(model["engine"]))),
        ("model", cell(str(model["model"]))),
        ("revision", cell(str(model["revision"])) if model["revision"] else "not given"),
        ("pixel budget of a picture", texts.number(model["pixels"]) if model["pixels"] else "none"),
        ("temperature", f"{drawn['temperature']:g}{greedy}"),
        ("top-p", f"{drawn['top_p']:g}"),
        ("top-k", str(drawn["top_k"]) if drawn["top_k"] else "off"),
        ("limit of an answer", f"{texts.number(drawn['max_tokens'])} tokens, thought included"),
        ("thought", "asked for" if drawn["thinking"] else "not asked for"),
        ("answers an item", texts.number(drawn["samples"])),
    ]
    if drawn["samples"] > 1:
        made.append(("kept of the admitted", cell(str(drawn["accept"]))))
    if drawn["stop"]:
        made.append(("stops at", ", ".join(cell(text) for text in drawn["stop"])))
    return made


def purity(figures: FamilyFigures) -> Rows:
    """A row a slice, the foreign ones first."""
    cleaning = figures.cleaning
    found = sorted(cleaning.slices, key=lambda part: (-part.share, part.name))
    fate = {True: "kept whole", False: "only its genuine items kept"}
    return [(cell(p.name), texts.percent(p.share), fate[p.foreign_kept]) for p in found[:SLICES]]


def controls(figures: FamilyFigures) -> Rows:
    """A row a kind of control of the judge, and how it came out."""
    return [
        (
            cell(row["kind"]),
            phrases.CONTROLS.get(row["kind"], ""),
            *(texts.number(row[name]) for name in ("controls", "screened", "CORRECT", "WRONG", "UNSURE", "INVALID")),
            rate(row),
        )
        for row in figures.calibration.get("kinds", ())
    ]


def rate(value: Mapping[str, Any]) -> str:
    """A share with its Wilson interval.

    >>> rate({"hits": 58, "total": 60, "share": 58 / 60, "low": 0.886, "high": 0.991})
    '58 of 60, 96.7 % (88.6–99.1 %)'
    """
    if not value["total"]:
        return "–"
    share, low, high = texts.percent(value["share"]), 100 * value["low"], 100 * value["high"]
    return f"{texts.number(value['hits'])} of {texts.number(value['total'])}, {share} ({low:.1f}–{high:.1f} %)"


def columns() -> Rows:
    """A row a column of a split."""
    fields = parquet.schema(naming.NOTHINK)
    return [(f"`{f.name}`", f"`{_short(f.type)}`", _column(f.name)) for f in fields]


def _column(name: str) -> str:
    return phrases.COLUMNS[name] + (phrases.REJECTED_QA if name == "qa" else "")


def _types(kind: Any, meanings: Mapping[str, str]) -> Rows:
    fields = [kind.field(i) for i in range(kind.num_fields)]
    return [(f"`{field.name}`", f"`{_short(field.type)}`", meanings[field.name]) for field in fields]


def _short(kind: Any) -> str:
    """An Arrow type in a few words: long structs by name alone, lists by what they hold."""
    text = str(kind).replace("element: ", "").replace("item: ", "")
    return text if len(text) <= 70 else "list<struct>" if text.startswith("list") else "struct"


def pairs(example: Example, split: str) -> Iterator[Pair]:
    """The first question-answer pairs of an example."""
    records = example.row.clean_meta["items"]
    for qa, record in list(zip(example.row.qa, records, strict=True))[:PAIRS]:
        yield Pair(block(qa["question"]), block(qa["answer"]), tuple(_facts(qa, record, split)))


def _facts(qa: Mapping[str, Any], record: Mapping[str, Any], split: str) -> Iterator[tuple[str, str]]:
    if split != naming.LONGFORM:
        known = list(dict.fromkeys(record["references"]))
        label = "Ground truth" if split == naming.REJECTED else "Reference"
        more = f" and {len(known) - REFERENCES} more" if len(known) > REFERENCES else ""
        yield label, ", ".join(code(text) for text in known[:REFERENCES]) + more
        yield "Verified by", code(record["verifier"])
    if split == naming.REJECTED:
        yield "Verdict", code(qa["verdict"])
    elif qa["note"]:
        yield "Note", code(qa["note"])
