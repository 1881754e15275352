"""What people see: login, consent, and errors that name what is wrong."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.test import Client
from oauth2_provider.models import AccessToken, Grant

from oauth import attempts
from oauth.models import Scope
from tests.oauth.client import (
    CALLBACK,
    answer_page,
    asking,
    code_for,
    consent,
    logged_in,
    make_peoples_client,
    redeem,
    returned,
)

pytestmark = pytest.mark.django_db

PASSWORD = "long and secret"
HOSTILE = '<script>alert(1)</script>"><b>'


@pytest.fixture(autouse=True)
def _forget_failures():
    cache.clear()


def make_person(name: str = "ann", **changes):
    return get_user_model().objects.create_user(name, password=PASSWORD, **changes)


def log_in(browser: Client, name: str = "ann", password: str = PASSWORD, **fields):
    return browser.post("/login", {"username": name, "password": password, **fields})


def page_for(application, **fields) -> str:
    answer = logged_in().get("/authorize", asking(application, **fields))
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def is_logged_in(browser: Client) -> bool:
    return "_auth_user_id" in browser.session


def test_a_person_who_is_no_staff_logs_in_and_is_led_back_to_the_consent():
    make_person()
    application = make_peoples_client("mail:use")
    browser = Client()
    sent_away = browser.get("/authorize", asking(application))
    address = parse_qs(urlsplit(sent_away["Location"]).query)["next"][0]

    page = browser.get(sent_away["Location"])
    answer = log_in(browser, next=page.context["next"])

    assert answer["Location"] == address
    assert "Allow <bdi>desktop</bdi>" in browser.get(answer["Location"]).content.decode()


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "\\\\evil.example",
        "http:///evil.example",
        "javascript:alert(1)",
        " //evil.example",
        "http://testserver.evil.example/",
        "http://testserver@evil.example/",
    ],
)
def test_nobody_is_led_to_another_host(target):
    make_person()
    browser = Client()

    page = browser.get("/login", {"next": target})
    answer = log_in(browser, next=target)

    assert page.context["next"] == ""
    assert (answer.status_code, answer["Location"]) == (302, "/")


def test_logging_out_leads_to_our_own_host_as_well():
    browser = logged_in()

    answer = browser.post("/logout", {"next": "https://evil.example/"})

    assert urlsplit(answer["Location"]).netloc == ""
    assert not is_logged_in(browser)


def test_a_link_logs_nobody_out():
    browser = logged_in()

    assert browser.get("/logout").status_code == 405
    assert is_logged_in(browser)


@pytest.mark.parametrize("path", ["/login", "/logout"])
def test_forms_need_their_csrf_token(path):
    browser = Client(enforce_csrf_checks=True)

    assert browser.post(path, {"username": "ann", "password": PASSWORD}).status_code == 403


@pytest.mark.parametrize(
    "fields", [{"password": "wrong"}, {"name": "bob"}, {"name": HOSTILE}, {"name": "a\0b"}, {"name": ""}]
)
def test_who_does_not_know_the_password_stays_outside(fields):
    make_person()
    browser = Client()

    answer = log_in(browser, **fields)

    assert answer.status_code == 200
    assert not is_logged_in(browser)
    assert "<script>alert" not in answer.content.decode()


def test_an_account_that_was_closed_stays_outside_with_the_words_of_a_wrong_password():
    make_person(is_active=False)

    closed, unknown = log_in(Client()), log_in(Client(), name="nobody")

    assert closed.context["form"].non_field_errors() == unknown.context["form"].non_field_errors()


def test_ten_wrong_passwords_block_a_name_and_no_other_for_a_minute():
    make_person()
    make_person("bob")
    for number in range(10):
        assert log_in(Client(), password=f"guess-{number}").status_code == 200

    blocked = log_in(Client())

    assert (blocked.status_code, blocked["Retry-After"]) == (429, "60")
    assert "Too many failed attempts for this name." in blocked.content.decode()
    assert log_in(Client(), name="bob").status_code == 302


def test_wrong_passwords_of_a_person_block_no_client_of_that_name():
    make_person()
    application = make_peoples_client("mail:use", client_id="ann")
    for _ in range(10):
        log_in(Client(), password="wrong")

    assert code_for(application)


def test_neither_page_is_kept_by_anybody():
    application = make_peoples_client("mail:use")

    answers = [Client().get("/login"), logged_in().get("/authorize", asking(application))]

    assert all("no-store" in answer["Cache-Control"] for answer in answers)


def test_the_page_says_who_asks_for_what_and_where_the_answer_goes():
    application = make_peoples_client(
        "mail:use", "sms:use", kind="agent", redirect_uris="https://app.example/cb"
    )
    Scope.objects.filter(name="mail:use").update(description="Send letters & cards")

    page = page_for(application, redirect_uri="https://app.example/cb")

    assert "<bdi>desktop</bdi>" in page
    assert "Agent, public" in page
    assert "<bdi>ann</bdi>" in page
    assert "<code>app.example</code>" in page
    assert "Send letters &amp; cards" in page
    assert "<code>sms:use</code>" in page
    assert "your own computer" not in page


@pytest.mark.parametrize("host", ["localhost:8123", "127.0.0.1:8123", "[::1]:8123"])
def test_the_page_warns_where_the_answer_stays_on_the_persons_machine(host):
    application = make_peoples_client("mail:use", redirect_uris=f"http://{host}/cb")

    page = page_for(application, redirect_uri=f"http://{host}/cb")

    assert "This address is your own computer." in page
    assert f"<code>{host}</code>" in page


def test_a_host_that_only_begins_like_this_machine_gets_no_warning():
    address = "https://localhost.evil.example/cb"

    page = page_for(make_peoples_client(redirect_uris=address), redirect_uri=address)

    assert "your own computer" not in page
    assert "<code>localhost.evil.example</code>" in page


def test_the_page_says_that_no_scopes_are_asked_for():
    assert "It asks for no scopes" in page_for(make_peoples_client())


def test_names_of_clients_scopes_and_people_are_text():
    application = make_peoples_client("mail:use", name=HOSTILE)
    Scope.objects.update(description=HOSTILE)
    browser = logged_in(HOSTILE)

    page = browser.get("/authorize", asking(application, state=HOSTILE)).content.decode()

    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)") >= 4


def test_who_denies_sends_the_client_away_with_the_issuer():
    application = make_peoples_client("mail:use")

    back = returned(answer_page(logged_in(), application, {}))

    assert (back["error"], back["state"], back["iss"]) == (
        "access_denied",
        "a-state",
        "http://localhost:8006",
    )
    assert not Grant.objects.exists()


@pytest.mark.parametrize("prompt", ["auto", "auto_force", ""])
def test_no_client_skips_the_question(prompt):
    application = make_peoples_client("mail:use")
    browser = logged_in()
    redeem(application, returned(consent(browser, application))["code"])
    assert AccessToken.objects.get().allow_scopes(["mail:use"])

    answer = browser.get("/authorize", asking(application, approval_prompt=prompt))

    assert answer.status_code == 200
    assert not Grant.objects.exists()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"client_id": "unknown"}, "Invalid client_id parameter value."),
        ({"client_id": None}, "Missing client_id parameter."),
        ({"redirect_uri": "https://evil.example/"}, "Mismatching redirect URI."),
    ],
)
def test_an_error_has_its_name_and_its_description(fields, said):
    answer = logged_in().get("/authorize", asking(make_peoples_client("mail:use"), **fields))

    page = answer.content.decode()
    assert answer.status_code == 400
    assert "<code>invalid_request</code>" in page
    assert said in page
    assert "Allow</button>" not in page


@pytest.mark.parametrize("allow", [{"allow": "Allow"}, {}])
@pytest.mark.parametrize(
    "changes",
    [
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": ""},
        {"client_id": "unknown"},
        {"client_id": ""},
        {"response_type": ""},
        {"redirect_uri": HOSTILE},
    ],
)
def test_a_form_that_the_page_did_not_show_leads_nowhere(allow, changes):
    application = make_peoples_client("mail:use")

    answer = logged_in().post("/authorize", asking(application, scope="mail:use") | changes | allow)

    assert answer.status_code == 400
    assert "not the form that the page showed" in answer.content.decode()
    assert HOSTILE not in answer.content.decode()
    assert not Grant.objects.exists()


def test_who_logs_in_as_somebody_else_comes_back_to_the_same_question():
    make_person("bob")
    application = make_peoples_client("mail:use")
    browser = logged_in()
    page = browser.get("/authorize", asking(application)).content.decode()

    address = f"/authorize?{urlencode(asking(application))}"
    answer = log_in(browser, name="bob", next=address)

    assert f"/login?{urlencode({'next': address})}".replace("+", "%20") in page
    assert "<bdi>bob</bdi>" in browser.get(answer["Location"]).content.decode()


def test_the_answer_goes_to_the_port_that_the_page_shows():
    page = page_for(make_peoples_client(), redirect_uri=CALLBACK.replace("127.0.0.1", "127.0.0.1:53682"))

    assert "<code>127.0.0.1:53682</code>" in page


def test_the_admins_login_is_slowed_down_as_well(client: Client) -> None:
    wrong = {"username": "somebody", "password": "guess"}
    for _ in range(attempts.MOST_FAILURES):
        client.post("/admin/login/", wrong)

    assert "Too many failed attempts" in client.post("/admin/login/", wrong).content.decode()
