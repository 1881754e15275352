"""List, detail, versions, resolve and stats over HTTP."""

from collections.abc import Sequence

import pytest

from oauth.models import Application
from registry.models import Provider, Tool, ToolRegistration
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


def names(answer) -> list[str]:
    return [row["name"] for row in answer.json()["results"]]


def available(**query) -> list[str]:
    return names(get_json("/api/tools/available", query=query))


def labelled(name: str, categories: list[str], tags: Sequence[str] = (), **capabilities):
    return document(name, capabilities={"categories": categories, "tags": list(tags), **capabilities})


def deprecate(tool_id: str) -> None:
    ToolRegistration.objects.filter(tool_id=tool_id).update(lifecycle="DEPRECATED")


# The list


def test_a_registration_is_served_with_its_document_and_the_facts_of_the_moment():
    register(parameters=[{"name": "to", "type": "string", "description": "Whom.", "required": True}])

    page = get_json("/api/tools/available").json()

    assert page["next"] is None
    (row,) = page["results"]
    facts = {"status": "ACTIVE", "review": "APPROVED", "lifecycle": "ACTIVE", "health": "UNMONITORED"}
    assert row.items() >= facts.items()
    assert row["tool_id"] == TOOL_ID
    assert row["registered_at"].endswith("Z")
    assert row["last_heartbeat_at"] is None
    assert row["parameters"] == [{"name": "to", "type": "string", "description": "Whom.", "required": True}]
    assert row["input_schema"]["required"] == ["to"]
    assert row["endpoint"] is None


def test_pages_of_ten_lead_through_twenty_five_rows_without_gap_or_repetition():
    register_all([document(f"tool_{number:02}") for number in range(25)])

    pages: list[list[str]] = []
    cursor: dict[str, str] = {}
    for _ in range(3):
        page = get_json("/api/tools/available", query={"limit": 10, **cursor})
        pages.append(names(page))
        cursor = {"cursor": page.json()["next"]}

    assert [len(page) for page in pages] == [10, 10, 5]
    assert [name for page in pages for name in page] == [f"tool_{number:02}" for number in range(25)]
    assert cursor == {"cursor": None}


def test_a_page_that_ends_with_the_last_row_names_no_next_one():
    register_all([document(f"tool_{number}") for number in range(3)])

    assert get_json("/api/tools/available", query={"limit": 3}).json()["next"] is None


def test_a_row_that_vanishes_between_pages_shifts_nothing():
    register_all([document(f"tool_{number}") for number in range(6)])
    page = get_json("/api/tools/available", query={"limit": 3}).json()
    ToolRegistration.objects.filter(of_tool__name="tool_0").update(lifecycle="RETIRED")

    assert available(limit=3, cursor=page["next"]) == ["tool_3", "tool_4", "tool_5"]


def test_a_list_costs_three_queries_with_three_rows_and_with_fifty():
    register_all([document(f"tool_{number}") for number in range(50)])

    few = queries_of(lambda: get_json("/api/tools/available", query={"limit": 3}))
    many = queries_of(lambda: get_json("/api/tools/available", query={"limit": 50}))

    assert len(few) == len(many) == 3  # how leases look (2), the rows with their last beats


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"category": "mail"}, ["a", "b"]),
        ({"category": ["mail", "files"]}, ["a", "b", "c"]),
        ({"tag": "x"}, ["a", "c"]),
        ({"tag": ["x", "y"]}, ["a", "b", "c"]),
        ({"category": "mail", "tag": "x"}, ["a"]),
        ({"category": ["mail", "files"], "tag": ["y", "z"]}, ["b"]),
        ({"cost_level": "HIGH"}, ["c"]),
        ({"read_only": "true"}, ["b"]),
        ({"read_only": "false", "idempotent": "false"}, ["a"]),
        ({"idempotent": "true"}, ["c"]),
        ({"provider": "mail-team"}, ["a", "b", "c"]),
        ({"provider": "Mail-Team", "cost_level": "LOW", "tag": "y"}, ["b"]),
        ({"provider": "others"}, []),
        ({"category": "nothing"}, []),
        ({"category": "", "tag": "", "includeDeprecated": "", "limit": "", "cursor": ""}, ["a", "b", "c"]),
    ],
)
def test_filters_narrow_together_and_repeated_labels_mean_any(query, found):
    register_all(
        [
            labelled("a", ["mail"], ["x"]),
            labelled("b", ["mail", "letters"], ["y"], read_only=True),
            labelled("c", ["files"], ["x"], cost_level="HIGH", idempotent=True),
        ]
    )

    assert available(**query) == found


