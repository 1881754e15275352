"""What tests of calls share: a tool server that fails in every way, and a router of their own."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.toolroster.routing.faulty import FaultyServer


@pytest.fixture(scope="module")
def _serving() -> Iterator[FaultyServer]:
    with FaultyServer().serving() as server:
        yield server


@pytest.fixture
def faulty(_serving: FaultyServer, transactional_db: None) -> Iterator[FaultyServer]:
    """The server of a test; what the router noted is written before the test's rows go."""
    from consumers import conf  # noqa: PLC0415 - Django is set up by now
    from oauth import tool_tokens  # noqa: PLC0415 - Django is set up by now

    _serving.forget()
    tool_tokens.forget()
    yield _serving
    conf.blocking(conf.close_router())
    conf.call_log().flush()


@pytest.fixture
def written(faulty: FaultyServer) -> Any:
    """Write what was noted, and return the rows."""
    from consumers import conf  # noqa: PLC0415 - Django is set up by now
    from consumers.models import ToolCall  # noqa: PLC0415 - Django is set up by now

    def rows() -> list[ToolCall]:
        conf.call_log().flush()
        return list(ToolCall.objects.order_by("called_at", "call_id"))

    return rows
