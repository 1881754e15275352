"""What a function takes and gives, as JSON Schema: read from its signature by pydantic."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NoReturn, NotRequired, Required, get_type_hints

import typing_extensions
from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core import PydanticSerializationError, to_jsonable_python

from toolroster.errors import DocumentInvalid, Fault
from toolroster.provider.typed_dicts import taken_by_pydantic
from toolroster.schema_walk import pointer, walk

Schema = dict[str, Any]
_NONE = inspect.Parameter.empty
_UNSUPPORTED = {
    inspect.Parameter.POSITIONAL_ONLY: "is positional-only; agents send arguments by name",
    inspect.Parameter.VAR_POSITIONAL: "takes any number of values; declare a list",
    inspect.Parameter.VAR_KEYWORD: "takes any names; declare each parameter, or a dict",
}
_INEXPRESSIBLE = (
    PydanticInvalidForJsonSchema,
    PydanticSchemaGenerationError,
    PydanticUserError,
    PydanticSerializationError,
    RecursionError,
    TypeError,
    ValueError,
)


class SignatureUnsupported(TypeError):
    """A function's signature cannot be told to agents; raised where the function is declared."""


@dataclass(frozen=True, slots=True)
class Param:
    """What a parameter means: `to: Annotated[str, Param("Whom to write to.")]`."""

    description: str


@dataclass(frozen=True, slots=True)
class Signature:
    """Schemas of a function, and how arguments and results cross the border of JSON.

    `defaults` are values that the function itself does not hold as such (`x: int = Field(5, ge=0)`).
    """

    input_schema: Schema
    output_schema: Schema | None
    _arguments: TypeAdapter[Any]
    _result: TypeAdapter[Any] | None
    _defaults: Mapping[str, Any]

    def python(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments that fit the schema as the types of the signature.

        Raises:
            DocumentInvalid: a validator of a type refuses one.
        """
        try:
            made = self._arguments.validate_json(_json(arguments))
        except ValidationError as error:
            found = [Fault(pointer(one["loc"]), one["type"], one["msg"]) for one in error.errors()]
            raise DocumentInvalid(f"{found[0].pointer}: {found[0].detail}", errors=found) from error
        return {**self._defaults, **made}

    def jsonable(self, result: Any) -> Any:
        """Return a result as a JSON value."""
        if self._result is None:
            return to_jsonable_python(result)
        return self._result.dump_python(result, mode="json")


def read(function: Callable[..., Any], *, is_method: bool, descriptions: Mapping[str, str]) -> Signature:
    """Read a signature; `descriptions` are what a docstring says of parameters.

    Raises:
        SignatureUnsupported: naming the parameter that cannot be expressed.
        NameError: an annotation names what is not defined yet.
    """
    hints = get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())[1 if is_method else 0 :]
    fields: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for parameter in parameters:
        annotation, default = _field(function, parameter, hints)
        fields[parameter.name] = _needed(annotation, is_needed=default is _NONE)
        if default is not _NONE:
            defaults[parameter.name] = default
    adapter = _adapter_of(fields)
    schema = _plain(adapter, "validation")
    properties = schema.setdefault("properties", {})
    for name in fields:
        _describe(properties[name], _said(hints[name]) or descriptions.get(name))
        if name in defaults:
            properties[name]["default"] = _default(function, name, defaults[name])
    result = _result(function, hints.get("return", _NONE))
    output = _plain(result, "serialization") if result is not None else None
    hidden = {
        p.name: defaults[p.name] for p in parameters if isinstance(p.default, FieldInfo) if p.name in defaults
    }
    return Signature(schema, output, adapter, result, hidden)


def _field(
    function: Callable[..., Any], parameter: inspect.Parameter, hints: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Return annotation and default of a parameter, checked for itself so that an error names it."""
    name = parameter.name
    if parameter.kind in _UNSUPPORTED:
        raise _unsupported(function, name, _UNSUPPORTED[parameter.kind])
    if name not in hints:
        raise _unsupported(function, name, "has no type; agents must know what to send")
    annotation, default = hints[name], parameter.default
    if isinstance(default, FieldInfo):
        annotation = Annotated[annotation, default]
        default = _NONE if default.is_required() else default.get_default(call_default_factory=True)
    try:
        annotation = taken_by_pydantic(annotation)
        _plain(TypeAdapter(annotation), "validation")
    except _INEXPRESSIBLE as error:
        raise _unsupported(function, name, f"is of type {_shown(annotation)}: {_reason(error)}") from error
    return annotation, default


def _needed(annotation: Any, *, is_needed: bool) -> Any:
    return Required[annotation] if is_needed else NotRequired[annotation]


def _adapter_of(fields: dict[str, Any]) -> TypeAdapter[Any]:
    # A TypedDict, not a model: every name of a parameter can be a key.
    make: Any = typing_extensions.TypedDict
    arguments = make("arguments", fields)
    arguments.__pydantic_config__ = ConfigDict(extra="forbid")
    return TypeAdapter(arguments)


def _result(function: Callable[..., Any], annotation: Any) -> TypeAdapter[Any] | None:
    if any(annotation is one for one in (_NONE, None, type(None), NoReturn, Any)):
        return None
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(taken_by_pydantic(annotation))
        _plain(adapter, "serialization")
    except _INEXPRESSIBLE as error:
        raise _unsupported(
            function, "return", f"is of type {_shown(annotation)}: {_reason(error)}"
        ) from error
    return adapter


class _Untitled(GenerateJsonSchema):
    """Schemas without titles that repeat the names of fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _plain(adapter: TypeAdapter[Any], mode: JsonSchemaMode) -> Schema:
    schema = adapter.json_schema(schema_generator=_Untitled, mode=mode)
    for path, _, node in walk(schema):
        is_named = path[-2:-1] == ("$defs",) or not path
        if is_named and isinstance(node, dict):
            node.pop("title", None)  # the name of a class says nothing to an agent
    return schema


def _said(annotation: Any) -> str | None:
    """Return what `Param` says in an annotation."""
    found = [one.description for one in getattr(annotation, "__metadata__", ()) if isinstance(one, Param)]
    return found[-1] if found else None


def _describe(schema: Schema, description: str | None) -> None:
    if description and "description" not in schema:
        schema["description"] = description


def _default(function: Callable[..., Any], name: str, value: Any) -> Any:
    try:
        return to_jsonable_python(value)
    except PydanticSerializationError as error:
        raise _unsupported(function, name, f"has a default that is no JSON value: {value!r:.100}") from error


def _unsupported(function: Callable[..., Any], name: str, reason: str) -> SignatureUnsupported:
    what = "the result" if name == "return" else f"the parameter {name!r}"
    where = f"{function.__module__}.{function.__qualname__}"
    return SignatureUnsupported(f"{where}: {what} {reason}.")


def _reason(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".")[:300]


def _shown(annotation: Any) -> str:
    return getattr(annotation, "__name__", None) or str(annotation)[:100]


def _json(arguments: Mapping[str, Any]) -> bytes:
    return json.dumps(arguments, ensure_ascii=False).encode("utf-8", "surrogatepass")
