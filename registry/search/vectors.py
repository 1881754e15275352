"""Vectors as they are stored and compared: centred per language, examples averaged in.

Vectors of e5 models sit in a narrow cone (cosines of 0.75 to 0.9) with a strong language axis: a Chinese
request is nearest to whatever is described in Chinese. Subtracting the mean of each language and side
(queries, documents) removes the cone and the axis; Recall@1 of Chinese requests doubled (SEARCH.md §0).
The means are shipped per model (`means/`), made from texts that have nothing to do with the catalogue.
"""

import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from registry.search import texts
from registry.search.embedders.base import Embedder, Matrix, normalise
from registry.search.language import detect
from registry.search.texts import SearchableText

Side = Literal["query", "document"]

MEANS_FOLDER = Path(__file__).parent / "means"


@dataclass(frozen=True)
class Means:
    """Mean vectors by language and side; without any, centring is the identity.

    `version` names their content: vectors centred with other means must not be compared, so it belongs
    into the content hash of what is stored.
    """

    vectors: Mapping[tuple[str, Side], Matrix] = field(default_factory=dict)
    version: str = "none"

    def of(self, language: str, side: Side) -> Matrix | None:
        """Return the mean to subtract, shape (d,): for an unknown language the mean of all means."""
        if (language, side) in self.vectors:
            return self.vectors[language, side]
        known = [mean for (_, other), mean in self.vectors.items() if other == side]
        return np.stack(known).mean(axis=0) if known else None


@lru_cache(maxsize=8)
def means_for(model_id: str) -> Means:
    """Return the means shipped for exactly this model, or none: centring is then the identity."""
    path = means_path(model_id)
    if not path.exists():
        return Means()
    content = path.read_bytes()
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        found: dict[tuple[str, Side], Matrix] = {}
        for name in arrays.files:
            language, _, side = name.partition("_")
            found[language, "query" if side == "query" else "document"] = arrays[name].astype(np.float32)
    return Means(found, hashlib.sha256(content).hexdigest()[:12])


def means_path(model_id: str) -> Path:
    """Return where the means of a model are kept; arrays `en_query`, `en_document`, … of shape (d,)."""
    return MEANS_FOLDER / (re.sub(r"[^\w.-]", "_", model_id) + ".npz")


def centre(vectors: Matrix, languages: Sequence[str], side: Side, means: Means) -> Matrix:
    """Return the rows minus the mean of their language, at unit length again; shape (n, d) stays."""
    rows = vectors.copy()
    for row, language in enumerate(languages):
        mean = means.of(language, side)
        if mean is not None:
            rows[row] -= mean
    return normalise(rows)


def document_vector(dense: Matrix, examples: Matrix) -> Matrix:
    """Return the one vector of a tool, shape (d,): description plus the mean of its example requests.

    Args:
        dense: centred vector of the dense text, shape (d,).
        examples: centred query vectors of the examples, shape (k, d); k may be 0.
    """
    return normalise(dense + examples.mean(axis=0)) if len(examples) else dense


def embed_tools(embedder: Embedder, tools: Sequence[SearchableText]) -> Matrix:
    """Return the vectors to store for the tools, shape (n, d), in two calls of the model.

    Raises:
        EmbedderUnavailable: the model cannot be had; nothing was embedded.
    """
    means = means_for(embedder.model_id)
    examples = [texts.example_texts(tool) for tool in tools]
    dense = centre(
        embedder.embed_documents([texts.dense_text(tool) for tool in tools]),
        [texts.language_of(tool) for tool in tools],
        "document",
        means,
    )
    asked = embed_requests(embedder, [example for group in examples for example in group])
    ends = np.cumsum([len(group) for group in examples])
    groups = np.split(asked, ends[:-1]) if tools else []
    return np.array([document_vector(*pair) for pair in zip(dense, groups, strict=True)]).reshape(dense.shape)


def embed_requests(embedder: Embedder, requests: Sequence[str]) -> Matrix:
    """Return the centred vectors of requests, shape (n, d), to compare with those of `embed_tools`.

    Raises:
        EmbedderUnavailable: the model cannot be had.
    """
    means = means_for(embedder.model_id)
    languages = [detect(request) for request in requests]
    return centre(embedder.embed_queries(requests), languages, "query", means)


def recipe(model_id: str) -> str:
    """Return the version of templates and means, the `template_version` of `texts.content_hash`."""
    return f"{texts.TEMPLATE_VERSION}+{means_for(model_id).version}"
