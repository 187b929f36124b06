"""The mess of the sample pool, a line each: what differs from a good line, and how it is to end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

INSTRUCTION: Final = "Answer in short without any other content."


@dataclass(frozen=True)
class Oddity:
    """A line that differs from a good one.

    Attributes:
      word: index of the word whose picture and line it starts from.
      line: keys that differ; None takes a key out.
      end: the way out, empty where the item is asked.
      reason: the reason code of that end.
      genuine: whether the question is one of the family.
      dataset: the recorded origin, where it is another.
      copy_to: name of a picture file of its own, with the same bytes.
    """

    word: int
    line: Mapping[str, Any] = field(default_factory=dict)
    end: str = ""
    reason: str = ""
    genuine: bool = True
    dataset: str = ""
    copy_to: str = ""


def _choice(word: int, question: str, answer: str, refused: str = "") -> Oddity:
    end, reason = ("dropped", f"choices.{refused}") if refused else ("", "")
    return Oddity(word, {"question": question, "answer": answer}, end, reason)


def _foreign(word: int, question: str, answer: str, part: str) -> Oddity:
    line = {"question": question, "answer": answer, "slice": part}
    return Oddity(
        word, line, "dropped", "purity.off_task", genuine=False, dataset=part, copy_to=f"{part}/{word:05d}.img"
    )


def _unreadable(word: int, image: str, reason: str) -> Oddity:
    return Oddity(word, {"image": image}, "undecodable", f"undecodable.{reason}")


REPEATED: Final = (
    *(Oddity(word, {}, "duplicate", "duplicate.equal") for word in (0, 4, 20, 31, 33)),
    Oddity(21, {}, "duplicate", "duplicate.equal", copy_to="copies/a.img"),
    Oddity(22, {}, "duplicate", "duplicate.equal", copy_to="copies/b.img"),
    Oddity(23, {"question": "Which word is this?"}, copy_to="copies/c.img"),
)

CHOICES: Final = (
    _choice(0, "Which word is in the image? Options: A. tea B. coffee C. juice", "B"),
    _choice(1, "Which word is in the image? (A) hotel (B) hostel (C) motel", "hotel"),
    _choice(2, "Which word do you read?\nA) shut\nB) closed\nC) open", "C) open"),
    _choice(3, "Which word is shown?\nChoices:\nA. market\nB. basket\nC. blanket\nAnswer with the letter.", "A"),
    _choice(4, "What does the text say? Options: A. police B. polite C. palace D. pirate", "A. police"),
    _choice(5, "What does the sign say? Options: A. exit B. edit", "exit"),
    _choice(6, "Which word is in the image? Options: A. salt B. sail C. safe", "sale", "reference_absent"),
    _choice(7, "Which word is in the image? Options: A. fresh B. flesh C. fresh", "fresh", "ambiguous"),
)

LONGFORM: Final = tuple(
    Oddity(word, {"question": question, "answer": answer}, "longform")
    for word, question, answer in (
        (24, "Read the formula beside the word.", r"\frac{a}{b} + \sqrt{2}"),
        (25, "Read the formula beside the word.", "x^{2} + y_{1}"),
        (26, "What does the text say?", "The shop is closed on Mondays and opens again on Tuesday at nine."),
        (27, "Read the text.", "!?"),
    )
)

FOREIGN: Final = (
    _foreign(28, "How many people are standing behind the counter?", "3", "WebQA"),
    _foreign(29, "Is the door open?", "no", "WebQA"),
    _foreign(30, "What colour is the wall?", "white", "WebQA"),
    _foreign(31, "Describe the scene in detail.", "A shop front with a painted board.", "WebQA"),
    _foreign(32, "Which animal is nearest to the window?", "cat", "WebQA"),
    _foreign(34, "What time does the clock show?", "ten past ten", "WebQA"),
    _foreign(35, "What colour is the background?", "blue", "MixedSigns"),
    _foreign(36, "Is it day or night?", "day", "MixedSigns"),
)

MIXED: Final = tuple(
    Oddity(
        word, {"slice": "MixedSigns", "question": question}, dataset="MixedSigns", copy_to=f"MixedSigns/{word:05d}.img"
    )
    for word, question in ((37, "What word is on this sign?"), (38, "What is the text here?"), (39, ""))
)

WRONG: Final = (
    Oddity(40, {"answer": "something else", "question": "Which word is on the sign?"}),
    Oddity(41, {"answer": "wrong", "question": "Which word is on the sign?"}),
    Oddity(42, {"answer": "blue", "question": "What colour are the letters?"}, genuine=False),
)

UNSOURCED: Final = (
    *(
        Oddity(w, {"source": {"dataset": "SampleWords", "image": "words/00000.png"}}, "dropped", "provenance.mismatch")
        for w in (43, 44, 45)
    ),
    Oddity(46, {"source": {"dataset": "SampleWords", "image": "no/such.png"}}, "dropped", "provenance.unknown"),
    Oddity(47, {"source": {"dataset": "Elsewhere", "image": "words/00047.png"}}, "dropped", "provenance.unknown"),
    Oddity(48, {"source": None}, "dropped", "provenance.unknown"),
)

UNREADABLE: Final = (
    _unreadable(50, "broken/empty.png", "empty"),
    _unreadable(50, "broken/page.png", "not_an_image"),
    _unreadable(50, "broken/cut.png", "broken"),
    _unreadable(50, "broken/old.png", "format"),
    _unreadable(50, "broken/huge.png", "too_many_pixels"),
    _unreadable(50, "words/absent.png", "missing"),
    _unreadable(50, "broken", "missing"),
    _unreadable(50, "../config.yaml", "refused"),
    _unreadable(50, "https://example.org/word.png", "refused"),
)

SEVERAL: Final = (
    Oddity(51, {"answer": None, "answers": ["nothing of the kind", "watches"], "question": "What word is it?"}),
    Oddity(52, {"id": "own-name", "note": "an unknown key is kept", "question": "Which word is it?"}),
)

MESS: Final = (
    *REPEATED,
    *CHOICES,
    *LONGFORM,
    *FOREIGN,
    *MIXED,
    *WRONG,
    *UNSOURCED,
    *UNREADABLE,
    *SEVERAL,
)

MALFORMED: Final = (
    (b'{"id": "torn", "family": "SampleText", "image": "words/00000.png", "quest', "malformed.bad_json"),
    (b"id,image,question,answer", "malformed.bad_json"),
    (b'["SampleText", "words/00000.png"]', "malformed.not_an_object"),
    (
        b'{"id": "bare", "family": "SampleText", "image": "words/00000.png", "question": "Read the word."}',
        "malformed.missing_field",
    ),
    (
        b'{"id": "typed", "family": "SampleText", "image": 7, "question": "Read the word.", "answer": "coffee"}',
        "malformed.bad_type",
    ),
    (
        b'{"id": "stray", "family": "Nobody", "image": "words/00000.png", "question": "Read it.", "answer": "coffee"}',
        "malformed.unknown_family",
    ),
    (
        b'{"id": "bytes", "family": "SampleText", "image": "words/00000.png", "question": "\xff\xfe", "answer": "x"}',
        "malformed.bad_encoding",
    ),
)
