"""The cards of families and splits: what a reader needs to trust a data set, or not to.

assembly    out of the manifest and a few rows
figures     what a card states, as values
page, head  the Markdown and its YAML; templates/ holds the layout, phrases the sentences, text the escaping
"""

from beam_rs.card.assembly import cards

__all__ = ["cards"]
