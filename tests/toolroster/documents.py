"""Make documents and object schemas, plain ones and generated ones."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from toolroster.definition import ToolDefinition
from toolroster.errors import Fault, ToolrosterError

Json = Any
moderate = settings(deadline=None, max_examples=50)

NAMES = [
    "$ref",
    "a/b~c",
    "const",
    "customer",
    "default",
    "defaultValue",
    "description",
    "displayName",
    "enum",
    "name",
    "properties",
    "required",
    "toolId",
    "type",
    "x-name",
    "~/",
    "é",
    "数量",
]
"""Names of properties; most of them are keywords or fields elsewhere."""


def make_document(**fields: Any) -> dict[str, Any]:
    return {"name": "send_email", **fields}


def make_tool(**fields: Any) -> ToolDefinition:
    return ToolDefinition.parse(make_document(**fields))


def make_schema(properties: dict[str, Any] | None = None, **keywords: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties or {}, **keywords}


def make_tool_of(properties: dict[str, Any] | None = None, **keywords: Any) -> ToolDefinition:
    return make_tool(input_schema=make_schema(properties, **keywords))


def refusal(**fields: Any) -> ToolrosterError:
    """Return the error that a document with these fields is refused with."""
    try:
        make_tool(**fields)
    except ToolrosterError as error:
        return error
    raise AssertionError(f"{fields} was accepted")


def faults_of(**fields: Any) -> list[tuple[str, str]]:
    """Return pointer and code of each fault that a document with these fields is refused with."""
    return places(refusal(**fields).errors)


def places(found: list[Fault] | tuple[Fault, ...]) -> list[tuple[str, str]]:
    return [(fault.pointer, fault.code) for fault in found]


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False, width=16)
    | texts
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
_words = st.fixed_dictionaries(
    {}, optional={"description": texts, "title": texts, "examples": st.lists(values, max_size=2)}
)
_annotations = st.fixed_dictionaries(
    {},
    optional={
        "name": texts,
        "x-name": texts,
        "x-note": values,
        "x-sensitive": st.booleans(),
        "required_properties": values,
        "defaultValue": values,
        "enumValues": values,
        "cls": values,
        "format": st.sampled_from(["date", "email", "uri", "url"]),
    },
)
_simple = st.sampled_from(
    [
        {},
        {"type": "string"},
        {"type": "string", "enum": ["required", "name"], "default": "name"},
        {"type": "integer", "minimum": 0, "default": 3},
        {"type": ["string", "null"], "default": None},
        {"type": "string", "const": "x"},
        {"const": None},
        {"enum": [None]},
        {"default": None},
        {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        {"$ref": "#/$defs/shared"},
        True,
        False,
    ]
)


def _merged(parts: tuple[Any, ...]) -> Any:
    first, *others = parts
    if isinstance(first, bool):
        return first
    return {k: v for part in (first, *others) for k, v in part.items()}


def _object(members: dict[str, Any], data: Any) -> Any:
    required = data(st.lists(st.sampled_from(sorted(members)), unique=True)) if members else []
    return {"type": "object", "properties": members} | ({"required": required} if required else {})


@st.composite
def _nested(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> Any:
    kind = draw(st.sampled_from(["object", "array", "union"]))
    if kind == "array":
        return {"type": "array", "items": draw(inner)} | draw(_words)
    if kind == "union":
        return {"anyOf": [draw(inner), {"type": "null"}]}
    return _object(draw(st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)), draw)


_simple_schemas = st.tuples(_simple, _words, _annotations).map(_merged)
_subschemas = st.recursive(_simple_schemas, _nested, max_leaves=6)


@st.composite
def object_schemas(draw: st.DrawFn) -> dict[str, Any]:
    """Generate valid input schemas."""
    members = draw(st.dictionaries(st.sampled_from(NAMES), _subschemas, max_size=5))
    schema: dict[str, Any] = _object(members, draw)
    if draw(st.booleans()):
        schema["additionalProperties"] = draw(st.booleans())
    schema["$defs"] = {"shared": {"type": "object", "properties": {"again": {"$ref": "#"}}}}
    return schema | draw(_words)


documents = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "send_email", "Get-It"])},
    optional={
        "provider": st.sampled_from(["Mail-Team", "a.b_c"]),
        "version": st.sampled_from(["0.1.0", "2.0.0-rc.1+b.5"]),
        "display_name": texts,
        "description": texts,
        "returns": texts,
        "examples": st.lists(texts.filter(bool), max_size=2),
        "input_schema": object_schemas(),
        "output_schema": _subschemas.filter(lambda schema: isinstance(schema, dict)).map(
            lambda schema: schema | {"$defs": {"shared": {}}}
        ),
        "scopes": st.lists(st.sampled_from(["mail:send", "mail:read"]), max_size=2),
        "endpoint": st.none() | st.just({"url": "https://mail.example:8443/send?x=1"}),
        "capabilities": st.fixed_dictionaries(
            {},
            optional={
                "categories": st.lists(texts.filter(bool), max_size=2),
                "tags": st.lists(texts.filter(bool), max_size=2),
                "cost_level": st.sampled_from(["LOW", "HIGH"]),
                "idempotent": st.booleans(),
                "destructive": st.booleans() | st.none(),
                "avg_latency_ms": st.integers(0, 86_400_000) | st.none(),
            },
        ),
        "policy": st.fixed_dictionaries(
            {},
            optional={
                "rate_limit_per_minute": st.integers(1, 1_000_000),
                "timeout_ms": st.integers(1, 3_600_000),
                "allowed_roles": st.lists(texts.filter(bool), max_size=2),
                "requires_approval": st.booleans(),
            },
        ),
        "alternatives": st.lists(
            st.fixed_dictionaries(
                {"ref": st.just("other@^1")}, optional={"arguments": st.dictionaries(texts, values)}
            ),
            max_size=2,
        ),
        "liveness": st.sampled_from(["heartbeat", "probe", "none", None]),
    },
)
"""Registration documents that are accepted."""

_KEYWORDS = [
    "$anchor",
    "$defs",
    "$dynamicRef",
    "$id",
    "$ref",
    "$schema",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "description",
    "enum",
    "examples",
    "format",
    "if",
    "items",
    "maxLength",
    "minLength",
    "minimum",
    "maximum",
    "multipleOf",
    "name",
    "not",
    "parameters",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "required",
    "type",
    "x-mcp-header",
]
_hostile_scalars = scalars | st.sampled_from(
    [
        "#",
        "#/properties",
        "#/$defs/a",
        "#nowhere",
        "#/required/x",
        "https://example.com/s",
        "object",
        "string",
        "(",
        "[z-a]",
    ]
)
hostile = st.recursive(
    _hostile_scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(_KEYWORDS), inner, max_size=4)
        | st.dictionaries(st.sampled_from(_KEYWORDS), inner, max_size=4).map(
            lambda node: {"type": "object"} | node
        )
    ),
    max_leaves=15,
)
"""Any JSON, full of keywords with values of the wrong type."""
