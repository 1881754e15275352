"""`typing.TypedDict` as pydantic takes it: before Python 3.12 it wants that of typing_extensions."""

import sys
import types
import typing
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import typing_extensions

_IS_TAKEN = sys.version_info >= (3, 12)


def taken_by_pydantic(annotation: Any) -> Any:
    """Return the annotation with every TypedDict in it as pydantic takes it."""
    if typing.is_typeddict(annotation) and not _IS_TAKEN:
        return _renewed(annotation)
    arguments = get_args(annotation)
    if _IS_TAKEN or not arguments or get_origin(annotation) is typing.Literal:
        return annotation
    renewed = tuple(map(_argument, arguments))
    return annotation if renewed == arguments else _rebuilt(get_origin(annotation), renewed)


def _rebuilt(origin: Any, arguments: tuple[Any, ...]) -> Any:
    if origin in {Union, types.UnionType}:
        return reduce(or_, arguments)
    return Annotated[arguments] if origin is Annotated else origin[arguments]


def _argument(argument: Any) -> Any:
    # Those of Callable are a list, metadata of Annotated anything; neither is a type.
    return argument if isinstance(argument, list) else taken_by_pydantic(argument)


@cache
def _renewed(old: Any) -> Any:
    hints = get_type_hints(old, include_extras=True)
    needed: frozenset[str] = old.__required_keys__
    fields = {name: _key(hint, is_needed=name in needed) for name, hint in hints.items()}
    make: Any = typing_extensions.TypedDict
    renewed = make(old.__name__, fields)
    renewed.__doc__ = old.__doc__
    renewed.__module__ = old.__module__
    return renewed


def _key(hint: Any, *, is_needed: bool) -> Any:
    if get_origin(hint) in {typing.Required, typing.NotRequired}:
        hint = get_args(hint)[0]
    inner = taken_by_pydantic(hint)
    return typing.Required[inner] if is_needed else typing.NotRequired[inner]
