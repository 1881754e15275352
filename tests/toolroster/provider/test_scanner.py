"""The scanner: what it finds, each once."""

import types

import pytest
from fastapi import APIRouter, FastAPI

from tests.toolroster.provider import package
from tests.toolroster.provider.package import math
from tests.toolroster.provider.package.deep.text import texts
from toolroster import agent_tool, scan
from toolroster.errors import Conflict


def _names(*sources: object) -> list[str]:
    return [tool.name for tool in scan(*sources)]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (math.add, ["add"]),
        (math, ["add"]),
        ("tests.toolroster.provider.package.math", ["add"]),
        (package, ["add", "upper"]),
        (texts, ["upper"]),
        (texts.upper, ["upper"]),
        ([math.add, texts], ["add", "upper"]),
        ((), []),
    ],
    ids=["function", "module", "name", "package", "object", "method", "list", "nothing"],
)
def test_each_source_gives_its_tools_once(source, names):
    assert sorted(_names(source)) == names


def test_a_tool_that_is_reached_twice_is_one():
    assert _names(math, package, math.add) == ["add", "upper"]


def test_an_app_of_fastapi_gives_what_is_declared_among_its_routes():
    app, router = FastAPI(), APIRouter(prefix="/more")

    @app.post("/a")
    @agent_tool
    def a(x: int) -> int:
        """Do a."""
        return x

    @app.get("/b")
    def b() -> int:
        return 1

    @router.post("/c")
    @agent_tool
    def c() -> int:
        """Do c."""
        return 1

    app.include_router(router)

    assert _names(app) == ["a", "c"]


def test_an_app_of_django_gives_what_is_in_its_module_of_tools(monkeypatch):
    import sys  # noqa: PLC0415

    from django.apps import AppConfig  # noqa: PLC0415

    package_of_app = types.ModuleType("shop")
    package_of_app.__path__ = ["/nowhere"]
    package_of_app.__file__ = "/nowhere/__init__.py"
    monkeypatch.setitem(sys.modules, "shop", package_of_app)
    monkeypatch.setitem(sys.modules, "shop.tools", math)

    assert _names(AppConfig("shop", package_of_app)) == ["add"]


def test_one_version_declared_twice_is_an_error_that_names_both():
    def other() -> None: ...

    agent_tool("add", "Something else.")(other)

    with pytest.raises(Conflict, match=r"add 1\.0\.0 is declared twice") as caught:
        scan(math, other)

    assert "package.math.add" in caught.value.detail


@pytest.mark.parametrize("source", [print, type(texts), None, 5, object()])
def test_what_holds_no_tools_by_itself_is_refused(source):
    with pytest.raises(TypeError, match="no declared tool"):
        scan(source)
