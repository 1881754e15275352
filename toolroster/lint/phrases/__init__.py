"""Phrases that speak to the model instead of about the tool, in English, German and Chinese.

Matched against `Text.as_read`: lower case, one space between words, straight apostrophes, no underscores.
Each names whom it speaks to, or what it orders, closely enough that business prose does not match: "ignore
case", "do not notify the user", "call list_accounts first" describe a tool; "ignore previous instructions",
"do not tell the user", "always call this tool first" do not. Every repetition is bounded, so that matching
takes time in proportion to the text. Sources: the tool poisoning attacks that Invariant Labs published in
2025 (hidden orders, shadowing of other tools, secrets as a parameter), and OWASP LLM01 on prompt injection.
"""

import re

from toolroster.lint.phrases import chinese, english, german


def _compiled(*languages: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(phrase) for phrases in languages for phrase in phrases)


OVERRIDE = _compiled(english.OVERRIDE, german.OVERRIDE, chinese.OVERRIDE)
"""Orders to drop the instructions that the model has."""
ORDER = _compiled(english.ORDER, german.ORDER, chinese.ORDER)
"""Orders when to call this tool or others."""
SECRECY = _compiled(english.SECRECY, german.SECRECY, chinese.SECRECY)
"""Orders to keep something from the user."""
ADDRESS = _compiled(english.ADDRESS, german.ADDRESS, chinese.ADDRESS)
"""Words that turn to the model itself, and the marks that separate roles in a chat."""
SECRETS = _compiled(english.SECRETS, german.SECRETS, chinese.SECRETS)
"""Orders to fetch secrets, or what was said so far, and to pass them on as arguments."""
PROMOTION = _compiled(english.PROMOTION, german.PROMOTION, chinese.PROMOTION)
"""Praise of the tool over others, which is an order to choose it."""
