"""The registration document: the ONE definition of a tool's version, its parts and their limits.

`ToolDefinition.parse` takes what a client sent, in our spelling or the Java client's, and returns a
checked definition in Unicode NFC; `document()` gives the canonical form back. The platform's OpenAPI shows
the JSON Schema of these models. Types are strict: "5" is not 5. An unknown field is an error, never lost
in silence; `null` means absent. Prose is never filtered by keywords.
"""

import json
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from toolroster import faults, parameters, schema_checks, spelling, strict_json, unicode
from toolroster.errors import DocumentInvalid, Fault, VersionInvalid
from toolroster.reference import PROVIDER_PATTERN, SCOPE_PATTERN, TOOL_NAME_PATTERN, make_tool_id
from toolroster.schema_walk import pointer
from toolroster.semver import parse_published_version

SERVER_OWNED = frozenset(
    {
        "tool_id",
        "status",
        "review",
        "lifecycle",
        "health",
        "registered_at",
        "updated_at",
        "last_heartbeat_at",
        "contract_hash",
        "deprecated_at",
        "yanked_at",
        "sunset_at",
        "replaced_by",
        "deprecation_reason",
    }
)
"""Fields of an answer that a client may send back; they are ignored."""


def _published_version(text: str) -> str:
    try:
        parse_published_version(text)
    except VersionInvalid as error:
        raise PydanticCustomError("version_invalid", "{detail}", {"detail": error.detail}) from error
    return text


def _callable_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_callable = bool(parts.hostname) and parts.port != 0
    except ValueError:  # a bad port or IPv6 address
        is_callable = False
    if not is_callable:
        raise PydanticCustomError("url_invalid", "Write http(s)://host, then a port up to 65535 and a path.")
    return text


ProviderName = Annotated[str, Field(pattern=PROVIDER_PATTERN, description="Namespace of the provider.")]
ToolName = Annotated[str, Field(pattern=TOOL_NAME_PATTERN)]
PublishedVersion = Annotated[str, Field(max_length=256), AfterValidator(_published_version)]
Scope = Annotated[str, Field(pattern=SCOPE_PATTERN)]
Label = Annotated[str, Field(min_length=1, max_length=100)]
CallableUrl = Annotated[
    str, Field(max_length=2000, pattern=r"^https?://[^\s/?#]+[^\s]*$"), AfterValidator(_callable_url)
]
Words = Annotated[str, Field(max_length=20_000)]


