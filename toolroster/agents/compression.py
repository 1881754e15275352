"""Shorten a conversation: by a model, or by picking the sentences that carry most."""

import heapq
import logging
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from toolroster.agents.llm import LLM
from toolroster.agents.wording import WORDINGS, Language
from toolroster.errors import ToolrosterError

logger = logging.getLogger(__name__)

MOST_CHARACTERS = 1200
"""Of a summary: about 300 tokens."""
_MOST_ASKED = 24_000
"""Characters that a model is asked to summarize at once; more would not fit a small one's context."""
_SAID_AGAIN = 0.5
"""Of a term's weight when it is picked: at 0 a long sentence on the topic loses to a short one off it."""
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。\uff01\uff1f])|\n+")
"""The two escapes are the full-width exclamation and question mark."""
_TERM = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|\w+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Statement:
    """Who said what."""

    agent: str
    message: str

    def __str__(self) -> str:
        return f"{self.agent}: {' '.join(self.message.split())}"


class Summarizer(Protocol):
    """What makes a short text of a conversation."""

    def summarize(self, said: Sequence[Statement]) -> str:
        """Return the summary, "" for nothing."""


@dataclass(frozen=True, slots=True)
class ExtractiveSummarizer:
    """Picks whole sentences, in their order, up to a size; the same conversation gives the same summary.

    A term weighs the more, the more often it is said (by the logarithm) and the rarer the sentences with it
    are (tf-idf, Spärck Jones 1972): what every sentence says tells nothing, and so no language needs a list
    of stop words. A term that was picked weighs less: the next sentence is the one that adds most to those
    picked (as in maximal marginal relevance, Carbonell and Goldstein 1998), per square root of its length,
    else the longest always won.
    """

    most_characters: int = MOST_CHARACTERS

    def summarize(self, said: Sequence[Statement]) -> str:
        """Return the sentences that carry most."""
        sentences = [Statement(one.agent, text) for one in said for text in sentences_of(one.message)]
        terms = [terms_of(one.message) for one in sentences]
        picked = sorted(_picked([str(one) for one in sentences], terms, self.most_characters))
        return "\n".join(str(sentences[place]) for place in picked)


@dataclass(frozen=True, slots=True)
class LLMSummarizer:
    """Lets a model summarize; where it gives no answer, the sentences that carry most are taken."""

    llm: LLM
    language: Language = "en"
    most_characters: int = MOST_CHARACTERS

    def summarize(self, said: Sequence[Statement]) -> str:
        """Return the model's summary."""
        if not said:
            return ""
        text = "\n".join(map(str, said))
        if len(text) > _MOST_ASKED:
            text = ExtractiveSummarizer(_MOST_ASKED).summarize(said)
        messages = [
            {"role": "system", "content": WORDINGS[self.language].summarize},
            {"role": "user", "content": text},
        ]
        try:
            summary = self.llm.chat(messages).text.strip()
        except ToolrosterError as error:  # fails open: a memory must not end a session
            logger.warning("no summary of the model: %s", error.detail)
            summary = ""
        return summary[: self.most_characters] or ExtractiveSummarizer(self.most_characters).summarize(said)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text; a point within a number or a name ends none."""
    return [found for one in _SENTENCE_END.split(text) if (found := one.strip())]


def terms_of(text: str) -> list[str]:
    """Return words in lower case; of scripts without spaces the pairs of neighbouring characters."""
    found: list[str] = []
    for run in _TERM.findall(text.casefold()):
        if _UNSPACED.match(run) and len(run) > 1:
            found += [run[place : place + 2] for place in range(len(run) - 1)]
        else:
            found.append(run)
    return found


def _weights(terms: Sequence[Sequence[str]]) -> dict[str, float]:
    counts = Counter(term for one in terms for term in one)
    spread = Counter(term for one in terms for term in set(one))
    return {
        term: (1 + math.log(count)) * math.log((len(terms) + 1) / spread[term])
        for term, count in counts.items()
    }


def _picked(texts: Sequence[str], terms: Sequence[Sequence[str]], room: int) -> Iterator[int]:
    """Yield places of sentences, best first, while they fit and add something; of equals the earlier one.

    What a sentence adds only ever falls, and so only the one on top is measured again (Minoux 1978).
    """
    weights, covered = _weights(terms), set[str]()
    heap = [(-_gain(one, weights), place) for place, one in enumerate(terms)]
    heapq.heapify(heap)
    while heap:
        before, place = heapq.heappop(heap)
        gain = _gain(terms[place], weights)
        if len(texts[place]) > room or covered.issuperset(terms[place]):
            continue
        if gain < -before:
            heapq.heappush(heap, (-gain, place))
            continue
        yield place
        room -= len(texts[place]) + 1
        covered.update(terms[place])
        weights |= {term: weights[term] * _SAID_AGAIN for term in terms[place]}


def _gain(terms: Sequence[str], weights: dict[str, float]) -> float:
    return sum(weights[term] for term in dict.fromkeys(terms)) / math.sqrt(len(terms) or 1)
