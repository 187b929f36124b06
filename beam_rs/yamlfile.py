"""YAML with line numbers, and overrides from the command line."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from beam_rs.errors import ConfigError

Path_: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True)
class Document:
    """A YAML mapping and the line that each of its keys stands on.

    Attributes:
      value: the mapping.
      lines: path of keys and indexes to line, from 1.
      name: file name for messages.
    """

    value: dict[str, Any]
    lines: Mapping[Path_, int] = field(default_factory=dict)
    name: str = "configuration"

    def where(self, path: Path_) -> str:
        """`file:line` of a key, or of its nearest parent that has one."""
        for length in range(len(path), 0, -1):
            line = self.lines.get(path[:length])
            if line:
                return f"{self.name}:{line}"
        return self.name


def load(path: Path) -> Document:
    """Read one YAML file.

    Raises:
      ConfigError: no such file, not YAML, not a mapping, or a key that stands twice.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"configuration {path} cannot be read: {error}") from error
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"configuration {path} is not YAML: {error}") from error
    if not isinstance(value, dict):
        raise ConfigError(f"configuration {path} must be a mapping with pool, output and families")
    lines: dict[Path_, int] = {}
    try:
        _collect(node, (), lines, str(path))
    except RecursionError as error:
        raise ConfigError(f"configuration {path} refers to itself, or is nested too deeply") from error
    return Document(value, lines, str(path))


def _collect(node: Any, path: Path_, lines: dict[Path_, int], name: str) -> None:
    """Note the line of every key below a node."""
    if isinstance(node, yaml.MappingNode):
        seen: set[Hashable] = set()
        for key, value in node.value:
            here = (*path, key.value)
            if key.value in seen:
                raise ConfigError(f"{name}:{key.start_mark.line + 1}: {key.value!r} stands twice")
            seen.add(key.value)
            lines[here] = key.start_mark.line + 1
            _collect(value, here, lines, name)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            at = (*path, index)
            lines[at] = value.start_mark.line + 1
            _collect(value, (*path, index), lines, name)


def override(
    document: Document, assignments: Sequence[str], adjust: Callable[[Path_, Any], Any] = lambda path, value: value
) -> Document:
    """A document with `a.b=c` assignments applied; values are YAML.

    Args:
      document: what the file says.
      assignments: as given on the command line, in order.
      adjust: called with the path and value of each assignment, for example to resolve relative paths.

    Raises:
      ConfigError: an assignment without `=`, a value that is not YAML, or a path through something that is no mapping.
    """
    value = _copy(document.value)
    for text in assignments:
        name, equals, raw = text.partition("=")
        if not equals or not name:
            raise ConfigError(f"--set {text!r}: expected a.b=value")
        try:
            parsed = yaml.safe_load(raw)
        except yaml.YAMLError as error:
            raise ConfigError(f"--set {text!r}: the value is not YAML: {error}") from error
        _assign(value, name.split("."), parsed, text, adjust)
    return Document(value, document.lines, document.name)


def _assign(target: Any, parts: list[str], value: Any, text: str, adjust: Callable[[Path_, Any], Any]) -> None:
    """Walk to the place that the parts name and put the value there; names that hold dots are matched first."""
    path: Path_ = ()
    while True:
        if not isinstance(target, (dict, list)):
            raise ConfigError(f"--set {text!r}: {'.'.join(map(str, path))} is {target!r}, which has nothing below it")
        key, parts = _next(target, parts, text)
        path = (*path, key)
        if not parts:
            target[key] = adjust(path, value)
            return
        if isinstance(target, dict) and not isinstance(target.get(key), (dict, list)):
            target[key] = _expanded(target.get(key))
        target = target[key]


def _expanded(value: Any) -> dict[str, Any]:
    """What a short form stands for, so that an assignment below it keeps the name: `anls` is `{name: anls}`."""
    return {"name": value} if isinstance(value, str) else {}


def _next(target: Any, parts: list[str], text: str) -> tuple[Any, list[str]]:
    if isinstance(target, list):
        if not parts[0].isdigit() or int(parts[0]) >= len(target):
            raise ConfigError(f"--set {text!r}: {parts[0]!r} is no index of a list of {len(target)}")
        return int(parts[0]), parts[1:]
    for length in range(len(parts), 1, -1):
        if ".".join(parts[:length]) in target:
            return ".".join(parts[:length]), parts[length:]
    return parts[0], parts[1:]


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value
