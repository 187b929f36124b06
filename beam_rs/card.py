"""Cards of a family and of its splits: Markdown that the hub shows and `datasets` loads by.

A card depends on the figures alone: it holds no time, no absolute path, no worker, no token count and no pool file, so
equal data sets have equal cards. Whatever comes from an item is escaped.
"""

import inspect
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote

import jinja2
import pyarrow as pa

from beam_rs import naming
from beam_rs.card_header import config_name, header
from beam_rs.figures import Example, FamilyFigures, SplitFigures
from beam_rs.markdown import fenced, inline
from beam_rs.stats import Rate
from beam_rs.thumbnails import thumbnail

__all__ = ["family_card", "split_card", "thumbnail"]

EXAMPLES: Final = 3

MEANING: Final[Mapping[str, str]] = {
    naming.THINK: "accepted answers with the model's thought before them",
    naming.NOTHINK: "accepted answers alone, without a thought",
    naming.REJECTED: "answers that were not accepted, with the ground truth and the verdict",
    naming.LONGFORM: "items that the verifier cannot judge; they were never asked, and the answer is the reference",
}

_OWN_ENDS: Final = frozenset(naming.ENDS) - {"dropped"}


def family_card(figures: FamilyFigures) -> str:
    """The card of a family, to stand beside the folders of its splits."""
    shown = next((s for s in _by_default(figures) if s.examples), None)
    folder = f"{config_name(figures.family, shown.split)}/" if shown else ""
    return _render(
        "family.md.j2",
        figures,
        head=header(figures, figures.splits, figures.family, folders=True),
        first=next((s for s in _by_default(figures) if s.rows), None),
        shown=shown,
        examples=_examples(shown, folder),
    )


def split_card(figures: FamilyFigures, split: str) -> str:
    """The card of a split, to stand beside its shards.

    Raises:
      ValueError: the figures have no such split.
    """
    own = next((s for s in figures.splits if s.split == split), None)
    if own is None:
        raise ValueError(f"no figures of the split {split!r}")
    name = config_name(figures.family, split)
    head = header(figures, [own], name, folders=False)
    return _render("split.md.j2", figures, head=head, own=own, examples=_examples(own, ""))


def _render(template: str, figures: FamilyFigures, **more: Any) -> str:
    accepted, rejected = figures.ends.get("accepted", 0), figures.ends.get("rejected", 0)
    text = (
        _environment()
        .get_template(template)
        .render(
            f=figures,
            ends=[(end, figures.ends.get(end, 0), _reasons(figures, end)) for end in naming.ENDS],
            rate=Rate(accepted, accepted + rejected),
            empty=[config_name(figures.family, s.split) for s in figures.splits if not s.rows],
            meaning=MEANING,
            **more,
        )
    )
    return text.rstrip("\n") + "\n"


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("beam_rs", "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # it would escape for HTML; every text from an item goes through `inline` or `fenced`
    )
    environment.filters |= {"inline": inline, "fenced": fenced, "n": "{:,}".format, "percent": percent, "prose": prose}
    environment.globals |= {"config_name": config_name, "interval": interval, "columns": columns, "setting": setting}
    return environment


def percent(share: float | None) -> str:
    """A share for a reader.

    >>> percent(0.9824), percent(None)
    ('98.24 %', 'not measured')
    """
    return "not measured" if share is None else f"{100 * share:.2f} %"


def interval(rate: Rate) -> str:
    """A rate with its Wilson interval.

    >>> interval(Rate(58, 60))
    '96.67 % (58 of 60; 95 % interval 88.64 % to 99.08 %)'
    """
    if not rate.total:
        return "not measured"
    bounds = rate.interval
    span = f"95 % interval {percent(bounds.low)} to {percent(bounds.high)}"
    return f"{percent(rate.share)} ({rate.hits:,} of {rate.total:,}; {span})"


def prose(text: str) -> str:
    r"""The sentences of a docstring, without its sections, as one paragraph.

    >>> prose("Equal after folding.\n\nCase goes.\n\nAttributes:\n  x: y")
    'Equal after folding. Case goes.'
    """
    lines = inspect.cleandoc(text).split("\nAttributes:")[0].split("\nArgs:")[0]
    return inline(lines, limit=1500)


def setting(value: Any) -> str:
    """A value of the sampling as it is written in a configuration."""
    return inline(json.dumps(value, ensure_ascii=False))


def columns(schema: pa.Schema) -> Iterator[tuple[str, str]]:
    """Name and type of each column, nested fields by their path.

    >>> list(columns(pa.schema([("qa", pa.list_(pa.struct([("answer", pa.string())])))])))
    [('qa', 'list of struct'), ('qa[].answer', 'string')]
    """
    for field in schema:
        yield from _column(field.name, field.type, "")


def _column(path: str, kind: pa.DataType, of: str) -> Iterator[tuple[str, str]]:
    if pa.types.is_list(kind):
        yield from _column(path, kind.value_type, f"{of}list of ")
    elif pa.types.is_struct(kind):
        yield path, f"{of}struct"
        inside = f"{path}[]" if of else path
        for i in range(kind.num_fields):
            yield from _column(f"{inside}.{kind.field(i).name}", kind.field(i).type, "")
    else:
        yield path, f"{of}{kind}"


def _by_default(figures: FamilyFigures) -> list[SplitFigures]:
    """The splits, the default configuration first."""
    return sorted(figures.splits, key=lambda s: s.split != naming.NOTHINK)


def _examples(split: SplitFigures | None, folder: str) -> list[tuple[str, Example]]:
    """The examples with the paths of their pictures, safe to stand in a link."""
    if split is None:
        return []
    return [(quote(f"{folder}{example.picture}"), example) for example in split.examples[:EXAMPLES]]


def _reasons(figures: FamilyFigures, end: str) -> list[tuple[str, int]]:
    """Reason codes of an end; those of cleaning rules, whatever their names, belong to `dropped`."""
    codes = sorted(figures.reasons.items())
    return [(c, n) for c, n in codes if n and _end_of(c) == end]


def _end_of(code: str) -> str:
    first = code.partition(".")[0]
    return first if first in _OWN_ENDS else "dropped"
