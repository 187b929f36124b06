"""The cards of a data set: what a reader needs to judge it and to load it, as Markdown with a YAML head.

Pure functions of figures: no time, no path of the machine, no worker and no token count can get in.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from beam_rs import images, naming
from beam_rs.parquet import Row

ASIS: Final = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/gif": "gif"}
"""Media types that every browser shows, and their extensions."""

ASIS_BYTES: Final = 200_000
"""Pictures up to this size stand in a card as they are."""

SIDES: Final = (1024, 768, 512, 256)
"""Longest sides that a scaled picture is tried at."""


@dataclass(frozen=True)
class Example:
    """A row of a split, and the file that shows its picture.

    Attributes:
      row: the row.
      picture: name of the picture below the split's folder.
    """

    row: Row
    picture: str


@dataclass(frozen=True)
class SplitFigures:
    """What a split holds.

    Attributes:
      split: `RS_think` and the like.
      name: of its folder and configuration.
      rows: pictures.
      qa: question-answer pairs.
      shards: parquet files.
      bytes: of all shards.
      examples: a few rows.
    """

    split: str
    name: str
    rows: int
    qa: int
    shards: int
    bytes: int
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True)
class Slice:
    """A slice of the pool as task purity found it.

    Attributes:
      name: of the slice.
      share: of foreign items.
      foreign_kept: whether the share was small enough for the slice to be kept whole.
    """

    name: str
    share: float
    foreign_kept: bool


@dataclass(frozen=True)
class Cleaning:
    """What was done to the pool before anything was asked.

    Attributes:
      policy: name of the policy.
      version: of the policy, from everything it decides by.
      rules: names of the rules, in order.
      genuine: conditions of task purity, by name.
      threshold: share of foreign items above which a slice keeps only its genuine ones.
      slices: what purity measured.
    """

    policy: str
    version: str
    rules: tuple[str, ...]
    genuine: Mapping[str, Any]
    threshold: float
    slices: tuple[Slice, ...]


@dataclass(frozen=True)
class FamilyFigures:
    """Everything that the cards of a family say.

    Attributes:
      family: name.
      beam_rs: version that made it.
      counts: items read and the eight ends.
      reasons: reason code to items.
      accept_rate: accepted over accepted and rejected, or None.
      verifier: as a configuration names it.
      verifier_version: of its implementation.
      parameters: of the verifier.
      model: engine, model, revision, pixels.
      sampling: how answers were drawn.
      instruction: appended to each question.
      system: text of the system turn.
      cleaning: what was done before.
      judge: settings and model of the judge, or None where it is off.
      calibration: of the judge in this family, as the manifest holds it.
      splits: all four.
    """

    family: str
    beam_rs: str
    counts: Mapping[str, int]
    reasons: Mapping[str, int]
    accept_rate: float | None
    verifier: str
    verifier_version: str
    parameters: Mapping[str, Any]
    model: Mapping[str, Any]
    sampling: Mapping[str, Any]
    instruction: str
    system: str
    cleaning: Cleaning
    judge: Mapping[str, Any] | None
    calibration: Mapping[str, Any]
    splits: tuple[SplitFigures, ...]

    @property
    def asked(self) -> int:
        """Items that were put to a model."""
        return self.counts["accepted"] + self.counts["rejected"] + self.counts["failed"]

    @property
    def filled(self) -> tuple[SplitFigures, ...]:
        """Splits that hold a row."""
        return tuple(split for split in self.splits if split.rows)

    @property
    def default(self) -> SplitFigures | None:
        """The split that loads without a name: nothink, or the first that holds a row."""
        preferred = [split for split in self.filled if split.split == naming.NOTHINK]
        return next(iter((*preferred, *self.filled)), None)


def thumbnail(data: bytes, media_type: str) -> tuple[bytes, str]:
    """A picture small enough for a card, and its extension: the source bytes where they will do, else a JPEG.

    Args:
      data: source bytes of a checked picture.
      media_type: as its `ImageRef` says.
    """
    if len(data) <= ASIS_BYTES and media_type in ASIS:
        return data, ASIS[media_type]
    picture = images.picture(data)
    made = b""
    for side in SIDES:
        scaled = picture.copy()
        scaled.thumbnail((side, side))
        buffer = io.BytesIO()
        scaled.save(buffer, "JPEG", quality=85)
        made = buffer.getvalue()
        if len(made) <= ASIS_BYTES:
            break
    return made, "jpg"
