"""Make entries of the lists of tools that OpenAI, Anthropic, Gemini and MCP take.

One entry that a vendor refuses fails the whole request, so that each is made to pass, and a note says what
that changed.
"""

import re
from typing import Any

from toolroster.errors import DocumentInvalid, Fault
from toolroster.prompts.described import Note, Rendering
from toolroster.prompts.names import NameRule
from toolroster.prompts.prose import one_line, plain_value, prose, readable
from toolroster.prompts.roots import plain_root
from toolroster.prompts.selection import Offer
from toolroster.prompts.strict import strict_schema
from toolroster.prompts.strict.keywords import has_lookaround
from toolroster.schema_walk import pointer, rewrite

Schema = dict[str, Any]

OPENAI_NAMES = NameRule("a-zA-Z0-9_-", "a-zA-Z0-9_-", 64)
ANTHROPIC_NAMES = OPENAI_NAMES
"""The API takes 128 characters by now, but clients that put a prefix before a name still end at 64."""
GEMINI_NAMES = NameRule("a-zA-Z_", "a-zA-Z0-9_-", 64)
"""Dots, colons and 128 characters are newer than some models."""
MCP_NAMES = NameRule("a-zA-Z0-9_.-", "a-zA-Z0-9_.-", 128)
"""MCP 2026-07-28, server/tools#tool-names."""

OPENAI_MOST_TOOLS = 128
"""Of one request (zed#42393, opencode#4909)."""
_OPENAI_DESCRIPTION_CHARS = 1024
_ANTHROPIC_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def openai(offer: Offer, name: str, _language: str) -> Rendering:
    """Return an entry of Chat Completions' `tools`."""
    function, notes = _function(offer, name)
    return Rendering({"type": "function", "function": function}, notes)


def openai_responses(offer: Offer, name: str, _language: str) -> Rendering:
    """Return an entry of the Responses API's `tools`, which is flat."""
    function, notes = _function(offer, name)
    return Rendering({"type": "function", **function}, notes)


def anthropic(offer: Offer, name: str, _language: str) -> Rendering:
    """Return an entry of the Messages API's `tools`.

    Raises:
        DocumentInvalid: the API would refuse a property's name, which no other can stand for.
    """
    schema, rule = plain_root(readable(offer.input_schema))
    for property_name in schema.get("properties", {}):
        if not _ANTHROPIC_PROPERTY.fullmatch(property_name):
            where = pointer(("properties", property_name))
            reason = "Anthropic takes letters, digits, '_', '.' and '-' in a property's name, at most 64."
            raise DocumentInvalid(reason, errors=[Fault(where, "name_refused", reason)])
    notes = _rule_notes(offer, rule)
    return Rendering({"name": name, **_described(offer, rule), "input_schema": schema}, notes)


def gemini(offer: Offer, name: str, _language: str) -> Rendering:
    """Return a function declaration; `parameters_json_schema` takes JSON Schema as it is."""
    schema = rewrite(readable(offer.input_schema), _with_items)
    schema.pop("$schema", None)
    return Rendering({"name": name, **_described(offer), "parameters_json_schema": schema})


def mcp(offer: Offer, name: str, _language: str) -> Rendering:
    """Return a Tool of MCP; hints that are not known are left out, as their defaults assume the worst."""
    capabilities, title = offer.capabilities, one_line(offer.document.get("display_name") or "")
    hints = {
        "readOnlyHint": capabilities.get("read_only"),
        "destructiveHint": capabilities.get("destructive"),
        "idempotentHint": capabilities.get("idempotent"),
        "openWorldHint": capabilities.get("open_world"),
    }
    output, notes = _output_schema(offer)
    tool = {
        "name": name,
        **({"title": title} if title else {}),
        **_described(offer),
        "inputSchema": rewrite(readable(offer.input_schema), _with_items),
        **output,
        "annotations": {hint: value for hint, value in hints.items() if value is not None},
    }
    return Rendering(tool, notes)


def _output_schema(offer: Offer) -> tuple[Schema, tuple[Note, ...]]:
    """Return MCP's `outputSchema`: until 2025-11-25 clients drop all tools for one that is no object."""
    schema = offer.document.get("output_schema")
    if schema is None:
        return {}, ()
    if schema.get("type") != "object":
        reason = "Its output schema is left out: before 2026-07-28 MCP takes the type object alone."
        return {}, (Note(offer.tool_id, reason),)
    return {"outputSchema": readable(schema)}, ()


def _function(offer: Offer, name: str) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """Return OpenAI's function: strict if its schema can be, else as it is, with the reason."""
    schema = readable(offer.input_schema)
    try:
        parameters, rule, notes = strict_schema(schema), "", []
    except DocumentInvalid as refusal:
        fault = refusal.errors[0]
        notes = [Note(offer.tool_id, f"It is not strict: {fault.detail}", fault.pointer)]
        plain, rule = plain_root(schema)
        parameters = rewrite(rewrite(plain, _with_items), _without_lookaround)
    described = _described(offer, rule)
    function = {"name": name, **described, "parameters": parameters, "strict": not notes}
    if len(described.get("description", "")) > _OPENAI_DESCRIPTION_CHARS:
        reason = f"Some models refuse a description of over {_OPENAI_DESCRIPTION_CHARS} characters."
        notes.append(Note(offer.tool_id, reason))
    return function, (*notes, *_rule_notes(offer, rule))


def _with_items(node: Schema) -> Schema:
    """Return a subschema whose arrays name their items; OpenAI and VS Code insist (spacectl#402, ReMe#84)."""
    types = node.get("type", [])
    is_array = types == "array" or (isinstance(types, list) and "array" in types)
    return node | {"items": {}} if is_array and "items" not in node else node


def _without_lookaround(node: Schema) -> Schema:
    """Return a subschema that tells a pattern in words if OpenAI takes it nowhere (opencode#32073)."""
    if not has_lookaround(node):
        return node
    said = f"{node.get('description', '')} (pattern: {plain_value(node['pattern'])})".lstrip()
    return {keyword: value for keyword, value in node.items() if keyword != "pattern"} | {"description": said}


def _described(offer: Offer, rule: str = "") -> dict[str, str]:
    """Return the description, with the rule that the schema could not carry; none without words."""
    said = "\n\n".join(part for part in (prose(offer.description), rule) if part)
    return {"description": said} if said else {}


def _rule_notes(offer: Offer, rule: str) -> tuple[Note, ...]:
    reason = "A part of its schema is told in its description: the root has composition."
    return (Note(offer.tool_id, reason),) if rule else ()
