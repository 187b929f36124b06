"""The text that is asked, and the lettered block of a multiple-choice question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from beam_rs.schema import Message

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_LINE: Final = re.compile(r"([A-Z])\. (.*)")


@dataclass(frozen=True)
class Block:
    """A question that ends in a lettered block.

    Attributes:
      stem: the question before the block.
      options: texts of the options, in order of their letters.
      after: an instruction behind the block, on lines of its own; empty where there is none.
    """

    stem: str
    options: tuple[str, ...]
    after: str = ""

    def render(self) -> str:
        r"""The canonical form: the stem, `A. text` a line, then the instruction.

        >>> Block("Which one?", ("cat", "dog")).render()
        'Which one?\nA. cat\nB. dog'
        """
        lines = [f"{letter}. {text}" for letter, text in zip(LETTERS, self.options, strict=False)]
        return "\n".join([*([self.stem] if self.stem else []), *lines, *([self.after] if self.after else [])])


def parse_block(question: str) -> Block | None:
    r"""The lettered block of a question in canonical form, or None.

    >>> parse_block("Which one?\nA. cat\nB. dog").options
    ('cat', 'dog')
    >>> parse_block("A. Smith lives here.") is None
    True
    """
    lines = question.split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith("A. ")]
    if not starts:
        return None
    start, options = starts[-1], []
    for letter, line in zip(LETTERS, lines[start:], strict=False):
        found = _LINE.fullmatch(line)
        if not found or found[1] != letter:
            break
        options.append(found[2])
    if len(options) < 2:
        return None
    after = lines[start + len(options) :]
    return Block("\n".join(lines[:start]), tuple(options), "\n".join(after))


def asked(question: str, instruction: str) -> str:
    r"""The exact text of the user turn: question, separator, instruction.

    There is no separator where one of them is empty, a line break after a lettered block, else one blank.

    >>> asked("What is written here?", "Answer in short.")
    'What is written here? Answer in short.'
    >>> asked("Which one?\nA. cat\nB. dog", "Answer with the letter.")
    'Which one?\nA. cat\nB. dog\nAnswer with the letter.'
    """
    if not question or not instruction:
        return question or instruction
    return f"{question}{chr(10) if parse_block(question) else ' '}{instruction}"


def messages(text: str, system: str = "") -> tuple[Message, ...]:
    """The chat turns of one question."""
    turns = [Message("system", system)] if system else []
    return (*turns, Message("user", text))


def last_user_text(turns: Sequence[Message]) -> str:
    """Text of the last user turn: what a row stores as `question`.

    >>> last_user_text(messages("What is written here?", "Be brief."))
    'What is written here?'
    """
    return next(turn.text for turn in reversed(turns) if turn.role == "user")
