"""Multiple choice: options flattened into prose become a lettered block, the reference the bare letter."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

from beam_rs.cleaning import _phrases
from beam_rs.cleaning._options import Listing, find
from beam_rs.cleaning._reference import fold, meaning
from beam_rs.cleaning.base import Refusal, Rule
from beam_rs.keys import canonical
from beam_rs.prompts import LETTERS, Block, parse_block
from beam_rs.schema import Change, Item

ABSENT: Final = "choices.reference_absent"
AMBIGUOUS: Final = "choices.ambiguous"

_OWN_LABEL: Final = re.compile(r"\s*[(（\[]?([A-Za-z])(?:[)）\]][.:：]?|[.．:：、])\s*(?=\S)")


@dataclass(frozen=True)
class Normalised:
    """A multiple-choice question in its finished form.

    Attributes:
      question: stem, lettered block, and an instruction behind it.
      options: texts of the options.
      reference: the letter of the right one.
      changed: whether the question or the reference differs from what came in.
    """

    question: str
    options: tuple[str, ...]
    reference: str
    changed: bool


@dataclass(frozen=True, kw_only=True)
class Choices(Rule):
    """Render options as a lettered block, the reference as its letter, and have the item judged by `mcq`.

    Attributes:
      index_base: number of the first option, where references are indices; None where they are not.
      index_bases: the same by family, over the general one.
    """

    name: ClassVar[str] = "choices"

    index_base: int | None = None
    index_bases: Mapping[str, int] = field(default_factory=dict)

    def apply(self, item: Item, measured: Mapping[str, int]) -> Item | Refusal:
        base = self.index_bases.get(item.family, self.index_base)
        found = normalise(item.question, item.references, item.options, base)
        if found is None or isinstance(found, Refusal):
            return found or item
        chosen = replace(item, options=found.options, verifier="mcq")
        if not found.changed:
            return chosen
        before = canonical({"question": item.question, "references": item.references, "options": item.options})
        after = canonical({"question": found.question, "references": [found.reference], "options": found.options})
        change = Change(self.name, before, after)
        references = (found.reference,)
        return replace(chosen, question=found.question, references=references, changes=(*item.changes, change))


def normalise(
    question: str, references: Sequence[str], options: Sequence[str] = (), index_base: int | None = None
) -> Normalised | Refusal | None:
    r"""A multiple-choice question in finished form, why it has none, or None for a question without options.

    What is finished already comes back as it is. A list that cannot be cut without guessing is refused where it
    certainly is one, and left alone where it is not.

    Args:
      question: as the pool gives it.
      references: one or more; they must mean the same option.
      options: the line's own options, where it has some.
      index_base: number of the first option, where references may be indices.

    >>> normalise("Which? Options: (a) cat (b) dog", ("dog",)).question
    'Which?\nA. cat\nB. dog'
    >>> normalise("What does the mark (A) mean?", ("new",)) is None
    True
    """
    own = _strip_labels(options)
    finished = _finished(question, references)
    if finished and _goes_with(own, options, finished.options):
        return finished
    listing = find(question)
    if len(own) >= 2:
        listing = _with_own(question, listing, own)
        if listing is None:
            return Refusal(AMBIGUOUS, "the line's own options are not those that its question lists")
    if listing is None:
        return None
    found = _settle(listing, question, references, index_base)
    return None if isinstance(found, Refusal) and not listing.firm else found


def _goes_with(own: tuple[str, ...], raw: Sequence[str], listed: Sequence[str]) -> bool:
    """Whether a line's own options say nothing against those that its question lists."""
    return len(own) < 2 or _same(own, listed) or _same(raw, listed) or _letters_only(own, listed)


