"""What is never put to the judge, and why: the screens, in their order."""

from typing import Final

from beam_rs.judge import agreed, shorten
from beam_rs.judge_numbers import lacks_number
from beam_rs.judge_orders import order
from beam_rs.schema import Case, Completion

REASONS: Final = ("truncated", "no_text", "order", "number")
"""Reason codes of the screens; the counters and the card name them."""


def screen(case: Case, completion: Completion) -> str | None:
    """The reason not to ask the judge about a completion, or None.

    `truncated`: the limit cut it. `no_text`: no letter or digit in it. `order`: it speaks to the judge. `number`: the
    reference is a number that it lacks.

    >>> screen(Case(("12",)), Completion("key", answer="thirteen"))
    'number'
    """
    return "truncated" if completion.truncated else screen_text(case, completion.answer)


def screen_text(case: Case, candidate: str) -> str | None:
    """The same for the text of an answer alone."""
    if not any(map(str.isalnum, candidate)):
        return "no_text"
    if order(candidate, case.references, case.question):
        return "order"
    # The judge sees no more than this of a long answer, so the number must stand there.
    return "number" if lacks_number(agreed(case.references), shorten(candidate.strip())) else None
