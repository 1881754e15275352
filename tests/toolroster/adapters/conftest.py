"""Tools that are really served, as each framework is given them."""

from collections.abc import Iterator
from typing import Annotated, Literal

import pytest
from pydantic import Field

from toolroster import Param, Registry, agent_tool, scan
from toolroster.client import Registration
from toolroster.provider.server import listening
from toolroster.provider.serving import ToolApp


@agent_tool(name="book_table", description="Book a table. Use it when somebody wants to eat out.")
def book_table(
    guests: Annotated[int, Field(ge=1, le=12), Param("How many people.")],
    room: Literal["inside", "garden"] = "inside",
    note: str | None = None,
) -> dict[str, str]:
    if note == "full":
        raise ValueError("All tables are taken on that day.")
    return {"booked": f"{guests} in the {room}", "note": str(note)}


@agent_tool(name="cancel_table", description="Cancel a booking.", requires_approval=True)
def cancel_table(booking: str) -> str:
    return f"cancelled {booking}"


@pytest.fixture(scope="module")
def registrations() -> Iterator[list[Registration]]:
    tools = [*scan(book_table), *scan(cancel_table)]
    with listening(lambda _: ToolApp(tools), "127.0.0.1", 0) as url:
        yield [_registered(tool.definition.document(), url) for tool in tools]


def _registered(document: dict, url: str) -> Registration:
    name = document["name"]
    said = {
        "tool_id": f"bistro:{name}:1.0.0",
        "provider": "bistro",
        "lifecycle": "ACTIVE",
        "endpoint": {"url": f"{url}/tools/{name}"},
    }
    return Registration(document | said)


@pytest.fixture
def registry() -> Iterator[Registry]:
    with Registry("http://registry.test", is_cached=False) as registry:
        yield registry
