"""Pages of sessions and memories: in order, cut where they are long, and never markup."""

import json

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from consumers.admin import session_panels
from consumers.models import AgentMemory, AgentSession, SessionCall, ToolCall
from consumers.services.sessions import DatabaseLog
from oauth.models import User
from tests.consumers.sessions.events import called, said, started, write_session
from tests.factories import NOW, make_registration
from tests.registry.admin.pages import text_of

pytestmark = pytest.mark.django_db
SESSIONS, MEMORIES = (
    reverse(f"admin:consumers_{model}_changelist") for model in ("agentsession", "agentmemory")
)


def _page(row: AgentSession) -> str:
    return reverse("admin:consumers_agentsession_change", args=[row.pk])


def _export(row: AgentSession, kind: str) -> str:
    return reverse("admin:consumers_agentsession_export", args=[row.pk, kind])


def _log() -> DatabaseLog:
    log = DatabaseLog()
    log.started(started())
    return log


def test_the_list_shows_what_sessions_are(admin_client: Client) -> None:
    write_session()

    text = text_of(admin_client.get(SESSIONS, {"q": "s1"}))

    assert "s1 Jan. 1, 2030, noon 2 planner, hacker qwen" in text


def test_the_list_needs_as_many_queries_for_many_sessions(admin_client, django_assert_num_queries) -> None:
    for number in range(5):
        write_session(f"s{number}")

    # session, user, capped count, rows
    with django_assert_num_queries(4):
        assert "s4" in text_of(admin_client.get(SESSIONS))


def test_a_session_shows_messages_in_order_calls_and_links(admin_client: Client) -> None:
    make_registration(name="simulation_data")
    log = _log()
    log.call(called(area="vault"))
    log.message(said(1, "planner", "Where is it?"))
    log.message(said(2, "hacker", "Below."))
    row = AgentSession.objects.get()

    answer = admin_client.get(_page(row))

    text = text_of(answer)
    assert text.index("Where is it?") < text.index("Below.")
    assert 'simulation_data {"area": "vault"} OK 2 cameras' in text
    assert "planner → hacker" in text
    for kind in ("md", "json"):
        assert f'href="{_export(row, kind)}"' in answer.content.decode()


def test_a_session_shows_what_the_router_noted_under_its_id(admin_client: Client) -> None:
    for number, session_id in enumerate(("s1", "s2")):
        ToolCall.objects.create(
            call_id=f"00000000-0000-0000-0000-00000000000{number}",
            called_at=NOW,
            session_id=session_id,
            agent=f"caller-of-{session_id}",
            ref="calculator",
            outcome="OK",
            attempts=1,
            duration_ms=1,
            request_bytes=1,
            response_bytes=1,
        )

    text = text_of(admin_client.get(_page(write_session())))

    assert "caller-of-s1 calculator OK" in text
    assert "caller-of-s2" not in text


def test_markup_is_shown_and_not_run(admin_client: Client) -> None:
    bad = "<script>alert(1)</script>"
    log = _log()
    log.message(said(1, "planner", bad))
    row = AgentSession.objects.get()
    SessionCall.objects.create(
        session=row,
        turn_id=1,
        agent=bad,
        tool=bad,
        arguments={bad: bad},
        params_hash="",
        told=bad,
        duration_ms=1,
    )
    AgentSession.objects.update(topic=bad, model=bad, failure=bad, members=[{**row.members[0], "role": bad}])
    AgentMemory.objects.create(session_id="s1", agent_id=bad, turn_id=1, message=bad, stored_at=NOW)

    for address in (SESSIONS, _page(row), MEMORIES):
        page = admin_client.get(address).content.decode()
        assert bad not in page
        assert "&lt;script&gt;alert(1)" in page


def test_a_large_session_is_cut_with_a_note(admin_client: Client, monkeypatch) -> None:
    monkeypatch.setattr(session_panels, "MOST_ROWS", 2)
    log = _log()
    for turn_id in range(1, 4):
        log.message(said(turn_id, "planner", f"message {turn_id} " + "x" * 3000))
    row = AgentSession.objects.get()

    answer = admin_client.get(_page(row))

    text = text_of(answer)
    assert "message 2" in text
    assert "message 3" not in text
    assert "… (cut: 3010 characters)" in text
    assert f'<a href="{_export(row, "md")}">All of them</a>' in answer.content.decode()


def test_exports_are_files_with_everything(admin_client: Client) -> None:
    row = write_session()

    exported, transcript = (admin_client.get(_export(row, kind)) for kind in ("json", "md"))

    assert [one["agent"] for one in json.loads(exported.content)["messages"]] == ["planner", "hacker"]
    assert transcript.content.decode().startswith("# Session s1\n")
    assert transcript["Content-Disposition"] == f'attachment; filename="session-{row.pk}.md"'
    assert admin_client.get(_export(row, "exe")).status_code == 404
    assert admin_client.get(_export(AgentSession(pk=0), "md")).status_code == 404


def test_exports_are_for_those_who_may_look(client: Client) -> None:
    row = write_session()
    person = User.objects.create_user("ann", is_staff=True)
    client.force_login(person)
    assert client.get(_export(row, "json")).status_code == 403

    person.user_permissions.add(Permission.objects.get(codename="view_agentsession"))

    assert client.get(_export(row, "json")).status_code == 200
    client.logout()
    assert client.get(_export(row, "json")).status_code == 302


def test_nothing_of_it_can_be_changed(admin_client: Client) -> None:
    row = write_session()
    memory = AgentMemory.objects.create(
        session_id="s1", agent_id="hacker", turn_id=1, message="Two cameras.", stored_at=NOW
    )
    change = reverse("admin:consumers_agentmemory_change", args=[memory.pk])

    assert "Two cameras." in text_of(admin_client.get(MEMORIES, {"q": "s1"}))
    assert "Two cameras." in text_of(admin_client.get(change))
    for address in (_page(row), change, f"{SESSIONS}add/", f"{MEMORIES}add/"):
        assert admin_client.post(address, {}).status_code == 403