@pytest.mark.parametrize("name", ["include_deprecated", "includeDeprecated"])
def test_deprecated_versions_are_listed_when_asked_for(name):
    register_all([document("new"), document("old")])
    deprecate("mail-team:old:1.0.0")

    assert available() == ["new"]
    assert available(**{name: "true"}) == ["new", "old"]


def test_what_nobody_serves_any_more_is_not_listed():
    register_all([document("dead"), document("alive")])
    post_json("/api/tools/deregister", {"tool_ids": ["mail-team:dead:1.0.0"]})

    assert available() == ["alive"]


# Detail and versions


def test_the_detail_shows_what_is_dead_and_what_is_deprecated():
    register()
    deprecate(TOOL_ID)
    post_json("/api/tools/deregister", {"tool_ids": [TOOL_ID]})

    served = get_json(f"/api/tools/{TOOL_ID}").json()

    assert (served["status"], served["lifecycle"], served["health"]) == (
        "UNAVAILABLE",
        "DEPRECATED",
        "UNAVAILABLE",
    )


def test_the_detail_of_an_unknown_id_suggests_visible_names():
    register()

    problem = is_problem(get_json("/api/tools/mail-team:send_emial:1.0.0"), 404, "tool_not_found")

    assert problem["nearest"] == ["send_email"]


def test_build_metadata_reaches_the_detail_encoded_and_plain():
    register(version="1.0.0+build.5")

    for path in (
        "/api/tools/mail-team:send_email:1.0.0+build.5",
        "/api/tools/mail-team:send_email:1.0.0%2Bbuild.5",
    ):
        assert get_json(path).json()["version"] == "1.0.0+build.5"


def test_versions_come_highest_first_with_prereleases():
    for version in ("1.0.0", "1.10.0", "2.0.0-rc.1", "1.9.0"):
        register(version=version)

    answer = get_json("/api/tools/mail-team/send_email/versions").json()

    assert [row["version"] for row in answer["results"]] == ["2.0.0-rc.1", "1.10.0", "1.9.0", "1.0.0"]


def test_versions_of_an_unknown_tool_are_404():
    register()

    problem = is_problem(get_json("/api/tools/mail-team/send_mail/versions"), 404, "tool_not_found")

    assert problem["nearest"] == ["send_email"]


def test_detail_versions_and_resolve_cost_a_fixed_number_of_queries():
    for minor in range(5):
        register(version=f"1.{minor}.0")

    # how leases look (2), the row with its last beat
    assert len(queries_of(lambda: get_json(f"/api/tools/{TOOL_ID}"))) == 3
    # how leases look (2), the rows with their last beats
    assert len(queries_of(lambda: get_json("/api/tools/mail-team/send_email/versions"))) == 3
    # how leases look (2), the tools of that name, the highest live version in the range
    assert len(queries_of(lambda: get_json("/api/tools/resolve", query={"ref": "send_email@^1"}))) == 4


# Resolve


@pytest.mark.parametrize(
    ("query", "version"),
    [
        ({"ref": "send_email"}, "2.1.0"),
        ({"ref": "send_email@latest"}, "2.1.0"),
        ({"ref": "mail-team/send_email@^1.2"}, "1.4.0"),
        ({"ref": " Mail-Team/send_email@~1.2.0 "}, "1.2.0"),
        ({"ref": "send_email@1.2.0"}, "1.2.0"),
        ({"ref": "send_email@1 || 2"}, "2.1.0"),
        ({"name": "send_email"}, "2.1.0"),
        ({"name": "send_email", "version": "latest"}, "2.1.0"),
        ({"name": "send_email", "version": "<2", "provider": "mail-team"}, "1.4.0"),
        ({"name": "send_email", "version": "3.0.0-rc.1"}, "3.0.0-rc.1"),
        ({"name": "send_email", "version": ">=1", "include_prerelease": "true"}, "3.0.0-rc.1"),
        ({"name": "send_email", "version": ">=1", "includePrerelease": "1"}, "3.0.0-rc.1"),
        ({"name": "send_email", "version": ""}, "2.1.0"),
    ],
)
def test_a_reference_resolves_to_the_highest_version_in_its_range(query, version):
    for published in ("1.2.0", "1.4.0", "2.1.0", "3.0.0-rc.1"):
        register(version=published)

    assert get_json("/api/tools/resolve", query=query).json()["version"] == version


