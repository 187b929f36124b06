"""Tables: TEDS, and the HTML that an answer commits to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beam_rs.schema import Case, Completion, Verdict
from beam_rs.verifiers import verify
from beam_rs.verifiers.table import Table

PAGE = "<html><body><table>{}</table></body></html>"
TWO = PAGE.format("<tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr>")
CELLS = st.lists(st.lists(st.text("ab1 ", max_size=3), min_size=1, max_size=3), min_size=1, max_size=3)


def judge(reference: str, answer: str, **parameters) -> Verdict:
    return verify(Table(**parameters), Case((reference,)), Completion("k", answer=answer))


def grid(rows: list[list[str]]) -> str:
    return PAGE.format("".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows))


@pytest.mark.parametrize(
    ("inside", "score"),
    [
        ("<tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr>", 1.0),
        ("\n <tr><td>a</td> <td>1</td></tr>\n<tr><td>b</td><td>2</td></tr>", 1.0),
        ("<tr><td>a</td><td>1</td></tr>", 0.5),
        ("<tr><th>a</th><th>1</th></tr><tr><td>b</td><td>2</td></tr>", 2 / 3),
        ("<tbody><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr></tbody>", 6 / 7),
        ("<tr><td>a </td><td>1</td></tr><tr><td>b</td><td>2</td></tr>", 11 / 12),
        ("<tr><td colspan='2'>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr>", 5 / 6),
        ("<tr><td colspan='many'>a</td></tr>", 0.0),
        ("", 0.0),
    ],
)
def test_score(inside: str, score: float) -> None:
    verdict = judge(TWO, PAGE.format(inside))
    assert verdict.score == pytest.approx(score)
    assert verdict.admitted == (score == 1)


@pytest.mark.parametrize(
    ("answer", "form", "outcome"),
    [
        (TWO, "document", "match"),
        (f"Here is the table:\n```html\n{TWO}\n```\nAs asked.", "document", "match"),
        (f"{PAGE.format('<tr><td>x</td></tr>')}\nCorrected: {TWO}", "document", "match"),
        (TWO[len("<html><body>") : -len("</body></html>")], "table", "no_match"),
        ("| a | 1 |\n| b | 2 |", "whole", "no_match"),
        ("", "whole", "no_match"),
    ],
)
def test_finds_the_table(answer: str, form: str, outcome: str) -> None:
    verdict = judge(TWO, answer)
    assert (verdict.form, verdict.outcome) == (form, outcome)


def test_bare_tables_are_wrapped_where_asked_for() -> None:
    bare = TWO[len("<html><body>") : -len("</body></html>")]
    assert judge(bare, bare).outcome == "unjudgeable"
    assert judge(bare, bare, wrap=True).score == 1.0


def test_structure_only() -> None:
    other = grid([["x", "y"], ["z", "w"]])
    assert judge(TWO, other, structure_only=True).score == 1.0
    assert judge(TWO, other).score == pytest.approx(1 / 3)


@pytest.mark.parametrize("reference", ["", "text", "<table><tr><td>a</td></tr></table>", PAGE.format("")])
def test_unjudgeable(reference: str) -> None:
    assert judge(reference, TWO).outcome == "unjudgeable"


def test_huge_tables_match_themselves_and_are_else_too_large() -> None:
    huge = grid([[f"{row}-{column}" for column in range(30)] for row in range(60)])
    assert judge(huge, huge).score == 1.0
    assert judge(huge, huge.replace("5-5", "5-6")).reason == "tables too large to compare"


@given(CELLS, CELLS)
def test_symmetric_and_bounded(a, b) -> None:
    one, other = judge(grid(a), grid(b)).score, judge(grid(b), grid(a)).score
    assert one == pytest.approx(other)
    assert one is not None and 0 <= one <= 1
    assert judge(grid(a), grid(a)).score == 1.0


@given(st.text(max_size=100))
def test_nothing_raises(text: str) -> None:
    assert judge(TWO, text).outcome == "no_match"
    assert judge(TWO, PAGE.format(text)).outcome in ("match", "no_match")
