"""One way to find and build an interchangeable piece: by its short name, or by `package.module:Name`."""

import importlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked
from rapidfuzz import fuzz, process

from beam_rs.errors import ConfigError


def nearest(name: str, known: list[str]) -> str:
    """A hint for a wrong name: the nearest known one, where one is near.

    >>> nearest("relaxd", ["anls", "relaxed"])
    "; did you mean 'relaxed'?"
    """
    best = process.extractOne(name, known, scorer=fuzz.ratio, score_cutoff=60)
    return f"; did you mean {best[0]!r}?" if best else ""


def lookup(table: Mapping[str, str], name: str, kind: str) -> type[Any]:
    """The class behind a name of a table, or behind `package.module:Name`.

    Args:
      table: short name to `module:Name`.
      name: what the configuration says.
      kind: what such a piece is called in messages, such as `verifier`.

    Raises:
      ConfigError: unknown name, or one that cannot be imported.
    """
    target = table.get(name, name)
    module, _, attribute = target.partition(":")
    if not attribute:
        raise ConfigError(
            f"unknown {kind} {name!r}{nearest(name, list(table))}; known: {', '.join(sorted(table))}, "
            "or 'package.module:Name' of your own"
        )
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"{kind} {name!r} cannot be imported: {error}") from error
    if not isinstance(found, type):
        raise ConfigError(f"{kind} {name!r} is {type(found).__name__}, not a class")
    return found


def build(table: Mapping[str, str], spec: str | Mapping[str, Any], kind: str) -> Any:
    """The piece that a configuration asks for, its parameters checked.

    Args:
      table: short name to `module:Name`.
      spec: a name, or `{name: …, parameter: …}`.
      kind: what such a piece is called in messages.

    Raises:
      ConfigError: unknown name or parameter, or a value of the wrong type.
    """
    parameters = {} if isinstance(spec, str) else {key: value for key, value in spec.items() if key != "name"}
    name = spec if isinstance(spec, str) else spec.get("name")
    if not isinstance(name, str):
        raise ConfigError(f"a {kind} needs a name, got {spec!r}")
    return construct(lookup(table, name, kind), parameters, f"{kind} {name!r}")


def construct(cls: type[Any], parameters: Mapping[str, Any], label: str) -> Any:
    """An instance of a dataclass from untrusted parameters.

    Raises:
      ConfigError: an unknown parameter (with the nearest known one) or a value of the wrong type.
    """
    known = [f.name for f in fields(cls) if f.init] if is_dataclass(cls) else []
    for key in parameters:
        if key not in known:
            raise ConfigError(
                f"{label} has no parameter {key!r}{nearest(key, known)}; it takes: {', '.join(known) or 'none'}"
            )
    try:
        values = _validated(cls, parameters)
        return cls(**values)
    except ConfigError:
        raise
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{label}: {where}: {first['msg']} (got {first.get('input')!r})") from error
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{label}: {error}") from error


def _validated(cls: type[Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Each given parameter, converted to its field's type."""
    hints = {f.name: f.type for f in fields(cls)} if is_dataclass(cls) else {}
    config = ConfigDict(arbitrary_types_allowed=True)
    holder = checked(config=config)(type("Parameters", (), {"__annotations__": {k: hints[k] for k in parameters}}))
    value = TypeAdapter(holder).validate_python(dict(parameters))
    return {key: getattr(value, key) for key in parameters}
