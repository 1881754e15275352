"""Whether a description still says the same: models choose and call tools by what it says."""

import re
from difflib import SequenceMatcher

from toolroster.lint import invisible

LEAST_SIMILARITY = 0.6
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_ADDRESS = re.compile(r"(?i)\b(?:https?|ftp|file|data|javascript)\s*:")
_ENGLISH = """always call delete destroy disregard do don drop execute forget ignore instead must never no not
only override pretend remove reveal send skip system without"""
_GERMAN = "nie niemals nicht kein keine ignoriere lösche immer muss musst sende führe"
_CHINESE = "不 必 总 忽 删 勿 发 执"
_MARKED = frozenset(f"{_ENGLISH} {_GERMAN} {_CHINESE}".split())
"""Words that turn a sentence round or tell a model what to do; Chinese ones by character."""


def is_rewritten(old: str, new: str) -> bool:
    """Tell whether a text says something else, and does not only say it a little differently.

    It does where too few words are shared, or where words that command or deny, an address or characters that
    nobody sees came in.
    """
    before, after = _words(old), _words(new)
    is_hiding = invisible.removed(new) != new and invisible.removed(old) == old
    if before == after and not is_hiding:
        return False
    came_in = set(after) - set(before)
    is_marked = bool(came_in & _MARKED) or bool(_ADDRESS.search(new) and not _ADDRESS.search(old))
    if is_marked or is_hiding:
        return True
    return SequenceMatcher(None, before, after, autojunk=False).ratio() < LEAST_SIMILARITY


def _words(text: str) -> list[str]:
    """Return the words, Chinese ones as single characters, without case and punctuation."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        found += list(word) if any("\u4e00" <= letter <= "\u9fff" for letter in word) else [word]
    return found
