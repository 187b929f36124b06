r"""`mcq`: multiple choice by letter.

Protocol: the letter that the answer commits to equals the reference's letter. The official extractors (MMMU's
`parse_multi_choice_response`, VLMEvalKit's `can_infer`, lmms-eval's `mcq_extract`) disagree on chatty answers, take an
article for the letter A, and MMMU's draws a random letter where it finds none. Here the answer is read in stages, from
the surest to the weakest, and the last commitment of a stage counts:

| form | what |
|---|---|
| `whole` | the answer is a letter, a letter with its text, or an option's text |
| `box`, `tag`, `label`, `declared` | the last `\boxed{B}`, `<answer>`, `Answer: B`, `the answer is B`, `B is correct` |
| `leading` | the answer begins with a letter or an option's text |
| `last line` | so does its last line |
| `only letter`, `only text` | one option alone is named in the last sentence, or in the whole answer |
| `statement` | the options are yes and no, and the first sentence says or denies what the question asks |

Only letters that exist count. Two different letters in one commitment are none, and there is no default.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

from beam_rs.prompts import LETTERS, parse_block
from beam_rs.schema import Case, Verdict
from beam_rs.verifiers._answers import plain
from beam_rs.verifiers._choices import CONFLICT, Options, options_of, read_choice
from beam_rs.verifiers._stages import extract
from beam_rs.verifiers.base import Verifier
from beam_rs.verifiers.yesno import read_yes_no

_WITHOUT_OPTIONS: Final = Options(LETTERS[:10], ())
"""Where a question's options are unknown, the letters that benchmarks use."""

_OPEN_END: Final = re.compile(r"\?|\b(?:but|however|although|though|or|think|seems?)\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Mcq(Verifier):
    """Multiple choice."""

    name: ClassVar[str] = "mcq"

    def unjudgeable(self, case: Case) -> str | None:
        if any(reference_letter(r, _options(case)) for r in case.references):
            return None
        return "the reference is no option" if any(r.strip() for r in case.references) else "empty reference"

    def compare(self, case: Case, answer: str) -> Verdict:
        options = _options(case)
        wanted = {reference_letter(r, options) for r in case.references} - {""}
        letter, form = extract(answer, options, case.question)
        if not letter and len(options.letters) == 2:
            letter, form = _statement(answer, options, case.question) or (letter, form)
        if not letter or letter == CONFLICT:
            reason = "several options or none that exists" if letter else "no option found"
            return self.verdict("no_match", form=form, reason=reason)
        if letter not in wanted:
            return self.verdict("no_match", extracted=letter, form=form, reason="another option")
        return self.verdict("match", extracted=letter, form=form, reason="equal")


@lru_cache(maxsize=4096)
def reference_letter(reference: str, options: Options) -> str:
    """The letter that a reference means: a letter, a letter with its text, or an option's text.

    >>> [reference_letter(r, options_of(("cat", "dog"))) for r in ("b", "(B)", "B. dog", "dog", "horse", "C")]
    ['B', 'B', 'B', 'B', '', '']
    """
    text = plain(reference)
    by_text = options.by_text(text)
    bare = text.strip("()[]{}.: ")
    if len(bare) == 1 and bare.upper() in options.letters:
        return bare.upper()
    if by_text:
        return by_text
    found = read_choice(text, options)
    whole = found.how == "letter" and (
        not options.texts or options.by_text(text[text.upper().find(found.letter) + 1 :].lstrip(").:"))
    )
    return found.letter if whole and found.letter != CONFLICT else ""


def _statement(answer: str, options: Options, question: str) -> tuple[str, str] | None:
    """Yes or no where these are the options and the answer says or denies what was asked, as in `It is half full`."""
    letters = dict(options.texts)
    if set(letters) != {"yes", "no"} or _OPEN_END.search(answer):
        return None
    block = parse_block(question)
    clause = re.split(r"[,;.]\s", answer.strip(), maxsplit=1)[0]
    read = read_yes_no(clause, block.stem if block else question)
    return (letters[read.word], "statement") if read.word and not read.doubt else None


def _options(case: Case) -> Options:
    """The options of the case, or those in its question's lettered block."""
    if case.options:
        return options_of(case.options)
    block = parse_block(case.question)
    return options_of(block.options) if block else _WITHOUT_OPTIONS
