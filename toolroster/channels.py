"""Channels: names for versions that move, as npm's dist-tags do: `stable`, or with a range `stable ^1.2`."""

import re

from toolroster import semver
from toolroster.errors import RangeInvalid

LATEST, STABLE, NEXT = "latest", "stable", "next"
FOLLOWING = {LATEST: False, STABLE: False, NEXT: True}
"""Channels that follow the highest version until they are pinned, and whether prereleases count for them."""
CHANNEL_PATTERN = r"^[a-z][a-z0-9_-]{0,39}$"
_CHANNEL = re.compile(CHANNEL_PATTERN, re.ASCII)


def is_channel(text: str) -> bool:
    """Tell whether a text can be the name of a channel: none that is a range as well, as `x` is."""
    return _CHANNEL.match(text) is not None and not text.endswith("\n") and not _is_range(text)


def split(text: str) -> tuple[str, str]:
    """Split what stands behind the `@` of a reference into channel and range; "" for what is not there."""
    first, _, rest = text.strip().partition(" ")
    return (first, rest.strip()) if is_channel(first) else ("", text.strip())


def _is_range(text: str) -> bool:
    try:
        semver.parse_range(text)
    except RangeInvalid:
        return False
    return True
