import pytest
from hypothesis import given
from hypothesis import strategies as st

from beam_rs.prompts import Block, asked, last_user_text, messages, parse_block
from beam_rs.schema import Message

BLOCK = "Which one?\nA. cat\nB. dog"


@pytest.mark.parametrize(
    ("question", "instruction", "expected"),
    [
        ("What?", "Be brief.", "What? Be brief."),
        ("What?", "", "What?"),
        ("", "Be brief.", "Be brief."),
        ("", "", ""),
        (BLOCK, "Be brief.", BLOCK + "\nBe brief."),
        (BLOCK + "\nPick one.", "Be brief.", BLOCK + "\nPick one.\nBe brief."),
        ("A. cat\nB. dog", "Be brief.", "A. cat\nB. dog\nBe brief."),
        ("What?\n", "Be brief.", "What?\n Be brief."),
        ("A. Smith lives here.", "Be brief.", "A. Smith lives here. Be brief."),
        ("Which?\nA. cat\nC. dog", "Be brief.", "Which?\nA. cat\nC. dog Be brief."),
    ],
)
def test_asked(question: str, instruction: str, expected: str):
    assert asked(question, instruction) == expected


@pytest.mark.parametrize(
    ("question", "block"),
    [
        (BLOCK, Block("Which one?", ("cat", "dog"))),
        (BLOCK + "\nPick one.\nNow.", Block("Which one?", ("cat", "dog"), "Pick one.\nNow.")),
        ("A. cat\nB. dog", Block("", ("cat", "dog"))),
        ("A. x\nB. y\nWhich?\nA. cat\nB. dog", Block("A. x\nB. y\nWhich?", ("cat", "dog"))),
        ("Which?\nA. cat", None),
        ("Which?\n A. cat\nB. dog", None),
        ("Which?\nA.cat\nB.dog", None),
        ("", None),
    ],
)
def test_parse_block(question: str, block: Block | None):
    assert parse_block(question) == block


LINE = st.text(st.characters(blacklist_characters="\n\r", blacklist_categories=["Cs"]), max_size=20)


@given(LINE, st.lists(LINE, min_size=2, max_size=26), st.booleans())
def test_a_rendered_block_reads_back(stem: str, options: list[str], instructed: bool):
    block = Block(stem, tuple(options), "Pick one." if instructed else "")
    read = parse_block(block.render())
    assert read is not None and read.render() == block.render()
    assert stem.startswith("A. ") or read == block


def test_messages():
    assert messages("What?") == (Message("user", "What?"),)
    assert messages("What?", "Be brief.") == (Message("system", "Be brief."), Message("user", "What?"))
    open_turn = (*messages("What?", "Be brief."), Message("assistant", "It is"))
    assert last_user_text(open_turn) == "What?"
