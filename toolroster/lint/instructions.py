"""Instructions to the model: a description says what a tool does, the agent decides what to do."""

import re
from collections.abc import Iterator

from toolroster.lint import phrases
from toolroster.lint.draft import Draft
from toolroster.lint.finding import Hit
from toolroster.lint.wording import shown

_OVERRIDE = phrases.OVERRIDE
_ORDER = phrases.ORDER
_SECRECY = phrases.SECRECY
_ADDRESS = phrases.ADDRESS
_SECRETS = phrases.SECRETS
_PROMOTION = phrases.PROMOTION


def overrides(draft: Draft) -> Iterator[Hit]:
    """Find orders to drop earlier instructions."""
    fix = f"Delete it; say what `{draft.definition.name}` does, and nothing about the agent's instructions."
    return _hits(draft, _OVERRIDE, "tells the model to drop the instructions it has", fix)


def orders(draft: Draft) -> Iterator[Hit]:
    """Find orders when to call tools."""
    fix = 'State the need as a fact, such as "Needs the id that `list_accounts` returns".'
    return _hits(draft, _ORDER, "orders the model around", fix)


def secrecy(draft: Draft) -> Iterator[Hit]:
    """Find orders to keep something from the user."""
    fix = "Delete it; whatever the tool does, its user may know."
    return _hits(draft, _SECRECY, "tells the model to keep something from the user", fix)


def addresses(draft: Draft) -> Iterator[Hit]:
    """Find words that turn to the model, and marks of roles in a chat."""
    fix = f"Write about `{draft.definition.name}` in the third person, as plain text."
    return _hits(draft, _ADDRESS, "speaks to the model instead of about the tool", fix)


def secrets(draft: Draft) -> Iterator[Hit]:
    """Find orders to pass on secrets or the conversation."""
    fix = "Delete it; let a parameter ask for just the value that the tool needs."
    return _hits(draft, _SECRETS, "asks for secrets or for the conversation", fix)


def promotion(draft: Draft) -> Iterator[Hit]:
    """Find praise over other tools."""
    fix = f'Say what `{draft.definition.name}` can do that others cannot, such as "Covers rates since 1999".'
    return _hits(draft, _PROMOTION, "advertises the tool over others instead of describing it", fix)


def _hits(draft: Draft, patterns: tuple[re.Pattern[str], ...], what: str, fix: str) -> Iterator[Hit]:
    """Yield at most one hit for a text: the first pattern that matches."""
    for text in draft.texts:
        matches = (pattern.search(text.as_read) for pattern in patterns)
        found = next((match for match in matches if match), None)
        if found:
            yield Hit(text.path, f"{shown(found[0])} {what}.", fix)
