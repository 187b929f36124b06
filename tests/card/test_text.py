"""Foreign text stays text, in every place where a card puts it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from beam_rs.card.text import block, cell, code, cut, escape, visible

RENDER = MarkdownIt("commonmark").enable(["table", "strikethrough"])

NASTY = [
    "`code` ``` and ```` runs",
    "```\n# out of the fence\n```",
    "~~~\nhtml\n~~~",
    "a | b \\| c \\\\| d\n|---|---|",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "[link](http://example.org) ![picture](x.png) <http://example.org> www.example.org a@example.org",
    "# heading\n## another\n- list\n1. one\n> quote\n***\n===",
    "**bold** _em_ ~~gone~~ $x^2$ \\(y\\) $$z$$ :smile: @name #12",
    "&lt;b&gt; &amp; &#124;",
    "line\r\nbreaks\rall\n\nkinds\u2028of\u2029them",
    "\u202eright to left\u2066 \x00\x07\x1b[31m \ufeff \U000e0041 zero\u200bwidth",
    "\ud800 alone",
    "    indented\n\ttab",
    "{{ f.read }} {% raw %} {# no #}",
    "</td></tr></table><details>",
    "</code></pre>",
    "\\",
    "`",
    " ",
    "\n",
    "|",
    "---\nyaml: true\n---",
    "a" * 100_000,
    "x\u0301" + "\u0301" * 500,
]
TEXTS = st.text() | st.sampled_from(NASTY) | st.text(alphabet="`|\\*_[]()<>&$#~- \n\t", max_size=40)


def kinds(markdown):
    """What a renderer makes of a text, by block and inline token types."""
    tokens = RENDER.parse(markdown)
    return [t.type for t in tokens] + [c.type for t in tokens for c in t.children or ()]


@given(TEXTS)
def test_code_is_one_code_span(text):
    shown = code(text)
    if text:
        assert kinds(f"x {shown} y") == kinds("x `z` y")
    assert "\n" not in shown


@given(TEXTS)
def test_cell_is_one_code_span_in_one_cell(text):
    assert kinds(f"| a | b |\n| --- | --- |\n| {cell(text or 'x')} | y |") == kinds(
        "| a | b |\n| --- | --- |\n| `z` | y |"
    )


@given(TEXTS)
def test_block_is_one_block_that_shows_the_text(text):
    tokens = RENDER.parse(f"before\n\n{block(text)}\n\nafter")
    paragraph = ["paragraph_open", "paragraph_close"]
    assert [t.type for t in tokens if t.level == 0] == [*paragraph, "fence", *paragraph]
    if len(text) < 100 and text.isascii() and text.isprintable():
        assert tokens[3].content == f"{text}\n"


@given(TEXTS)
def test_escape_is_nothing_but_text(text):
    assert set(kinds(f"# {escape(text)}")) <= {"heading_open", "inline", "heading_close", "text", "text_special"}


@given(st.text(alphabet="abc`|$<*_ .", min_size=1).filter(lambda t: t == " ".join(t.split())))
def test_code_shows_the_text_to_the_letter(text):
    (paragraph,) = [t for t in RENDER.parse(code(text)) if t.type == "inline"]
    assert paragraph.children[0].content == text


@given(st.text(alphabet="abc`|$<*_ .", min_size=1).filter(lambda t: t == " ".join(t.split())))
def test_cell_shows_the_text_to_the_letter(text):
    tokens = [t for t in RENDER.parse(f"| a |\n| --- |\n| {cell(text)} |") if t.type == "inline"]
    assert tokens[1].children[0].content == text


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("show", [code, cell, block, escape])
def test_texts_can_be_written_and_stay_short(text, show):
    shown = show(text)
    assert len(shown.encode()) < 10_000
    assert not any(char in shown for char in "\x00\x1b\u200b\u202e\u2066\ufeff")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("é 漢字 мир العربية 😀", "é 漢字 мир العربية 😀"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("\ud800", "⟨U+D800⟩"),
        ("tab\tline\n", "tab\tline\n"),
        ("o\u0308", "o\u0308"),
        ("\u3164", "⟨U+3164⟩"),
    ],
)
def test_visible(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize(("text", "mark"), [("a" * 601, "[cut: 600 of 601 characters]"), ("a" * 600, "")])
def test_cut_leaves_a_mark(text, mark):
    assert cut(text).removeprefix("a" * 600).removeprefix(" … ") == mark


def test_many_lines_are_cut_with_a_mark():
    assert "[cut: 24 of 100 lines]" in block("\n" * 99)
