"""Before the first item is read: which parts of which files there are to read."""

from collections.abc import Sequence
from dataclasses import replace

from beam_rs import files, registry
from beam_rs.config import Config
from beam_rs.errors import ConfigError
from beam_rs.formats import FORMATS, Format
from beam_rs.items import KNOWN, Reader
from beam_rs.job import Job
from beam_rs.registry import nearest
from beam_rs.settings import PoolEntry
from beam_rs.transforms.read import Part


def plan(config: Config, job: Job, limit: int | None = None) -> list[Part]:
    """The parts to read, files in order of their names.

    Args:
      config: names the pool.
      job: knows the families.
      limit: read no more than this many records, in the order of the pool.

    Raises:
      ConfigError: no file matches, or a file's format is not known.
    """
    parts: list[Part] = []
    for index, entry in enumerate(config.settings.pool):
        try:
            parts += _entry(entry, job)
        except (ConfigError, OSError, ValueError) as error:
            raise config.error(("pool", index), str(error)) from error
        except Exception as error:  # Beam's file systems wrap what the store says in errors of their own
            if type(error).__name__ != "BeamIOError":
                raise
            raise config.error(("pool", index), f"{entry.path} cannot be listed: {error}") from error
    return parts if limit is None else _limited(parts, limit)


def _entry(entry: PoolEntry, job: Job) -> list[Part]:
    if entry.family is not None and entry.family not in job.families:
        raise ConfigError(f"family {entry.family!r} is not configured{nearest(entry.family, list(job.families))}")
    for name in entry.map:
        if name not in KNOWN:
            raise ConfigError(f"map: an item has no field {name!r}{nearest(name, list(KNOWN))}")
    found = files.match(entry.path)
    if not found:
        raise ConfigError(f"no file matches {entry.path}")
    reader = Reader(job.references, entry.family, entry.map)
    return [
        Part(split, form.name, reader)
        for path, size in found
        for form in [_format(path, entry.format)]
        for split in form.splits(path, size)
    ]


def _format(path: str, name: str | None) -> Format:
    """The format of a file, by name or by the end of its path."""
    forms: list[Format] = [
        registry.lookup(FORMATS, known, "format")() for known in (FORMATS if name is None else [name])
    ]
    for form in forms:
        if name is not None or path.lower().endswith(form.suffixes):
            return form
    known = ", ".join(suffix for form in forms for suffix in form.suffixes)
    raise ConfigError(f"the format of {path} is not known by its name ({known}); say {{path: …, format: jsonl}}")


def _limited(parts: Sequence[Part], limit: int) -> list[Part]:
    """The parts that hold the first records, the last of them cut."""
    kept: list[Part] = []
    for part in parts:
        if limit <= 0:
            break
        form = registry.lookup(FORMATS, part.format, "format")()
        cut = replace(part, split=replace(part.split, limit=limit))
        kept.append(cut)
        limit -= sum(1 for _ in form.read(cut.split, files.open_read))
    return kept
