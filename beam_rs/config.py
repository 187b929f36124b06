"""One YAML file becomes one checked configuration, or an error that says which line is wrong.

Relative paths in the file are relative to the file; those given with `--set`, to the working directory.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from beam_rs import yamlfile
from beam_rs.errors import ConfigError
from beam_rs.keys import canonical, digest
from beam_rs.settings import Settings

ANY: Final = object()
PATHS: Final[tuple[tuple[object, ...], ...]] = (
    ("output",),
    ("pool",),
    ("pool", ANY),
    ("pool", ANY, "path"),
    ("images", "root"),
    ("images", "allow", ANY),
    ("cleaning", "provenance", "manifest"),
    ("cleaning", "provenance", "root"),
    ("engine", "table"),
    ("judge", "engine", "table"),
)
"""Places in the configuration that hold a path."""

FINGERPRINTED: Final = ("pool", "images", "cleaning", "families", "sampling")
"""Sections that decide what a run makes, beside the model and the judge."""


@dataclass(frozen=True)
class Config:
    """A checked configuration.

    Attributes:
      settings: its values, with absolute paths.
      document: what file and command line said, with absolute paths and line numbers.
      base: folder of the file.
    """

    settings: Settings
    document: yamlfile.Document
    base: Path

    @property
    def portable(self) -> dict[str, Any]:
        """The configuration with paths relative to its file, as it is saved with the output."""
        value: dict[str, Any] = _map_paths(self.document.value, (), lambda text: _relative(text, self.base))
        return value

    def fingerprint(self, model: dict[str, Any], judge: Any) -> str:
        """What tells two runs apart that may not share an output folder.

        Args:
          model: name, revision and whatever else of the engine changes an answer.
          judge: the same of the judge, and its settings; None where it is off.
        """
        value = self.settings.model_dump(mode="json")
        value = _map_paths(value, (), lambda text: _relative(text, self.base))
        return digest(canonical([{key: value[key] for key in FINGERPRINTED}, model, judge]))

    def error(self, path: yamlfile.Path_, message: str) -> ConfigError:
        """An error that names a place in the file."""
        return ConfigError(f"{self.document.where(path)}: {'.'.join(map(str, path))}: {message}")


def load(path: str | Path, assignments: Sequence[str] = ()) -> Config:
    """The configuration of a file, with `--set` assignments applied.

    Raises:
      ConfigError: with file, line, key and, for an unknown key, the nearest known one.
    """
    file = Path(path)
    document = yamlfile.load(file)
    base = file.resolve().parent
    rooted = yamlfile.Document(
        _map_paths(document.value, (), lambda text: _join(text, base)), document.lines, str(path)
    )
    document = yamlfile.override(rooted, assignments, lambda at, value: _map_paths(value, at, _from_here))
    try:
        settings = Settings.model_validate(document.value)
    except ValidationError as error:
        raise _explained(error, document) from error
    settings = settings.model_copy(update={"images": _rooted_images(settings, base)})
    return Config(settings, document, base)


def _rooted_images(settings: Settings, base: Path) -> Any:
    """The default image root is the folder of the file, not of the process."""
    return settings.images.model_copy(update={"root": _join(settings.images.root, base)})


def _explained(error: ValidationError, document: yamlfile.Document) -> ConfigError:
    """All faults of a configuration, a line each."""
    lines = []
    for fault in error.errors():
        at = tuple(part for part in fault["loc"] if not str(part).startswith("function-"))
        if "key" in fault.get("ctx", {}):
            at = (*at, fault["ctx"]["key"])
        name = ".".join(map(str, at)) or "configuration"
        got = "" if fault["type"] in ("missing", "unknown_key", "family_name") else f" (got {fault.get('input')!r})"
        lines.append(
            f"{document.where(at)}: {name}: {fault['msg'].lower() if fault['type'] == 'missing' else fault['msg']}{got}"
        )
    return ConfigError("\n".join(lines))


def _map_paths(value: Any, at: yamlfile.Path_, change: Any) -> Any:
    """A copy of a value with every path in it changed."""
    if isinstance(value, dict):
        return {key: _map_paths(item, (*at, key), change) for key, item in value.items()}
    if isinstance(value, list):
        return [_map_paths(item, (*at, index), change) for index, item in enumerate(value)]
    return change(value) if isinstance(value, str) and any(_matches(at, place) for place in PATHS) else value


def _matches(at: yamlfile.Path_, place: tuple[object, ...]) -> bool:
    return len(at) == len(place) and all(want is ANY or want == part for part, want in zip(at, place, strict=True))


def _from_here(text: str) -> str:
    return _join(text, Path.cwd())


def _join(text: str, base: Path) -> str:
    """An absolute path; URIs stay as they are."""
    return text if "://" in text else os.path.normpath(base / Path(text).expanduser())


def _relative(text: str, base: Path) -> str:
    return text if "://" in text or not os.path.isabs(text) else os.path.relpath(text, base)
