"""`alnum`: scene-text recognition, word accuracy over 36 symbols.

Protocol: both sides lower-cased, everything but `0-9a-z` dropped, then equal. Source: the evaluation of
clovaai/deep-text-recognition-benchmark (`test.py`) and baudm/parseq (charset of 36), the rule behind published word
accuracies on IIIT5K, SVT, IC13 and their like. Three readings of an answer are tried: the whole, its first line, its
first paragraph; there is no search for the word inside a sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers._answers import readings
from beam_rs.verifiers._numbers import different_numbers
from beam_rs.verifiers.base import Verifier

_OTHER: Final = re.compile(r"[^0-9a-z]+")
_BARE: Final = re.compile(r"[0-9A-Za-z\s]*")
_COMMAND: Final = re.compile(r"\\[A-Za-z]+")
_SCRIPT: Final = re.compile(r"[\^_]\s*\{")


def fold_alnum(text: str) -> str:
    """The 36 symbols of a text.

    >>> fold_alnum("It's 24/7!")
    'its247'
    """
    return _OTHER.sub("", text.lower())


@dataclass(frozen=True, kw_only=True)
class Alnum(Verifier):
    """Word accuracy of scene-text recognition.

    Attributes:
      max_words: a reference of more words is prose, and not judgeable.
      final: also read a box, an answer tag or a `Final answer:` label; the official rule does not.
    """

    name: ClassVar[str] = "alnum"
    max_words: int = 8
    final: bool = False

    def unjudgeable(self, case: Case) -> str | None:
        faults = [self._fault(reference) for reference in case.references]
        return None if None in faults else (faults[0] if faults else "no reference")

    def compare(self, case: Case, answer: str) -> Verdict:
        references = [(r, fold_alnum(r)) for r in case.references if self._fault(r) is None]
        for text, form in self._readings(answer):
            folded = fold_alnum(text)
            for reference, wanted in references:
                if folded == wanted:
                    # The protocol drops signs and decimal points; a person does not. A reference of letters and
                    # digits alone is another matter: IIIT5K labels a sign that reads $10.25 as 1025.
                    changed = not _BARE.fullmatch(reference) and different_numbers(reference, text)
                    reason = "equal symbols, another number" if changed else "equal"
                    return self.verdict("match", admitted=not changed, extracted=text, form=form, reason=reason)
        return self.verdict("no_match", extracted=answer.strip()[:200] or None, form="whole", reason="differs")

    def _fault(self, reference: str) -> str | None:
        """Why a reference cannot be judged over 36 symbols."""
        if _COMMAND.search(reference) or _SCRIPT.search(reference):
            return "formula"
        if not fold_alnum(reference):
            return "nothing left of the reference"
        return f"more than {self.max_words} words" if len(reference.split()) > self.max_words else None

    def _readings(self, answer: str) -> Iterator[tuple[str, str]]:
        """The readings of an answer, with their form."""
        whole = answer.strip()
        yield whole, "whole"
        yield whole.partition("\n")[0].strip(), "first line"
        yield re.split(r"\n[^\S\n]*\n", whole, maxsplit=1)[0].strip(), "first paragraph"
        if self.final:
            yield from list(readings(answer, final=True))[1:]
