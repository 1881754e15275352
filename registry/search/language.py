"""Tell which language a text is in: by script, function words and word shapes.

Stemming and mean-centring need one of few languages, for texts that may be three words long. General
detectors need longer texts and megabytes of profiles; the few clues here decide the same question
(measured in `tests/registry/search/test_language.py`).
"""

import re
from typing import Literal, get_args

Language = Literal["en", "de", "zh", "ja", "ko"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

# A long text is decided by its beginning; also bounds the work for hostile input.
MAX_CHARACTERS = 2_000

HAN = "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
KANA = "\u3040-\u30ff"
HANGUL = "\u1100-\u11ff\uac00-\ud7af"

_HAN = re.compile(f"[{HAN}]")
_KANA = re.compile(f"[{KANA}]")
_HANGUL = re.compile(f"[{HANGUL}]")
_WORD = re.compile(f"[^\\W\\d_{HAN}{KANA}{HANGUL}]+")
_IDENTIFIER = re.compile(r"\b\w+[_./@]\S*|\b\w*[a-z][A-Z]\w*")


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text, which is how the lists here and in `stopwords` are written."""
    return frozenset(text.split())


# Words that are frequent in one of the two languages and rare in the other: no "die", "was", "in", "an",
# "am", "man", "also", "will", "so", "war", "hat", "all".
_ENGLISH = word_set(
    "the a of to for and or is are with from by at as it its this that these those what how which who "
    "when where why can could would should i you my your me we our he they his her their us please need "
    "want show find get give tell new between into than there be been do does did on not no if about "
    "any some using use only out up one have has"
)
_GERMAN = word_set(
    "der das und ist nicht mit für fuer auf ein eine einen einem einer eines zu zum zur von vom den dem "
    "im ins als auch wie wenn oder aber ich du er sie es wir ihr mein meine meinen meinem meiner dein "
    "deine sein seine ihre ihren unser unsere ob bitte kann können koennen soll möchte moechte muss wird "
    "werden wurde haben habe sind nach bei beim über ueber unter durch aus bis noch nur alle alles allen "
    "welche welcher welches welchen wo wann warum wer wem wen mir mich dir dich uns euch kein keine "
    "keinen diese dieser dieses diesen jede jeden gibt neue neuen neuer neues sich vor zwischen ohne "
    "heute gestern morgen etwas jemand jemanden viel viele wieviel lassen"
)
_UMLAUT = re.compile(r"[äöüß]")
_GERMAN_SHAPE = re.compile(
    r"sch|zw|pf(?!$)|[aeou]cht"
    r"|aend|aehl|aeus|oeff|oehl|oenn|ue[fbgh]"  # umlauts spelt out
    r"|(?:ung|ungen|heit|heiten|keit|keiten|schaft|lich|liche[mnrs]?|isch|ische[mnrs]?|ieren|iert"
    r"|[^aeiou]chen|[^aeiou]eln|[nt]ern|[^aeiou]hren|[^aeiou]nen|[rlnm][ktdgb]en|ß)$"
)
_ENGLISH_SHAPE = re.compile(
    r"^wh|th|sh(?!aft)|oo|ee|ou|(?:ing|ed|ly|ty|ry|cy|ble|ght|ness|ize|ate|ion|ions|ies)$"
)


def detect(text: str) -> Language:
    """Return the language of a text; "en" when nothing speaks for another one.

    Japanese is told from Chinese by its kana. Languages that are not listed count as English, which
    means: English stemming, and the English mean vector.
    """
    sample = text[:MAX_CHARACTERS]
    prose = _IDENTIFIER.sub(" ", sample)
    words = _WORD.findall(prose.lower())
    han, kana, hangul = (len(script.findall(sample)) for script in (_HAN, _KANA, _HANGUL))
    # A Chinese word has about two characters, so an even count means that Latin words are in the minority.
    if han + kana + hangul > len(words):
        return _east_asian(han, kana, hangul)
    return "de" if _german_evidence(words) > _english_evidence(words) else "en"


def _east_asian(han: int, kana: int, hangul: int) -> Language:
    if hangul > han + kana:
        return "ko"
    # Running Japanese is about half kana; a stray の in a Chinese text is decoration.
    return "ja" if kana * 5 > han else "zh"


def _german_evidence(words: list[str]) -> int:
    function_words = sum(word in _GERMAN for word in words)
    umlauts = sum(bool(_UMLAUT.search(word)) for word in words if word not in _GERMAN)
    shapes = sum(bool(_GERMAN_SHAPE.search(word)) for word in words if word not in _GERMAN)
    return 2 * function_words + 2 * umlauts + shapes


def _english_evidence(words: list[str]) -> int:
    function_words = sum(word in _ENGLISH for word in words)
    shapes = sum(bool(_ENGLISH_SHAPE.search(word)) for word in words if word not in _ENGLISH)
    return 2 * function_words + shapes
