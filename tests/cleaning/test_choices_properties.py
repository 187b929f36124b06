from hypothesis import given, settings
from hypothesis import strategies as st

from beam_rs.cleaning.base import Refusal
from beam_rs.cleaning.choices import normalise
from beam_rs.prompts import LETTERS, Block

PIECES = (
    *[
        "A.",
        "B.",
        "C.",
        "(A)",
        "(B)",
        "a)",
        "b)",
        "1.",
        "2.",
        "A:",
        "B:",
        "I.",
        "II.",
        "A．",
        "B．",
        "Options:",
        "选项：",
    ],
    *[
        "、",
        ";",
        ",",
        "/",
        " or ",
        "\n",
        "\r\n",
        " ",
        "\u3000",
        "cat",
        "dog",
        "Which is it?",
        "D.C.",
        "3.5",
        "**",
        "- ",
    ],
    *[
        "Answer with the letter.",
        "Please answer with one word.",
        "请直接回答选项字母。",
        "['cat', 'dog']",
        '"',
        "(",
        "Hint:",
    ],
)
QUESTIONS = st.lists(st.sampled_from(PIECES), max_size=20).map(" ".join) | st.text(max_size=80)
REFERENCES = st.sampled_from(["A", "B", "cat", "dog", "1", "(A)", "A. cat", "x", ""]) | st.text(max_size=8)
WORDS = st.from_regex(r"[a-z]{3,9}( [a-z]{3,9})?", fullmatch=True).filter(lambda word: " or" not in word)


@settings(max_examples=300)
@given(QUESTIONS, REFERENCES, st.sampled_from([(), ("cat", "dog"), ("A. cat", "B. dog"), ("A", "B")]))
def test_what_was_normalised_stays_as_it_is(question, reference, own):
    found = normalise(question, (reference,), own)
    if found is None or isinstance(found, Refusal):
        return
    for options in ((), own, found.options):
        again = normalise(found.question, (found.reference,), options)
        assert (again.question, again.reference, again.options) == (found.question, found.reference, found.options)
        assert not again.changed


@given(st.lists(WORDS, min_size=2, max_size=8, unique=True), st.data())
def test_styles_agree(options, data):
    place = data.draw(st.integers(0, len(options) - 1))
    labelled = list(zip(LETTERS, options, strict=False))
    texts = [
        "Which? " + " ".join(f"({letter}) {text}" for letter, text in labelled),
        "Which? " + "; ".join(f"{letter}: {text}" for letter, text in labelled),
        "Which?\n" + "\n".join(f"{letter}) {text}" for letter, text in labelled),
        "Which? Options: " + ", ".join(options),
    ]
    expected = Block("Which?", tuple(options)).render()
    for text in texts:
        found = normalise(text, (options[place],))
        assert (found.question, found.reference) == (expected, LETTERS[place])


@given(
    st.text(alphabet=st.characters(exclude_characters="AaBbIi12:：Ａａ", exclude_categories=["Cs"]), max_size=200),
    REFERENCES,
)
def test_text_without_labels_or_lead_ins_is_never_touched(question, reference):
    assert normalise(question, (reference,)) is None
