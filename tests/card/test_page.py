"""The pages: heads, figures, and no text that changes their shape."""

import io
from dataclasses import replace

import pytest
import yaml
from markdown_it import MarkdownIt
from PIL import Image

from beam_rs import naming, parquet
from beam_rs.card import phrases
from beam_rs.card.figures import Cleaning, Example, FamilyFigures, Slice, SplitFigures, thumbnail
from beam_rs.card.head import size_category
from beam_rs.card.page import family_card, split_card
from beam_rs.judge.edits import KINDS
from beam_rs.parquet import Row
from beam_rs.schema import ImageRef
from beam_rs.verifiers import VERIFIERS

RENDER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SHA = "0123456789abcdef" * 4
RATE = {"hits": 58, "total": 60, "share": 58 / 60, "low": 0.886, "high": 0.991}
NONE = {"hits": 0, "total": 0, "share": None, "low": 0.0, "high": 1.0}
CALIBRATION = {
    "agreement": RATE,
    "specificity": NONE,
    "kinds": [
        {"kind": "digit", "controls": 61, "screened": 1, "CORRECT": 2, "WRONG": 58, "UNSURE": 0, "INVALID": 0} | RATE
    ],
    "gate": {"open": False, "least": 0.95, "reason": "closed: below 95 %"},
}  # fmt: skip
RULES = ("purity", "own.rules:Mine")
NOTHING = dict.fromkeys(("read", *naming.ENDS), 0)
DRAWN = {"temperature": 0.0, "top_p": 1.0, "top_k": 0, "max_tokens": 4096, "thinking": True, "stop": (), "choice": ()}
JUDGE = {"model": "m", "revision": "", "gate": 0.95, "tries": 2, "swap": True}


def row(text="STOP", pairs=1, split="RS_nothink"):
    qa = {"question": text, "answer": text, "note": text}
    if split == naming.REJECTED:
        qa |= {"ground_truth": [text], "verdict": text}
    ref = ImageRef("a.png", SHA, "image/png", 4, 3, 9, "PNG")
    items = [{"references": [text] * 9, "verifier": text}] * pairs
    return Row(ref, (qa,) * pairs, {"format": "PNG", "items": items})


def part(split, rows=2, examples=()):
    return SplitFigures(split, f"F.1_{split}", rows, rows + 1 if rows else 0, 1, 1_234_567, tuple(examples))


def family(**more):
    values = {
        "family": "F.1",
        "beam_rs": "0.1.0",
        "counts": NOTHING | {"read": 10, "accepted": 3, "rejected": 1, "dropped": 4, "malformed": 2},
        "reasons": {"purity.off_task": 3, "own_rule.why": 1, "malformed.bad_json": 2, "rejected.no_match": 1},
        "accept_rate": 0.75,
        "verifier": "alnum",
        "verifier_version": "1",
        "parameters": {"max_words": 8},
        "model": {"engine": "ocr", "model": "PP-OCR", "revision": "3", "pixels": None},
        "sampling": DRAWN | {"samples": 1, "accept": "first"},
        "instruction": "Answer in short.",
        "system": "",
        "cleaning": Cleaning("v1", "1a2b", RULES, {"words": "8"}, 0.05, (Slice("s", 0.5, False),)),
        "judge": None,
        "calibration": {},
        "splits": (part("RS_think", 0), part("RS_nothink"), part("rejected", 1), part("longform", 0)),
    }  # fmt: skip
    return FamilyFigures(**values | more)


def head(card):
    return yaml.safe_load(card.split("---\n")[1])


