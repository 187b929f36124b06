"""Table recognition: the tree edit distance similarity (TEDS) of two HTML tables."""

import re
from dataclasses import dataclass
from typing import ClassVar, Final

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers._table_trees import Node, affordable, count, read_table, similarity
from beam_rs.verifiers.base import Verifier

LONGEST: Final = 200_000
TAGS: Final = 20_000

_FENCE: Final = re.compile(r"```[ \t]*(?:html|HTML|xml)?[ \t]*\r?\n?(.*?)```", re.DOTALL)
_DOCUMENT: Final = re.compile(r"(?is)<html\b(?:(?!<html\b).)*</html\s*>")


@dataclass(frozen=True, kw_only=True)
class Table(Verifier):
    """TEDS between the answer's table and the reference's.

    The first table below `html/body` becomes a tree of its elements; `td` carries its spans and the list of its
    characters and inner tags. Inserting or deleting a node costs 1, renaming costs 1 where tags or spans differ, else
    the normalised edit distance of the cells. Score: `1 - distance / max(nodes below the table)`. A text without
    `html/body/table` scores 0, as in the official code. Source: ibm-aur-nlp/PubTabNet `src/metric.py`.

    Args:
      accept_at: smallest score that matches.
      structure_only: leave the cells' text out (TEDS-Struct).
      wrap: put `<html><body>` around a bare `<table>`, for pools whose answers are bare tables.
    """

    name: ClassVar[str] = "table"
    accept_at: float = 1.0
    structure_only: bool = False
    wrap: bool = False

    def unjudgeable(self, case: Case) -> str | None:
        if not case.references:
            return "no reference"
        for reference in case.references:
            tree = self._tree(reference)
            if tree is None or count(tree) == 0:
                return "the reference has no table below html and body"
        return None

    def compare(self, case: Case, answer: str) -> Verdict:
        text, form = find_html(answer)
        tree = self._tree(text)
        if tree is None:
            return self.verdict("no_match", score=0.0, form=form, reason="no table below html and body")
        scores = [self._score(tree, reference) for reference in case.references]
        known = [score for score in scores if score is not None]
        if not known:
            return self.verdict("no_match", score=0.0, form=form, reason="tables too large to compare")
        matched = max(known) >= self.accept_at - 1e-9
        return self.verdict(
            "match" if matched else "no_match",
            score=max(known),
            extracted=text[:2000],
            form=form,
            reason="" if matched else "tables differ",
        )

    def _score(self, tree: Node, reference: str) -> float | None:
        """The similarity, or None where it would take too long; equal tables are 1 at any size."""
        wanted = self._tree(reference)
        if wanted is None:
            return 0.0
        if wanted == tree:
            return 1.0
        return similarity(tree, wanted) if affordable(tree, wanted) else None

    def _tree(self, text: str) -> Node | None:
        if len(text) > LONGEST or text.count("<") > TAGS:
            return None
        if self.wrap and not re.search(r"(?i)<body\b", text):
            text = f"<html><body>{text}</body></html>"
        return read_table(text, structure_only=self.structure_only)


def find_html(answer: str) -> tuple[str, str]:
    """The HTML an answer commits to, and where: the last document, the last fence with a table, or the whole text."""
    if documents := _DOCUMENT.findall(answer[-LONGEST:]):
        return documents[-1], "document"
    fences = [block for block in _FENCE.findall(answer[-LONGEST:]) if "<table" in block.lower()]
    if fences:
        return fences[-1].strip(), "fence"
    start, end = answer.lower().rfind("<table"), answer.lower().rfind("</table>")
    if 0 <= start < end:
        return answer[start : end + len("</table>")], "table"
    return answer.strip(), "whole"