def _settle(
    listing: Listing, question: str, references: Sequence[str], index_base: int | None
) -> Normalised | Refusal | None:
    """The finished form of a list, or why there is none."""
    options = listing.options
    if len(options) > len(LETTERS):
        return Refusal(AMBIGUOUS, f"{len(options)} options; a lettered block has {len(LETTERS)}")
    if listing.readings != 1:
        why = "a label is missing" if not listing.readings else f"it can be cut in {listing.readings} ways"
        return Refusal(AMBIGUOUS, f"no certain list of {len(options)} options: {why}")
    if listing.counts and index_base is None and any(reference.strip().isdigit() for reference in references):
        return None  # an enumeration in a question that asks for a number
    places = {meaning(reference, options, listing.labels, index_base) for reference in references}
    shown = f"reference {canonical(list(references))[:200]}, options {canonical(list(options))[:600]}"
    if places <= {"absent"}:
        return Refusal(ABSENT, shown)
    place = places.pop()
    if places or not isinstance(place, int):
        return Refusal(AMBIGUOUS, shown)
    text = Block(listing.stem, options, listing.after).render()
    finished = _finished(text, (LETTERS[place],))
    if finished is None or finished.options != options:
        return Refusal(AMBIGUOUS, f"the block cannot be told from the text around it: {shown}")
    return replace(finished, changed=text != question or tuple(references) != (LETTERS[place],))


def _finished(question: str, references: Sequence[str]) -> Normalised | None:
    """The question where it is in finished form already, with a bare letter as its reference."""
    block = parse_block(question)
    if block is None or "\r" in question or len(references) != 1:
        return None
    letter = references[0]
    if len(letter) != 1 or letter not in LETTERS[: len(block.options)]:
        return None
    clean = all(option and " ".join(option.split()) == option for option in block.options)
    if (
        not clean
        or _phrases.split_tail(block.options[-1])[1]
        or _phrases.strip_lead_in(block.stem) != (block.stem, False)
    ):
        return None
    return Normalised(question, block.options, letter, changed=False) if block.after == block.after.strip() else None


def _with_own(question: str, listing: Listing | None, own: tuple[str, ...]) -> Listing | None:
    """The list to render for a line with its own options; None where the question lists others."""
    if listing and (_same(own, listing.options) or _letters_only(own, listing.options)):
        return replace(listing, firm=True, readings=1) if _same(own, listing.options) else listing
    if listing and listing.firm:
        # A list that was cut wrongly, for the commas in its options, is still one that holds the line's own options.
        listed = " ".join(listing.options).casefold()
        held = all(
            " ".join(option.replace(",", " ").split()) in listed.replace(",", " ") for option in map(str.casefold, own)
        )
        return replace(listing, options=own, firm=True, readings=1) if held and listing.labels == "none" else None
    stem, after = _split_instruction(question.replace("\r\n", "\n"))
    return Listing(_phrases.strip_lead_in(stem)[0], own, after, "none", firm=True)


def _split_instruction(question: str) -> tuple[str, str]:
    """A question without the instruction that is or ends its last line, and that instruction."""
    stem, _, last = question.rstrip().rpartition("\n")
    if stem.strip() and _phrases.is_instruction(last):
        return stem, last.strip()
    asked, tail = _phrases.split_tail(last)
    return (f"{stem}\n{asked}".strip(), tail) if tail and "?" not in tail else (question.rstrip(), "")


def _strip_labels(options: Sequence[str]) -> tuple[str, ...]:
    """A line's own options without labels, where all of them carry the right one."""
    cleaned = tuple(" ".join(option.split()) for option in options)
    while cleaned and not cleaned[-1]:
        cleaned = cleaned[:-1]  # tables pad a line of few options with empty ones
    labels = [_OWN_LABEL.match(option) for option in cleaned]
    if all(label and label[1].upper() == letter for label, letter in zip(labels, LETTERS, strict=False)):
        return tuple(option[label.end() :] for option, label in zip(cleaned, labels, strict=True) if label)
    return cleaned


def _letters_only(own: tuple[str, ...], options: Sequence[str]) -> bool:
    """Whether a line's own options are but the letters of those in its question."""
    return own == tuple(LETTERS[: len(options)])


def _same(left: Sequence[str], right: Sequence[str]) -> bool:
    return [fold(text) for text in left] == [fold(text) for text in right]