def kinds(card):
    """Block and inline token types of a card's text."""
    tokens = RENDER.parse(card.split("---\n", 2)[2])
    return [t.type for t in tokens] + [c.type for t in tokens for c in t.children or ()]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# out\n```",
        "| a | b |",
        "<script>x</script> [l](http://a.b) ![p](x.png) $x$ *e* **b** ~~s~~",
        "---\na: b\n---",
        "\u202e\x00\ud800",
        "{{ f.read }} {% raw %} {# no #}",
        "\\",
        "\n\n\n- x\n\n1. y",
        "a" * 100_000,
    ],
)
@pytest.mark.parametrize("split", naming.SPLITS)
def test_no_foreign_text_changes_the_shape_of_a_card(text, split):
    def figures(text):
        shown = part(split, examples=[Example(row(text, split=split), "x.png")])
        return family(
            verifier=f"own:{text}",
            verifier_version=text,
            parameters={text: {text: [text]}},
            instruction=text,
            system=text,
            model={"engine": text, "model": text, "revision": text, "pixels": 9},
            sampling=DRAWN | {"stop": (text,), "samples": 2, "accept": text},
            cleaning=Cleaning(text, text, (text,), {"words": "8"}, 0.05, (Slice(text, 0.5, False),)),
            reasons={text: 1},
            judge=JUDGE | {"model": text, "revision": text},
            calibration=CALIBRATION,
            splits=(shown,),
        )

    for card in (family_card, lambda f: split_card(f, f.splits[0])):
        written, plain = card(figures(text)), card(figures("y"))
        assert kinds(written) == kinds(plain)
        assert head(written) == head(plain)
        assert len(written.encode()) < 60_000


def test_configurations_are_the_filled_splits_and_nothink_comes_first():
    found = head(family_card(family()))
    assert [config["config_name"] for config in found["configs"]] == ["F.1_RS_nothink", "F.1_rejected"]
    assert [config.get("default") for config in found["configs"]] == [True, None]
    assert found["configs"][0]["data_files"] == [{"split": "train", "path": "F.1_RS_nothink/*.parquet"}]
    assert [info["splits"][0]["num_examples"] for info in found["dataset_info"]] == [2, 1]
    assert (found["pretty_name"], found["size_categories"]) == ("F.1", ["n<1K"])


def test_the_first_filled_split_is_the_default_where_nothink_is_empty():
    figures = family(splits=(part("RS_think", 0), part("RS_nothink", 0), part("rejected"), part("longform", 1)))
    assert [c.get("default") for c in head(family_card(figures))["configs"]] == [True, None]
    assert "`F.1_RS_nothink` is empty (no answer was verified)" in family_card(figures)


def test_a_family_without_rows_has_a_card_without_configurations():
    splits = tuple(part(split, 0) for split in naming.SPLITS)
    nothing = family(splits=splits, counts=NOTHING, accept_rate=None, reasons={})
    assert "configs" not in head(family_card(nothing))
    assert "No question of this family was put to a model." in family_card(nothing)
    assert "This split is empty" in split_card(nothing, splits[0])
    assert "configs" not in head(split_card(nothing, splits[0]))


@pytest.mark.parametrize("name", ["null", "1e5", "yes", "0x1F", "2024-01-01", "A-__b__", "a.b_c-d"])
def test_family_names_that_yaml_or_markdown_would_take_for_something_else(name):
    figures = family(family=name, splits=(replace(part("RS_nothink"), name=f"{name}_RS_nothink"),))
    assert head(family_card(figures))["pretty_name"] == name
    assert {"strong_open", "em_open"}.isdisjoint(kinds(family_card(figures).split("## Splits")[0].split("\n\nPict")[0]))


