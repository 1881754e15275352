"""Vectors as they are stored and compared: centred per language (`means`), examples averaged in."""

from collections.abc import Sequence

import numpy as np

from registry.search import means as known_means
from registry.search import texts
from registry.search.embedders.base import Embedder, Matrix, normalise
from registry.search.language import detect
from registry.search.means import Means, Side
from registry.search.texts import SearchableText


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


def embed_tools(embedder: Embedder, tools: Sequence[SearchableText], means: Means) -> Matrix:
    """Return the vectors to store for the tools, shape (n, d), in two calls of the model.

    Raises:
        EmbedderUnavailable: the model cannot be had; nothing was embedded.
    """
    examples = [texts.example_texts(tool) for tool in tools]
    dense = centre(
        embedder.embed_documents([texts.dense_text(tool) for tool in tools]),
        [texts.language_of(tool) for tool in tools],
        "document",
        means,
    )
    asked = embed_requests(embedder, [example for group in examples for example in group], means)
    ends = np.cumsum([len(group) for group in examples])
    groups = np.split(asked, ends[:-1]) if tools else []
    return np.array([document_vector(*pair) for pair in zip(dense, groups, strict=True)]).reshape(dense.shape)


def embed_requests(embedder: Embedder, requests: Sequence[str], means: Means) -> Matrix:
    """Return the centred vectors of requests, shape (n, d), to compare with those of `embed_tools`.

    Raises:
        EmbedderUnavailable: the model cannot be had.
    """
    languages = [detect(request) for request in requests]
    return centre(embedder.embed_queries(requests), languages, "query", means)


def recipe(model_id: str) -> str:
    """Return the version of templates and means, the `template_version` of `texts.content_hash`."""
    return f"{texts.TEMPLATE_VERSION}+{known_means.version(model_id)}"
