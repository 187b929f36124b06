"""The judge: a text-only second look at answers that the verifier did not admit, and how far to trust it.

prompt      what is asked, and what follows from the word that comes back
replies     what a reply is read as
screens     what is never asked: orders, numbers, phrases, number_words
controls    cases with a known outcome, made by edits from the run's own items
gate        what the controls say of a judge, and whether its promotions count
"""

from beam_rs.judge.prompt import (
    CHOICE,
    HEAD,
    PROMPT_VERSION,
    TAIL,
    JudgeSettings,
    Ruling,
    Word,
    agreed,
    combine,
    question,
    request,
    rule,
    sampling,
    settle,
    shorten,
    tag_of,
    unasked,
)

__all__ = [
    "CHOICE",
    "HEAD",
    "PROMPT_VERSION",
    "TAIL",
    "JudgeSettings",
    "Ruling",
    "Word",
    "agreed",
    "combine",
    "question",
    "request",
    "rule",
    "sampling",
    "settle",
    "shorten",
    "tag_of",
    "unasked",
]
