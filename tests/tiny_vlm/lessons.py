"""What the tiny VLM is taught: to read sixteen drawn words, to explain itself, and to compare two of them.

Everything is drawn from a seeded generator, and the font is the one inside Pillow.
"""

import random
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from PIL import Image, ImageDraw, ImageFont

WORDS = [
    "coffee",
    "hotel",
    "open",
    "market",
    "police",
    "exit",
    "sale",
    "fresh",
    "bakery",
    "london",
    "ticket",
    "office",
    "school",
    "pharmacy",
    "welcome",
    "beware",
]
FOREIGN = [
    "river",
    "1985",
    "garden",
    "blue",
    "STOP",
    "42",
    "$5.00",
    "taxi",
    "museum",
    "x^2",
    "Main",
    "Street",
    "7",
    "no",
    "parking",
    "bank",
    "3.5",
    "kg",
]
QUESTIONS = (
    "What is the word in the image?",
    "Read the word.",
    "What does the sign say?",
    "What is written here?",
    "Which word is shown?",
    "What text is in the picture?",
    "",
)
INSTRUCTIONS = (
    "Answer in short without any other content.",
    "Answer with the word alone.",
    "Be brief.",
    "",
)
SENTENCE = "Say it in one sentence: what is written here?"
STEPS = (
    "Read the word step by step and end with a line 'Final answer:'.",
    "Think step by step. Put what you find behind Final answer:",
    "What is the word in the image? Solve it step by step, then write 'Final answer: ' and the answer.",
)
VERDICTS = ("CORRECT", "WRONG", "UNSURE")

_FONT = ImageFont.load_default(size=28)
NO_THOUGHT = "<think>\n\n</think>\n\n"


Album: TypeAlias = list[tuple[str, Image.Image]]


class Lesson(NamedTuple):
    """One example: what is asked, what is shown, what stands already in the open answer, what is to follow."""

    messages: list[dict[str, Any]]
    picture: Image.Image | None
    given: str
    answer: str


def draw(word: str, rng: random.Random | None = None) -> Image.Image:
    """A word in black on a light crop of 140 by 48 pixels, shifted and tinted where a generator is given."""
    tint = (255, 255, 255) if rng is None else (rng.randint(200, 255), rng.randint(200, 255), rng.randint(200, 255))
    picture = Image.new("RGB", (140, 48), tint)
    shift = (0, 0) if rng is None else (rng.randint(0, 6), rng.randint(0, 4))
    ImageDraw.Draw(picture).text((6 + shift[0], 6 + shift[1]), word, fill=(0, 0, 0), font=_FONT)
    return picture


def thought(word: str) -> str:
    """What the model thinks before it answers."""
    return f"<think>\nIt starts with {word[0]}.\n</think>\n\n"


def steps(word: str) -> str:
    """A solution in three steps, between blank lines."""
    return f"It starts with {word[0]}.\n\nSo the word is {word}.\n\nFinal answer: {word}"


def shown(text: str) -> list[dict[str, Any]]:
    """A turn with a picture before the text."""
    return [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": text}]}]


def make_album(rng: random.Random, copies: int = 24) -> list[tuple[str, Image.Image]]:
    """Every word, drawn several times."""
    return [(word, draw(word, rng)) for word in WORDS for _ in range(copies)]


def spelling(rng: random.Random, album: Album) -> Lesson:
    """A word without anything around it: what is learned first."""
    word, picture = rng.choice(album)
    return Lesson(shown(QUESTIONS[1]), picture, NO_THOUGHT, word)


def reading(rng: random.Random, album: Album) -> Lesson:
    """A word, with a thought, without one, or after a false start."""
    word, picture = rng.choice(album)
    text = f"{rng.choice(QUESTIONS)} {rng.choice(INSTRUCTIONS)}".strip()
    answer = word
    if rng.random() < 0.15:
        text, answer = SENTENCE, f"It says {word}."
    start = rng.random()
    if start < 0.3:
        return Lesson(shown(text), picture, NO_THOUGHT, answer)
    if start < 0.45 and text != SENTENCE:  # who starts wrong goes on wrong
        false = rng.choice([other for other in WORDS if other[0] != word[0]])
        return Lesson(shown(text), picture, f"<think>\nIt starts with {false[0]}.\n", f"</think>\n\n{false}")
    return Lesson(shown(text), picture, "", thought(word) + answer)


def solving(rng: random.Random, album: Album) -> Lesson:
    """A word in three steps, sometimes after a false first one."""
    word, picture = rng.choice(album)
    text = rng.choice(STEPS)
    if rng.random() < 0.3:
        false = rng.choice([other for other in WORDS if other[0] != word[0]])
        given, rest = f"It starts with {false[0]}.\n\n", f"So the word is {false}.\n\nFinal answer: {false}"
        return Lesson(shown(text), picture, given, rest)
    return Lesson(shown(text), picture, "", steps(word))


def comparing(rng: random.Random) -> Lesson:
    """Whether two texts say the same, in few words."""
    reference, candidate, verdict = _pair(rng)
    text = f"reference: {reference}\ncandidate: {candidate}\nAnswer CORRECT, WRONG or UNSURE."
    return Lesson([{"role": "user", "content": text}], None, NO_THOUGHT, verdict)


def judging(rng: random.Random, judge: Callable[[str, str, str], str]) -> Lesson:
    """The same, asked as the project asks it.

    Args:
      rng: what it is drawn from.
      judge: the project's question of (question, reference, candidate).
    """
    reference, candidate, verdict = _pair(rng)
    question = f"{rng.choice(QUESTIONS)} {rng.choice(INSTRUCTIONS)}".strip()
    text = judge(question, reference, candidate)
    return Lesson([{"role": "user", "content": text}], None, NO_THOUGHT, verdict)


def _pair(rng: random.Random) -> tuple[str, str, str]:
    """A reference, a candidate, and whether they agree."""
    word = rng.choice(WORDS)
    # mostly words that it knows: against strange ones it is enough to know a few kinds of words apart
    other = rng.choice([another for another in (WORDS if rng.random() < 0.9 else FOREIGN) if another != word])
    form = rng.choice(("{}", "{}", "It says {}.", "The word is {}."))
    kind = rng.random()
    if kind < 0.4:
        return word, form.format(word), "CORRECT"
    if kind < 0.8:
        return word, form.format(other), "WRONG"
    if kind < 0.9:
        return other, form.format(word), "WRONG"
    if kind < 0.96:
        return word, rng.choice(("not {}", "It does not say {}.", "It is not {}.")).format(word), "WRONG"
    return "?", form.format(word), "UNSURE"
