"""One visit in a real browser: find a tool, read its page, log in, approve what waits."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from oauth.models import User
from registry.models import ToolRegistration
from tests.factories import make_registration

CHROMIUM = Path("/usr/bin/chromium")
_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs a browser: {CHROMIUM} is absent"),
]


@contextmanager
def browser_page(complaints: list[str], *, script: bool = True) -> Iterator[Page]:
    """Open a browser; what its console calls an error is added to `complaints`.

    Inside, the database must not be asked by the test: Playwright runs an event loop in its thread.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_ARGUMENTS)
        page = browser.new_context(java_script_enabled=script).new_page()
        page.on("console", lambda said: complaints.extend([said.text] if said.type == "error" else []))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        yield page
        browser.close()


def test_person_finds_a_tool_without_script(live_server: Any) -> None:
    make_registration(name="create_invoice", description="Erstellt eine Rechnung.", returns="Die Nummer.")
    make_registration(name="archive", description="Put a letter away.")
    complaints: list[str] = []

    with browser_page(complaints, script=False) as page:
        page.goto(live_server.url)
        page.get_by_label("What should the tool do?").fill("Rechnung")
        page.get_by_role("button", name="Search").click()
        page.get_by_role("link", name="create_invoice").click()

        expect(page.get_by_role("heading", level=1)).to_have_text("mail-team/create_invoice 1.0.0")
        expect(page.get_by_text("Die Nummer.")).to_be_visible()
        header = page.locator("#header").evaluate("header => getComputedStyle(header).backgroundColor")
    assert header == "rgb(65, 118, 144)"  # the admin's own colour: its style sheet was served
    assert complaints == []


def test_operator_approves_what_waits(live_server: Any) -> None:
    row = make_registration(review_required=True)
    User.objects.create_superuser("operator", password="long and secret")
    complaints: list[str] = []

    with browser_page(complaints) as page:
        page.goto(f"{live_server.url}/admin/")
        page.get_by_label("Username").fill("operator")
        page.get_by_label("Password").fill("long and secret")
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("link", name="to decide").click()
        page.get_by_role("link", name="mail-team:send_email:1.0.0").click()
        page.get_by_role("button", name="Approve").click()

        expect(page.get_by_text("Approved one registration.")).to_be_visible()
        page.goto(live_server.url)
        expect(page.get_by_role("link", name="mail-team/send_email")).to_be_visible()
    assert complaints == []
    assert ToolRegistration.objects.get(pk=row.pk).review == "APPROVED"
