"""A person at a browser without scripts: logs in, agrees, and follows redirects by hand."""

import re
from dataclasses import dataclass
from html import unescape
from types import TracebackType
from typing import Self
from urllib.parse import urljoin

import httpx

_FIELD = re.compile(r'<input\b[^>]*\bname="(?P<name>[^"]+)"[^>]*>')
_VALUE = re.compile(r'\bvalue="([^"]*)"')
_FORM = re.compile(r"<form\b.*?</form>", re.DOTALL)
_ACTION = re.compile(r'<form\b[^>]*\baction="([^"]*)"')


class Person:
    """Somebody with a name, a password and one browser."""

    def __init__(self, name: str, password: str) -> None:
        self.name = name
        self.password = password
        self.browser = httpx.Client(timeout=15)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.browser.close()

    def agree(self, url: str) -> str:
        """Open a client's request, log in, allow it; return the address that the browser is sent to."""
        page = self.submit(self.browser.get(url, follow_redirects=True), **self.credentials())
        while page.is_redirect:
            page = self.browser.get(urljoin(str(page.url), page.headers["Location"]))
        answer = self.submit(page, allow="Allow")
        assert answer.is_redirect, answer.text
        return str(answer.headers["Location"])

    def credentials(self) -> dict[str, str]:
        """Return the fields of a login page."""
        return {"username": self.name, "password": self.password}

    def submit(self, page: httpx.Response, **typed: str) -> httpx.Response:
        """Send the first form of a page, with its hidden fields and what is typed; follow nothing."""
        assert page.status_code == 200, page.text
        form = forms_of(page)[0]
        return self.browser.post(
            urljoin(str(page.url), form.action or str(page.url)), data=form.fields | typed
        )

    def hidden_of(self, page: httpx.Response, action: str) -> dict[str, str]:
        """Return the fields of the form that goes to an address, as the page filled them in."""
        return next(form.fields for form in forms_of(page) if form.action == action)


@dataclass(frozen=True)
class Form:
    """A form of a page: where it goes, and its inputs with their values."""

    action: str
    fields: dict[str, str]


def forms_of(page: httpx.Response) -> list[Form]:
    """Return the forms in the main part of a page."""
    main = page.text.partition("<main")[2]
    return [_form(text) for text in _FORM.findall(main)]


def _form(text: str) -> Form:
    action = _ACTION.match(text)
    values = {field["name"]: _VALUE.search(field[0]) for field in _FIELD.finditer(text)}
    return Form(
        unescape(action[1]) if action else "",
        {name: unescape(value[1]) if value else "" for name, value in values.items()},
    )
