"""The values that travel through the pipeline.

All are frozen dataclasses, changed by `dataclasses.replace`, and plain enough to be pickled by any runner.
An element never holds the bytes of a picture: it holds an `ImageRef`, and the bytes are read where they are used.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Json: TypeAlias = Any
"""What `json.loads` returns."""

Outcome: TypeAlias = Literal["match", "no_match", "unjudgeable"]

End: TypeAlias = Literal[
    "malformed", "undecodable", "dropped", "duplicate", "longform", "failed", "accepted", "rejected"
]
"""The eight ways out. Every item that is read leaves through exactly one of them."""


@dataclass(frozen=True)
class ImageRef:
    """A checked picture, by reference.

    Attributes:
      uri: where the source bytes are: a local path or a URI that Beam's file systems can open.
      sha256: SHA-256 of the source bytes as they stand, lower-case hex.
      media_type: `image/png` and the like, from the bytes, never from the name.
      width: pixels, after the EXIF orientation is applied.
      height: pixels, after the EXIF orientation is applied.
      bytes: length of the source bytes.
      format: Pillow's name of the format: `PNG`, `JPEG`, `WEBP`, `GIF`, `BMP`, `TIFF`.
      pixel_sha256: SHA-256 of the decoded RGB pixels, to report re-encoded copies.
      note: what a reader should know, such as `animated: first frame of 12`; mostly empty.
    """

    uri: str
    sha256: str
    media_type: str
    width: int
    height: int
    bytes: int
    format: str = ""
    pixel_sha256: str = ""
    note: str = ""


@dataclass(frozen=True)
class Source:
    """Where an item says its picture comes from."""

    dataset: str
    image: str


@dataclass(frozen=True)
class Change:
    """What a cleaning rule changed in an item; `before` and `after` are JSON texts."""

    rule: str
    before: str
    after: str


@dataclass(frozen=True)
class Item:
    """One image-question-reference item of the pool.

    Attributes:
      id: the pool's own name for the item; not necessarily unique.
      family: name of a configured family.
      image: the image as the pool writes it: a path under the image root or an allowed URI.
      question: as it came, or as a cleaning rule rendered it; may be empty.
      references: one or more accepted answers, as texts; JSON values are kept as JSON text.
      options: texts of the options of a multiple-choice item, in order of their letters.
      source: the recorded origin, where the pool gives one.
      slice: the part of the pool that the item belongs to.
      meta: the pool line's other keys, as canonical JSON text.
      ref: the checked picture, once resolved.
      verifier: name of a verifier that a rule chose over the family's own, or empty.
      rules: names of the cleaning rules that looked at the item and let it pass, in order.
      changes: what those rules changed.
    """

    id: str
    family: str
    image: str
    question: str
    references: tuple[str, ...]
    options: tuple[str, ...] = ()
    source: Source | None = None
    slice: str = ""
    meta: str = "{}"
    ref: ImageRef | None = None
    verifier: str = ""
    rules: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Sampling:
    """How an answer is drawn. Every field is part of the request key.

    Attributes:
      temperature: 0 is greedy.
      top_p: nucleus mass; 1 is off.
      top_k: number of most likely tokens considered; 0 is off.
      max_tokens: limit on generated tokens, thought included.
      thinking: whether the chat template is asked for a thought.
      stop: texts that end the answer.
      choice: where not empty, the answer is decoded as exactly one of these texts, if the engine can.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    max_tokens: int = 4096
    thinking: bool = True
    stop: tuple[str, ...] = ()
    choice: tuple[str, ...] = ()


@dataclass(frozen=True)
class Message:
    """One turn of a chat. A last turn with the role `assistant` is open: the engine continues it."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True)
class Request:
    """One question to the model.

    Attributes:
      key: SHA-256 of everything that changes the answer; see `beam_rs.keys`.
      group: the same without sample index and seed: the samples of one prompt share it.
      item_id: an item that asked, for messages only; equal requests of several items are asked once.
      image: the picture, or None for text-only requests. It belongs before the text of the last user turn.
      messages: the exact texts; the last user turn is what a row stores as `question`.
      sampling: how to draw.
      sample: index of the sample, from 0.
      seed: 63-bit seed derived from the content.
    """

    key: str
    group: str
    item_id: str
    image: ImageRef | None
    messages: tuple[Message, ...]
    sampling: Sampling
    sample: int = 0
    seed: int = 0

    @property
    def locality(self) -> str:
        """What requests that share a picture (or, without one, a prompt) have in common."""
        return self.image.sha256 if self.image else self.group


@dataclass(frozen=True)
class Completion:
    """What came back for a request. A request that failed is a completion with an error.

    Attributes:
      key: of the request.
      group: of the request.
      text: everything the model wrote, thought included.
      reasoning: the thought without its tags, or None where there was none.
      answer: the text after the thought; the whole text where there was none.
      finish_reason: `stop`, `length`, or `error`.
      truncated: the limit cut the text, or a thought was opened and never closed.
      prompt_tokens: as counted by the engine, 0 where it does not say.
      completion_tokens: as counted by the engine, 0 where it does not say.
      error: empty, or the part of a reason code behind `failed.`: `timeout`, `prompt_too_long`, …
      detail: what went wrong, for a person; never holds a key or a password.
      seconds: from sending to finishing, 0 where the engine does not say.
    """

    key: str
    group: str = ""
    text: str = ""
    reasoning: str | None = None
    answer: str = ""
    finish_reason: str = "stop"
    truncated: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0
    error: str = ""
    detail: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Case:
    """What a verifier compares an answer with.

    Attributes:
      question: the text asked.
      references: one or more, as the item holds them.
      options: texts of the options, for multiple choice.
      width: pixels of the picture, 0 where unknown.
      height: pixels of the picture, 0 where unknown.
    """

    references: tuple[str, ...]
    question: str = ""
    options: tuple[str, ...] = ()
    width: int = 0
    height: int = 0


@dataclass(frozen=True)
class Verdict:
    """What a verifier makes of an answer.

    Attributes:
      outcome: the official rule's word.
      admitted: what routes; may be stricter than the outcome, never looser.
      verifier: name of the protocol.
      version: of its implementation.
      score: the official score where the metric is graded, else 1.0 or 0.0; None where not judgeable.
      extracted: the part of the answer that was compared, or None where none was found.
      form: which form of the answer, or which stage of the extraction, gave it.
      reason: why, in a few words.
    """

    outcome: Outcome
    admitted: bool
    verifier: str
    version: str
    score: float | None = None
    extracted: str | None = None
    form: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Drop:
    """An item that a rule takes out, with the reason.

    Attributes:
      item_id: the item's id, empty where the line has none.
      family: a configured family, or empty.
      end: the way out.
      stage: the transform that decided.
      rule: the rule or check within it.
      reason: reason code such as `purity.off_task`.
      detail: what was found, for a person.
      item: the item, whole, as JSON text.
    """

    item_id: str
    family: str
    end: End
    stage: str
    rule: str
    reason: str
    detail: str = ""
    item: str = field(default="null")


@dataclass(frozen=True)
class Failure(Drop):
    """An item lost to a fault of the input or of the engine rather than to a decision; same fields."""
