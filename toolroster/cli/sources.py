"""Where commands read from: files with documents, and calls that the library has no method for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from toolroster import strict_json
from toolroster.client.answers import content_of
from toolroster.errors import DocumentInvalid, Malformed, Unavailable


def documents_in(file: Path) -> list[Any]:
    """Return the documents of a JSON file: one, a list, or `{"tools": [...]}`.

    Raises:
        DocumentInvalid: the file holds no JSON.
    """
    try:
        content = strict_json.loads(file.read_bytes())
    except Malformed as error:
        raise DocumentInvalid(f"{file}: {error.detail}") from error
    if isinstance(content, dict) and isinstance(content.get("tools"), list):
        content = content["tools"]
    return content if isinstance(content, list) else [content]


def read(ask: Callable[..., httpx.Response], url: str, **options: Any) -> dict[str, Any]:
    """Return the object that a registry answers.

    Raises:
        ToolrosterError: what it says, or that it does not answer.
    """
    try:
        content = content_of(ask(url, **options))
    except httpx.HTTPError as error:
        raise Unavailable(f"{url} does not answer ({type(error).__name__}).") from error
    if not isinstance(content, dict):
        raise Unavailable(f"{url} does not answer as a registry does.")
    return content
