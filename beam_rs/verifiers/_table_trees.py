"""Trees of HTML tables and their edit distance."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from rapidfuzz.distance import Levenshtein

# both bound the time to a few seconds: 300 x 300 nodes take one to two
PAIRS: Final = 90_000
CHARACTERS: Final = 20_000_000
FLAT: Final = 12


@dataclass
class Node:
    """An element of a table. Not frozen: APTED wants plain children, and equality must reach them all.

    Attributes:
      tag: name of the element.
      spans: column and row span of a `td`, None for others.
      cell: characters and inner tags of a `td`.
      children: elements below; a `td` has none, what it holds is its cell.
    """

    tag: str
    spans: tuple[int, int] | None = None
    cell: list[str] = field(default_factory=list)
    children: list["Node"] = field(default_factory=list)
    below: int = 0


class _Costs:
    """What APTED asks: the price of each edit."""

    valuecls: ClassVar[type] = float

    def delete(self, node: Node) -> float:
        return 1.0

    def insert(self, node: Node) -> float:
        return 1.0

    def rename(self, a: Node, b: Node) -> float:
        """1 for another tag or span, else the share of a cell that has to be edited."""
        if a.tag != b.tag or a.spans != b.spans:
            return 1.0
        return float(Levenshtein.normalized_distance(a.cell, b.cell)) if a.cell or b.cell else 0.0

    def children(self, node: Node) -> list[Node]:
        return node.children


def count(tree: Node) -> int:
    """Elements below the table's root, those inside cells included, as PubTabNet counts them."""
    return tree.below


def affordable(a: Node, b: Node) -> bool:
    """Whether the distance of two trees is a matter of seconds; deep trees cost far more than flat ones."""
    deep = max(_depth(a), _depth(b)) > FLAT
    if (count(a) + 1) * (count(b) + 1) * (10 if deep else 1) > PAIRS:
        return False
    x, y = _characters(a), _characters(b)
    return count(b) * x + count(a) * y + x * y // 64 <= CHARACTERS


def _depth(tree: Node) -> int:
    return 1 + max(map(_depth, tree.children), default=0)


def _characters(tree: Node) -> int:
    return len(tree.cell) + sum(map(_characters, tree.children))


def similarity(a: Node, b: Node) -> float:
    """TEDS of two trees, 0 to 1."""
    from apted import APTED

    distance = float(APTED(a, b, _Costs()).compute_edit_distance())
    return max(0.0, 1.0 - distance / max(count(a), count(b), 1))


def read_table(text: str, *, structure_only: bool) -> Node | None:
    """The first table below `html/body`, or None where there is none or it cannot be read."""
    from lxml import etree, html

    # UTF-8 bytes, so that a text with its own encoding declaration is read like any other
    data = text.encode("utf-8", "replace").replace(b"\0", b"")
    try:
        page = html.fromstring(data, parser=html.HTMLParser(remove_comments=True, encoding="utf-8"))
        tables = page.xpath("body/table")
        if not tables:
            return None
        tree = _node(tables[0], structure_only)
        tree.below = len(tables[0].xpath(".//*"))
        return tree
    except (etree.LxmlError, ValueError, AssertionError, RecursionError):
        # a span that is no number, an empty text, a tree too deep to walk
        return None


def _node(element: Any, structure_only: bool) -> Node:
    """An element with all below it; a processing instruction counts as a node without a name."""
    tag = element.tag if isinstance(element.tag, str) else ""
    if tag != "td":
        return Node(tag, children=[_node(child, structure_only) for child in element])
    spans = int(element.get("colspan", "1")), int(element.get("rowspan", "1"))
    return Node(tag, spans, [] if structure_only else _tokens(element)[1:-1])


def _tokens(element: Any) -> list[str]:
    """Characters and tags of a cell; `unk` has no closing tag, and the tail of a `td` is not its own."""
    found = [f"<{element.tag}>", *(element.text or "")]
    for child in element:
        found += _tokens(child)
    if element.tag != "unk":
        found.append(f"</{element.tag}>")
    return found if element.tag == "td" else [*found, *(element.tail or "")]
