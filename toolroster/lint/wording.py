"""Measure, compare and show prose in any language; Chinese, Japanese and Korean need no spaces."""

import re
import unicodedata


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list that is written as prose."""
    return frozenset(text.split())


CHARACTERS_OF_A_WIDE_ONE = 3
"""What a Chinese character counts for: as many bytes as UTF-8 gives it, about what it says in letters."""
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_CJK_RUN = re.compile(f"[{_CJK}]+")
_WORD = re.compile(rf"[{_CJK}]+|[^\W\d_{_CJK}]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FILLERS = word_set(
    "a an the of for to this that is it its value param parameter arg argument field input string number "
    "integer boolean array object tool function api method der die das des dem den ein eine einer eines "
    "für von zu zum zur wert eingabe feld werkzeug funktion"  # codespell:ignore feld,funktion
)
_CJK_FILLERS = re.compile("的|这个|该|此|本|参数|字段|工具|接口|函数|一个")


def weight(text: str) -> int:
    """Return how much a text says: its visible characters, wide ones counted several times."""
    collapsed = " ".join(text.split())
    visible = (character for character in collapsed if unicodedata.category(character)[0] != "C")
    return sum(CHARACTERS_OF_A_WIDE_ONE if _is_wide(character) else 1 for character in visible)


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) == "W" and character.isalpha()


def words(text: str) -> list[str]:
    """Return the words of prose or of a name in any case style; pairs of characters where CJK is written."""
    spelt = _CAMEL.sub(" ", unicodedata.normalize("NFKC", text)).lower()
    return [part for word in _WORD.findall(spelt) for part in _parts(word)]


def _parts(word: str) -> list[str]:
    if len(word) <= 2 or not _CJK_RUN.match(word):
        return [word]
    return [word[index : index + 2] for index in range(len(word) - 1)]


def gist(text: str) -> frozenset[str]:
    """Return the words that carry the meaning, without endings."""
    said = words(_CJK_FILLERS.sub(" ", text))
    return frozenset(_stem(word) for word in said if word not in _FILLERS)


def _stem(word: str) -> str:
    """Return the word without the endings of "sends", "searches" and "files"."""
    return word.removesuffix("s").removesuffix("e") if len(word) > 3 else word


def says_only(text: str, *names: str) -> bool:
    """Tell whether a text has no word of meaning that the names do not have; not when it is empty."""
    return bool(words(text)) and gist(text) <= gist(" ".join(names))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of words that two sets have in common, from 0 to 1 (Jaccard)."""
    return len(one & other) / len(one | other) if one or other else 0.0


def shown(text: str, most: int = 80) -> str:
    """Return a text in quotes for a message: cut, and with what cannot be seen written as its number."""
    cut = f"{text[: most - 1]}…" if len(text) > most else text
    return '"' + "".join(_seen(character) for character in cut) + '"'


def _seen(character: str) -> str:
    if character.isprintable():
        return character
    is_space = character in "\n\r\t" or unicodedata.category(character) == "Zs"
    return " " if is_space else f"\\u{{{ord(character):04X}}}"