class Part(BaseModel):
    """A part of the document: strict types, no unknown fields, null means absent."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, value: Any) -> Any:
        return {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value


class Parameter(Part):
    """One parameter; any further keyword of JSON Schema 2020-12 may stand beside these."""

    model_config = ConfigDict(extra="allow")

    name: Annotated[str, Field(min_length=1, max_length=200)]
    type: str | list[str] | None = None
    description: Words | None = None
    required: bool = False
    default: Any = None
    format: str | None = None
    enum: list[Any] | None = None

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, value: Any) -> Any:
        """Keep the nulls that are values: a `const`, and the default of a nullable parameter.

        Nullable is what says so: by `type`, or by a branch `{"type": "null"}` of `anyOf` or `oneOf`.
        """
        if not isinstance(value, dict):
            return value
        kept = {"const", "default"} if _is_nullable(value) else {"const"}
        return {k: v for k, v in value.items() if v is not None or k in kept}


def _is_nullable(keywords: dict[str, Any]) -> bool:
    types = keywords.get("type")
    if types == "null" or (isinstance(types, list) and "null" in types):
        return True
    unions = (keywords.get("anyOf"), keywords.get("oneOf"))
    return any(isinstance(union, list) and {"type": "null"} in union for union in unions)


class Endpoint(Part):
    """Where the tool is called."""

    url: CallableUrl
    transport: Literal["http", "mcp"] = "http"
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    audience: Annotated[str, Field(max_length=2000)] | None = None


class Capabilities(Part):
    """What the tool is like: labels to find it by, cost, and side effects (MCP's hints)."""

    categories: Annotated[list[Label], Field(max_length=50)] = []
    tags: Annotated[list[Label], Field(max_length=100)] = []
    cost_level: Literal["LOW", "MEDIUM", "HIGH"] = "LOW"
    idempotent: bool = False
    read_only: bool = False
    destructive: bool | None = None
    open_world: bool | None = None
    avg_latency_ms: Annotated[int, Field(ge=0, le=86_400_000)] | None = None


class Policy(Part):
    """Under which conditions the tool is called."""

    rate_limit_per_minute: Annotated[int, Field(ge=1, le=1_000_000)] = 100
    timeout_ms: Annotated[int, Field(ge=1, le=3_600_000)] = 5000
    max_concurrent_calls: Annotated[int, Field(ge=1, le=100_000)] | None = None
    allowed_roles: Annotated[list[Label], Field(max_length=100)] = []
    requires_approval: bool = False


class Alternative(Part):
    """A declared fallback; `arguments` maps its parameter names to ours, or to constants."""

    ref: Annotated[str, Field(min_length=1, max_length=1200)]
    arguments: dict[str, Any] = {}


class DocumentFields(Part):
    """The fields of the registration document."""

    provider: ProviderName = "unknown"
    name: ToolName
    version: PublishedVersion = "1.0.0"
    display_name: Annotated[str, Field(max_length=200)] = ""
    description: Words = ""
    returns: Annotated[str, Field(max_length=4000)] = ""
    examples: Annotated[list[Annotated[str, Field(min_length=1, max_length=1000)]], Field(max_length=50)] = []
    parameters: Annotated[list[Parameter], Field(max_length=5000)] = []
    input_schema: dict[str, Any] = {}
    output_schema: dict[str, Any] | None = None
    scopes: Annotated[list[Scope], Field(max_length=100)] = []
    endpoint: Endpoint | None = None
    capabilities: Capabilities = Capabilities()
    policy: Policy = Policy()
    alternatives: Annotated[list[Alternative], Field(max_length=20)] = []
    liveness: Literal["heartbeat", "probe", "none"] | None = None


class ToolDefinition(DocumentFields):
    """One version of a tool as its provider describes it."""

    @property
    def tool_id(self) -> str:
        """Return `provider:name:version`."""
        return make_tool_id(self.provider, self.name, self.version)

    @model_validator(mode="before")
    @classmethod
    def _prepare(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        kept = {k: v for k, v in value.items() if v is not None and k not in SERVER_OWNED}
        if isinstance(kept.get("provider"), str):
            kept["provider"] = kept["provider"].lower()
        return kept

    @classmethod
    def parse(cls, document: Any) -> Self:
        """Return the checked definition of a document as a client sent it.

        Raises:
            DocumentInvalid: with one fault for each thing that is wrong; pointers name fields as they
                were sent.
            Malformed: it breaks the limits of `strict_json`, whatever parsed it.
        """
        if not isinstance(document, dict):
            raise DocumentInvalid(
                "A registration document is a JSON object.",
                errors=[Fault("", "not_an_object", "Send an object.")],
            )
        strict_json.check(document)
        ours, sent = spelling.document_from_java(unicode.nfc(document))
        try:
            checked = cls.model_validate(ours)
        except ValidationError as error:
            raise faults.document_invalid(error, model=cls, sent=sent) from error
        return checked.with_schema(sent)

    def with_schema(self, sent: spelling.Sent) -> Self:
        """Return the definition with parameters and input schema both filled from the one that was sent."""
        given = [_as_sent(parameter) for parameter in self.parameters]
        found = _repeated_names(given)
        schema = self.input_schema
        if "input_schema" in self.model_fields_set:
            found += _below("/input_schema", schema_checks.input_faults(schema))
        elif not found:
            schema = parameters.to_schema(given)
            found += [_in_parameters(fault, given) for fault in schema_checks.input_faults(schema)]
        if self.output_schema is not None:
            found += _below("/output_schema", schema_checks.schema_faults(self.output_schema))
        listed: list[Parameter] = []
        if not found:
            listed, found = _listed(schema)
        if given and not found and not _agree(given, listed):
            found.append(Fault("/parameters", "contradiction", "`parameters` and `input_schema` differ."))
        if found:
            raise faults.invalid([Fault(sent.pointer(f.pointer), f.code, f.detail) for f in found])
        schema = {"type": "object", "properties": {}} | schema
        return self.model_copy(update={"input_schema": schema, "parameters": listed})

    def document(self) -> dict[str, Any]:
        """Return the canonical document: every field present, absent values null, our spelling."""
        listed, _ = parameters.from_schema(self.input_schema)
        dumped = self.model_dump(mode="json", exclude={"parameters"})
        return {name: listed if name == "parameters" else dumped[name] for name in type(self).model_fields}


def _as_sent(parameter: Parameter) -> dict[str, Any]:
    keywords = parameter.model_dump(exclude_unset=True)
    if keywords.get("format") == "url":
        keywords["format"] = "uri"  # seeds/004's word for it
    return keywords


def _repeated_names(given: list[dict[str, Any]]) -> list[Fault]:
    seen: set[str] = set()
    found = []
    for index, parameter in enumerate(given):
        if parameter["name"] in seen:
            found.append(Fault(f"/parameters/{index}/name", "duplicate", "Another parameter has this name."))
        seen.add(parameter["name"])
    return found


def _listed(schema: dict[str, Any]) -> tuple[list[Parameter], list[Fault]]:
    """Return the parameters of a valid schema, and which of its properties can be none."""
    listed: list[Parameter] = []
    found: list[Fault] = []
    for keywords in parameters.from_schema(schema)[0]:
        try:
            listed.append(Parameter.model_validate(keywords))
        except ValidationError as error:
            where = pointer(("input_schema", "properties", keywords["name"]))
            names = spelling.Sent({"/name": where, "/description": f"{where}/description"})
            found += faults.document_invalid(error, model=Parameter, sent=names).errors
    return listed, found


def _agree(given: list[dict[str, Any]], listed: list[Parameter]) -> bool:
    return _comparable(given) == _comparable([_as_sent(parameter) for parameter in listed])


def _comparable(keywords: list[dict[str, Any]]) -> list[str]:
    """Return texts that tell 1 from true, in no one's order."""
    return sorted(json.dumps({"required": False} | item, sort_keys=True) for item in keywords)


def _below(prefix: str, found: list[Fault]) -> list[Fault]:
    return [Fault(prefix + fault.pointer, fault.code, fault.detail) for fault in found]


def fault_as_sent(fault: Fault, document: dict[str, Any]) -> Fault:
    """Point into the document as it was sent: at its `parameters` where it has no `input_schema`."""
    given = document.get("parameters")
    schema, slash, rest = fault.pointer.partition("/input_schema")
    if schema or not slash or not isinstance(given, list) or document.get("input_schema"):
        return fault
    return _in_parameters(Fault(rest, fault.code, fault.detail), given)


def _in_parameters(fault: Fault, given: list[dict[str, Any]]) -> Fault:
    """Point into `parameters` at what was found in the schema made from them."""
    steps = fault.pointer.split("/")[2:]
    for index, parameter in enumerate(given):
        if steps and pointer((parameter["name"],)) == f"/{steps[0]}":
            keywords = [parameters.carried(step) for step in steps[1:2]]
            where = "/".join(["/parameters", str(index), *keywords, *steps[2:]])
            return Fault(where, fault.code, fault.detail)
    return Fault("/parameters", fault.code, fault.detail)
