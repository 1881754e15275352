"""Find declared tools (seeds/004 ToolScanner): in modules, packages, objects, and the apps of frameworks."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from toolroster.errors import Conflict
from toolroster.provider.declared import tool_of
from toolroster.provider.tool import AgentTool

_DJANGO_MODULE = "tools"


def scan(*sources: Any) -> list[AgentTool]:
    """Return the tools of all sources, each once, in the order found.

    A source is a declared function; a module or its dotted name; a package, with all modules below it; an
    object with declared methods; a FastAPI or Starlette app, by its routes; a Django `AppConfig`, by its
    module `tools`; an `AgentTool`; or a list of such.

    Raises:
        Conflict: two functions are declared as the same version of one tool.
        TypeError: a source is none of these.
    """
    found: dict[tuple[str, str], AgentTool] = {}
    for tool in _tools(sources):
        known = found.setdefault((tool.name, tool.version), tool)
        if known.function != tool.function:
            raise Conflict(
                f"{tool.name} {tool.version} is declared twice: {_place(known)} and {_place(tool)}."
            )
    return list(found.values())


def _tools(sources: Iterable[Any]) -> Iterator[AgentTool]:
    for source in sources:
        if isinstance(source, AgentTool):
            yield source
        elif (tool := tool_of(source)) is not None:
            yield tool
        elif isinstance(source, (list, tuple, set, frozenset, Iterator)):
            yield from _tools(source)
        elif isinstance(source, str):
            yield from _of_module(importlib.import_module(source))
        elif isinstance(source, ModuleType):
            yield from _of_module(source)
        else:
            yield from _of_object(source)


def _of_module(module: ModuleType) -> Iterator[AgentTool]:
    for name in sorted(vars(module)):
        value = vars(module)[name]
        if inspect.isroutine(value) and (tool := tool_of(value)) is not None:
            yield tool
        elif not isinstance(value, (type, ModuleType)) and not name.startswith("_"):
            yield from _of_methods(value)
    for one in pkgutil.iter_modules(getattr(module, "__path__", ()), f"{module.__name__}."):
        if not one.name.endswith(".__main__"):  # a program: importing it runs it
            yield from _of_module(importlib.import_module(one.name))


def _of_object(source: Any) -> Iterator[AgentTool]:
    if inspect.isclass(source) or inspect.isroutine(source):
        raise TypeError(f"{source!r} is no declared tool; of a class pass an instance.")
    if (module := _django_module(source)) is not None:
        yield from _of_module(module)
    elif (routes := _endpoints(source)) is not None:
        yield from _tools([endpoint for endpoint in routes if tool_of(endpoint) is not None])
    else:
        found = list(_of_methods(source))
        if not found:
            raise TypeError(f"{source!r:.100} holds no declared tool.")
        yield from found


def _of_methods(instance: Any) -> Iterator[AgentTool]:
    """Look at the class first: to read an attribute of an instance may run a property."""
    for name, _ in inspect.getmembers_static(type(instance), _is_function):
        if (tool := tool_of(getattr(instance, name))) is not None:
            yield tool


def _is_function(member: Any) -> bool:
    return inspect.isfunction(member) or isinstance(member, (staticmethod, classmethod))


def _django_module(source: Any) -> ModuleType | None:
    """Return the module `tools` of a Django app, None if the source is none."""
    if not {"label", "name", "path"} <= getattr(source, "__dict__", {}).keys():
        return None
    return importlib.import_module(f"{source.name}.{_DJANGO_MODULE}")


def _endpoints(source: Any) -> list[Any] | None:
    """Return the functions behind the routes of a FastAPI or Starlette app, None if the source is none."""
    routes = getattr(source, "routes", None)
    if not isinstance(routes, list):
        return None
    # A router that is included is the route itself, or behind it since FastAPI 0.120.
    inner = [getattr(route, "original_router", route) for route in routes]
    below = [found for router in inner for found in _endpoints(router) or ()]
    return [*(route.endpoint for route in routes if hasattr(route, "endpoint")), *below]


def _place(tool: AgentTool) -> str:
    return f"{tool.function.__module__}.{tool.function.__qualname__}"
