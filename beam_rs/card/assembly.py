"""The cards of a run: figures out of its manifest, and the pictures of a few rows."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from beam_rs import images, naming
from beam_rs.card.figures import Cleaning, Example, FamilyFigures, Slice, SplitFigures, thumbnail
from beam_rs.card.page import family_card, split_card
from beam_rs.card.text import code, number
from beam_rs.parquet import Row, Written

EXAMPLES: Final = 3
"""Rows of a split that its card shows."""

CARD: Final = "README.md"
THRESHOLD: Final = 0.05
"""What task purity takes where the configuration does not say."""

_PLACE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|[/\\.~]|[A-Za-z]:[\\/]")


def cards(manifest: Mapping[str, Any], files: Iterable[Written]) -> Iterator[tuple[str, bytes]]:
    """Everything that stands beside the shards of all families: cards, and the pictures of their examples.

    Args:
      manifest: as `beam_rs.manifest.build` makes it; times and token counts in it are passed over.
      files: shards with their examples; others are passed over.

    Yields:
      Path below the output, and content.

    Raises:
      ImageChanged: the picture of an example is gone, or is not the one that was checked.
    """
    written = list(files)
    for family in sorted(manifest["families"]):
        rows = {split: _first(written, naming.split_folder(family, split)) for split in naming.SPLITS}
        shown: dict[str, tuple[Example, ...]] = {}
        for split, chosen in rows.items():
            made = [_picture(row) for row in chosen]
            shown[split] = tuple(Example(row, name) for row, (name, _) in zip(chosen, made, strict=True))
            yield from ((f"{naming.split_folder(family, split)}/examples/{name}", data) for name, data in made)
        figures = family_figures(manifest, family, shown)
        yield f"{family}/{CARD}", family_card(figures).encode()
        for part in figures.splits:
            yield f"{family}/{part.name}/{CARD}", split_card(figures, part).encode()


def _first(files: Iterable[Written], folder: str) -> list[Row]:
    """The rows of a split with the smallest SHA-256, whatever their shards."""
    rows = [row for file in files if file.path.startswith(f"{folder}/") for row in file.examples]
    return sorted(rows, key=lambda row: row.ref.sha256)[:EXAMPLES]


def _picture(row: Row) -> tuple[str, bytes]:
    data, extension = thumbnail(images.read_checked(row.ref), row.ref.media_type)
    return f"{row.ref.sha256[:16]}.{extension}", data


def family_figures(
    manifest: Mapping[str, Any], family: str, examples: Mapping[str, tuple[Example, ...]]
) -> FamilyFigures:
    """What the cards of a family say, out of a manifest."""
    plan = manifest["families"][family]
    judge = manifest["judge"]
    return FamilyFigures(
        family=family,
        beam_rs=manifest["beam_rs"],
        counts=manifest["counts"]["families"][family],
        reasons=manifest["reasons"]["families"][family],
        accept_rate=manifest["accept_rate"]["families"][family],
        verifier=plan["verifier"],
        verifier_version=plan["verifier_version"],
        parameters=plan["verifier_parameters"],
        model={**manifest["model"], "model": portable(manifest["model"]["model"])},
        sampling=plan["sampling"],
        instruction=plan["instruction"],
        system=plan["system"],
        cleaning=cleaning(manifest, family),
        judge={**judge, "model": portable(judge["model"])} if judge else None,
        calibration=manifest["calibration"].get(family, {}),
        splits=tuple(_split(plan["splits"], family, split, examples.get(split, ())) for split in naming.SPLITS),
    )


def _split(figures: Mapping[str, Any], family: str, split: str, examples: tuple[Example, ...]) -> SplitFigures:
    name = f"{family}_{split}"
    found = figures[name]
    return SplitFigures(split, name, found["rows"], found["qa"], found["shards"], found["bytes"], examples)


def portable(model: str) -> str:
    """A model's name without the place it lies in: a folder or URI is named by its last part.

    >>> portable("Qwen/Qwen3-VL-8B-Instruct"), portable("/data/models/mine/"), portable("gs://bucket/models/mine")
    ('Qwen/Qwen3-VL-8B-Instruct', 'mine', 'mine')
    """
    return PurePosixPath(model.replace("\\", "/")).name if _PLACE.match(model) else model


def cleaning(manifest: Mapping[str, Any], family: str) -> Cleaning:
    """What was done to the pool of a family before anything was asked."""
    configuration = manifest["configuration"]
    section = configuration.get("cleaning") or {}
    purity = section.get("purity")
    threshold = purity.get("threshold", THRESHOLD) if isinstance(purity, Mapping) else THRESHOLD
    shares = manifest["purity_shares"].get(family, {})
    families = configuration["families"]
    return Cleaning(
        policy=manifest["policy"],
        version=manifest["families"][family]["policy_version"],
        rules=tuple(_rules(section, any((plan or {}).get("genuine") for plan in families.values()))),
        genuine=_genuine(families[family].get("genuine") or {}),
        threshold=threshold,
        slices=tuple(Slice(name, share, share <= threshold) for name, share in sorted(shares.items())),
    )


def _rules(section: Mapping[str, Any], measured: bool) -> Iterator[str]:
    """Names of the rules that ran, in order: purity runs where a family has conditions, choices unless switched off."""
    known: dict[str, Any] = {"provenance": None, "purity": {} if measured else None, "choices": {}}
    for name, setting in {**known, **section}.items():
        if name != "policy" and setting is not None and setting is not False:
            yield name


def _genuine(conditions: Mapping[str, Any]) -> dict[str, str]:
    """Conditions of task purity, by what they are about; values are Markdown."""
    made = {}
    for name, label in (("origins", "recorded origin, one of"), ("questions", "question, one pattern found in it")):
        if conditions.get(name):
            made[label] = ", ".join(code(str(text)) for text in conditions[name])
    for name, label in (("min_reference_words", "at least"), ("max_reference_words", "at most")):
        if conditions.get(name) is not None:
            made[f"words of a reference, {label}"] = number(conditions[name])
    return made
