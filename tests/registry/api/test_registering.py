"""Register, beat, deregister over HTTP: CONTRACTS "REST", first three rows."""

from datetime import timedelta

import pytest
from django.utils import timezone

from registry.models import Provider, ToolInstance, ToolRegistration
from tests.registry.api.client import (
    beat,
    document,
    get_json,
    is_problem,
    pointers,
    post_json,
    queries_of,
    register,
    register_all,
)

pytestmark = pytest.mark.django_db
TOOL_ID = "mail-team:send_email:1.0.0"


def silence(tool_id: str = TOOL_ID, seconds: int = 1000) -> None:
    """Let an instance's last beat be that long ago."""
    ToolInstance.objects.filter(registration__tool_id=tool_id).update(
        last_beat_at=timezone.now() - timedelta(seconds=seconds)
    )


def outcomes(answer) -> list[str]:
    return [result["outcome"] for result in answer.json()["results"]]


def test_a_document_is_created_then_unchanged_then_updated():
    created = post_json("/api/tools/register", document())
    unchanged = post_json("/api/tools/register", document())
    updated = post_json("/api/tools/register", document(description="Send a letter."))

    assert created.json() == {
        "results": [
            {"tool_id": TOOL_ID, "outcome": "created", "changes": [], "compatibility": None, "problem": None}
        ]
    }
    assert outcomes(unchanged) == ["unchanged"]
    assert updated.json()["results"][0]["changes"] == ["/description"]
    assert {answer["Content-Type"] for answer in (created, unchanged, updated)} == {"application/json"}


def test_defaults_are_those_of_seeds_004():
    result = post_json("/api/tools/register", {"name": "send_email"}).json()["results"][0]

    served = get_json(f"/api/tools/{result['tool_id']}").json()
    assert (served["provider"], served["version"]) == ("unknown", "1.0.0")
    assert served["capabilities"]["cost_level"] == "LOW"
    assert (served["policy"]["rate_limit_per_minute"], served["policy"]["timeout_ms"]) == (100, 5000)
    assert served["policy"]["requires_approval"] is False


def test_a_served_registration_can_be_sent_back_unchanged():
    register(parameters=[{"name": "to", "type": "string", "required": True}])
    served = get_json(f"/api/tools/{TOOL_ID}").json()

    answer = post_json("/api/tools/register", served)

    assert outcomes(answer) == ["unchanged"]


def test_a_single_refused_document_is_its_own_4xx():
    register(parameters=[{"name": "to", "type": "string"}])

    answer = post_json("/api/tools/register", document(parameters=[{"name": "to", "type": "integer"}]))

    problem = is_problem(answer, 409, "contract_changed")
    assert problem["use_version"] == "2.0.0"
    assert problem["errors"]


def test_a_batch_is_200_with_a_result_for_each_in_order():
    sent = [document("one"), document("two", version="not a version"), "no object", document("three")]

    answer = post_json("/api/tools/register", sent)

    assert answer.status_code == 200
    results = answer.json()["results"]
    assert [result["outcome"] for result in results] == ["created", "refused", "refused", "created"]
    assert [result["tool_id"] for result in results] == [
        "mail-team:one:1.0.0",
        None,
        None,
        "mail-team:three:1.0.0",
    ]
    assert pointers(results[1]["problem"]) == ["/version"]
    assert results[0]["problem"] is None


def test_one_document_twice_in_a_batch_is_created_once():
    answer = post_json("/api/tools/register", [document(), document()])

    assert outcomes(answer) == ["created", "unchanged"]


def test_the_provider_form_counts_as_the_first_beat():
    register_all([document()], provider_instance="mail-1", instance_endpoint="http://10.0.0.1:9000")

    served = get_json(f"/api/tools/{TOOL_ID}").json()
    assert served["health"] == "HEALTHY"
    assert served["last_heartbeat_at"].endswith("Z")
    lease = ToolInstance.objects.get()
    assert (lease.provider_instance, lease.endpoint) == ("mail-1", "http://10.0.0.1:9000")


def test_the_provider_form_without_an_instance_grants_no_lease():
    answer = post_json("/api/tools/register", {"tools": [document()]})

    assert outcomes(answer) == ["created"]
    assert not ToolInstance.objects.exists()


def test_the_provider_form_with_one_refused_document_is_still_200():
    answer = post_json("/api/tools/register", {"provider_instance": "mail-1", "tools": [{}]})

    assert answer.status_code == 200
    assert outcomes(answer) == ["refused"]


def test_five_hundred_documents_are_taken_at_once():
    answer = post_json("/api/tools/register", [document()] + [{}] * 499)

    assert outcomes(answer) == ["created"] + ["refused"] * 499


def test_a_provider_is_stored_in_lower_case_and_found_in_any():
    register(provider="Mail-Team")

    assert Provider.objects.get().name == "mail-team"
    assert get_json("/api/tools/MAIL-TEAM:send_email:1.0.0").status_code == 200
    assert get_json("/api/tools/Mail-Team/send_email/versions").status_code == 200


