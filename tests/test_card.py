import io
from dataclasses import replace

import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from PIL import Image

from beam_rs import naming, parquet
from beam_rs.card import family_card, split_card, thumbnail
from beam_rs.card_header import features
from beam_rs.figures import (
    CleaningFigures,
    Controls,
    Example,
    FamilyFigures,
    JudgeFigures,
    Protocol,
    SplitFigures,
)
from beam_rs.markdown import fenced, inline, visible
from beam_rs.schema import Sampling
from beam_rs.stats import Rate

NASTY = [
    "`code` ``` and ```` fences",
    "```\n# out of the fence\n```",
    "~~~\nhtml\n~~~",
    "a | b | c\n|---|---|",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "[link](http://example.org) ![picture](x.png) <http://example.org> http://example.org www.example.org a@b.org",
    "# heading\n## another\n- list\n1. one\n12) two\n> quote\n***\n===",
    "**bold** _em_ ~~gone~~ $x^2$ \\(y\\) $$z$$ :smile: @name #12",
    "&lt;b&gt; &amp; &#124;",
    "line\r\nbreaks\rall\n\nkinds\u2028of\u2029them",
    "\u202eright to left\u2066 \x00\x07\x1b[31m \ufeff \U000e0041",
    "\ud800 alone",
    "    indented\n\ttab",
    "{{ f.read }} {% raw %} {# no #}",
    "</td></tr></table><details>",
    "\\",
    "",
    "a" * 100_000,
]
RENDER = MarkdownIt("gfm-like", {"linkify": False}).enable("table")
CLEAN = CleaningFigures("v1", "1a2b", (("provenance", '{"manifest":"m"}'),), 0.05, {"Good": 0.01, "Bad": 1.0, "": 0.0})


def split(name, rows=2, examples=()):
    return SplitFigures(name, rows, rows + 1 if rows else 0, 1, 1_234_567, parquet.schema(name), tuple(examples))


def family(**more):
    values = {
        "family": "Sample.Text-1",
        "splits": (split("RS_think", 0), split("RS_nothink"), split("rejected", 1), split("longform", 0)),
        "read": 10,
        "ends": {"accepted": 3, "rejected": 1, "dropped": 4, "malformed": 2},
        "reasons": {"purity.off_task": 3, "own_rule.why": 1, "malformed.bad_json": 2, "rejected.no_match": 1},
        "verifiers": (Protocol("alnum", "1", '{"max_words":8}', "Equal after folding.\n\nAttributes:\n  x: hidden"),),
        "cleaning": CLEAN,
        "engine": "ocr",
        "model": "PP-OCR",
        "revision": "",
        "sampling": Sampling(),
        "instruction": "Answer in short.",
    }
    return FamilyFigures(**values | more)


def head(card):
    return yaml.safe_load(card.split("---\n")[1])


def kinds(markdown):
    """What a renderer makes of a text, by block and inline token types."""
    tokens = RENDER.parse(markdown)
    return [t.type for t in tokens] + [c.type for t in tokens for c in t.children or ()]


@pytest.mark.parametrize("text", NASTY)
def test_inline_is_nothing_but_text(text):
    assert set(kinds(inline(text))) <= {"paragraph_open", "inline", "paragraph_close", "text", "text_special"}


@given(st.text())
def test_inline_of_any_text_is_nothing_but_text(text):
    row = f"| x |\n|---|\n| {inline(text)} |"
    assert kinds(row) == kinds("| x |\n|---|\n| y |") or not inline(text)
    assert "\n" not in inline(text)


@given(st.text() | st.sampled_from(NASTY))
def test_fenced_of_any_text_is_one_block(text):
    tokens = RENDER.parse(f"before\n\n{fenced(text, 10**6)}\n\nafter")
    assert [t.type for t in tokens] == [*kinds("x")[:3], "fence", *kinds("x")[:3]]
    assert tokens[3].content.rstrip("\n") == visible(text).rstrip("\n")


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("which", ["family", "split"])
def test_no_text_of_an_item_changes_a_card(text, which):
    def shape(value):
        example = Example("examples/0123456789abcdef.png", value or "x", value or "x", value, (value,), value)
        splits = (split("RS_think", 0), split("RS_nothink", 2, [example]), split("rejected", 1), split("longform", 0))
        cleaning = replace(CLEAN, shares={f"x{value}": 0.5})
        figures = family(splits=splits, cleaning=cleaning, instruction=value or "x", system=value or "x", model=value)
        card = family_card(figures) if which == "family" else split_card(figures, "RS_nothink")
        card.encode()
        return [k for k in kinds(card.split("---\n", 2)[2]) if k != "text_special"]

    plain = [k for k in shape("y") if k != "text"]
    if text:
        assert [k for k in shape(text) if k != "text"] == plain


