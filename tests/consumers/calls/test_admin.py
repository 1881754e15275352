"""The admin's pages of calls: looked at, approved, refused."""

from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from consumers.models import Approval, RepeatableCall, ToolCall, ToolCallUsage
from consumers.services import approvals
from oauth.principal import everything
from tests.consumers.calls.test_usage import make_call, write
from tests.factories import NOW, make_application, make_registration
from toolroster.routing.calls import CallOutcome

pytestmark = pytest.mark.django_db
LIST = "/admin/consumers/approval/"


def make_approval(**params: Any) -> Approval:
    row = make_registration()
    wanted = approvals.Wanted(everything(), row.tool_id, params or {"to": "<b>Ada</b>"}, {})
    return approvals.ask(wanted, now=NOW, seconds=3600)


def act(client: Client, action: str, *rows: Approval, reason: str = "") -> str:
    form = {"action": action, "_selected_action": [row.pk for row in rows], "reason": reason}
    return client.post(LIST, form, follow=True).content.decode()


def test_a_person_approves_a_call(admin_client: Client) -> None:
    row = make_approval()

    page = act(admin_client, "approve", row)

    row.refresh_from_db()
    assert (row.state, row.decided_by) == ("APPROVED", "person:admin")
    assert "Approved: mail-team:send_email:1.0.0." in page


def test_a_person_refuses_a_call_and_says_why(admin_client: Client) -> None:
    row = make_approval()

    act(admin_client, "refuse", row, reason="Not today.")

    row.refresh_from_db()
    assert (row.state, row.reason) == ("REJECTED", "Not today.")


def test_what_is_decided_stays_and_is_said(admin_client: Client) -> None:
    row = make_approval()
    act(admin_client, "refuse", row)

    page = act(admin_client, "approve", row)

    row.refresh_from_db()
    assert row.state == "REJECTED"
    assert "It is decided already" in page


def test_arguments_are_shown_as_text(admin_client: Client) -> None:
    make_approval()

    page = admin_client.get(LIST).content.decode()

    assert "&lt;b&gt;Ada&lt;/b&gt;" in page
    assert "<b>Ada</b>" not in page


def test_who_may_not_decide_has_no_action(client: Client, django_user_model: Any) -> None:
    from django.contrib.auth.models import Permission  # noqa: PLC0415 - of this test alone

    user = django_user_model.objects.create_user("viewer", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_approval"))
    client.force_login(user)
    row = make_approval()

    act(client, "approve", row)

    row.refresh_from_db()
    assert row.state == "PENDING"


def test_the_first_page_says_which_calls_wait(admin_client: Client) -> None:
    make_approval()

    page = admin_client.get("/admin/").content.decode()

    assert "Which calls wait" in page
    assert f'href="{LIST}?state__exact=PENDING"' in page


def test_a_call_that_another_version_served_stands_out(admin_client: Client) -> None:
    write(make_call(tool_id_asked="mail-team:send_email:2.0.0", why="<i>it was dead</i>"))

    page = admin_client.get("/admin/consumers/toolcall/").content.decode()

    assert '<strong title="&lt;i&gt;it was dead&lt;/i&gt;">mail-team:send_email:1.0.0</strong>' in page


@pytest.mark.parametrize("model", [ToolCall, ToolCallUsage, Approval])
def test_every_list_row_and_search_opens(admin_client: Client, model: Any) -> None:
    write(make_call(), make_call(outcome=CallOutcome.TIMED_OUT, error_code="timed_out"))
    make_approval()
    name = f"admin:consumers_{model._meta.model_name}"
    row = model.objects.first()

    statuses = [
        admin_client.get(reverse(f"{name}_changelist")).status_code,
        admin_client.get(reverse(f"{name}_changelist"), {"q": "mail-team"}).status_code,
        admin_client.get(reverse(f"{name}_change", args=[row.pk])).status_code,
        admin_client.get(reverse(f"{name}_add")).status_code,
    ]

    assert statuses == [200, 200, 200, 403]


def test_an_operator_lets_a_provider_be_in_private_networks(admin_client: Client) -> None:
    provider = make_registration().of_tool.provider
    form = {
        "may_be_private": "on",
        "audiences": "https://mail.example",
        "owners-TOTAL_FORMS": "0",
        "owners-INITIAL_FORMS": "0",
    }

    admin_client.post(f"/admin/registry/provider/{provider.pk}/change/", form)

    provider.refresh_from_db()
    assert (provider.may_be_private, provider.audiences) == (True, ["https://mail.example"])


def test_what_is_kept_for_repetitions_alone_is_nobody_s_page() -> None:
    make_application("agent")

    assert RepeatableCall not in admin.site._registry
