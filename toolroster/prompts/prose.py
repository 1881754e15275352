"""Make words that strangers wrote fit for a prompt: NFC, no hidden characters, one line where one is due.

Hidden characters carry instructions that a model reads and a person does not see, and bidi controls show
another order than the one that is read (UTS #39, UTR #36). Their place is taken by nothing, except where
they are part of what is seen: in an emoji, or between letters of a script that joins.
"""

import copy
import json
import re
import unicodedata
from typing import Any

from toolroster.schema_walk import rewrite

_EMOJI = r"[\u00a9\u00ae\u203c\u2049\u2122-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
_ONE_EMOJI = _EMOJI + r"[\U0001f3fb-\U0001f3ff]?[\ufe0e\ufe0f]?"
_JOINING = r"[\u0620-\u06d5\u06ee-\u06ff\u0750-\u077f\u08a0-\u08e1\u0900-\u109f\u1780-\u17b3\u17b6-\u17d3]"
"""Letters and marks of Arabic and of the scripts of India and its neighbours."""
_SEEN = (
    rf"{_ONE_EMOJI}(?:\u200d{_ONE_EMOJI})*"
    r"|[0-9#*]\ufe0f\u20e3"
    rf"|(?<={_JOINING})[\u200c\u200d](?={_JOINING})"
)
_HIDDEN = (
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Controls, default ignorables (DerivedCoreProperties.txt), and surrogates, which UTF-8 cannot carry."""
_SEEN_OR_HIDDEN = re.compile(f"({_SEEN})|{_HIDDEN}")
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")


def prose(text: str) -> str:
    """Return the text in NFC, without hidden characters and outer white space; lines end in newlines."""
    seen = _SEEN_OR_HIDDEN.sub(lambda found: found[1] or "", unicodedata.normalize("NFC", text))
    # Once more: what a hidden character kept apart may compose now.
    return unicodedata.normalize("NFC", _LINE_END.sub("\n", seen)).strip()


def one_line(text: str) -> str:
    """Return the prose on one line, with single spaces."""
    return " ".join(prose(text).split())


def plain_name(name: str) -> str:
    """Return the name of a parameter; one that would not show as it is comes as a JSON string."""
    return name if name and name == one_line(name) else json.dumps(name)


def plain_value(value: Any) -> str:
    """Return a value as JSON on one line; text that would not show as it is comes escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text == one_line(text) else json.dumps(value)


def readable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a deep copy with clean titles and descriptions, without comments (2020-12 core §8.3).

    Names and values are the contract and stay.
    """
    clean: dict[str, Any] = rewrite(copy.deepcopy(schema), _cleaned)
    return clean


def _cleaned(node: dict[str, Any]) -> dict[str, Any]:
    said = {"title": one_line, "description": prose}
    return {
        keyword: said[keyword](value) if keyword in said and isinstance(value, str) else value
        for keyword, value in node.items()
        if keyword != "$comment"
    }
