"""The contract of a verifier, and the order in which one is applied."""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import ClassVar

from beam_rs.keys import canonical
from beam_rs.schema import Case, Completion, Json, Outcome, Verdict


@dataclass(frozen=True, kw_only=True)
class Verifier(ABC):
    """A protocol that compares an answer with references. Its fields are its parameters.

    A verifier is pure: the same case and answer give the same verdict, on any machine, in any order. It never
    raises on an answer, whatever text that is, and never evaluates it as code.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        """Check what graded protocols have in common.

        Raises:
          ValueError: `accept_at` is no score that tells a match from anything else.
        """
        accept_at = getattr(self, "accept_at", 1.0)
        if not 0 < accept_at <= 1:
            raise ValueError(f"accept_at must be above 0 and at most 1, got {accept_at}")

    @property
    def parameters(self) -> str:
        """The parameters as canonical JSON, stored in every row."""
        return canonical(asdict(self))

    @property
    def spec(self) -> str:
        """How a configuration names this verifier: by its short name, or one's own by `package.module:Name`."""
        own = type(self)
        return self.name if own.__module__.startswith("beam_rs.") else f"{own.__module__}:{own.__qualname__}"

    def references(self, value: Json) -> tuple[str, ...]:
        """References from what a pool line or a case gives: one, or a list of them.

        Texts stay as they are and numbers become text. A protocol whose references are JSON values overrides this
        and returns each as canonical JSON text.

        Raises:
          TypeError: the value is not what this protocol takes as a reference.
        """
        values = value if isinstance(value, list) else [value]
        return tuple(text_reference(v) for v in values)

    @abstractmethod
    def unjudgeable(self, case: Case) -> str | None:
        """Why the references cannot be judged by this protocol, or None where they can."""

    @abstractmethod
    def compare(self, case: Case, answer: str) -> Verdict:
        """The verdict on an answer, given references that are judgeable."""

    def verdict(
        self,
        outcome: Outcome,
        *,
        admitted: bool | None = None,
        score: float | None = None,
        extracted: str | None = None,
        form: str = "",
        reason: str = "",
    ) -> Verdict:
        """A verdict in this verifier's name; admitted where it matches, unless said otherwise."""
        matched = outcome == "match"
        if score is None and outcome != "unjudgeable":
            score = float(matched)
        admitted = matched if admitted is None else admitted
        return Verdict(outcome, admitted, self.name, self.version, score, extracted, form, reason)


def text_reference(value: Json) -> str:
    """A text, or a number as text.

    >>> text_reference(5)
    '5'

    Raises:
      TypeError: neither a text nor a number.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    raise TypeError(f"a reference must be a text or a number, got {type(value).__name__}")


def verify(verifier: Verifier, case: Case, completion: Completion) -> Verdict:
    """The verdict on a completion: judgeable first, then cut short or not, then the comparison."""
    why = verifier.unjudgeable(case)
    if why is not None:
        return verifier.verdict("unjudgeable", reason=why)
    if completion.truncated:
        return verifier.verdict("no_match", reason="truncated")
    return verifier.compare(case, completion.answer)
