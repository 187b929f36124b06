"""The sections of the configuration, as checked models. What each key means stands beside it."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from beam_rs import naming
from beam_rs.images import FORMATS
from beam_rs.registry import nearest
from beam_rs.samples import Accept


def _listed(value: Any) -> Any:
    """A single value where a list is meant."""
    return value if isinstance(value, list) else [value]


def _entry(value: Any) -> Any:
    return {"path": value} if isinstance(value, str) else value


class Section(BaseModel):
    """Base of all sections: an unknown key is an error that names the nearest known one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, value: Any) -> Any:
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in value if isinstance(value, Mapping) else ():
            if key not in known:
                raise PydanticCustomError(
                    "unknown_key",
                    "unknown key '{key}'{hint}; known here: {known}",
                    {"key": str(key), "hint": nearest(str(key), known), "known": ", ".join(known)},
                )
        return value


class PoolEntry(Section):
    """Files of the pool.

    Attributes:
      path: a path, a glob, or a URI.
      family: family of items whose lines name none.
      map: field of an item to the place in the record that holds it, such as `conversations[0].value`.
      format: name of a format, where the file's name does not tell.
    """

    path: str
    family: str | None = None
    map: dict[str, str] = {}
    format: str | None = None


class ImageSettings(Section):
    """Where images lie and what they may cost."""

    root: str = "."
    allow: list[str] = []
    max_pixels: int = Field(100_000_000, gt=0)
    max_bytes: int = Field(50_000_000, gt=0)
    formats: list[str] = list(FORMATS)

    @model_validator(mode="after")
    def _known_formats(self) -> "ImageSettings":
        for name in self.formats:
            if name not in FORMATS:
                raise ValueError(f"unknown image format {name!r}{nearest(name, list(FORMATS))}")
        return self


class GenuineSettings(Section):
    """What makes an item one of its family; all declared conditions must hold."""

    origins: list[str] = []
    questions: list[str] = []
    max_reference_words: int | None = Field(None, gt=0)
    min_reference_words: int | None = Field(None, gt=0)


class SamplingSettings(Section):
    """How answers are drawn; `samples` of them an item."""

    temperature: float = Field(0.0, ge=0, le=2)
    top_p: float = Field(1.0, gt=0, le=1)
    top_k: int = Field(0, ge=0)
    max_tokens: int = Field(4096, gt=0)
    thinking: bool = True
    stop: list[str] = []
    samples: int = Field(1, gt=0)
    accept: Accept = "first"


class PartialSampling(Section):
    """What a family sets over the general sampling."""

    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    top_k: int | None = Field(None, ge=0)
    max_tokens: int | None = Field(None, gt=0)
    thinking: bool | None = None
    stop: list[str] | None = None
    samples: int | None = Field(None, gt=0)
    accept: Accept | None = None


class ChoiceSettings(Section):
    """How a family's multiple-choice references are to be read."""

    index_base: int | None = None


class Family(Section):
    """One family of items: its verifier, and how it is asked."""

    verifier: str | dict[str, Any]
    instruction: str = ""
    system: str = ""
    genuine: GenuineSettings | None = None
    sampling: PartialSampling = PartialSampling()
    choices: ChoiceSettings = ChoiceSettings()


class LimitSettings(Section):
    """When a finished run counts as failed."""

    dead_letters: float = Field(0.05, ge=0, le=1)


class RunnerSettings(Section):
    """Where it runs; `options` are Beam's own."""

    name: str = "direct"
    options: dict[str, Any] = {}


class CostSettings(Section):
    """What `plan` reckons with.

    Attributes:
      gpu: name of the GPU, for the report.
      gpus: how many of them run.
      price: of one GPU hour.
      currency: of the price.
    """

    gpu: str = "GPU"
    gpus: int = Field(1, gt=0)
    price: float | None = Field(None, ge=0)
    currency: str = "USD"


def _families(value: Any) -> Any:
    for name in value if isinstance(value, Mapping) else ():
        if not isinstance(name, str) or not naming.FAMILY.fullmatch(name) or name in naming.RESERVED_FAMILIES:
            raise PydanticCustomError(
                "family_name",
                "family name '{key}' must match [A-Za-z0-9][A-Za-z0-9._-]* and not be 'audit'",
                {"key": str(name)},
            )
    return value


class Settings(Section):
    """A whole configuration. Paths are absolute here; see `beam_rs.config`."""

    output: str
    pool: Annotated[list[Annotated[PoolEntry, BeforeValidator(_entry)]], BeforeValidator(_listed), Field(min_length=1)]
    families: Annotated[dict[str, Family], BeforeValidator(_families), Field(min_length=1)]
    images: ImageSettings = ImageSettings()
    cleaning: dict[str, Any] = {}
    engine: dict[str, Any] = {"name": "ocr"}
    sampling: SamplingSettings = SamplingSettings()
    judge: dict[str, Any] = {}
    limits: LimitSettings = LimitSettings()
    runner: RunnerSettings = RunnerSettings()
    cost: CostSettings = CostSettings()
