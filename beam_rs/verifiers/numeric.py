"""Numbers of a declared type and precision: the protocols of MathVista and MathVision."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, Literal

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers import _mathvision
from beam_rs.verifiers._choices import CONFLICT, options_of
from beam_rs.verifiers._commitments import commitment
from beam_rs.verifiers._conclusions import clean
from beam_rs.verifiers._said_numbers import number_said, plain_number
from beam_rs.verifiers._stages import extract
from beam_rs.verifiers._units import same_unit, unit_asked
from beam_rs.verifiers.base import Verifier


@dataclass(frozen=True, kw_only=True)
class Numeric(Verifier):
    """A number equal to the reference at its declared type and precision.

    `mathvista`: the extracted number as Python's `float` reads it; an integer is what is left in front of the point,
    a float is rounded to `precision` places; then equality. `mathvision`: the official chain from response to answer,
    equality at two decimals, letters of options. Sources: lupantech/MathVista `evaluation/calculate_score.py`,
    mathllm/MATH-V `evaluation/evaluate.py` and `utils.py`; both read with a grammar here where they use `eval`.

    Not admitted though it matches: 3.7 for the integer 3 (MathVista cuts), 0.004 for 0.001 (MathVision rounds).

    Args:
      answer_type: what the pool declares; `auto` takes what the reference looks like.
      precision: decimals of a float; None takes those of the reference.
      protocol: whose rule.
    """

    name: ClassVar[str] = "numeric"
    answer_type: Literal["auto", "integer", "float", "list", "text"] = "auto"
    precision: int | None = None
    protocol: Literal["mathvista", "mathvision"] = "mathvista"

    def unjudgeable(self, case: Case) -> str | None:
        if not case.references or not all(reference.strip() for reference in case.references):
            return "no reference"
        if self.protocol == "mathvision" or case.options:
            return None
        for reference in case.references:
            if self._type(reference) in ("integer", "float") and plain_number(reference.replace(",", "")) is None:
                return f"the reference is no {self._type(reference)}"
        return None

    def compare(self, case: Case, answer: str) -> Verdict:
        if self.protocol == "mathvision":
            return self._mathvision(case, answer)
        if case.options:
            return self._option(case, answer)
        verdicts = [self._against(reference, case, answer) for reference in case.references]
        return next((verdict for verdict in verdicts if verdict.outcome == "match"), verdicts[0])

    def _type(self, reference: str) -> str:
        if self.answer_type != "auto":
            return self.answer_type
        if reference.strip().startswith("["):
            return "list"
        number = plain_number(reference.replace(",", ""))
        if number is None:
            return "text"
        return "float" if re.search(r"[.eE]", reference) else "integer"

    def _against(self, reference: str, case: Case, answer: str) -> Verdict:
        """MathVista's comparison with one reference."""
        kind = self._type(reference)
        if answer.strip() == reference.strip():
            return self.verdict("match", extracted=answer.strip(), form="whole")
        if kind in ("list", "text"):
            return self._same_text(reference, answer, listed=kind == "list")
        said = number_said(answer)
        if said.number is None:
            return self.verdict(
                "no_match", extracted=said.text or None, form=said.form, reason="no number committed to"
            )
        if not same_unit(said.unit, unit_asked(case.question)):
            return self.verdict("no_match", extracted=said.text, form=said.form, reason="other unit than asked for")
        wanted = plain_number(reference.replace(",", "")) or Decimal(0)
        matched, whole = self._equal(kind, said.number, wanted, reference)
        reason = "" if matched and whole else "cut to an integer" if matched else "differs"
        return self.verdict(
            "match" if matched else "no_match",
            admitted=matched and whole,
            extracted=said.text,
            form=said.form,
            reason=reason,
        )

    def _equal(self, kind: str, said: Decimal, wanted: Decimal, reference: str) -> tuple[bool, bool]:
        """Whether the numbers are equal by the official rule, and whether nothing was cut off for it."""
        if kind == "integer":
            return int(said) == wanted, said == int(said)
        places = self.precision
        if places is None:
            places = len(reference.strip().partition(".")[2])
        # binary rounding is part of the official rule: 2.675 becomes 2.67
        return Decimal(str(round(float(said), max(0, min(places, 30))))) == wanted, True

    def _same_text(self, reference: str, answer: str, *, listed: bool) -> Verdict:
        """Lists and words: equal as texts, blanks aside in lists."""
        found = commitment(answer)
        text, wanted = clean(answer), clean(reference)
        said, form = (text, "whole") if text == wanted or not found.text else (found.text, found.form)
        if listed:
            said, wanted = (re.sub(r"\s+|\\[()\[\]]|\$", "", part) for part in (said, wanted))
        matched = said == wanted
        return self.verdict(
            "match" if matched else "no_match", extracted=said[:500], form=form, reason="" if matched else "differs"
        )

    def _option(self, case: Case, answer: str) -> Verdict:
        """A question with options: the committed letter or text must be the reference's option.

        MathVista falls back to the nearest option by edit distance; an answer that names none is not guessed here.
        """
        options = options_of(case.options)
        letter, form = extract(answer, options, case.question)
        said = _at(case.options, letter) if letter != CONFLICT else None
        if not letter:
            found = commitment(answer)
            said, form = _by_value(found.text, case.options), found.form
        if said is None:
            return self.verdict("no_match", form=form, reason="names no option")
        wanted = [_named(reference, case.options) or reference for reference in case.references]
        matched = said in wanted
        return self.verdict(
            "match" if matched else "no_match", extracted=said, form=form, reason="" if matched else "other option"
        )

    def _mathvision(self, case: Case, answer: str) -> Verdict:
        found = _mathvision.extract(answer)
        wanted = [_mathvision.stripped(reference) for reference in case.references]
        for reference in case.references:
            index = ord(reference) - ord("A") if len(reference) == 1 else -1
            if 0 <= index < len(case.options):
                wanted.append(_mathvision.stripped(case.options[index]))
        equal = [text for text in wanted if _mathvision.same(found.text, text)]
        admitted = any(_mathvision.close(found.text, text) for text in equal)
        return self.verdict(
            "match" if equal else "no_match",
            admitted=admitted,
            extracted=found.text[:500],
            form=found.form,
            reason="" if admitted else "equal only when rounded" if equal else "differs",
        )


def _at(options: tuple[str, ...], letter: str) -> str | None:
    """The option of a letter, or None where there is none."""
    index = ord(letter) - ord("A") if len(letter) == 1 else -1
    return options[index] if 0 <= index < len(options) else None


def _named(text: str, options: tuple[str, ...]) -> str | None:
    """The option that a reference means: by its text, or else by its letter."""
    same = [option for option in options if clean(option).casefold() == clean(text).casefold()]
    return same[0] if same else _at(options, text.strip().strip("().").upper())


def _by_value(text: str, options: tuple[str, ...]) -> str | None:
    """The one option whose number an answer commits to; never the nearest."""
    number = number_said(text).number if text else None
    equal = [option for option in options if number is not None and number_said(option).number == number]
    return equal[0] if len(equal) == 1 else None