@pytest.mark.parametrize(
    "line",
    [
        "| [`F.1_RS_nothink`](F.1_RS_nothink/README.md) | the same verified answers,",
        "as the text after the thought | 2 | 3 | 1 | 1.2\xa0MB |",
        "| dropped | 4 | a cleaning rule took it out | 3 `purity.off_task` the question does not belong to the family"
        "<br>1 `own_rule.why` |",
        "| failed | 0 | the model gave no answer |  |",
        "| **read** | **10** | the sum | |",
        "an accept rate of **75.0 %**",
        "Verifier `alnum`, version `1`, with `max_words` = `8`.",
        "| `s` | 50.0 % | only its genuine items kept |",
        "- `own.rules:Mine`\n",
        "| temperature | 0 (greedy) |",
        "The judge was off",
        "There was no system text.",
    ],
)
def test_figures_stand_in_the_card(line):
    assert line in family_card(family())


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"calibration": CALIBRATION}, "promotions are switched off for this family"),
        ({"calibration": CALIBRATION}, "The gate is closed: below 95 %."),
        (
            {"calibration": CALIBRATION},
            "the reference with one digit changed | 61 | 1 | 2 | 58 | 0 | 0 | 58 of 60, 96.7 % (88.6–99.1 %) |",
        ),
        (
            {"calibration": CALIBRATION},
            "| **controls not promoted** | wrong answers not called CORRECT | | | | | | | – |",
        ),
        ({"calibration": {}}, "so its promotions do not count"),
        ({"calibration": {}, "judge": JUDGE | {"gate": 0}}, "its promotions count unchecked"),
        ({"reasons": {"accepted.judge": 2}}, "`judge: CORRECT`: 2 of 3 accepted"),
    ],
)
def test_the_judge_and_its_calibration(more, line):
    assert line in family_card(family(**{"judge": JUDGE} | more))


def test_reasons_of_all_ends_stand_beside_them():
    reasons = {"longform.alnum": 1, "rejected.screened: number": 2, "choices.ambiguous": 3, "accepted.judge": 4}
    card = family_card(family(reasons=reasons))
    assert "4 `accepted.judge` promoted by the judge |" in card
    assert "| rejected | 1 | no answer was verified | 2 `rejected.screened: number` a screen stopped it" in card


def test_examples_show_pairs_and_count_the_others():
    split = part("RS_nothink", examples=[Example(row(pairs=5), "a.png")])
    card = split_card(family(), split)
    assert card.count("Question:") == 3
    assert "This picture has 2 more pairs." in card
    assert "![picture 0123456789abcdef](examples/a.png)" in card
    assert "](F.1_RS_nothink/examples/a.png)" in family_card(family(splits=(split,)))


def test_rejected_examples_show_ground_truth_and_verdict():
    split = part("rejected", examples=[Example(row(split="rejected"), "a.png")])
    assert "Ground truth: `STOP` · Verified by: `STOP` · Verdict: `STOP`" in split_card(family(), split)


def test_a_card_holds_every_name_of_every_table():
    card = family_card(family())
    assert all(
        f"| `{name}` |" in card for kind in (parquet.CLEAN_META, parquet.RECORD) for name in [f.name for f in kind]
    )
    assert set(phrases.MATCHES) == set(VERIFIERS)
    assert set(phrases.CONTROLS) == set(KINDS)
    assert set(phrases.ENDS) == set(naming.ENDS)
    assert all(set(t) == set(naming.SPLITS) for t in (phrases.SPLITS, phrases.EMPTY, phrases.ANSWERS))


@pytest.mark.parametrize(("rows", "name"), [(999, "n<1K"), (10**6, "1M<n<10M"), (10**12, "n>1T")])
def test_size_categories(rows, name):
    assert size_category(rows) == name


def encoded(kind, size=(40, 30), noise=False, **options):
    image = Image.effect_noise(size, 100).convert("RGB") if noise else Image.new("RGB", size, "navy")
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("kind", "media_type", "extension"),
    [
        ("PNG", "image/png", "png"),
        ("JPEG", "image/jpeg", "jpg"),
        ("WEBP", "image/webp", "webp"),
        ("GIF", "image/gif", "gif"),
    ],
)
def test_small_pictures_stay_as_they_are(kind, media_type, extension):
    data = encoded(kind)
    assert thumbnail(data, media_type) == (data, extension)


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (encoded("TIFF"), "image/tiff"),
        (encoded("BMP"), "image/bmp"),
        (encoded("PNG", (1600, 1200), noise=True), "image/png"),
        (encoded("PNG", (1, 30_000), noise=True) + b"\0" * 300_000, "image/png"),
    ],
)
def test_other_pictures_become_small_jpegs(data, media_type):
    made, extension = thumbnail(data, media_type)
    assert extension == "jpg" and len(made) <= 200_000
    assert max(Image.open(io.BytesIO(made)).size) <= 1024
    assert thumbnail(data, media_type) == (made, "jpg")
