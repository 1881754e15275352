"""Text that a page hides and a model reads: markup, encoded runs, and secrets in addresses."""

import re
from collections.abc import Iterator

from toolroster.lint.draft import Draft
from toolroster.lint.finding import Hit
from toolroster.lint.wording import shown

ENCODED_RUN = 200
"""Characters of base64 or hexadecimal in a row that are no name any more."""
# Every repetition is bounded, or stops at the character that could begin the next match: linear on any text.
_UNSEEN_STYLE = (
    r"(?:display\s{0,5}:\s{0,5}none|visibility\s{0,5}:\s{0,5}hidden"
    r"|(?:font-size|opacity)\s{0,5}:\s{0,5}0(?![.\d]))"
)
_HIDING = re.compile(
    rf"<!--(?!\s{{0,20}}-->)|\[(?://|comment)\]:\s?#|<[a-z][^<>]{{0,300}}?{_UNSEEN_STYLE}"
    rf"|\{{[^{{}}]{{0,300}}?{_UNSEEN_STYLE}|<[a-z]+\s(?:[^<>]{{0,300}}?\s)?hidden[\s>=]",
    re.IGNORECASE,
)
_RUN = re.compile(rf"[A-Za-z0-9+/_-]{{{ENCODED_RUN + 1},}}")
_CREDENTIALS = re.compile(
    r"(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{1,20}://)([^\s/?#@:\"'<>]{0,200})(?::([^\s/?#@\"'<>]{1,200}))?@",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"[\[{$%*.…-].*|x+|(?:my|your|the|a|db|user)?[_-]?"
    r"(?:p|pw|pwd|pass|passw|passwd|password|passwort|kennwort|secret|token|key|credentials?|密码)\d{0,3}",
    re.IGNORECASE,
)
_TOKEN_LENGTH = 20


def hiding(draft: Draft) -> Iterator[Hit]:
    """Find comments and styles that a page does not show, but a model reads."""
    for text in draft.texts:
        found = _HIDING.search(text.value)
        if found:
            around = shown(text.value[found.start() : found.start() + 80])
            fix = "Delete it, or write what it says as plain text that everyone sees."
            yield Hit(text.path, f"The markup {around} hides text from people.", fix)


def encoded_runs(draft: Draft) -> Iterator[Hit]:
    """Find long runs of base64 or hexadecimal, which nobody can review."""
    for text in draft.texts:
        found = next(filter(_looks_encoded, _RUN.finditer(text.value)), None)
        if found:
            message = f"{len(found[0])} characters in a row look encoded: {shown(found[0], 40)}."
            fix = "Take it out; to show a format, a few characters and an ellipsis are enough."
            yield Hit(text.path, message, fix)


def _looks_encoded(run: re.Match[str]) -> bool:
    return bool(re.search(r"\d", run[0]) and re.search(r"[A-Za-z]", run[0]))


def credentials(draft: Draft) -> Iterator[Hit]:
    """Find addresses with a user and a password that is no placeholder. The message does not repeat it."""
    for text in draft.texts:
        found = next(filter(_is_secret, _CREDENTIALS.finditer(text.value)), None)
        if found:
            name = f"{shown(found[2], 20)[1:-1]}:***" if found[3] else "***"
            message = f'The address "{found[1]}{name}@…" holds a secret that every reader of the tool gets.'
            fix = f'Change the secret, it is known now; write a placeholder: "{found[1]}USER:PASSWORD@…".'
            yield Hit(text.path, message, fix)


def _is_secret(address: re.Match[str]) -> bool:
    _, user, password = address.groups()
    if password is None:  # a token can stand for both: https://ghp_…@github.com
        return len(user) >= _TOKEN_LENGTH and bool(re.search(r"\d", user))
    return not _PLACEHOLDER.fullmatch(password)
