"""Sessions as rows: what is written, what is read back, and what must not be kept."""

import pytest
from django.db import connection

from consumers.models import AgentSession, SessionCall, SessionMessage
from consumers.services import session_calls, sessions
from consumers.services.session_calls import NOT_RECORDED
from consumers.services.sessions import DatabaseLog
from tests.consumers.sessions.events import called, ended, said, started, write_session
from tests.factories import make_registration
from toolroster.agents import export
from toolroster.agents.llm import Usage
from toolroster.agents.session import InMemorySessionLog, MessageSaid
from toolroster.routing.calls import params_hash
from toolroster.routing.sensitive import HIDDEN

pytestmark = pytest.mark.django_db
EVENTS = [
    ("started", started()),
    ("message", said(1, "planner", "Where is it?")),
    ("call", called(area="vault")),
    ("message", said(2, "hacker", "Below. `x` <b>")),
    ("ended", ended()),
]


def _secret(**keywords) -> None:
    secret = {"name": "secret", "type": "string", "x-sensitive": True}
    make_registration(name="login", parameters=[secret, {"name": "user", "type": "string"}], **keywords)


def _kept(tool: str = "login", told: str = "Welcome", **params) -> SessionCall:
    log = DatabaseLog()
    log.started(started())
    log.call(called(tool, told, **params))
    return SessionCall.objects.get()


def test_a_session_read_back_is_the_one_that_was_written():
    make_registration(name="simulation_data", parameters=[{"name": "area", "type": "string"}])
    memory, rows = InMemorySessionLog(), DatabaseLog()
    for name, event in EVENTS:
        getattr(memory, name)(event)
        getattr(rows, name)(event)

    row = AgentSession.objects.get()

    expected = export.as_json(memory.sessions["s1"])
    expected["calls"][0]["params_hash"] = params_hash({"area": "vault"})
    assert sessions.as_json(row) == expected
    assert sessions.as_markdown(row) == export.as_markdown(memory.sessions["s1"])


def test_a_session_counts_its_turns_calls_and_tokens():
    make_registration(name="simulation_data")
    log = DatabaseLog()
    for name, event in EVENTS:
        getattr(log, name)(event)

    row = AgentSession.objects.get()

    assert (row.turns, row.call_count, row.total_tokens) == (2, 1, 20)


def test_a_session_that_lasts_is_exported_without_an_end():
    log = DatabaseLog()
    log.started(started())

    assert sessions.as_json(AgentSession.objects.get())["ended_at"] is None


def test_what_a_schema_marks_is_not_kept_and_neither_is_the_answer():
    _secret()

    call = _kept(user="ada", secret="hunter2")

    assert call.arguments == {"user": "ada", "secret": HIDDEN}
    assert call.told == HIDDEN
    assert call.params_hash == ""
    assert "hunter2" not in str(sessions.as_json(call.session)) + sessions.as_markdown(call.session)


@pytest.mark.parametrize("name", ["login", "mail-team__login", "mail-team:login"])
def test_a_mark_counts_by_each_name_of_discovery(name):
    _secret()

    assert _kept(name, secret="hunter2").arguments == {"secret": HIDDEN}


def test_a_mark_of_any_version_and_provider_counts():
    _secret()
    make_registration(name="login", version="2.0.0", provider="other-team")

    assert _kept(secret="hunter2").arguments == {"secret": HIDDEN}


def test_arguments_that_are_marked_as_a_whole_keep_their_names_alone():
    make_registration(name="login", parameters=[], input_schema={"type": "object", "x-sensitive": True})

    assert _kept(user="ada").arguments == {"user": HIDDEN}


def test_an_answer_that_is_marked_is_not_kept():
    make_registration(name="login", output_schema={"type": "object", "x-sensitive": True})

    assert _kept(told="the code is 4711").told == HIDDEN


def test_of_a_tool_that_nobody_knows_here_names_are_kept_and_no_values():
    call = _kept(secret="hunter2", user="ada")

    assert call.arguments == {"secret": NOT_RECORDED, "user": NOT_RECORDED}
    assert call.told == NOT_RECORDED


def test_of_another_registry_no_values_are_kept():
    make_registration(name="login")
    log = DatabaseLog(schemas=session_calls.elsewhere)
    log.started(started())

    log.call(called("login", user="ada"))

    assert SessionCall.objects.get().arguments == {"user": NOT_RECORDED}


def test_arguments_without_a_mark_are_kept_with_the_answer():
    make_registration(name="login")

    call = _kept(user="ada")

    assert (call.arguments, call.told) == ({"user": "ada"}, "Welcome")


def test_what_postgresql_does_not_take_is_replaced():
    log = DatabaseLog()
    log.started(started())

    log.message(MessageSaid("s1", 1, "planner", "a\0b\ud800c", Usage(-5, 2**80)))

    row = SessionMessage.objects.get()
    assert (row.message, row.prompt_tokens, row.completion_tokens) == ("a\ufffdb?c", 0, 2**31 - 1)


def test_a_session_that_breaks_off_says_why_once():
    log = DatabaseLog()
    log.started(started())
    log.break_off("s1", "It was interrupted.", now=ended().ended_at)
    log.break_off("s1", "Again.", now=ended().ended_at)
    log.break_off("never began", "It was interrupted.", now=ended().ended_at)

    assert AgentSession.objects.get().failure == "It was interrupted."


def test_sessions_are_kept_apart():
    write_session("s1")
    write_session("s2")

    assert [len(sessions.as_json(row)["messages"]) for row in AgentSession.objects.all()] == [2, 2]


@pytest.mark.django_db(transaction=True)
def test_no_connection_is_held_while_a_model_thinks():
    log = DatabaseLog()

    log.started(started())

    assert connection.connection is None
