"""`@agent_tool`: what a declaration publishes, and what it leaves alone."""

import asyncio
import functools
from typing import Annotated, Any

import pytest

from toolroster import Param, agent_tool, scan
from toolroster.errors import DocumentInvalid
from toolroster.provider import SignatureUnsupported
from toolroster.provider.declared import tool_of

GOOGLE = """Send an email.

    For notices, not for bulk mail.

    Args:
        to: Whom to write to.
        subject: The subject line.

    Returns:
        The id of the message.
    """
NUMPY = """Send an email.

    For notices, not for bulk mail.

    Parameters
    ----------
    to : str
        Whom to write to.
    subject : str
        The subject line.

    Returns
    -------
    str
        The id of the message.
    """
REST = """Send an email.

    For notices, not for bulk mail.

    :param to: Whom to write to.
    :param subject: The subject line.
    :returns: The id of the message.
    """


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, REST], ids=["google", "numpy", "rest"])
def test_the_docstring_says_what_is_not_said_otherwise(docstring):
    def send(to: str, subject: Annotated[str, Param("One line.")] = "") -> str:
        return to + subject

    send.__doc__ = docstring
    definition = tool_of(agent_tool(send)).definition

    said = {name: schema["description"] for name, schema in definition.input_schema["properties"].items()}
    assert definition.description == "Send an email.\n\nFor notices, not for bulk mail."
    assert said == {"to": "Whom to write to.", "subject": "One line."}
    assert definition.returns == "The id of the message."


def test_defaults_are_those_of_the_seed():
    @agent_tool
    def act() -> None:
        """Act."""

    definition = tool_of(act).definition

    assert (definition.name, definition.version, definition.description) == ("act", "1.0.0", "Act.")
    assert (definition.policy.rate_limit_per_minute, definition.policy.timeout_ms) == (100, 5000)
    assert definition.capabilities.cost_level == "LOW"
    assert (definition.capabilities.idempotent, definition.capabilities.read_only) == (False, False)


def test_all_that_is_said_is_published():
    @agent_tool(
        "send_email",
        "Send it.",
        version="1.2.0",
        categories=("mail",),
        tags=["smtp"],
        cost_level="HIGH",
        idempotent=True,
        read_only=True,
        rate_limit=7,
        timeout_ms=900,
        scopes=["email:send"],
        allowed_roles=["mailer"],
        requires_approval=True,
        examples=["Write to Ann."],
        display_name="Mail",
        liveness="heartbeat",
        avg_latency_ms=30,
    )
    def act() -> None:
        """Act."""

    document = tool_of(act).document(provider="mail-team", url="http://localhost:1/x")

    assert (document["provider"], document["name"], document["version"]) == (
        "mail-team",
        "send_email",
        "1.2.0",
    )
    assert (document["description"], document["display_name"]) == ("Send it.", "Mail")
    assert document["endpoint"] == {"url": "http://localhost:1/x"}
    assert document["scopes"] == ["email:send"]
    assert document["policy"] == {
        "rate_limit_per_minute": 7,
        "timeout_ms": 900,
        "max_concurrent_calls": None,
        "allowed_roles": ["mailer"],
        "requires_approval": True,
    }
    assert document["capabilities"]["categories"] == ["mail"]


def test_a_declared_function_stays_what_it_was():
    @agent_tool
    def double(value: int) -> int:
        return 2 * value

    assert double(4) == 8


@pytest.mark.parametrize(
    "setting", [{"version": "1.x"}, {"cost_level": "CHEAP"}, {"timeout_ms": 0}, {"name": "a b"}]
)
def test_a_setting_that_is_not_allowed_is_an_error_that_names_the_function(setting):
    def act() -> None: ...

    with pytest.raises(DocumentInvalid) as caught:
        agent_tool(**setting)(act)

    assert "act" in caught.value.__notes__[0]


def test_async_functions_are_tools_in_both_worlds():
    @agent_tool
    async def double(value: int) -> int:
        await asyncio.sleep(0)
        return 2 * value

    tool = tool_of(double)

    assert tool.call({"value": 4}) == 8
    assert asyncio.run(tool.call_async({"value": 5})) == 10


