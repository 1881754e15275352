"""Turn texts into the terms of the lexical index.

A document is indexed by the stems of its own language. A query is stemmed by every stemmer there is,
so that its terms meet those of any document whatever language the query was taken for: "files löschen"
finds a tool named `delete_files` that is described in German or in English. Chinese, Japanese and
Korean have no spaces to split at: they are cut into overlapping pairs of characters (bigrams).
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

import snowballstemmer  # type: ignore[import-untyped]  # ships no types

from registry.search import stopwords
from registry.search.language import HAN, HANGUL, KANA, detect

# Far above real descriptions; keeps one hostile document from costing seconds (about 0.05 ms a new word).
MAX_DOCUMENT_CHARACTERS = 20_000
MAX_QUERY_CHARACTERS = 2_000
# The longest German compounds in use have about 60 letters; more is base64 or a hash.
MAX_WORD_CHARACTERS = 64

_ALGORITHMS = {"en": "english", "de": "german"}

_CAMEL = re.compile(r"(?<=[a-zäöüß0-9])(?=[A-ZÄÖÜ])|(?<=[A-ZÄÖÜ])(?=[A-ZÄÖÜ][a-zäöüß])")
_CJK = f"{HAN}{KANA}{HANGUL}"
_RUN = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}]+(?:-[^\\W_{_CJK}]+)*")
_CJK_START = re.compile(f"[{_CJK}]")
_LETTERS_OR_DIGITS = re.compile(r"[^\W\d]+|\d+")
_CHINESE_STOP = re.compile(f"[{stopwords.CHINESE_CHARACTERS}]")


def terms(text: str, language: str, *, keep_stop_words: bool = False) -> list[str]:
    """Return the index terms of a document's text in order, with repetitions.

    Args:
        text: any field of a document; read up to `MAX_DOCUMENT_CHARACTERS`.
        language: what `detect` said of the whole document; selects stemmer and stop list.
        keep_stop_words: for names, where "get" or "help" may be all there is.
    """
    dropped = frozenset() if keep_stop_words else stopwords.words_of(language)
    found: list[str] = []
    for run in _runs(text[:MAX_DOCUMENT_CHARACTERS]):
        if _CJK_START.match(run):
            # Single characters too: the query 票 must find 机票.
            found += _bigrams(run) + (list(run) if len(run) > 1 else [])
        else:
            found += [_stem(word, language) for word in _words(run) if word not in dropped]
    return found


def query_terms(text: str) -> dict[str, str]:
    """Return the terms to look up, each with the word of the query that it came from.

    Request frames ("I need a tool that can …") and stop words are dropped, unless nothing else is left.
    """
    framed = unicodedata.normalize("NFKC", text[:MAX_QUERY_CHARACTERS])
    bare = stopwords.REQUEST_FRAME.sub(" ", framed)
    dropped = stopwords.words_of(detect(framed))
    return _query_terms(bare, dropped) or _query_terms(framed, frozenset())


def term_counts(found: Iterable[str]) -> Counter[str]:
    """Return how often each term occurs (`tf` of BM25); the total is the document's length."""
    return Counter(found)


def split_name(name: str) -> str:
    """Return an identifier as words: `getUserByID`, `get_user.by-id` → `get User By ID`."""
    return " ".join(re.split(r"[\W_]+", _CAMEL.sub(" ", unicodedata.normalize("NFKC", name)))).strip()


def _query_terms(text: str, dropped: frozenset[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for run in _runs(text):
        if _CJK_START.match(run):
            found |= {pair: pair for pair in _bigrams(run)}
            continue
        for word in _words(run):
            if word not in dropped:
                found |= {_stem(word, language): word for language in _ALGORITHMS}
    return found


def _runs(text: str) -> Iterator[str]:
    normal = _CAMEL.sub("-", unicodedata.normalize("NFKC", text)).casefold()
    for run in _RUN.findall(normal):
        if _CJK_START.match(run):
            yield from filter(None, _CHINESE_STOP.split(run))
        else:
            yield run


def _bigrams(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def _words(run: str) -> list[str]:
    """Return the parts of a run of letters, digits and hyphens, and the compounds they make up.

    `e-mail` is also "email", `GitHub` also "github", `utf8` also "utf" and "8": people write both.
    """
    pieces = run.split("-")
    # Pairs too: "GitHub" inside `createGitHubIssue`.
    neighbours = [first + second for first, second in pairwise(pieces)]
    whole = ["".join(pieces)] if len(pieces) > 2 else []
    parts = [part for piece in pieces for part in _parts(piece)]
    # A single letter is a word by itself only ("C", "R"), not as the rest of a compound.
    return [word for word in parts + neighbours + whole if len(word) > 1 or word == run or word.isdigit()]


def _parts(piece: str) -> list[str]:
    parts = _LETTERS_OR_DIGITS.findall(piece)
    return [piece, *parts] if len(parts) > 1 else parts


@lru_cache(maxsize=50_000)
def _stem(word: str, language: str) -> str:
    # A stemmer keeps its state between calls and is not thread-safe; making one takes 0.3 µs.
    stemmer = snowballstemmer.stemmer(_ALGORITHMS.get(language, "english"))
    return _without_accents(stemmer.stemWord(word[:MAX_WORD_CHARACTERS]))


def _without_accents(word: str) -> str:
    # Latin only: in other scripts a combining mark can be a vowel.
    if word.isascii() or word[0] > "\u024f":
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
