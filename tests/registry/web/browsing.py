"""Look at pages as a browser does."""

import html
import re
from typing import Any

from django.test import Client

# What Firefox sends (MDN, "List of default Accept values").
ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def browse(path: str, query: dict[str, Any] | None = None, **headers: str) -> Any:
    """Open an address."""
    return Client().get(path, query, headers={"accept": ACCEPT, **headers})


def text_of(answer: Any) -> str:
    """Return the text of a page without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def tools_in(answer: Any) -> list[str]:
    """Return the ids of the tools that a page lists, in their order."""
    return re.findall(r'<h3>\s*<a href="/catalogue/([^"]+)"', answer.content.decode())
