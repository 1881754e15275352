"""Characters that a reviewer does not see, or takes for others: the carriers of hidden instructions."""

import re
from collections.abc import Callable, Iterator

from toolroster.lint import invisible
from toolroster.lint.draft import Draft, Text
from toolroster.lint.finding import Hit
from toolroster.lint.wording import shown

_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_CYRILLIC = re.compile("[\u0400-\u052f]")
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_WORD = re.compile(r"[^\W\d_]+")
# Science puts Greek letters into Latin words (\u0394x, k\u03a9, NF\u03baB). Suspect are capitals that look
# Latin, omicron, and a letter between small Latin ones.
_GREEK_LOOK_ALIKE = re.compile(
    "[\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03f2\u03f3]"
    "|(?<=[a-z])[\u03b1-\u03ff](?=[a-z])"
)


def bidi(draft: Draft) -> Iterator[Hit]:
    """Find characters that switch the direction of writing (Trojan Source, CVE-2021-42574)."""
    yield from _hits(draft, invisible.bidi, "characters that reorder what is shown", _without)


def zero_width(draft: Draft) -> Iterator[Hit]:
    """Find characters without width, outside emoji and the scripts that need them."""
    yield from _hits(draft, invisible.zero_width, "characters without width", _without)


def tag_characters(draft: Draft) -> Iterator[Hit]:
    """Find the invisible copies of ASCII in the tags block, which models read as letters."""
    for text in _beyond_ascii(draft):
        runs = invisible.smuggled(text.value)
        if runs:
            said = shown("".join(invisible.spelt(run[0]) for run in runs))
            message = f"The text holds invisible tag characters (U+E0000 to U+E007F) that spell {said}."
            yield Hit(text.path, message, _without(text))


def private_use(draft: Draft) -> Iterator[Hit]:
    """Find characters that mean something else on each machine."""
    yield from _hits(draft, _positions(invisible.PRIVATE_USE), "private-use characters", _spelt_out)


def controls(draft: Draft) -> Iterator[Hit]:
    """Find control characters other than tab and line end."""
    for text in draft.texts:
        if not text.value.isprintable():
            found = _positions(invisible.CONTROLS)(text.value)
            yield from _hit(text, found, "control characters", _without)


def mixed_scripts(draft: Draft) -> Iterator[Hit]:
    """Find words in which a Cyrillic or Greek letter stands for a Latin one."""
    for text in _beyond_ascii(draft):
        found = _mixed_word(text.value)
        if found:
            word, letter = found
            message = f"The word {shown(word)} mixes alphabets: it holds {invisible.named(letter)}."
            yield Hit(text.path, message, "Type the word again in one alphabet.")


def _mixed_word(text: str) -> tuple[str, str] | None:
    """Return the first word of two alphabets and its foreign letter."""
    if not (_CYRILLIC.search(text) or _GREEK.search(text)):
        return None
    for word in _WORD.findall(text):
        if _LATIN.search(word):
            letter = _CYRILLIC.search(word) or _GREEK_LOOK_ALIKE.search(word)
            if letter:
                return word, letter[0]
    return None


def _beyond_ascii(draft: Draft) -> Iterator[Text]:
    return (text for text in draft.texts if not text.value.isascii())


def _positions(characters: re.Pattern[str]) -> Callable[[str], list[int]]:
    return lambda text: [match.start() for match in characters.finditer(text)]


def _hits(
    draft: Draft, find: Callable[[str], list[int]], what: str, fix: Callable[[Text], str]
) -> Iterator[Hit]:
    for text in _beyond_ascii(draft):
        yield from _hit(text, find(text.value), what, fix)


def _hit(text: Text, found: list[int], what: str, fix: Callable[[Text], str]) -> Iterator[Hit]:
    """Yield at most one hit for a text: where the first character stands, and how many there are."""
    if not found:
        return
    first = found[0]
    name = invisible.named(text.value[first])
    behind = f"behind {shown(text.value[max(0, first - 20) : first])}" if first else "at its beginning"
    count = f"; {len(found)} in all" if len(found) > 1 else ""
    yield Hit(text.path, f"The text holds {what}: {name} {behind}{count}.", fix(text))


def _without(text: Text) -> str:
    return f"Delete them, so that the text reads {shown(invisible.removed(text.value))}."


def _spelt_out(text: Text) -> str:
    return "Replace them by characters that every machine shows alike, or by words."
