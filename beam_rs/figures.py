"""What a card says, as values: collected by the run, rendered by `beam_rs.card`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from beam_rs import __version__
from beam_rs.schema import Sampling
from beam_rs.stats import Rate


@dataclass(frozen=True)
class Example:
    """A question-answer pair that a card shows.

    Attributes:
      picture: path of the picture beside the card of the split: `examples/<sha16>.<ext>`.
      question: the text asked.
      answer: the answer that the row stores.
      note: the note that the row stores, empty where it has none.
      references: the ground truth, in the rejected split.
      verdict: why it was not accepted, in the rejected split.
    """

    picture: str
    question: str
    answer: str
    note: str = ""
    references: tuple[str, ...] = ()
    verdict: str = ""


@dataclass(frozen=True)
class SplitFigures:
    """Size of a split, and what its card shows of it.

    Attributes:
      split: one of `naming.SPLITS`.
      rows: images.
      qa: question-answer pairs.
      shards: files.
      bytes: length of all files.
      schema: the Arrow schema of its files.
      examples: the first three are shown.
    """

    split: str
    rows: int
    qa: int
    shards: int
    bytes: int
    schema: pa.Schema
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True)
class Protocol:
    """A verifier as it was used.

    Attributes:
      name: of the protocol.
      version: of its implementation.
      parameters: as JSON text.
      decided: how a match is decided, in a sentence or more of prose; such as the verifier's docstring.
    """

    name: str
    version: str
    parameters: str = "{}"
    decided: str = ""


@dataclass(frozen=True)
class CleaningFigures:
    """What admitted items to the family.

    Attributes:
      policy: name of the policy.
      version: of the policy, such as a hash of its settings; may be empty.
      rules: rules that were applied, in order, each with its settings as JSON text.
      threshold: share of foreign items above which a slice keeps only its genuine ones; None where not measured.
      shares: measured share of foreign items by slice.
    """

    policy: str
    version: str = ""
    rules: tuple[tuple[str, str], ...] = ()
    threshold: float | None = None
    shares: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Controls:
    """What the judge made of calibration samples of one kind.

    Attributes:
      kind: of the samples.
      screened: stopped before the judge.
      correct: called CORRECT.
      wrong: called WRONG.
      unsure: called UNSURE.
      invalid: without a verdict.
    """

    kind: str
    screened: int = 0
    correct: int = 0
    wrong: int = 0
    unsure: int = 0
    invalid: int = 0


@dataclass(frozen=True)
class JudgeFigures:
    """The judge as it was used, and how far it can be trusted.

    Attributes:
      model: name of its model.
      revision: of its model, empty where none is configured.
      prompt: version of its prompt.
      gate: least agreement and specificity.
      open: whether its promotions counted.
      reason: why the gate was open or closed.
      promoted: items accepted on its word.
      agreement: accepted items that it called CORRECT.
      specificity: wrong controls that it did not promote.
      controls: the table behind these rates.
    """

    model: str
    revision: str
    prompt: str
    gate: float
    open: bool
    reason: str
    promoted: int
    agreement: Rate
    specificity: Rate
    controls: tuple[Controls, ...] = ()


@dataclass(frozen=True)
class FamilyFigures:
    """All that the cards of a family say.

    Attributes:
      family: its name.
      splits: the four splits, in the order of `naming.SPLITS`.
      read: items of the family that were read.
      ends: how many of them left by each of `naming.ENDS`.
      reasons: how many of them have each reason code.
      verifiers: the family's own first, then those that a rule chose for some items.
      cleaning: what admitted the items.
      engine: name of the engine.
      model: name of the model.
      revision: of the model, empty where none is configured.
      sampling: how answers were drawn.
      samples: answers drawn an item.
      accept: which of several admitted answers was kept.
      instruction: appended to each question.
      system: the system message, empty where there was none.
      judge: None where it was off.
      license: an identifier that the hub knows; the pool decides it.
      version: of beam_rs.
    """

    family: str
    splits: tuple[SplitFigures, ...]
    read: int
    ends: Mapping[str, int]
    reasons: Mapping[str, int]
    verifiers: tuple[Protocol, ...]
    cleaning: CleaningFigures
    engine: str
    model: str
    revision: str
    sampling: Sampling
    samples: int = 1
    accept: str = "first"
    instruction: str = ""
    system: str = ""
    judge: JudgeFigures | None = None
    license: str = "other"
    version: str = __version__
