"""Describe tools to a model: one function, and the table of its formats."""

import difflib
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from toolroster.errors import DocumentInvalid, Fault
from toolroster.prompts import seeds, vendors
from toolroster.prompts.described import Described, Note, Rendering
from toolroster.prompts.names import Key, NameRule, exported_names
from toolroster.prompts.seeds import LANGUAGES
from toolroster.prompts.selection import Offer, chosen

_BYTES_PER_TOKEN = 4
"""Of UTF-8: a rough mean over languages and tokenizers, as of a search's `max_tokens`."""


@dataclass(frozen=True, slots=True)
class Format:
    """How one format names, writes and bounds tools; `opening` begins a text, None makes a list."""

    names: NameRule
    render: Callable[[Offer, str, str], Rendering]
    opening: Callable[[str], str] | None = None
    most_tools: int | None = None


_FORMATS = {
    "seed_004": Format(vendors.MCP_NAMES, seeds.section, seeds.opening_004),
    "seed_000": Format(vendors.MCP_NAMES, seeds.line, seeds.opening_000),
    "openai": Format(vendors.OPENAI_NAMES, vendors.openai, most_tools=vendors.OPENAI_MOST_TOOLS),
    "openai_responses": Format(
        vendors.OPENAI_NAMES, vendors.openai_responses, most_tools=vendors.OPENAI_MOST_TOOLS
    ),
    "anthropic": Format(vendors.ANTHROPIC_NAMES, vendors.anthropic),
    "gemini": Format(vendors.GEMINI_NAMES, vendors.gemini),
    "mcp": Format(vendors.MCP_NAMES, vendors.mcp),
}
FORMATS = tuple(_FORMATS)


def describe(
    tools: Iterable[dict[str, Any]],
    *,
    format: str,  # noqa: A002 - the word of the API and of the command line
    language: str = "en",
    max_tokens: int | None = None,
    categories: Collection[str] = (),
) -> Described:
    """Describe registrations, as the registry serves them, in a format of `FORMATS`.

    Of each provider's name one version is described: the highest active release, another only for want of
    it. `categories` limits to those with any of them, () takes all. `language` is of the texts' own words.
    `max_tokens` bounds the rough size of the content: the first tools given are kept while they fit, the very
    first in any case. What is kept stands in an order that does not depend on who came first.

    Raises:
        DocumentInvalid: the format, the language or the budget is none, or a tool has no name.
    """
    _check("format", format, FORMATS)
    _check("language", language, LANGUAGES)
    if max_tokens is not None and max_tokens < 1:
        fault = Fault("/max_tokens", "out_of_range", "Send a number of tokens from 1, or none.")
        raise DocumentInvalid(f"/max_tokens: {fault.detail}", errors=[fault])
    offers = [Offer.of(tool, index) for index, tool in enumerate(tools)]
    notes = [Note(o.tool_id, f"It is {o.status} and cannot be called.") for o in offers if not o.is_callable]
    writer = _Writer(_FORMATS[format], language, max_tokens)
    return writer.described(chosen(offers, categories), notes)


def _check(field: str, value: str, known: Sequence[str]) -> None:
    if value in known:
        return
    fault = Fault(
        f"/{field}", "not_allowed", f"There is no {field} {value[:100]!r}; write {', '.join(known)}."
    )
    likely_first = difflib.get_close_matches(value, known, n=len(known), cutoff=0)
    raise DocumentInvalid(f"{fault.pointer}: {fault.detail}", errors=[fault], nearest=likely_first)


@dataclass(frozen=True, slots=True)
class _Writer:
    """What to write, in which language, and how much of it."""

    format: Format
    language: str
    max_tokens: int | None

    @property
    def opening(self) -> str | None:
        return self.format.opening(self.language) if self.format.opening else None

    def described(self, offers: list[Offer], notes: list[Note]) -> Described:
        """Write the offers that fit, given best first, in the order that lasts."""
        names = exported_names((offer.key for offer in offers), self.format.names)
        kept, refused = self.fitting(offers, names)
        listed = sorted(kept.values(), key=lambda one: one[0].place)
        notes = notes + refused + [note for _, rendering in listed for note in rendering.notes]
        return Described(
            content=self.joined([rendering.piece for _, rendering in listed]),
            names={names[offer.key]: offer.tool_id for offer, _ in listed},
            left_out=[offer.tool_id for offer in offers if offer.key not in kept],
            notes=sorted(notes, key=lambda note: note.tool_id),
        )

    def fitting(
        self, offers: list[Offer], names: dict[Key, str]
    ) -> tuple[dict[Key, tuple[Offer, Rendering]], list[Note]]:
        """Render offers while they fit, the first in any case; note those that the vendor would refuse."""
        kept: dict[Key, tuple[Offer, Rendering]] = {}
        refused: list[Note] = []
        size = _size(self.opening or "[")
        for offer in offers:
            try:
                rendering = self.format.render(offer, names[offer.key], self.language)
            except DocumentInvalid as refusal:
                refused.append(Note(offer.tool_id, refusal.detail, refusal.errors[0].pointer))
                continue
            size += _size(rendering.piece)
            if kept and self.is_full(len(kept), size):
                break
            kept[offer.key] = offer, rendering
        return kept, refused

    def is_full(self, count: int, size: int) -> bool:
        """Tell whether one tool more than `count`, and `size` bytes with it, are too much."""
        is_over = self.max_tokens is not None and size > self.max_tokens * _BYTES_PER_TOKEN
        return is_over or count == self.format.most_tools

    def joined(self, pieces: list[Any]) -> str | list[dict[str, Any]]:
        return pieces if self.opening is None else self.opening + "".join(pieces)


def _size(content: Any) -> int:
    """Return bytes of UTF-8: of a text, or of an entry of a JSON list with the comma or bracket after it."""
    is_text = isinstance(content, str)
    text = content if is_text else json.dumps(content, ensure_ascii=False, separators=(",", ":")) + ","
    return len(text.encode())