def test_a_function_that_waits_does_not_stop_the_event_loop():
    import time  # noqa: PLC0415

    @agent_tool
    def wait() -> str:
        time.sleep(0.2)
        return "done"

    async def both() -> Any:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.01)

        ticking = asyncio.create_task(tick())
        answer = await tool_of(wait).call_async({})
        ticking.cancel()
        assert ticks > 3
        return answer

    assert asyncio.run(both()) == "done"


class Mailer:
    """An object with tools."""

    def __init__(self, sender: str) -> None:
        self.sender = sender

    @agent_tool
    def send(self, to: str) -> str:
        """Send as this sender."""
        return f"{self.sender} to {to}"

    @agent_tool
    async def send_later(self, to: str) -> str:
        """Send as this sender, later."""
        return f"{self.sender} later to {to}"

    @staticmethod
    @agent_tool
    def check(address: str) -> bool:
        """Check an address."""
        return "@" in address

    @classmethod
    @agent_tool
    def kind(cls) -> str:
        """Name the kind."""
        return cls.__name__

    @property
    def trap(self) -> str:
        raise AssertionError("a scan reads no properties")


def test_methods_are_called_on_their_object():
    tools = {tool.name: tool for tool in scan(Mailer("ann"))}

    assert sorted(tools) == ["check", "kind", "send", "send_later"]
    assert list(tools["send"].definition.input_schema["properties"]) == ["to"]
    assert tools["send"].call({"to": "bob"}) == "ann to bob"
    assert tools["send_later"].call({"to": "bob"}) == "ann later to bob"
    assert tools["check"].call({"address": "a@b"}) is True
    assert tools["kind"].call({}) == "Mailer"


class Node:
    """Refers to what comes later."""

    @agent_tool
    def follow(self, other: "Later") -> str:
        """Follow."""
        return other.name

    @agent_tool
    def fail(self, other: "Never") -> str:  # type: ignore[name-defined] # noqa: F821 - the mistake that is tested
        """Fail."""
        return str(other)


from dataclasses import dataclass  # noqa: E402 - below the class that refers to what comes later


@dataclass
class Later:
    """Comes later."""

    name: str


def test_an_annotation_may_name_what_is_defined_later():
    tool = tool_of(Node().follow)

    assert tool.call({"other": {"name": "x"}}) == "x"


def test_an_annotation_that_names_nothing_is_an_error_when_it_is_looked_at():
    with pytest.raises(SignatureUnsupported, match="Never"):
        tool_of(Node().fail)


def test_a_guard_around_a_tool_is_never_passed_by():
    def guard(function: Any) -> Any:
        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            raise PermissionError

        return guarded

    @agent_tool
    def act() -> None: ...

    with pytest.raises(SignatureUnsupported, match="above all other decorators"):
        scan(guard(act))

    outermost = agent_tool(guard(plain))
    with pytest.raises(PermissionError):
        scan(outermost)[0].call({})


def plain() -> None: ...


def test_a_function_that_is_remembered_is_a_tool_and_a_partial_one_is_not():
    @agent_tool
    @functools.lru_cache
    def double(value: int) -> int:
        return 2 * value

    assert scan(double)[0].call({"value": 4}) == 8
    with pytest.raises(SignatureUnsupported, match="is no function"):
        agent_tool(functools.partial(double, 1))


def test_entries_that_must_differ_are_not_compared_each_with_each():
    @agent_tool
    def act(names: set[str]) -> int:
        return len(names)

    [tool] = scan(act)

    assert tool.call({"names": [f"{number}" for number in range(50_000)]}) == 50_000
    with pytest.raises(DocumentInvalid) as caught:
        tool.call({"names": ["a"] * 2})
    assert caught.value.errors[0].code == "uniqueItems"
    with pytest.raises(DocumentInvalid) as many:
        tool.call({"names": [*range(50_000), "a"]})
    assert len(many.value.errors) <= 20
