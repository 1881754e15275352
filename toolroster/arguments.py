"""Check the arguments of a call against a tool's input schema, in words that let the caller mend them."""

import json
import logging
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import UnknownType, ValidationError, best_match
from jsonschema.protocols import Validator
from referencing import Registry
from referencing.exceptions import Unresolvable

from toolroster import patterns
from toolroster.cache import Cache
from toolroster.errors import DocumentInvalid, Fault
from toolroster.schema_walk import pointer

logger = logging.getLogger(__name__)

MOST_FAULTS = 20
_MOST_ERRORS = 100
"""So many are looked for and sorted: hostile arguments may have a hundred thousand."""
_MOST_NAMES = 200
"""So many parameters are compared with a name that is none."""
_FOREVER = float("inf")
_validators: Cache[Validator] = Cache(1000)


def check(arguments: Any, schema: Mapping[str, Any]) -> None:
    """Let arguments pass that the schema allows.

    Raises:
        DocumentInvalid: with a fault for each thing that is wrong; pointers lead into the arguments.
    """
    found = faults(arguments, schema)
    if found:
        where = found[0].pointer
        raise DocumentInvalid(
            f"{where}: {found[0].detail}" if where else found[0].detail,
            errors=found,
            nearest=_nearest(arguments, schema),
        )


def faults(arguments: Any, schema: Mapping[str, Any]) -> list[Fault]:
    """Return what is wrong with arguments, at most `MOST_FAULTS`; [] when nothing is.

    A schema that cannot be used forbids nothing: the tool checks its arguments itself.
    """
    try:
        errors = list(islice(_validator(schema).iter_errors(arguments), _MOST_ERRORS))
    except (UnknownType, Unresolvable, re.error, RecursionError):
        logger.warning("a schema cannot be used to check arguments", exc_info=True)
        return []
    errors.sort(key=lambda error: [str(part) for part in error.path])
    return [fault for error in errors for fault in _of(error)][:MOST_FAULTS]


def _validator(schema: Mapping[str, Any]) -> Validator:
    """Return the schema's validator, made once; it reads nothing from anywhere."""
    key = json.dumps(schema, sort_keys=True)
    known = _validators.get(key, now=0)
    if known is None:
        if all(f'"{keyword}"' in key for keyword in ("unevaluatedProperties", "patternProperties")):
            raise re.error("jsonschema looks for what is evaluated with patterns that may take forever")
        formats = Draft202012Validator.FORMAT_CHECKER
        known = _BOUNDED(dict(schema), registry=Registry(), format_checker=formats)
        _validators.put(key, known, until=_FOREVER)
    return known


def _unique_items(_validator: Any, is_unique: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    """Compare entries by their text: jsonschema compares each with each, which takes hours for some calls."""
    if not is_unique or not isinstance(instance, list):
        return
    texts = [json.dumps(_plain(entry), sort_keys=True) for entry in instance]
    if len(set(texts)) < len(texts):
        yield ValidationError("has non-unique elements")


def _plain(value: Any) -> Any:
    """Return a value in which equal numbers look alike (2020-12 core §4.2.2: 1.0 is 1)."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return {name: _plain(one) for name, one in value.items()} if isinstance(value, dict) else value


def _pattern(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not patterns.matches(pattern, instance):
        yield ValidationError("does not match")


def _pattern_properties(
    validator: Any, by_pattern: Mapping[str, Any], instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    for pattern, about in by_pattern.items():
        for name, value in instance.items():
            if patterns.matches(pattern, name):
                yield from validator.descend(value, about, path=name, schema_path=pattern)


def _additional_properties(
    validator: Any, about: Any, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    extras = _extras(instance, schema)
    if about is False and extras:
        yield ValidationError("has more properties than are allowed")
    elif isinstance(about, dict):
        for name in extras:
            yield from validator.descend(instance[name], about, path=name)


def _extras(instance: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    known, by_pattern = schema.get("properties", {}), schema.get("patternProperties", {})
    return [
        name
        for name in instance
        if name not in known and not any(patterns.matches(one, name) for one in by_pattern)
    ]


_extend: Any = validators.extend
_BOUNDED: Any = _extend(
    Draft202012Validator,
    {
        "uniqueItems": _unique_items,
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    },
)


def _of(error: ValidationError) -> list[Fault]:
    if error.context:  # of several forms the one that fits best says what is wrong
        error = best_match([error]) or error
    path = tuple(error.absolute_path)
    if error.validator == "required" and isinstance(error.instance, dict):
        needed: Any = error.validator_value
        missing = [name for name in needed if f"{name!r} is a required" in error.message]
        return [Fault(pointer((*path, name)), "required", "It is required.") for name in missing]
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        schema = error.schema if isinstance(error.schema, dict) else {}
        known = schema.get("properties", {})
        return [
            Fault(pointer((*path, name)), "unknown", _unknown(name, known))
            for name in sorted(_extras(error.instance, schema))[:MOST_FAULTS]
        ]
    return [Fault(pointer(path), str(error.validator), _expectation(error))]


def _unknown(name: str, known: Mapping[str, Any]) -> str:
    near = get_close_matches(name[:100], list(known)[:_MOST_NAMES], n=1)
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
    known = list(schema.get("properties", {}))[:_MOST_NAMES]
    if not isinstance(arguments, dict):
        return []
    strangers = [name[:100] for name in arguments if name not in known][:MOST_FAULTS]
    return sorted({near for name in strangers for near in get_close_matches(name, known, n=2)})
