"""The answer normaliser of the VQA challenge (EvalAI), in its two published forms.

Sources: GT-Vision-Lab/VQA (`vqaEval.py`) and facebookresearch/mmf (`m4c_evaluators.py`). Their quirks are part of the
protocol and kept: a period goes unless a digit follows, at most 32 of them; punctuation is deleted where a blank
stands beside it anywhere in the text or a digit-comma-digit does, else it becomes a blank.
"""

import re
from typing import Final

_PUNCTUATION: Final = ';/[]"{}()=+\\_-><@`,?!'
_PERIOD: Final = re.compile(r"\.(?!\d)")
_PERIODS: Final = 32
"""The official call passes `re.UNICODE`, whose value is 32, where `re.sub` takes a count."""
_GROUPED: Final = re.compile(r"\d,\d")

_NUMBERS: Final = {
    word: str(value)
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
} | {"none": "0"}
_ARTICLES: Final = frozenset({"a", "an", "the"})

_CONTRACTED: Final = [
    "ain't",
    "aren't",
    "can't",
    "could've",
    "couldn't",
    "couldn't've",
    "didn't",
    "doesn't",
    "don't",
    "hadn't",
    "hadn't've",
    "hasn't",
    "haven't",
    "he'd",
    "he'd've",
    "he's",
    "how'd",
    "how'll",
    "how's",
    "isn't",
    "it'd",
    "it'd've",
    "it'll",
    "ma'am",
    "mightn't",
    "mightn't've",
    "might've",
    "mustn't",
    "must've",
    "needn't",
    "not've",
    "o'clock",
    "oughtn't",
    "'ow's'at",
    "shan't",
    "she'd've",
    "should've",
    "shouldn't",
    "shouldn't've",
    "somebody'd've",
    "somebody'll",
    "somebody's",
    "someone'd",
    "someone'd've",
    "someone'll",
    "someone's",
    "something'd",
    "something'd've",
    "something'll",
    "that's",
    "there'd",
    "there'd've",
    "there're",
    "there's",
    "they'd",
    "they'd've",
    "they'll",
    "they're",
    "they've",
    "'twas",
    "wasn't",
    "we'd've",
    "we've",
    "weren't",
    "what'll",
    "what're",
    "what's",
    "what've",
    "when's",
    "where'd",
    "where's",
    "where've",
    "who'd",
    "who'd've",
    "who'll",
    "who's",
    "who've",
    "why'll",
    "why're",
    "why's",
    "won't",
    "would've",
    "wouldn't",
    "wouldn't've",
    "y'all",
    "y'all'll",
    "y'all'd've",
    "you'd",
    "you'd've",
    "you'll",
    "you're",
    "you've",
]


def _contractions() -> dict[str, str]:
    """Each contraction by the spellings that lack one of its apostrophes."""
    table = {"somebody'd": "somebodyd"}  # the protocol's own table has this one the wrong way round
    for word in _CONTRACTED:
        for place, sign in enumerate(word):
            if sign == "'":
                table[word[:place] + word[place + 1 :]] = word
    return table


CONTRACTIONS: Final = _contractions()


def flat(text: str) -> str:
    """Line breaks and tabs as blanks, outer white space off."""
    return text.replace("\n", " ").replace("\t", " ").strip()


def normalise(text: str) -> str:
    """Punctuation, number words, articles and contractions, as the VQA challenge folds them.

    >>> normalise("The T-shirt, 1,000 dont")
    "tshirt 1000 don't"
    >>> normalise("Two black/white cats.")
    '2 black white cats'
    """
    return _words(_strip_punctuation(text))


def normalise_text(text: str) -> str:
    """The form of TextVQA: commas and question marks go first, `'s` stands apart.

    >>> normalise_text("McDonald's, NY?")
    "mcdonald 's ny"
    """
    lowered = text.lower().replace(",", "").replace("?", "").replace("'s", " 's")
    return normalise(flat(lowered.strip()))


def _strip_punctuation(text: str) -> str:
    """Punctuation deleted or turned into blanks."""
    grouped = _GROUPED.search(text) is not None
    out = text
    for sign in _PUNCTUATION:
        if sign in text:
            spaced = grouped or f"{sign} " in text or f" {sign}" in text
            out = out.replace(sign, "" if spaced else " ")
    return _PERIOD.sub("", out, count=_PERIODS)


def _words(text: str) -> str:
    """Number words as digits, articles out, apostrophes restored, lower case."""
    words = (_NUMBERS.get(word, word) for word in text.lower().split())
    return " ".join(CONTRACTIONS.get(word, word) for word in words if word not in _ARTICLES)
