"""What a finished run says on the terminal: figures that add up, and where to look next."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from beam_rs import files, naming


def show(console: Console, manifest: Mapping[str, Any], output: str) -> None:
    """Print the counts of a manifest, by family where there are several, and the places of the results."""
    console.print(counts(manifest))
    reasons = manifest["reasons"]["total"]
    shown = {name: amount for name, amount in reasons.items() if not name.startswith("accepted")}
    if shown:
        console.print(
            "reasons: " + ", ".join(f"{name} {amount:,}" for name, amount in shown.items()),
            soft_wrap=True,
            highlight=False,
        )
    console.print(f"usage: {usage(manifest['usage']['total'])}", soft_wrap=True, highlight=False)
    for family in manifest["families"]:
        console.print(f"card: {files.join(output, family, 'README.md')}", soft_wrap=True, highlight=False)
    console.print(f"audit: {files.join(output, 'audit')}", soft_wrap=True, highlight=False)
    console.print(f"manifest: {files.join(output, naming.MANIFEST)}", soft_wrap=True, highlight=False)


def counts(manifest: Mapping[str, Any]) -> Table:
    """Items read and the eight ends, a row each, a column a family."""
    numbers = manifest["counts"]
    families = sorted(numbers["families"]) if len(numbers["families"]) > 1 else []
    table = Table(box=None, pad_edge=False)
    table.add_column("items")
    for name in [*families, "total"]:
        table.add_column(name, justify="right")
    columns = [*(numbers["families"][family] for family in families), numbers["total"]]
    for end in ("read", *naming.ENDS):
        table.add_row(end, *(f"{column[end]:,}" for column in columns))
    rates = [*(manifest["accept_rate"]["families"][family] for family in families), manifest["accept_rate"]["total"]]
    table.add_row("accept rate", *("—" if rate is None else f"{rate:.2%}" for rate in rates))
    return table


def usage(figures: Mapping[str, Any]) -> str:
    """Requests, tokens and time in one line."""
    parts = [_spent(figures, ""), *([_spent(figures, "judge_")] if figures.get("judge_requests") else [])]
    if figures.get("tokens_per_accepted"):
        parts.append(f"{figures['tokens_per_accepted']:,} tokens an accepted item")
    return "; ".join(parts)


def _spent(figures: Mapping[str, Any], who: str) -> str:
    """What generation or the judge took."""
    parts = [f"{figures.get(f'{who}requests', 0):,} {'judge ' if who else ''}requests"]
    if failed := figures.get(f"{who}failed_requests"):
        parts[0] += f" ({failed:,} failed)"
    for name in ("prompt_tokens", "completion_tokens"):
        if figures.get(who + name):
            parts.append(f"{figures[who + name]:,} {name.replace('_', ' ')}")
    if figures.get(f"{who}request_seconds"):
        parts.append(f"{figures[f'{who}request_seconds']:,.0f} s of request time")
    return ", ".join(parts)
