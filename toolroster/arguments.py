"""Check the arguments of a call against a tool's input schema, in words that let the caller mend them."""

import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from referencing import Registry

from toolroster.cache import Cache
from toolroster.errors import DocumentInvalid, Fault
from toolroster.schema_walk import pointer

MOST_FAULTS = 20
_FOREVER = float("inf")
_validators: Cache[Draft202012Validator] = Cache(1000)


def check(arguments: Any, schema: Mapping[str, Any]) -> None:
    """Let arguments pass that the schema allows.

    Raises:
        DocumentInvalid: with a fault for each thing that is wrong; pointers lead into the arguments.
    """
    found = faults(arguments, schema)
    if found:
        names = [name for name in _nearest(arguments, schema) if name]
        where = found[0].pointer
        raise DocumentInvalid(
            f"{where}: {found[0].detail}" if where else found[0].detail, errors=found, nearest=names
        )


def faults(arguments: Any, schema: Mapping[str, Any]) -> list[Fault]:
    """Return what is wrong with arguments, at most `MOST_FAULTS`; [] when nothing is."""
    errors = sorted(_validator(schema).iter_errors(arguments), key=lambda error: [str(p) for p in error.path])
    return [fault for error in errors for fault in _of(error)][:MOST_FAULTS]


def _validator(schema: Mapping[str, Any]) -> Draft202012Validator:
    """Return the schema's validator, made once; it reads nothing from anywhere."""
    key = json.dumps(schema, sort_keys=True)
    known = _validators.get(key, now=0)
    if known is None:
        formats = Draft202012Validator.FORMAT_CHECKER
        known = Draft202012Validator(dict(schema), registry=Registry(), format_checker=formats)
        _validators.put(key, known, until=_FOREVER)
    return known


def _of(error: ValidationError) -> list[Fault]:
    if error.context:  # of several forms the one that fits best says what is wrong
        error = best_match([error]) or error
    path = tuple(error.absolute_path)
    if error.validator == "required" and isinstance(error.instance, dict):
        needed: Any = error.validator_value
        missing = [name for name in needed if f"{name!r} is a required" in error.message]
        return [Fault(pointer((*path, name)), "required", "It is required.") for name in missing]
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = (error.schema if isinstance(error.schema, dict) else {}).get("properties", {})
        return [
            Fault(pointer((*path, name)), "unknown", _unknown(name, known))
            for name in sorted(error.instance.keys() - known.keys())
        ]
    return [Fault(pointer(path), str(error.validator), _expectation(error))]


def _unknown(name: str, known: Mapping[str, Any]) -> str:
    near = get_close_matches(name, list(known), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    names = ", ".join(sorted(known)) or "none"
    return f"There is no parameter {name[:100]!r}.{hint} Parameters: {names[:500]}."


def _expectation(error: ValidationError) -> str:
    """Say what was expected; values that were sent may be secret and are not repeated."""
    value = error.validator_value
    says = {
        "type": f"It must be {_types(value)}.",
        "enum": f"It must be one of {_short(value)}.",
        "const": f"It must be {_short(value)}.",
        "format": f"It must be a valid {value}.",
        "minimum": f"It must be at least {value}.",
        "maximum": f"It must be at most {value}.",
        "exclusiveMinimum": f"It must be greater than {value}.",
        "exclusiveMaximum": f"It must be less than {value}.",
        "multipleOf": f"It must be a multiple of {value}.",
        "minLength": f"It must have at least {value} characters.",
        "maxLength": f"It must have at most {value} characters.",
        "pattern": f"It must match the pattern {_short(value)}.",
        "minItems": f"It must have at least {value} entries.",
        "maxItems": f"It must have at most {value} entries.",
        "uniqueItems": "Its entries must differ from each other.",
        "anyOf": "It fits none of the forms that are allowed.",
        "oneOf": "It must fit exactly one of the forms that are allowed.",
    }
    return says.get(str(error.validator), f"It breaks the schema's rule {error.validator!r}.")


def _types(value: Any) -> str:
    names = value if isinstance(value, list) else [value]
    return " or ".join(f"of type {name}" if name != "null" else "null" for name in names)


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:300]


def _nearest(arguments: Any, schema: Mapping[str, Any]) -> list[str]:
    """Return the parameters that unknown names may have meant."""
    known = list(schema.get("properties", {}))
    if not isinstance(arguments, dict):
        return []
    strangers = [name for name in arguments if name not in known]
    return sorted({near for name in strangers for near in get_close_matches(name, known, n=2)})
