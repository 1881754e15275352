"""Characters that are not seen: which ones, where writing needs them, and text without them (UTS #39, #51).

Zero-width joiners are part of Persian, Indic and emoji sequences, spaces without width of Thai and Khmer,
variation selectors of emoji and Chinese; tag characters spell the flags of England, Scotland and Wales.
"""

import re
import unicodedata

TAGS = re.compile("[\U000e0000-\U000e007f]+")
BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
DIRECTION_MARKS = re.compile("[\u200e\u200f\u061c]")
RIGHT_TO_LEFT = re.compile("[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
ZERO_WIDTH = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0100-\U000e01ef]"
)
PRIVATE_USE = re.compile("[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
CONTROLS = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb]")
_REMOVED = re.compile("|".join(p.pattern for p in (BIDI_CONTROLS, DIRECTION_MARKS, ZERO_WIDTH, CONTROLS)))
_JOINERS = "\u200c\u200d"
_JOINING_SCRIPTS = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ua8e0-\ua9ff\ufb50-\ufefc]"
)
_UNSPACED_SCRIPTS = re.compile("[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff]")
_EMOJI = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u20e3\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2900-\u2bff\u3030\u303d"
    "\u3297\u3299\U0001f000-\U0001faff]"
)
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_KEYCAPS = "0123456789#*"
_FLAG = "\U0001f3f4"
_SUBDIVISION = re.compile("[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")


def removed(text: str) -> str:
    """Return the text without invisible characters, and with tag characters as the letters they smuggle."""
    if text.isascii() and text.isprintable():
        return text
    return _REMOVED.sub("", TAGS.sub(lambda run: spelt(run[0]), text))


def spelt(tags: str) -> str:
    """Return the ASCII text that a run of tag characters spells."""
    letters = (ord(character) - 0xE0000 for character in tags)
    return "".join(chr(letter) for letter in letters if 0x20 <= letter < 0x7F)


def named(character: str) -> str:
    """Return number and name of a character, as Unicode's charts write them."""
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X} {name}".rstrip()


def zero_width(text: str) -> list[int]:
    """Return where characters without width stand that no script or emoji needs."""
    return [match.start() for match in ZERO_WIDTH.finditer(text) if not _is_needed(text, match.start())]


def bidi(text: str) -> list[int]:
    """Return where the direction of writing is switched; marks are fine beside letters of both directions."""
    found = [match.start() for match in BIDI_CONTROLS.finditer(text)]
    if not RIGHT_TO_LEFT.search(text):
        found += [match.start() for match in DIRECTION_MARKS.finditer(text)]
    return sorted(found)


def smuggled(text: str) -> list[re.Match[str]]:
    """Return the runs of tag characters that are no flag of a country's part."""
    return [run for run in TAGS.finditer(text) if not _is_flag(text, run)]


def _is_flag(text: str, run: re.Match[str]) -> bool:
    before = text[run.start() - 1 : run.start()]
    return before == _FLAG and _SUBDIVISION.fullmatch(run[0]) is not None


def _is_needed(text: str, index: int) -> bool:
    before, after = text[index - 1 : index], text[index + 1 : index + 2]
    character = text[index]
    if character in _JOINERS:
        return _joins_emoji(text, index) or bool(_JOINING_SCRIPTS.match(before))
    if character == "\u200b":
        return bool(_UNSPACED_SCRIPTS.match(before) and _UNSPACED_SCRIPTS.match(after))
    if "\u180b" <= character <= "\u180f":
        return "\u1800" <= before <= "\u18af" and not "\u180b" <= before <= "\u180f"
    return bool(_SELECTORS.match(character)) and _takes_selector(before)


def _joins_emoji(text: str, index: int) -> bool:
    before, after = text[index - 1 : index], text[index + 1 : index + 2]
    is_joiner = text[index] == "\u200d"
    return is_joiner and bool(_EMOJI.match(after)) and bool(before == "\ufe0f" or _EMOJI.match(before))


def _takes_selector(base: str) -> bool:
    """Tell whether variants of the base exist: emoji, keycaps, ideographs, symbols."""
    if not base or _SELECTORS.match(base):
        return False
    return base in _KEYCAPS or bool(_EMOJI.match(base)) or unicodedata.category(base) in {"Lo", "Sm", "So"}
