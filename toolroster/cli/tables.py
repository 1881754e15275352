"""Output: tables for people, JSON for machines."""

import json
import shutil
import unicodedata
from collections.abc import Sequence
from typing import Any

import click

_GAP = "  "
_NARROWEST = 12


def as_json(value: Any) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table that fits the terminal: the last column is cut, Chinese counts double."""
    if not rows:
        click.echo("nothing")
        return
    cells = [list(head), *([_line(cell) for cell in row] for row in rows)]
    widths = [max(width_of(row[place]) for row in cells) for place in range(len(head))]
    taken = sum(widths[:-1]) + len(_GAP) * (len(head) - 1)
    widths[-1] = max(min(widths[-1], shutil.get_terminal_size().columns - taken), _NARROWEST)
    for number, row in enumerate(cells):
        padded = [_padded(cut(cell, width), width) for cell, width in zip(row, widths, strict=True)]
        click.secho(_GAP.join(padded).rstrip(), bold=number == 0)


def facts(pairs: Sequence[tuple[str, str]]) -> None:
    """Print names and values below each other; empty values are left out."""
    width = max((len(name) for name, value in pairs if value), default=0)
    for name, value in pairs:
        if value:
            first, *rest = plain(value).splitlines() or [""]
            click.echo(click.style(name.ljust(width), bold=True) + _GAP + first)
            for line in rest:
                click.echo(" " * (width + len(_GAP)) + line)


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def cut(text: str, width: int) -> str:
    """Return the beginning of a text that takes at most so many columns."""
    if width_of(text) <= width:
        return text
    kept = ""
    for character in text:
        if width_of(kept + character) > width - 1:
            break
        kept += character
    return kept + "…"


def _padded(text: str, width: int) -> str:
    return text + " " * (width - width_of(text))


def plain(text: str) -> str:
    """Return a text of others without what moves the cursor or talks to the terminal; lines stay."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc")


def _line(text: str) -> str:
    return plain(" ".join(text.split()))
