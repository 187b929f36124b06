"""Cleaning rules: one file each; a new one is a line in the table. Rules run in the order of the table."""

from typing import Final

from beam_rs.cleaning.base import Rule

RULES: Final[dict[str, str]] = {
    "provenance": "beam_rs.cleaning.provenance:Provenance",
    "purity": "beam_rs.cleaning.purity:Purity",
    "choices": "beam_rs.cleaning.choices:Choices",
}

__all__ = ["RULES", "Rule"]
