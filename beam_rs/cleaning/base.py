"""The contract of a cleaning rule."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from beam_rs.schema import Item


@dataclass(frozen=True)
class Refusal:
    """Why a rule drops an item: a reason code such as `choices.ambiguous`, and what was found."""

    reason: str
    detail: str


@dataclass(frozen=True, kw_only=True)
class Rule(ABC):
    """A decision about one item, that may need counts over all of them.

    Attributes:
      measures: whether the rule needs counts; a rule that does sees the pool twice.
    """

    name: ClassVar[str]
    measures: ClassVar[bool] = False

    def check(self) -> None:
        """Find out, before the first item is read, whether the rule can work at all.

        Raises:
          ConfigError: a file that it needs is absent or cannot be read.
        """
        return

    def measure(self, item: Item) -> Iterable[str]:
        """Labels to count for an item; the counts over all items come back in `apply`."""
        return ()

    @abstractmethod
    def apply(self, item: Item, measured: Mapping[str, int]) -> Item | Refusal:
        """The item as it stands or changed (by `dataclasses.replace`, with a `Change`), or why it is dropped."""
