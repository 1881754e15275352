"""Addresses of the admin, and what its pages say."""

import html
import re
from typing import Any

from django.test import Client
from django.urls import reverse

from registry.models import ToolRegistration

REGISTRATIONS = "/admin/registry/toolregistration/"


def page_of(row: ToolRegistration) -> str:
    return reverse("admin:registry_toolregistration_change", args=[row.pk])


def text_of(answer: Any) -> str:
    """Return the text of a page without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def decide(client: Client, action: str, *rows: ToolRegistration, **fields: str) -> Any:
    """Choose an action for rows on the list, and follow to what is said about it."""
    data = {"action": action, "_selected_action": [str(row.pk) for row in rows], "index": "0", **fields}
    return client.post(REGISTRATIONS, data, follow=True)


def said(answer: Any) -> list[str]:
    """Return the messages of an answer."""
    return [str(message) for message in answer.context["messages"]]
