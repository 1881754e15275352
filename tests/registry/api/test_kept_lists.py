"""Lists that are kept: what ends them, what is the same for whom, and how clients save the transfer."""

import gzip
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connections
from django.utils import timezone

from oauth import scopes, tokens
from registry import conf
from registry.models import ToolInstance, ToolRegistration
from registry.models.instance import ENDED
from registry.services import catalogue, generations, indexing, kept, lifecycle, spaces
from tests.factories import make_application, make_registration, make_token
from tests.registry.api.client import beat, document, get_json, post_json, register, register_all
from tests.registry.embedding import WORDS

pytestmark = pytest.mark.django_db(transaction=True)

LIST = "/api/tools/available"
TOOL: dict[str, Any] = {
    "endpoint": {"url": "http://h/x"},
    "capabilities": {"categories": ["communication"], "tags": ["mail"]},
}


@pytest.fixture(autouse=True)
def _kept_lists(settings: Any) -> None:
    settings.LISTS_ARE_KEPT = True
    cache.clear()


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries of lists that were made."""
    made: list[str] = []
    original = catalogue.page

    def page(*args: Any, **kwargs: Any) -> Any:
        made.append("page")
        return original(*args, **kwargs)

    monkeypatch.setattr(catalogue, "page", page)
    return made


def names(path: str = LIST, **headers: str) -> list[str]:
    return [row["name"] for row in get_json(path, headers=headers).json()["results"]]


def search(query: str = "send an email", **headers: str) -> list[str]:
    answer = post_json("/api/tools/search", {"query": query}, headers=headers).json()
    return [result["tool"]["tool_id"] for result in answer["results"]]


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_a_list_is_made_once_for_all_who_see_the_same(pages):
    register()
    one, other = (bearer(make_token("mail:use")) for _ in range(2))

    answers = [get_json(LIST, headers=headers).content for headers in (one, other, one)]

    assert (len(set(answers)), len(pages)) == (1, 1)


def test_who_sees_something_else_gets_their_own(pages):
    register(scopes=["mail:use"])

    assert names(**bearer(make_token("mail:use"))) == ["send_email"]
    assert names(**bearer(make_token("sms:use"))) == []


def change_words() -> None:
    register(description="Other words.", **TOOL)


def new_version() -> None:
    register(version="2.0.0", description="The second.", **TOOL)


def deprecate() -> None:
    lifecycle.deprecate(ToolRegistration.objects.get().pk, now=timezone.now())


def retire() -> None:
    lifecycle.retire(ToolRegistration.objects.get().pk, now=timezone.now())


def first_beat() -> None:
    beat("mail-team:send_email:1.0.0")


def end_leases() -> None:
    post_json("/api/tools/deregister", {"tool_ids": ["mail-team:send_email:1.0.0"]})


@pytest.mark.parametrize("change", [change_words, new_version, deprecate, retire, first_beat, end_leases])
@pytest.mark.parametrize("path", [LIST, f"{LIST}?category=communication", f"{LIST}?tag=mail", "/"])
@pytest.mark.parametrize("seconds", [0.0, 0.25], ids=["strict", "fast"])
def test_a_change_is_in_the_next_list_after_its_commit(change, path, seconds, monkeypatch):
    monkeypatch.setattr(generations.shared, "fresh_seconds", seconds)
    register(**TOOL)
    before = get_json(path).content
    assert get_json(path).content == before

    change()

    after = get_json(path).content
    kept.answers.forget()
    generations.shared.forget()
    cache.clear()
    assert after == get_json(path).content
    assert after != before or (path == "/" and change is first_beat)


def test_a_tool_that_leaves_a_category_is_gone_from_its_list():
    register(capabilities={"categories": ["old"]})
    assert names(f"{LIST}?category=old") == ["send_email"]

    register(capabilities={"categories": ["new"]})

    assert (names(f"{LIST}?category=old"), names(f"{LIST}?category=new")) == ([], ["send_email"])


def test_a_change_in_one_category_leaves_the_lists_of_others(pages):
    register(capabilities={"categories": ["mail"]})
    get_json(f"{LIST}?category=sms")

    register(description="Other words.", capabilities={"categories": ["mail"]})
    get_json(f"{LIST}?category=sms")

    assert len(pages) == 1


def test_another_processs_change_is_seen_within_a_quarter_of_a_second():
    register()
    before = names()
    make_registration(name="other")
    there = generations.Generations(0.25)  # as another process: it tells Valkey, not us

    there.replace(["communication"])
    time.sleep(0.26)

    assert (before, names()) == (["send_email"], ["other", "send_email"])


def test_a_withdrawn_scope_ends_what_its_holder_sees_and_no_list_brings_it_back():
    register(scopes=["mail:use"])
    application = make_application("agent")
    headers = bearer(make_token("mail:use", application=application))
    assert names(**headers) == ["send_email"]

    scopes.withdraw(application, ["mail:use"], by="test", now=timezone.now())
    tokens.forget()
    cache.delete(f"tr:token:{tokens.key_of(headers['authorization'].removeprefix('Bearer '))}")

    assert names(**headers) == []


@pytest.mark.parametrize("ask", [names, search])
def test_an_answer_ends_with_the_earliest_lease_in_it(ask):
    register(liveness="heartbeat")
    beat("mail-team:send_email:1.0.0")
    ask()  # the first search of a process takes its time
    beat_at = timezone.now() - timedelta(seconds=88.5)
    ToolInstance.objects.exclude(last_beat_at=ENDED).update(last_beat_at=beat_at)
    generations.shared.replace_everything()
    assert len(ask()) == 1

    time.sleep(1.6)

    from registry.services import leases  # noqa: PLC0415 - the view of two seconds ago

    leases.recent.forget()
    assert ask() == []


def test_who_has_the_list_already_gets_304_until_it_changes():
    register()
    first = get_json(LIST)

    again = get_json(LIST, headers={"if-none-match": first["ETag"]})
    register(version="2.0.0")
    changed = get_json(LIST, headers={"if-none-match": first["ETag"]})

    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert changed.status_code == 200


def test_a_change_that_shows_nothing_in_a_list_leaves_its_tag():
    register(capabilities={"categories": ["mail"]})
    first = get_json(f"{LIST}?provider=mail-team")

    register(provider="other-team", capabilities={"categories": ["mail"]})

    second = get_json(f"{LIST}?provider=mail-team", headers={"if-none-match": first["ETag"]})
    assert second.status_code == 304


@pytest.mark.parametrize(
    ("accepted", "is_compressed"),
    [("gzip, br", True), ("br;q=1, *;q=0.1", True), ("gzip;q=0", False), ("", False)],
)
def test_the_list_comes_compressed_to_who_takes_that(accepted, is_compressed):
    register_all([document(f"tool_{number}") for number in range(5)])
    plain = get_json(LIST)

    answer = get_json(LIST, headers={"accept-encoding": accepted})

    assert (answer.get("Content-Encoding") == "gzip") is is_compressed
    body = gzip.decompress(answer.content) if is_compressed else answer.content
    assert body == plain.content
    assert {"Accept", "Accept-Encoding", "Authorization"} <= set(answer["Vary"].split(", "))


@pytest.mark.parametrize("path", ["/", LIST])
def test_without_valkey_lists_are_made_each_time_and_right(path, settings, pages):
    dead = {**settings.CACHES["default"], "LOCATION": "unix:///tmp/toolroster-no-such.sock"}
    register(endpoint={"url": "http://h/x"})
    settings.CACHES = {"default": dead}
    generations.shared.forget()
    before = get_json(path).content

    make_registration(name="other", endpoint={"url": "http://h/y"})

    assert b"other" not in before
    assert b"other" in get_json(path).content


def status_in_a_thread(_number: int) -> int:
    try:
        return get_json(LIST).status_code
    finally:
        connections.close_all()


def test_thirty_two_threads_and_five_changes_make_five_lists(pages):
    register()
    with ThreadPoolExecutor(32) as pool:
        for number in range(5):
            generations.shared.replace(["communication"])
            answers = list(pool.map(status_in_a_thread, range(32)))
            assert set(answers) == {200}
            assert len(pages) == number + 1


def test_discovery_is_shared_and_names_each_caller():
    register(endpoint={"url": "http://h/x"})
    one, other = make_application("one"), make_application("other")

    seen = [get_json("/", headers=bearer(make_token(application=app))).json() for app in (one, other)]

    assert [answer.pop("client_id") for answer in seen] == [one.client_id, other.client_id]
    assert seen[0] == seen[1]
    assert seen[0]["total_available"] == 1


def test_searches_share_what_they_look_at_and_a_change_is_in_the_next_one(django_assert_max_num_queries):
    register()
    assert search() == ["mail-team:send_email:1.0.0"]

    register(version="2.0.0")
    assert search() == ["mail-team:send_email:2.0.0"]

    register("write_email", provider="post", description="Send an email by post.")
    assert len(search()) == 2


def test_a_search_never_shows_what_the_rule_hides_whatever_was_looked_at():
    register(scopes=["mail:use"])
    application = make_application("agent")
    headers = bearer(make_token("mail:use", application=application))
    assert search(**headers) == ["mail-team:send_email:1.0.0"]

    ToolRegistration.objects.update(lifecycle="RETIRED")  # behind the registry's back: nothing is told

    assert search("email that is sent", **headers) == [], "what was kept is what is looked at, no answer"


def test_who_asks_the_same_gets_the_same_until_something_changes(django_assert_num_queries):
    register()
    first = search()

    with django_assert_num_queries(0):
        assert search() == first
    assert search("an email that is read") == first

    register("write_email", provider="post", description="Send an email by post.")
    assert len(search()) == 2


def test_a_vector_that_was_made_meanwhile_counts_in_the_next_search(backend, settings):
    settings.EMBEDDING_BACKEND, settings.EMBEDDING_MODEL = WORDS, "model-a"
    row = make_registration(description="Transmit a letter.")
    space = spaces.target(conf.wanted_embedding(), now=timezone.now())
    asked = {"query": "transmit"}
    before = post_json("/api/tools/search", asked).json()["results"][0]

    assert space is not None
    indexing.embed([row.search_text], space=space, now=timezone.now())
    after = post_json("/api/tools/search", asked).json()["results"][0]

    assert before["similarity"] is None
    assert after["similarity"] > 0
