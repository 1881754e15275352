"""People log in with their company's OpenID provider: a process of its own, and the real protocol."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest

from tests.idp.__main__ import CLIENT_ID, CLIENT_SECRET, PASSWORD
from tests.oauth.person import Person
from tests.stack import CHECKOUT, Stack, eventually, free_port, running


class CompanyStack(Stack):
    """The platform of a company with an OpenID provider."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.issuer = f"http://localhost:{free_port()}"
        self._provider: subprocess.Popen[bytes] | None = None

    def environment(self) -> dict[str, str]:
        return super().environment() | {
            "OIDC_ISSUER": self.issuer,
            "OIDC_CLIENT_ID": CLIENT_ID,
            "OIDC_CLIENT_SECRET": CLIENT_SECRET,
            "OIDC_NAME": "Company",
            "OIDC_STAFF_GROUP": "platform-team",
        }

    @property
    def base(self) -> str:
        return f"http://localhost:{self.port}"

    def start(self) -> None:
        self.start_provider()
        super().start()

    def start_provider(self) -> None:
        port = self.issuer.rpartition(":")[2]
        command = [sys.executable, "-m", "tests.idp", port, f"{self.base}/sso/company/callback"]
        self._provider = subprocess.Popen(command, cwd=CHECKOUT, stderr=subprocess.DEVNULL)
        eventually(self._provider_answers)

    def _provider_answers(self) -> bool:
        try:
            return httpx.get(f"{self.issuer}/.well-known/openid-configuration").is_success
        except httpx.TransportError:
            return False

    def stop_provider(self) -> None:
        assert self._provider is not None
        self._provider.terminate()
        self._provider.wait(10)

    def asked(self, expression: str) -> str:
        """Return what an expression is in the platform's shell."""
        code = f"from oauth.models import AccessEvent, User; print({expression})"
        return self.manage("shell", "-v", "0", "-c", code)

    def stop(self) -> None:
        super().stop()
        self.stop_provider()


@pytest.fixture(scope="module")
def company() -> Iterator[CompanyStack]:
    with running(CompanyStack) as stack:
        yield stack


class Employee(Person):
    """A person of the company, who has no password here."""

    def __init__(self, company: CompanyStack, name: str, password: str = PASSWORD) -> None:
        super().__init__(name, password)
        self.company = company

    def log_in(self, next_page: str = "/clients") -> httpx.Response:
        """Press the button on our login page, log in at the company, come back."""
        page = self.browser.get(f"{self.company.base}/login", params={"next": next_page})
        assert "Log in with Company" in page.text
        there = self._follow(self.press_the_button(page))
        if there.url.host and str(there.url).startswith(self.company.issuer):
            there = self._follow(self.submit(there, **self.credentials()))
        return there

    def press_the_button(self, page: httpx.Response) -> httpx.Response:
        """Send the form of the single sign-on, which stands below the one for passwords."""
        fields = self.hidden_of(page, "/sso/company/login")
        return self.browser.post(urljoin(str(page.url), "/sso/company/login"), data=fields)

    def _follow(self, answer: httpx.Response) -> httpx.Response:
        while answer.is_redirect:
            answer = self.browser.get(urljoin(str(answer.url), answer.headers["Location"]))
        return answer


def test_a_person_of_the_company_comes_in_and_is_led_where_they_wanted(company: CompanyStack) -> None:
    with Employee(company, "emil") as emil:
        page = emil.log_in("/clients")

        assert (page.status_code, str(page.url)) == (200, f"{company.base}/clients")
        assert "You may not make clients here." in page.text
        assert emil.browser.get(f"{company.base}/admin/").status_code == 302


def test_who_is_in_the_staff_group_enters_the_admin(company: CompanyStack) -> None:
    with Employee(company, "dora") as dora:
        dora.log_in()

        assert dora.browser.get(f"{company.base}/admin/").status_code == 200


def test_who_comes_again_is_the_same_person(company: CompanyStack) -> None:
    for _ in range(2):
        with Employee(company, "emil") as emil:
            emil.log_in()

    assert company.asked("User.objects.filter(username__startswith='emil').count()") == "1"


def test_a_local_name_is_nobody_elses(company: CompanyStack) -> None:
    company.asked("User.objects.create_user('frieda', 'dora@company.example', 'x')")
    with Employee(company, "dora") as dora:
        page = dora.log_in("/login")

    assert "You are logged in as <bdi>dora</bdi>" in page.text


def test_who_does_not_know_the_companys_password_stays_outside(company: CompanyStack) -> None:
    with Employee(company, "emil", "a guess") as emil:
        page = emil.log_in()

        assert str(page.url).startswith(company.issuer)
        assert emil.browser.get(f"{company.base}/clients").status_code == 302


def test_an_answer_that_nobody_asked_for_logs_nobody_in(company: CompanyStack) -> None:
    answer = httpx.get(f"{company.base}/sso/company/callback", params={"code": "x", "state": "y"})

    assert answer.status_code == 401
    assert "You are not logged in" in answer.text


def test_there_is_no_other_provider(company: CompanyStack) -> None:
    assert httpx.get(f"{company.base}/sso/other/callback").status_code == 404


def test_while_the_provider_is_down_passwords_of_the_registry_count(company: CompanyStack) -> None:
    company.stop_provider()
    try:
        with Employee(company, "emil") as emil:
            page = emil.press_the_button(emil.browser.get(f"{company.base}/login"))
            admin = company.note()["admin"]
            local = emil.browser.get(f"{company.base}/login")
            answer = emil.submit(local, username=admin["username"], password=admin["password"])
    finally:
        company.start_provider()

    assert (page.status_code, "does not answer" in page.text) == (503, True)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")


def test_who_came_and_went_is_in_the_audit(company: CompanyStack) -> None:
    with Employee(company, "dora") as dora:
        dora.log_in()

    said = company.asked("AccessEvent.objects.filter(subject='dora').order_by('pk').values_list('kind')[:2]")

    assert said == "<QuerySet [('person:added',), ('person:changed',)]>"