def test_the_four_ways_to_find_nothing_are_four_codes():
    register()
    register("dead")
    post_json("/api/tools/deregister", {"tool_ids": ["mail-team:dead:1.0.0"]})

    def problem(ref: str, status: int, code: str):
        return is_problem(get_json("/api/tools/resolve", query={"ref": ref}), status, code)

    assert problem("send_emial", 404, "tool_not_found")["nearest"] == ["send_email"]
    assert problem("send_email@1.x.y", 422, "range_invalid")["nearest"]
    assert problem("send_email@^9", 404, "no_matching_version")["nearest"] == ["1.0.0"]
    unavailable = problem("dead", 503, "tool_unavailable")
    assert unavailable["retryable"] is True
    assert unavailable["errors"] == []


def test_an_unavailable_tool_says_when_to_retry_in_body_and_header(settings):
    register()
    post_json("/api/tools/deregister", {"tool_ids": [TOOL_ID]})

    answer = get_json("/api/tools/resolve", query={"ref": "send_email"})

    assert is_problem(answer, 503)["retry_after_seconds"] == settings.HEARTBEAT_SECONDS
    assert answer["Retry-After"] == str(settings.HEARTBEAT_SECONDS)


def test_a_name_of_several_providers_is_ambiguous_until_one_is_the_default():
    register()
    register(provider="other-team")

    problem = is_problem(
        get_json("/api/tools/resolve", query={"ref": "send_email"}), 409, "reference_ambiguous"
    )
    Tool.objects.filter(provider__name="other-team").update(is_default_for_name=True)

    assert problem["nearest"] == ["mail-team/send_email", "other-team/send_email"]
    assert get_json("/api/tools/resolve", query={"ref": "send_email"}).json()["provider"] == "other-team"


@pytest.mark.parametrize(
    ("query", "status", "blamed"),
    [
        ({}, 422, "/ref"),
        ({"ref": "send_email", "name": "send_email"}, 422, "/ref"),
        ({"ref": "send_email", "version": "1"}, 422, "/ref"),
        ({"ref": "send_email", "provider": "mail-team"}, 422, "/ref"),
        ({"version": "1.0.0"}, 422, "/ref"),
        ({"ref": "no such name!"}, 422, "/ref"),
        ({"ref": "mail-team/send_email@"}, 422, "/ref"),
        ({"ref": "send_email@^^1"}, 422, "/ref"),
        ({"ref": "send_email@9"}, 404, "/ref"),
        ({"name": "no name!"}, 422, "/name"),
        ({"name": "unheard_of"}, 404, "/name"),
        ({"name": "send_email", "provider": "no provider!"}, 422, "/provider"),
        ({"name": "send_email", "version": " "}, 422, "/version"),
        ({"name": "send_email", "version": "1.one"}, 422, "/version"),
        ({"name": "send_email", "version": "9"}, 404, "/version"),
        ({"name": "send_email", "includePrerelease": "perhaps"}, 422, "/includePrerelease"),
    ],
)
def test_a_refused_reference_points_at_the_parameter_to_blame(query, status, blamed):
    register()

    problem = is_problem(get_json("/api/tools/resolve", query=query), status)

    assert pointers(problem) == [blamed]


# Stats


def test_stats_count_what_the_caller_may_see():
    register_all([labelled("a", ["mail"]), labelled("b", ["mail", "files"])])
    register("a", version="2.0.0")
    beat("mail-team:a:1.0.0")
    deprecate("mail-team:b:1.0.0")

    assert get_json("/api/stats").json() == {
        "tools": 2,
        "registrations": 3,
        "providers": 1,
        "by_health": {"HEALTHY": 1, "UNMONITORED": 2},
        "by_lifecycle": {"ACTIVE": 2, "DEPRECATED": 1},
        "by_category": {"files": 1, "mail": 2},
    }


def test_an_empty_registry_answers_every_read():
    assert available() == []
    assert get_json("/api/stats").json()["tools"] == 0
    assert get_json("/stats").json()["total_tools"] == 0
    assert get_json("/").json()["tools"] == []


def test_a_namespace_of_others_is_403_to_write_and_open_to_read():
    register()
    owner = Application.objects.create(name="owner", authorization_grant_type="client-credentials")
    Provider.objects.get().owners.create(application=owner, since=Provider.objects.get().created_at)

    is_problem(post_json("/api/tools/register", document(version="1.1.0")), 403, "permission_missing")
    assert beat(TOOL_ID).status_code == 404
    assert available() == ["send_email"]