def test_configurations_are_the_filled_splits():
    found = head(family_card(family()))
    assert found["configs"] == [
        {
            "config_name": "Sample.Text-1_RS_nothink",
            "data_files": [{"split": "train", "path": "Sample.Text-1_RS_nothink/*.parquet"}],
            "default": True,
        },
        {
            "config_name": "Sample.Text-1_rejected",
            "data_files": [{"split": "train", "path": "Sample.Text-1_rejected/*.parquet"}],
        },
    ]
    assert [info["config_name"] for info in found["dataset_info"]] == [c["config_name"] for c in found["configs"]]


def test_an_empty_family_has_a_card():
    empty = family(splits=tuple(split(s, 0) for s in naming.SPLITS), read=0, ends={}, reasons={})
    card = family_card(empty)
    assert "configs" not in head(card)
    assert "All splits are empty." in card
    for name in naming.SPLITS:
        assert f"`Sample.Text-1_{name}`" in card
        assert "**This split is empty**" in split_card(empty, name)


def test_figures_stand_in_the_card():
    card = family_card(family())
    for line in [
        "accept rate 75.00 %",
        "| **read** | 10 | |",
        "| dropped | 4 | own&#95;rule.why 1, purity.off&#95;task 3 |",
        "The eight ends add up to 10.",
        "| Bad | 100.00 % | genuine items only |",
        "| Good | 1.00 % | whole |",
        "**alnum**, version 1",
        "No judge was used",
        "`qa[].answer`",
    ]:
        assert line in card
    assert "hidden" not in card
    assert "ground_truth" in split_card(family(), "rejected")


def test_the_judge_and_its_calibration():
    controls = (Controls("another reference", 1, 0, 58, 1, 0), Controls("one digit changed", correct=1))
    judge = JudgeFigures("m", "", "3", 0.95, False, "closed: too few", 7, Rate(58, 60), Rate(0, 0), controls)
    card = family_card(family(judge=judge))
    assert "did **not** count: closed&#58; too few. Promoted: 7." in card
    assert "| agreement on accepted items | 96.67 % (58 of 60; 95 % interval 88.64 % to 99.08 %) |" in card
    assert "| wrong controls not promoted | not measured |" in card
    assert "| another reference | 1 | 0 | 58 | 1 | 0 |" in card


def test_cards_load(tmp_path):
    datasets = pytest.importorskip("datasets")
    figures = family()
    row = {"image": {"bytes": png(), "path": "a.png"}, "image_sha256": "a", "clean_meta": None}
    for own in figures.splits:
        folder = tmp_path / f"Sample.Text-1_{own.split}"
        folder.mkdir()
        qa = [{"question": "q", "answer": "a", "note": None, "ground_truth": ["x"], "verdict": "WRONG"}]
        table = parquet.schema(own.split).empty_table().from_pylist([{**row, "qa": qa}] * own.rows, own.schema)
        pq.write_table(table, folder / "train-00000-of-00001.parquet")
        (folder / "README.md").write_text(split_card(figures, own.split))
    (tmp_path / "README.md").write_text(family_card(figures))
    loaded = datasets.load_dataset(str(tmp_path), cache_dir=str(tmp_path / "cache"), split="train")
    assert loaded.num_rows == 2
    assert loaded[0]["image"].size == (9, 7)
    for name, folder in [("rejected", tmp_path), ("rejected", tmp_path / "Sample.Text-1_rejected")]:
        own = datasets.load_dataset(str(folder), f"Sample.Text-1_{name}", cache_dir=str(tmp_path / "c2"), split="train")
        assert own[0]["qa"][0]["ground_truth"] == ["x"]


@pytest.mark.parametrize("name", naming.SPLITS)
def test_features_are_those_of_the_files(name):
    datasets = pytest.importorskip("datasets")
    schema = parquet.schema(name)
    listed = datasets.Features._from_yaml_list(features(schema))
    assert listed == datasets.Features.from_arrow_schema(schema)


def png(size=(9, 7), fmt="PNG", **more):
    file = io.BytesIO()
    Image.effect_noise(size, 90).convert("RGB").save(file, fmt, **more)
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "media_type", "kept", "extension"),
    [
        (png(), "image/png", True, "png"),
        (png(fmt="JPEG"), "image/jpeg", True, "jpg"),
        (png(fmt="GIF"), "image/gif", True, "gif"),
        (png(fmt="WEBP"), "image/webp", True, "webp"),
        (png(fmt="BMP"), "image/bmp", False, "jpg"),
        (png(fmt="TIFF"), "image/tiff", False, "jpg"),
        (png((900, 300)), "image/png", False, "jpg"),
        (png((3, 4000), "BMP"), "image/bmp", False, "jpg"),
    ],
)
def test_thumbnails(data, media_type, kept, extension):
    made, found = thumbnail(data, media_type)
    assert found == extension
    assert (made == data) == kept
    assert thumbnail(data, media_type) == (made, found)
    assert max(Image.open(io.BytesIO(made)).size) <= 640


def test_cards_depend_on_the_figures_alone():
    assert family_card(family()) == family_card(family(ends=dict(reversed(family().ends.items()))))
    with pytest.raises(ValueError, match="nonesuch"):
        split_card(family(), "nonesuch")