def test_a_beat_renews_and_says_when_the_next_one_is_expected(settings):
    register()

    answer = beat(TOOL_ID)

    assert answer.json() == {
        "results": [{"tool_id": TOOL_ID, "outcome": "renewed"}],
        "next_beat_seconds": settings.HEARTBEAT_SECONDS,
    }


def test_a_beat_recovers_what_was_unavailable():
    register()
    beat(TOOL_ID)
    ToolRegistration.objects.update(health="UNAVAILABLE")
    silence()
    assert get_json("/api/tools/available").json()["results"] == []

    answer = beat(TOOL_ID)

    assert outcomes(answer) == ["recovered"]
    assert get_json("/api/tools/available").json()["results"][0]["tool_id"] == TOOL_ID


def test_a_refused_instance_beats_in_conflict():
    register(parameters=[{"name": "to", "type": "string"}])
    changed = document(parameters=[{"name": "to", "type": "integer"}])
    post_json("/api/tools/register", {"provider_instance": "mail-2", "tools": [changed]})

    answer = beat(TOOL_ID, instance="mail-2")

    assert outcomes(answer) == ["conflict"]


def test_beats_of_known_and_unknown_tools_are_200_in_the_order_sent():
    register()

    answer = beat("mail-team:other:1.0.0", TOOL_ID, TOOL_ID)

    assert answer.status_code == 200
    assert outcomes(answer) == ["unknown", "renewed", "renewed"]


def test_all_unknown_is_404_with_the_same_body():
    answer = beat("mail-team:other:1.0.0", "no id at all", "")

    is_problem(answer, 422)  # an empty id is no id
    answer = beat("mail-team:other:1.0.0", "no id at all")
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/json"
    assert outcomes(answer) == ["unknown", "unknown"]
    assert answer.json()["next_beat_seconds"]


@pytest.mark.parametrize(
    "timestamp",
    [
        "1970-01-01T00:00:00Z",
        "2999-12-31T23:59:59+14:00",
        "2026-11-30T13:54:40.123456789",
        "2026-11-30T13:54",
        [2026, 11, 30, 13, 54],
        [2026, 11, 30, 13, 54, 40, 123456789],
        1764510880,
        1764510880123,
        1764510880.123456789,
        None,
    ],
)
def test_the_servers_clock_decides_whatever_time_a_beat_says(timestamp):
    register()
    before = timezone.now()

    answer = post_json(
        "/api/tools/heartbeat",
        {"tool_ids": [TOOL_ID], "provider_instance": "mail-1", "timestamp": timestamp},
    )

    assert answer.status_code == 200
    assert before <= ToolInstance.objects.get().last_beat_at <= timezone.now()


def test_five_thousand_ids_are_taken_in_one_beat():
    register()
    ids = [TOOL_ID] + [f"mail-team:tool_{number}:1.0.0" for number in range(4999)]

    answer = beat(*ids)

    assert outcomes(answer) == ["renewed"] + ["unknown"] * 4999


def test_deregistering_an_instance_ends_its_leases_alone():
    register()
    beat(TOOL_ID, instance="mail-1")
    beat(TOOL_ID, instance="mail-2")

    answer = post_json("/api/tools/deregister", {"tool_ids": [TOOL_ID], "provider_instance": "mail-1"})

    assert answer.json() == {"results": [{"tool_id": TOOL_ID, "outcome": "ended"}]}
    assert get_json("/api/tools/available").json()["results"]


def test_deregistering_without_an_instance_ends_all_and_a_beat_revives():
    register()
    beat(TOOL_ID, instance="mail-1")
    beat(TOOL_ID, instance="mail-2")

    post_json("/api/tools/deregister", {"tool_ids": [TOOL_ID]})

    served = get_json(f"/api/tools/{TOOL_ID}").json()
    assert (served["status"], served["lifecycle"]) == ("UNAVAILABLE", "ACTIVE")
    assert outcomes(beat(TOOL_ID)) == ["recovered"]


def test_a_registration_revives_what_was_deregistered():
    register()
    beat(TOOL_ID)
    post_json("/api/tools/deregister", {"tool_ids": [TOOL_ID]})

    register_all_again = post_json(
        "/api/tools/register", {"provider_instance": "mail-1", "tools": [document()]}
    )

    assert outcomes(register_all_again) == ["unchanged"]
    assert get_json(f"/api/tools/{TOOL_ID}").json()["health"] == "HEALTHY"


def test_deregistering_what_is_unknown_is_404_with_a_result_for_each():
    answer = post_json("/api/tools/deregister", {"tool_ids": ["a:b:1.0.0", "a:b:1.0.0"]})

    assert answer.status_code == 404
    assert outcomes(answer) == ["unknown", "unknown"]


def test_a_beat_costs_six_queries_of_one_tool_and_of_ten():
    register_all([document(f"tool_{number}") for number in range(10)])
    ids = [f"mail-team:tool_{number}:1.0.0" for number in range(10)]
    beat(*ids)

    # savepoint, owned providers, synchronous_commit, renewal, registrations, release
    assert len(queries_of(lambda: beat(*ids))) == len(queries_of(lambda: beat(ids[0]))) == 6
