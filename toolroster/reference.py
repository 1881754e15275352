"""Names, scopes, tool ids and references: `provider:name:version` and `[provider/]name[@range]`."""

import re
from dataclasses import dataclass

from toolroster.errors import ReferenceInvalid

PROVIDER_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,62}$"
TOOL_NAME_PATTERN = r"^[a-zA-Z][a-zA-Z0-9_-]{0,63}$"
SCOPE_PATTERN = r"^[\x21\x23-\x5B\x5D-\x7E]{1,200}$"
"""One scope token (RFC 6749 §3.3)."""
_PROVIDER = re.compile(PROVIDER_PATTERN, re.ASCII)
_TOOL_NAME = re.compile(TOOL_NAME_PATTERN, re.ASCII)
_SCOPE = re.compile(SCOPE_PATTERN)
_LONGEST = 63 + 64 + 1024 + 2
"""Provider, name, and the longest range, with their separators."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Which tool is meant: None for `provider` means the default of the name, for `range` the latest."""

    provider: str | None
    name: str
    range: str | None

    def __str__(self) -> str:
        prefix = f"{self.provider}/" if self.provider else ""
        suffix = f"@{self.range}" if self.range else ""
        return f"{prefix}{self.name}{suffix}"


def is_provider(text: str) -> bool:
    """Tell whether the text, already in lower case, is a provider name."""
    return _PROVIDER.match(text) is not None and not text.endswith("\n")


def is_tool_name(text: str) -> bool:
    """Tell whether the text is a tool name."""
    return _TOOL_NAME.match(text) is not None and not text.endswith("\n")


def is_scope(text: str) -> bool:
    """Tell whether the text is the name of a scope."""
    return _SCOPE.match(text) is not None and not text.endswith("\n")


def make_tool_id(provider: str, name: str, version: str) -> str:
    """Return `provider:name:version`."""
    return f"{provider}:{name}:{version}"


def parse_tool_id(text: str) -> tuple[str, str, str]:
    """Split a tool id into provider (lower case), name and version.

    Raises:
        ReferenceInvalid: it has not three parts, or a part breaks its grammar. The version is not parsed.
    """
    parts = text.split(":", 2) if len(text) <= _LONGEST else []
    if len(parts) != 3 or not is_provider(parts[0].lower()) or not is_tool_name(parts[1]) or not parts[2]:
        raise ReferenceInvalid(f"{text[:200]!r} is no tool id; it has the form provider:name:version.")
    return parts[0].lower(), parts[1], parts[2]


def parse_reference(text: str) -> Reference:
    """Parse `[provider/]name[@range]`; the range itself is not checked.

    Raises:
        ReferenceInvalid: too long, or the provider or the name breaks its grammar.
    """
    if len(text) > _LONGEST:
        raise ReferenceInvalid(f"A reference has at most {_LONGEST} characters.")
    target, at, version_range = text.strip().partition("@")
    provider, slash, name = target.rpartition("/")
    return make_reference(
        name=name, provider=provider if slash else None, version_range=version_range if at else None
    )


def make_reference(*, name: str, provider: str | None, version_range: str | None) -> Reference:
    """Build a reference from its parts, each checked; see `parse_reference`."""
    if not is_tool_name(name):
        raise ReferenceInvalid(
            f"{name[:100]!r} is no tool name: a letter, then at most 63 letters, digits, '_' or '-'."
        )
    if provider is not None and not is_provider(provider.lower()):
        raise ReferenceInvalid(
            f"{provider[:100]!r} is no provider name: at most 63 letters, digits, '.', '_' or '-'."
        )
    if version_range is not None and not version_range.strip():
        raise ReferenceInvalid("The range behind '@' is empty; write '*' for any version.")
    return Reference(provider.lower() if provider else None, name, version_range)
